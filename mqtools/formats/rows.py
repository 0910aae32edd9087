"""Rows of named values as text: plain, CSV, JSON, JSON lines, or a table for people.

Cells of plain, CSV and tables are made visible, since their values may come from a message; JSON is exact.
"""

from __future__ import annotations

from mqtools.formats.terminal import visible
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Literal, TypeAlias

    from rich.table import Table
    from rich.text import Text

    Row: TypeAlias = dict[str, object]
    Write: TypeAlias = Callable[[str], object]
    Align: TypeAlias = Literal["left", "right", "center"]

#: Beginnings of a text cell that a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t")

#: Width of a table whose reader has none (a pipe, a file): nothing is ever cut.
_UNBOUNDED = 1 << 20


class Column(Record):
    """One column: the row's key, the heading of a table, and the side it is aligned to."""

    __slots__ = ("align", "name", "title")

    def __init__(self, name: str, title: str = "", align: Align = "left") -> None:
        self.name = name
        self.title = title or name
        self.align = align


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
    color: bold headings, in a table only.  width: of a table, in cells; None never cuts anything.
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
    import csv

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
    from io import StringIO

    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=width or _UNBOUNDED,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        _environ={},
    )
    table = _rich_table(list(rows), columns, header)
    with console.capture() as captured:
        console.print(table, crop=False, soft_wrap=False)
    for line in captured.get().removesuffix("\n").split("\n"):
        yield line.rstrip(" ") + "\n"


def _rich_table(rows: list[Row], columns: Sequence[Column], header: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=header, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        # An identifier cut short is worthless, so its column keeps its width and the others give way.
        is_id = column.name == "id" or column.name.endswith("_id")
        cells = [len(cell_text(row.get(column.name))) for row in rows] if is_id else []
        table.add_column(
            Text(visible(column.title)),
            justify=column.align,
            no_wrap=is_id,
            min_width=max(cells, default=0) or None,
            overflow="ellipsis",
        )
    for row in rows:
        table.add_row(*(_literal(Text, row.get(column.name)) for column in columns))
    return table


def _literal(text_class: type[Text], value: object) -> Text:
    return text_class(visible(cell_text(value)), no_wrap=True, overflow="ellipsis")
