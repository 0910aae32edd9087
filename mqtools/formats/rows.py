"""Rows of named values as text: plain, CSV, JSON, JSON lines, or a table for people.

Cells of plain, CSV and tables are made visible, since their values may come from a message; JSON is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain

from mqtools.formats.table_fit import Column as Column
from mqtools.formats.terminal import visible

#: Beginnings of a text cell that a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t")


def write_rows(
    rows: Iterable[dict[str, object]],
    columns: Sequence[Column],
    output: str,
    write: Callable[[str], object],
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
    elif output in ("json", "jsonl"):
        lines = _json(rows, output)
    elif output == "table":
        from mqtools.formats.table import table_lines

        cells = [[visible(cell_text(row.get(column.name))) for column in columns] for row in rows]
        lines = table_lines(cells, columns, header, color, width)
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


def _plain(rows: Iterable[dict[str, object]], columns: Sequence[Column], header: bool) -> Iterator[str]:
    if header:
        yield "\t".join(visible(column.name) for column in columns) + "\n"
    for row in rows:
        yield "\t".join(visible(cell_text(row.get(column.name))) for column in columns) + "\n"


def _csv(rows: Iterable[dict[str, object]], columns: Sequence[Column], header: bool) -> Iterator[str]:
    import csv

    titles = [[column.name for column in columns]] if header else []
    for cells in chain(titles, ([_csv_cell(row.get(column.name)) for column in columns] for row in rows)):
        line = StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        yield line.getvalue()


def _csv_cell(value: object) -> str:
    text = visible(cell_text(value), "\n\t")
    # A negative number is data; a text that only looks like one may be the start of a formula.
    is_number = isinstance(value, (int, float))
    return f"'{text}" if text.startswith(_FORMULA) and not is_number else text


def _json(rows: Iterable[dict[str, object]], output: str) -> Iterator[str]:
    from mqtools.formats.jsontext import dumps

    if output == "jsonl":
        for row in rows:
            yield dumps(row) + "\n"
        return
    opening = "["
    for row in rows:
        yield opening + dumps(row)
        opening = ",\n"
    yield "[]\n" if opening == "[" else "]\n"
