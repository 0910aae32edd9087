"""Lines of cells: pieces of text with the role of their colour, made safe and cut to the width of a pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from mqtools.tui import colours
from mqtools.tui.text_width import fit_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mqtools.tui.colours import Colours

#: A piece of a line: its text, and its role of ``colours``.
Cell: TypeAlias = tuple[str, str]


def draw_cells(
    cells: Sequence[Cell],
    found: Colours,
    width: int,
    ground: str = colours.PLAIN,
    *,
    strike: bool = False,
    needle: str = "",
) -> Strip:
    """Return a line of cells on a ground, cut or padded to a width. needle: highlighted, ignoring case."""
    segments = [
        Segment(text, found.style(role, colours.HIT if is_hit else ground, strike=strike))
        for text, role, is_hit in _split_hits(cells, needle)
        if text
    ]
    return Strip(segments).adjust_cell_length(width, found.style(colours.TEXT, ground))


def _split_hits(cells: Sequence[Cell], needle: str) -> Iterable[tuple[str, str, bool]]:
    """Yield the cells in pieces, each with whether it is part of the first hit."""
    line = "".join(text for text, _ in cells) if needle else ""
    begin = line.casefold().find(needle.casefold()) if needle and len(line.casefold()) == len(line) else -1
    end, at = begin + len(needle), 0
    for text, role in cells:
        if begin < 0 or at >= end or at + len(text) <= begin:
            yield text, role, False
        else:
            first, last = max(0, begin - at), min(len(text), end - at)
            yield text[:first], role, False
            yield text[first:last], colours.TEXT, True
            yield text[last:], role, False
        at += len(text)


def cut_middle(text: str, width: int) -> str:
    """Return a text cut in its middle to a width: names that begin alike differ at their end."""
    if cell_len(text) <= width:
        return text
    if width < 3:
        return fit_text(text, max(0, width))
    behind = (width - 1) // 2
    return f"{fit_text(text, width - 1 - behind)}…{text[-behind:] if behind else ''}"
