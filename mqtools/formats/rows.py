"""Rows of named values as text: plain, CSV, JSON, JSON lines, or a table for people.

Cells of plain, CSV and tables are made visible, since their values may come from a message; JSON is exact.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO

from mqtools.formats.table_fit import END, MIDDLE, NEVER, FitColumn, fit, shorten
from mqtools.formats.terminal import visible
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from rich.table import Table

    Row: TypeAlias = dict[str, object]
    Write: TypeAlias = Callable[[str], object]
    Align: TypeAlias = Literal["left", "right", "center"]

#: Beginnings of a text cell that a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t")

#: Width of a table whose reader has none (a pipe, a file): nothing is ever cut.
_UNBOUNDED = 1 << 20


class Column(Record):
    """One column: the row's key, the heading of a table, and the side it is aligned to.

    rank: importance where a terminal is too narrow, 0 being the most important; None: in the order of the columns.
    cut: how its cells are cut there (``table_fit``); None: numbers and times never, other cells in the middle.
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


def write_rows(
    rows: Iterable[Row],
    columns: Sequence[Column],
    output: str,
    write: Write,
    *,
    header: bool,
    color: bool = False,
    width: int | None = None,
) -> None:
    """Write rows in one of the forms ``plain csv json jsonl table``, a line at a time but for the table.

    rows: a key that a row lacks is an empty cell; json and jsonl write each row whole, whatever the columns.
    header: whether a first line names the columns (plain and csv: by key; table: by title).
    color: bold headings, in a table only.  width: of a table, in cells, to which columns and cells are cut; None cuts
    nothing.
    An unknown output: ValueError.
    """
    if output == "plain":
        lines = _plain(rows, columns, header)
    elif output == "csv":
        lines = _csv(rows, columns, header)
    elif output == "json":
        lines = _json(rows)
    elif output == "jsonl":
        lines = _jsonl(rows)
    elif output == "table":
        lines = _table(rows, columns, header, color, width)
    else:
        raise ValueError(f"{output!r} is not one of plain csv json jsonl table")
    for line in lines:
        write(line)


def cell_text(value: object) -> str:
    """Return a value as the text of a cell, not yet made visible: None is empty, bytes are hex, lists joined."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray)):
        return value.hex().upper()
    if isinstance(value, (list, tuple)):
        return ",".join(cell_text(item) for item in value)
    return str(value)


def _plain(rows: Iterable[Row], columns: Sequence[Column], header: bool) -> Iterator[str]:
    if header:
        yield "\t".join(visible(column.name) for column in columns) + "\n"
    for row in rows:
        yield "\t".join(visible(cell_text(row.get(column.name))) for column in columns) + "\n"


class _Line:
    """A file for ``csv.writer`` that holds the one line written last."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text = text
        return len(text)


def _csv(rows: Iterable[Row], columns: Sequence[Column], header: bool) -> Iterator[str]:
    line = _Line()
    writer = csv.writer(line, lineterminator="\n")
    if header:
        writer.writerow([column.name for column in columns])
        yield line.text
    for row in rows:
        writer.writerow([_csv_cell(row.get(column.name)) for column in columns])
        yield line.text


def _csv_cell(value: object) -> str:
    text = visible(cell_text(value), "\n\t")
    # A negative number is data; a text that only looks like one may be the start of a formula.
    is_number = isinstance(value, (int, float))
    return f"'{text}" if text.startswith(_FORMULA) and not is_number else text


def _json(rows: Iterable[Row]) -> Iterator[str]:
    from mqtools.formats.jsontext import dumps

    opening = "["
    for row in rows:
        yield opening + dumps(row)
        opening = ",\n"
    yield "[]\n" if opening == "[" else "]\n"


def _jsonl(rows: Iterable[Row]) -> Iterator[str]:
    from mqtools.formats.jsontext import dumps

    for row in rows:
        yield dumps(row) + "\n"


def _table(
    rows: Iterable[Row], columns: Sequence[Column], header: bool, color: bool, width: int | None
) -> Iterator[str]:
    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=_UNBOUNDED,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        _environ={},
    )
    lines = [[visible(cell_text(row.get(column.name))) for column in columns] for row in rows]
    shown, lines = _fit_columns(lines, columns, header, width)
    with console.capture() as captured:
        console.print(_rich_table(lines, shown, header), crop=False, soft_wrap=False)
    for line in captured.get().removesuffix("\n").split("\n"):
        yield line.rstrip(" ") + "\n"


def _fit_columns(
    lines: list[list[str]], columns: Sequence[Column], header: bool, width: int | None
) -> tuple[list[tuple[str, Align]], list[list[str]]]:
    """Return heading and side of each column that is shown, and the cells of each line, cut to the width."""
    from rich.cells import cell_len

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
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=header, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for title, align in columns:
        table.add_column(Text(title), justify=align, no_wrap=True)
    for line in lines:
        table.add_row(*(Text(cell, no_wrap=True) for cell in line))
    return table
