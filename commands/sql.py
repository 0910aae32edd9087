"""``mqx sql``: read-only queries over messages, queues, locks and the journal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Any

import click

from mqtools.configuration.locate import find
from mqtools.formats.rows import Column
from mqtools.operations.archive_files import check_arrow
from mqtools.operations.sql import VIEWS, limit_memory, open_views
from mqtools.operations.sql import query as run_query
from mqtools.rules.attributes.table import by_name

from .shared import click_options, output_rows
from .shared.command_session import Session, UsageError, print_error_line

#: More digits than this are an identifier in hex that has no letters, not a number.
_MAX_DIGITS = 15


@click.command("sql")
@click.argument("query", required=False)
@click.option(
    "-p", "--param", "parameters", multiple=True, metavar="NAME=VALUE", help="Value of the parameter :NAME; repeatable"
)
@click.option(
    "--timeout",
    type=click_options.DURATION,
    default="60s",
    show_default=True,
    help="End a query that takes longer, with exit status 10; 0: no limit",
)
@click.option(
    "--max-memory",
    type=click_options.SIZE,
    default="512MiB",
    show_default=True,
    metavar="SIZE",
    help="End a query that needs more memory, with exit status 10",
)
@click.option("--views", is_flag=True, help="List the views with their columns and meanings")
@click_options.general
def command(session: Session, query: str | None, parameters: tuple[str, ...], views: bool, **limits: Any) -> int:
    """Run one SQL query (of SQLite) over the views messages, queues, locks and journal; - reads it from stdin.

    Queries are read-only: a statement that would change something fails (8). Bytes are shown as hex. A parameter whose
    value looks like a number is a number; cast(:NAME as text) makes it text. All rows are read before the first is
    printed, so a waiting pager does not block writers. A temporary file ($TMPDIR) buffers many rows.

    \b
    mqx sql 'select queue, count(*) from messages group by queue'
    mqx sql 'select name, depth, max_depth from queues where depth > 0' -o csv
    mqx sql 'select msg_id, text from messages where queue = :q and put_at < :t' -p q=ORDERS -p t=2026-11-20
    mqx sql "select * from messages, json_each(properties) p where p.key = 'colour'" -o jsonl
    mqx sql 'select * from messages' -o parquet > messages.parquet
    """
    if views:
        if query is not None or parameters:
            raise UsageError("--views cannot be combined with a query")
        return _show_views(session)
    if query is None:
        raise UsageError("QUERY is required", "mqx sql --views")
    if query == "-":
        query = sys.stdin.read()
    return _show_rows(session, query, _read_parameters(parameters), **limits)


def _show_rows(
    session: Session, statement: str, parameters: dict[str, object], *, timeout: float, max_memory: int
) -> int:
    from sqlite_utils.utils import dedupe_keys

    output = session.list_output
    if output == "parquet":
        check_arrow("-o parquet")
        if sys.stdout.isatty():
            raise UsageError("-o parquet writes binary data: redirect it to a file")
    views = open_views(find(session.qmgr))
    limit_memory(views, max_memory)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # SQLite would not hear of it before the query is through
    if session.verbose:
        print_error_line(f"{statement.strip()}  {parameters or ''}".rstrip())
    found, tuples = run_query(views, statement, parameters, timeout_s=timeout)
    names = list(dedupe_keys(found))
    if not names:
        raise UsageError("the text has no query", "mqx sql --views")
    if output == "parquet":
        from .shared.parquet_rows import write_parquet

        write_parquet(names, tuples)
        return 0
    rows: Iterable[dict[str, object]] = _as_rows(names, tuples)
    if output == "json":
        rows = list(rows)  # an error in the middle must not leave half a document
    output_rows.print_rows(session, rows, [Column(name) for name in names], output)
    return 0


def _read_parameters(given: Sequence[str]) -> dict[str, object]:
    """Parse NAME=VALUE pairs; numeric text becomes a number. Raise UsageError."""
    parameters: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().removeprefix(":")
        if not equals or not name.isidentifier():
            raise UsageError(f"-p {text}: expected NAME=VALUE")
        if name in parameters:
            raise UsageError(f"-p {text}: {name} is given twice")
        parameters[name] = _value(value)
    return parameters


def _value(text: str) -> object:
    digits = text.removeprefix("-").replace(".", "", 1)
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MAX_DIGITS:
        return text
    return float(text) if "." in text else int(text)


def _as_rows(names: Sequence[str], tuples: Iterable[tuple[object, ...]]) -> Iterator[dict[str, object]]:
    for values in tuples:
        # JSON has no infinity.
        shown = (str(value) if isinstance(value, float) and not isfinite(value) else value for value in values)
        yield dict(zip(names, shown, strict=True))


def _show_views(session: Session) -> int:
    """Print the views, one row per column; explain a column that MQSC sets by its keyword."""
    rows: list[dict[str, object]] = [
        {"view": view, "column": column, "meaning": meaning or _attribute(column)}
        for view, columns in VIEWS.items()
        for column, meaning in columns.items()
    ]
    columns = (Column("view", "VIEW"), Column("column", "COLUMN"), Column("meaning", "MEANING"))
    output_rows.print_rows(session, rows, columns)
    return 0


def _attribute(column: str) -> str:
    row = by_name("QUEUE", column)
    if row is None:
        return ""
    words = ", ".join(f"{value} {word}" for word, value in row.words)
    return f"{row.keyword} of MQSC{f': {words}' if words else ''}"
