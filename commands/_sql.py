"""What ``mqx sql`` does with a query, and the list of what there is to ask."""

from __future__ import annotations

import signal
from math import isfinite

from mqtools.configuration.locate import find
from mqtools.formats.rows import Column
from mqtools.rules.attributes.table import by_name
from mqtools.store.schema.view_columns import VIEWS
from mqtools.store.schema.views import open_views, query

from .shared import click_options, output_rows
from .shared.command_session import Session, UsageMistake, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

OUTPUTS = ("table", "plain", "csv", "json", "jsonl")

#: More digits than this are an identifier in hex that has no letters, not a number.
_MAX_DIGITS = 15


def show_rows(session: Session, statement: str, parameters: dict[str, object]) -> int:
    """Print the rows of a query; no rows are a result too."""
    from sqlite_utils import Database
    from sqlite_utils.utils import dedupe_keys

    output = click_options.chosen_output(session, OUTPUTS, "table", "plain")
    # Plug-ins of sqlite-utils have no business here, and the connection refuses the pragma.
    views: Any = Database(
        open_views(find(session.qmgr)),
        tracer=_trace if session.verbose else None,
        recursive_triggers=False,
        execute_plugins=False,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # SQLite would not hear of it before the query is through
    found, tuples = query(views, statement, parameters)
    names = list(dedupe_keys(found))
    if not names:
        raise UsageMistake("there is no query in it", "mqx sql --views")
    rows: Iterable[dict[str, object]] = _as_rows(names, tuples)
    if output == "json":
        rows = list(rows)  # an error in the middle must not leave half a document
    output_rows.print_rows(session, rows, [Column(name) for name in names], output)
    return 0


def read_parameters(given: Sequence[str]) -> dict[str, object]:
    """Read NAME=VALUE pairs; what is written as a number is one. Raises UsageMistake."""
    parameters: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().removeprefix(":")
        if not equals or not name.isidentifier():
            raise UsageMistake(f"-p {text}: a parameter is written NAME=VALUE")
        if name in parameters:
            raise UsageMistake(f"-p {text}: {name} is given twice")
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


def _trace(statement: str, parameters: object) -> None:
    say(f"{statement.strip()}  {parameters or ''}".rstrip())


def show_views(session: Session) -> int:
    """Print the views, a row a column; a column of queues that MQSC sets is explained by its keyword."""
    output = click_options.chosen_output(session, OUTPUTS, "table", "plain")
    rows: list[dict[str, object]] = [
        {"view": view, "column": column, "meaning": meaning or _attribute(column)}
        for view, columns in VIEWS.items()
        for column, meaning in columns.items()
    ]
    columns = (Column("view", "VIEW"), Column("column", "COLUMN"), Column("meaning", "MEANING"))
    output_rows.print_rows(session, rows, columns, output)
    return 0


def _attribute(column: str) -> str:
    row = by_name("QUEUE", column)
    if row is None:
        return ""
    words = ", ".join(f"{value} {word}" for word, value in row.words)
    return f"{row.keyword} of MQSC{f': {words}' if words else ''}"
