"""Totals of a command that changes messages: in words on stderr, on request as JSON on stdout."""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.formats.jsontext import dumps

from . import command_session
from .command_session import JSON, Session


def print_counts(session: Session, text: str, counts: Mapping[str, object]) -> None:
    """Print what was done on stderr; write the counts to stdout for JSON output."""
    session.note(text)
    if session.output in JSON:
        command_session.write_out(dumps(counts).encode("utf-8") + b"\n")
