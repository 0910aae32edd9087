"""Input of the rules table of ``mqx dlq-handle``, and display of its mistakes."""

from __future__ import annotations

import sys

from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rule import RulesTable
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.formats.phrases import counted

from ..shared import command_session
from ..shared.command_session import JSON, Session, UsageError
from ..shared.findings import print_finding, print_findings_as_json

_STDIN = "<stdin>"
#: Mistakes that are printed.
_MOST_SHOWN = 100


def read_table(session: Session, path: str | None) -> RulesTable:
    """Return the rules table. path: None or - for stdin.

    Raise RulesTableError with every mistake; UsageError for a binary file; OSError.
    """
    if path is None or path == "-":
        if sys.stdin.isatty():
            session.note("reading the rules table from the terminal; ctrl-D ends input")
        return parse_rules_table(_text(sys.stdin.buffer.read(), _STDIN), _STDIN)
    with open(path, "rb") as file:
        return parse_rules_table(_text(file.read(), path), path)


def _text(data: bytes, name: str) -> str:
    """Decode a rules table as UTF-8, else as Latin-1, in which every byte is a character."""
    if b"\0" in data:
        raise UsageError(f"cannot read {name} as a rules table: it is not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def show_findings(session: Session, found: RulesTable | RulesTableError, *, count: bool) -> None:
    """Print all mistakes and warnings, each with its line and a caret. count: print their number at the end."""
    mistakes = found.mistakes if isinstance(found, RulesTableError) else []
    warnings = found.warnings
    if session.output in JSON:
        if mistakes or warnings or count:
            errors = {"errors": mistakes} if mistakes or count else {}
            print_findings_as_json({**errors, "warnings": warnings})
        return
    for finding in mistakes[:_MOST_SHOWN]:
        print_finding(finding, found.lines)
    if len(mistakes) > _MOST_SHOWN:
        command_session.print_error_line(f"{len(mistakes) - _MOST_SHOWN} more mistakes are not shown")
    for finding in [] if session.quiet else warnings:
        print_finding(finding, found.lines, "warning: ")
    if count:
        command_session.print_error_line(_counted(len(mistakes), len(warnings)))


def _counted(mistakes: int, warnings: int) -> str:
    text = counted(mistakes, "mistake") if mistakes else "no mistakes"
    return f"{text}, {counted(warnings, 'warning')}" if warnings else text
