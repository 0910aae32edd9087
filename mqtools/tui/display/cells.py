"""Lines of cells: pieces of text with the role of their colour, wrapped, cut and padded to the width of a pane."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from mqtools.tui.display import colours
from mqtools.tui.display.colours import Colours

#: A piece of a line: its text, and its role of ``colours``.
Cell: TypeAlias = tuple[str, str]


def draw_cells(
    cells: Sequence[Cell], found: Colours, width: int, ground: str = colours.PLAIN, *, strike: bool = False
) -> Strip:
    """Return a line of cells on a ground, cut or padded to a width; those of one role are written together."""
    padding = width - sum(cell_len(text) for text, _ in cells)
    if padding > 0 and not strike:
        cells = [*cells, (" " * padding, colours.TEXT)]
    segments = [
        Segment(
            "".join(text for text, _ in same),
            found.style(colours.TEXT, colours.HIT, strike=strike)
            if role == colours.HIT
            else found.style(role, ground, strike=strike),
        )
        for role, same in groupby(cells, key=lambda cell: cell[1])
    ]
    return Strip(segments).adjust_cell_length(width, found.style(colours.TEXT, ground))


def mark_hits(cells: Sequence[Cell], needle: str) -> list[Cell]:
    """Return the cells in pieces, those that are part of a hit in the role of one. needle: ignoring case."""
    line = "".join(text for text, _ in cells)
    hits = find_hits(line, needle)
    if not hits:
        return list(cells)
    marked: list[Cell] = []
    at, number = 0, 0
    for text, role in cells:
        end = at + len(text)
        while at < end:
            while number < len(hits) and hits[number][1] <= at:
                number += 1
            first, last = hits[number] if number < len(hits) else (end, end)
            upto = min(end, last if first <= at else first)
            marked.append((line[at:upto], colours.HIT if first <= at else role))
            at = upto
    return marked


def find_hits(line: str, needle: str) -> list[tuple[int, int]]:
    """Return where a text is found in a line, ignoring case: begin and end of each hit."""
    folded, wanted = line.casefold(), needle.casefold()
    if not wanted or len(folded) != len(line):
        return []
    hits, at = [], folded.find(wanted)
    while at >= 0:
        hits.append((at, at + len(wanted)))
        at = folded.find(wanted, at + len(wanted))
    return hits


class CutCells:
    """The cells of a long line, drawn in parts."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = cells
        self._ends = list(accumulate(len(text) for text, _ in cells))

    def cut(self, begin: int, end: int) -> list[Cell]:
        """Return the cells of a part. begin, end: in characters."""
        cut: list[Cell] = []
        for number in range(bisect_right(self._ends, begin), len(self._cells)):
            text, role = self._cells[number]
            at = self._ends[number] - len(text)
            if at >= end:
                break
            cut.append((text[max(0, begin - at) : end - at], role))
        return cut


def cut_middle(text: str, width: int) -> str:
    """Return a text cut in its middle to a width: names that begin alike differ at their end."""
    if cell_len(text) <= width:
        return text
    if width < 3:
        return fit_text(text, max(0, width))
    behind = (width - 1) // 2
    return f"{fit_text(text, width - 1 - behind)}…{text[-behind:] if behind else ''}"


def wrap_lines(lines: Sequence[str], width: int, *, at_words: bool = False) -> list[str]:
    """Wrap lines to a width in cells. at_words: between words, where possible."""
    cut: list[str] = []
    for line in lines:
        rest = line
        indent = " " * min(width // 2, len(line) - len(line.lstrip(" "))) if at_words else ""
        while len(rest) > width or (not rest.isascii() and cell_len(rest) > width):
            piece = rest[:width] if rest[:width].isascii() else fit_text(rest[: width + 1], width)
            blank = piece.rstrip(" ").rfind(" ") if at_words else -1
            if blank > len(indent) and " " not in (piece[-1], rest[len(piece) : len(piece) + 1]):
                piece = piece[: blank + 1]
            cut.append(piece)
            rest = rest[max(1, len(piece)) :]
            rest = indent + rest.lstrip(" ") if at_words else rest
        cut.append(rest)
    return cut


def fit_text(text: str, width: int) -> str:
    """Return the beginning of a text that fits into a number of cells."""
    text = text[: 2 * width]  # a character has two cells at most, and rarely no cell
    while cell_len(text) > width:
        text = text[:-1]
    return text


def shorten(text: str, width: int) -> str:
    """Return a text cut to a number of cells, with an ellipsis where that cuts it."""
    return text if cell_len(text) <= width else fit_text(text, max(0, width - 1)) + "…"[:width]


def fit_cells(cells: Sequence[Cell], width: int) -> list[Cell]:
    """Return cells cut to a width, with an ellipsis where that cuts text."""
    fitting: list[Cell] = []
    left = width
    for text, role in cells:
        if cell_len(text) > left:
            return [*fitting, (format_cell(text.rstrip(), left), role)] if text.strip() else fitting
        fitting.append((text, role))
        left -= cell_len(text)
    return fitting


def format_cell(text: str, width: int, *, right: bool = False) -> str:
    """Return a text cut, with an ellipsis, or padded to a number of cells."""
    shown = shorten(text, width)
    padding = " " * (width - cell_len(shown))
    return padding + shown if right else shown + padding
