"""Rows as a table for people, with columns and cells cut to the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mqtools.formats.table_fit import END, MIDDLE, NEVER, Column, FitColumn, fit, shorten
from mqtools.formats.terminal import visible

if TYPE_CHECKING:
    from mqtools.formats.table_fit import Align

#: Width of a table for a pipe or a file: nothing is ever cut.
_UNBOUNDED = 1 << 20


def table_lines(
    lines: list[list[str]], columns: Sequence[Column], header: bool, color: bool, width: int | None
) -> Iterator[str]:
    """Yield the lines of a table. lines: its cells.  header, color, width: as for ``rows.write_rows``."""
    console = Console(
        file=StringIO(),
        width=_UNBOUNDED,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        _environ={},
    )
    shown, lines = _fit_columns(lines, columns, header, width)
    with console.capture() as captured:
        console.print(_rich_table(lines, shown, header), crop=False, soft_wrap=False)
    for line in captured.get().removesuffix("\n").split("\n"):
        yield line.rstrip(" ") + "\n"


def _fit_columns(
    lines: list[list[str]], columns: Sequence[Column], header: bool, width: int | None
) -> tuple[list[tuple[str, Align]], list[list[str]]]:
    """Return heading and side of each column that is shown, and the cells of each line, cut to the width."""
    natural = [
        max([len(each.title) * header, *(cell_len(line[n]) for line in lines)]) for n, each in enumerate(columns)
    ]
    cuts = [each.cut or _default_cut(each, [line[n] for line in lines]) for n, each in enumerate(columns)]
    widths = natural
    if width is not None:
        # A column without values says the least, but for the heading of a table without rows.
        empty = [bool(lines) and not any(line[n] for line in lines) for n in range(len(columns))]
        ranks = [n if each.rank is None else each.rank for n, each in enumerate(columns)]
        ranks = [rank + empty[n] * len(columns) for n, rank in enumerate(ranks)]
        widths = fit([FitColumn(*parts) for parts in zip(ranks, cuts, natural, strict=True)], width)
    kept = [n for n, room in enumerate(widths) if room or natural[n] == 0]
    headings = [(shorten(visible(columns[n].title), widths[n], NEVER, cell_len), columns[n].align) for n in kept]
    return headings, [[shorten(line[n], widths[n], cuts[n], cell_len) for n in kept] for line in lines]


def _default_cut(column: Column, cells: Sequence[str]) -> str:
    """Return how the cells of a column are cut: numbers and times never, sentences at the end, names in the middle."""
    given = [cell for cell in cells if cell]
    if column.align == "right" or (given and all(cell[:4].isdigit() and cell[10:11] == "T" for cell in given)):
        return NEVER
    return END if any(" " in cell for cell in given) else MIDDLE


def _rich_table(lines: Sequence[Sequence[str]], columns: Sequence[tuple[str, Align]], header: bool) -> Table:
    table = Table(box=None, show_header=header, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for title, align in columns:
        table.add_column(Text(title), justify=align, no_wrap=True)
    for line in lines:
        table.add_row(*(Text(cell, no_wrap=True) for cell in line))
    return table
