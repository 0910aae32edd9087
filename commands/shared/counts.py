"""Totals and results of commands: in words, or as JSON for -o json."""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.formats.jsontext import dumps

from . import command_session
from .command_session import JSON, Session


def print_totals(session: Session, text: str, messages: int, counts: Mapping[str, object]) -> None:
    """Print on stderr what was done: words, and for JSON output also an object.

    messages: number of messages that the command has processed, or would process.  counts: further keys.
    """
    session.note(text)
    if session.output in JSON:
        command_session.print_error_line(dumps({"messages": messages, **counts}))


def print_result(session: Session, text: str, result: Mapping[str, object]) -> None:
    """Print words on stderr; write the result to stdout for JSON output."""
    session.note(text)
    if session.output in JSON:
        command_session.write_out(dumps(result).encode("utf-8") + b"\n")
