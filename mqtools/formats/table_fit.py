"""Fit of a table to a terminal: which columns are shown, and how wide each is.

Columns give way from the least important one. Times and numbers are never cut; of a name the middle is, so that what it
begins and ends with stays readable; of a text the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mqtools.records import OptionRecord, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Align: TypeAlias = Literal["left", "right", "center"]

#: Blanks between two columns.
GAP = 2
#: Replaces the part that is cut.
_CUT = "…"
#: Cells that a name and a text keep at least.
_LEAST_NAME, _LEAST_TEXT = 17, 16

#: How a column is cut.
MIDDLE, END, NEVER = "middle", "end", "never"


class Column(Record):
    """One column: the row's key, the heading of a table, and the side it is aligned to.

    rank: importance where a terminal is too narrow, 0 being the most important; None: in the order of the columns.
    cut: how its cells are cut there (MIDDLE, END, NEVER); None: numbers and times never, other cells in the middle.
    """

    __slots__ = ("align", "cut", "name", "rank", "title")

    def __init__(
        self, name: str, title: str = "", align: Align = "left", *, rank: int | None = None, cut: str | None = None
    ) -> None:
        self.name = name
        self.title = (title or name).upper()
        self.align = align
        self.rank = rank
        self.cut = cut


class FitColumn(OptionRecord):
    """A column to fit. rank: 0 is the most important one.  cut: MIDDLE, END or NEVER.  width: natural, in cells."""

    rank: int
    cut: str
    width: int

    @property
    def least(self) -> int:
        """The width below which the column is left out instead."""
        limit = {MIDDLE: _LEAST_NAME, END: _LEAST_TEXT}.get(self.cut, self.width)
        return min(self.width, limit)


def fit(columns: Sequence[FitColumn], width: int) -> list[int]:
    """Return the width of each column in a table of at most ``width`` cells; 0 for one that is left out."""
    kept = sorted(range(len(columns)), key=lambda n: columns[n].rank)
    while len(kept) > 1 and _total([columns[n].least for n in kept]) > width:
        kept.pop()
    widths = [0] * len(columns)
    for n in kept:
        widths[n] = columns[n].least
    spare = width - _total([columns[n].least for n in kept])
    if spare < 0:  # not even the most important one fits
        widths[kept[0]] = max(1, width)
    for n in kept:
        more = max(0, min(spare, columns[n].width - widths[n]))
        widths[n] += more
        spare -= more
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def shorten(text: str, width: int, cut: str, cells: Callable[[str], int] = len) -> str:
    """Return a text in at most ``width`` cells, with an ellipsis for what is cut. cells: counts those of a text."""
    if cells(text) <= width:
        return text
    if width <= 1:
        return _CUT[:width]
    tail = (width - 1) // 2 if cut == MIDDLE else 0
    return _beginning(text, width - 1 - tail, cells) + _CUT + _ending(text, tail, cells)


def _beginning(text: str, width: int, cells: Callable[[str], int]) -> str:
    shown = text[:width]
    while cells(shown) > width:
        shown = shown[:-1]
    return shown


def _ending(text: str, width: int, cells: Callable[[str], int]) -> str:
    shown = text[len(text) - width :] if width else ""
    while cells(shown) > width:
        shown = shown[1:]
    return shown
