"""Output of rows in the requested format, and the choice of colour."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from . import command_session
from .command_session import DONE, NOTHING_THERE, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.formats.rows import Column


def color_wanted(session: Session) -> bool:
    """Return whether tables have colour: --color, NO_COLOR, FORCE_COLOR, TERM, the terminal, in this order."""
    if session.color != "auto":
        return session.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def table_width(session: Session) -> int | None:
    """Return the width that tables are cut to: that of the terminal; None without one, or with --wide."""
    if session.wide or not sys.stdout.isatty():
        return None
    return _columns()


def _columns() -> int:
    from shutil import get_terminal_size

    return get_terminal_size().columns


def wrap(text: str, indent: str = "") -> list[str]:
    """Return a text in lines as wide as the terminal, at most 100 cells; ids and options are not broken."""
    from textwrap import wrap as wrap_text

    width = max(40, min(_columns(), 100))
    return wrap_text(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def row_of(item: object, columns: Iterable[Column], **values: object) -> dict[str, object]:
    """Return the row of an item: its attribute for each column, except where there are values."""
    names = [column.name for column in columns]
    return {name: values[name] if name in values else getattr(item, name) for name in names}


def print_list(session: Session, rows: Sequence[dict[str, object]], columns: Sequence[Column]) -> int:
    """Write the rows of a list to stdout, but no table without rows. Return the exit status: 3 without rows."""
    if rows or session.list_output != "table":
        print_rows(session, rows, columns)
    return DONE if rows else NOTHING_THERE


def print_rows(
    session: Session, rows: Iterable[dict[str, object]], columns: Sequence[Column], output: str | None = None
) -> None:
    """Write rows to stdout. output: plain, csv, json, jsonl or table; None for the output format of a list."""
    from mqtools.formats.rows import write_rows

    output = output or session.list_output
    write_rows(
        rows,
        columns,
        output,
        lambda text: command_session.write_out(text.encode("utf-8")),
        header=output != "plain",
        color=color_wanted(session),
        width=table_width(session),
    )
