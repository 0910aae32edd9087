"""Options and views of commands that show a queue as it was."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join

import click

from mqtools.formats.times import parse_time
from mqtools.mqi.identity import now_ms, set_clock
from mqtools.operations.journal import past
from mqtools.operations.journal.past import PastUnavailable, PastView

from .click_options import Converted
from .command_session import Session, UsageError


def parse_instant(text: str) -> int:
    """Parse an instant; return milliseconds since 1970. Raise ValueError that names the text."""
    return parse_time(text, now_ms())


TIME = Converted("time", parse_instant)

at = click.option("--at", type=TIME, help="As it was: -15m, 10:05 or 2026-11-23T10:05:00Z; needs JOURNAL(BODY)")


def open_past(session: Session, q_names: Sequence[str], at_ms: int, q_mgr_name: str | None = None) -> PastView:
    """Return a view of queues as they were at an instant, and stop the clock of this process there.

    Raise UsageError for a time that cannot be shown, with the earliest that can; MQError.
    """
    view = past.open_past(q_mgr_name or session.qmgr, at_ms)
    for name in q_names:
        show(session, view, name)
    set_clock(at_ms)
    return view


def show(session: Session, view: PastView, q_name: str) -> None:
    """Show one more queue in a view of the past. Raise UsageError, MQError as ``open_past``."""
    try:
        view.show(q_name)
    except PastUnavailable as error:
        raise UsageError(str(error), _hint(session, error)) from error


def _hint(session: Session, error: PastUnavailable) -> str | None:
    """Return the command line as typed with the earliest time that can be shown, else the hint of the error."""
    words = list(session.arguments)
    for at, word in enumerate(words):
        if error.earliest and word == "--at":
            words[at + 1] = error.earliest
        elif error.earliest and word.startswith("--at="):
            words[at] = f"--at={error.earliest}"
    return error.hint if words == session.arguments else f"mqx {join(words)}"
