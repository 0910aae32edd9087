"""Output of rows in the requested format, and the choice of colour."""

from __future__ import annotations

import os
import sys

from . import command_session
from .command_session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    from shutil import get_terminal_size

    return get_terminal_size().columns


def print_rows(session: Session, rows: Iterable[dict[str, object]], columns: Sequence[Column], output: str) -> None:
    """Write rows to stdout as plain, csv, json, jsonl or table."""
    from mqtools.formats.rows import write_rows

    write_rows(
        rows,
        columns,
        output,
        lambda text: command_session.write_out(text.encode("utf-8")),
        header=output != "plain",
        color=color_wanted(session),
        width=table_width(session),
    )
