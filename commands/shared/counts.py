"""Totals of a command that changes messages: in words on stderr, on request as JSON on stdout."""

from __future__ import annotations

from . import command_session
from .command_session import Session, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The forms of a count on stdout. None asked for: nothing on stdout.
OUTPUTS = ("json", "jsonl")


def check_output(session: Session, choices: Sequence[str] = OUTPUTS) -> None:
    """Raise UsageError for an unsupported output format, before anything is done."""
    if session.output is not None and session.output not in choices:
        raise UsageError(f"no output format {session.output!r} here: {', '.join(choices)}")


def print_counts(session: Session, text: str, counts: dict[str, object]) -> None:
    """Print what was done on stderr; write the counts to stdout for JSON output."""
    session.note(text)
    if session.output in OUTPUTS:
        from mqtools.formats.jsontext import dumps

        command_session.write_out(dumps(counts).encode("utf-8") + b"\n")
