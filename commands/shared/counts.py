"""Totals of a command that changes messages: in words on stderr, on request as JSON on stdout."""

from __future__ import annotations

from . import command_session
from .command_session import Session, UsageError

#: The forms of a count on stdout. None asked for: nothing on stdout.
OUTPUTS = ("json", "jsonl")


def check_output(session: Session) -> None:
    """Raise UsageError for a format of messages, before anything is done: only a dry run prints messages."""
    if session.output is not None and session.output not in OUTPUTS:
        raise UsageError(f"no output format {session.output!r} here: {', '.join(OUTPUTS)}")


def print_counts(session: Session, text: str, counts: dict[str, object]) -> None:
    """Print what was done on stderr; write the counts to stdout for JSON output."""
    session.note(text)
    if session.output in OUTPUTS:
        from mqtools.formats.jsontext import dumps

        command_session.write_out(dumps(counts).encode("utf-8") + b"\n")
