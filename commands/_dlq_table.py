"""The rules table of ``mqx dlq-handle``: read from a file or stdin, and what is wrong with it shown with its place."""

from __future__ import annotations

import sys

from mqtools.dlq.mistakes import RulesTableError, source_line
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.formats.terminal import visible

from . import _session
from ._session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.dlq.mistakes import Mistake
    from mqtools.dlq.rule import RulesTable

_STDIN = "<stdin>"


def read_table(session: Session, path: str | None) -> RulesTable:
    """Read the rules table. path: None or - for stdin.

    Raises RulesTableError with every mistake, OSError.
    """
    if path is None or path == "-":
        if sys.stdin.isatty():
            session.note("reading the rules table; ctrl-D ends it")
        return parse_rules_table(_text(sys.stdin.buffer.read()), _STDIN)
    with open(path, "rb") as file:
        return parse_rules_table(_text(file.read()), path)


def _text(data: bytes) -> str:
    """Tables from before UTF-8 are Latin-1; every one of its bytes is a character."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def show_findings(session: Session, found: RulesTable | RulesTableError, *, count: bool) -> None:
    """Show all mistakes and warnings, each with its line and a caret. count: say at the end how many there are."""
    mistakes = found.mistakes if isinstance(found, RulesTableError) else []
    warnings = found.warnings
    if session.output in ("json", "jsonl"):
        _say_json({"errors": mistakes} if mistakes or count else {}, warnings)
        return
    for finding in mistakes:
        _say(found.lines, finding, "")
    for finding in [] if session.quiet else warnings:
        _say(found.lines, finding, "warning: ")
    if count:
        _session.say(_counted(len(mistakes), len(warnings)))


def _say(lines: Sequence[str], finding: Mistake, kind: str) -> None:
    line = source_line(lines, finding.line)
    before = visible(line[: finding.column - 1].expandtabs())
    _session.say(f"{finding.file}:{finding.line}:{finding.column}: {kind}{finding.message}")
    if line:
        _session.say(line.expandtabs(), keep="")
        _session.say(f"{' ' * len(before)}^")


def _say_json(found: dict[str, list[Mistake]], warnings: list[Mistake]) -> None:
    from mqtools.formats.jsontext import dumps

    if found or warnings:
        found = {**found, "warnings": warnings}
        _session.say(dumps({kind: [_object(finding) for finding in findings] for kind, findings in found.items()}))


def _object(finding: Mistake) -> dict[str, object]:
    return {"file": finding.file, "line": finding.line, "column": finding.column, "message": finding.message}


def _counted(mistakes: int, warnings: int) -> str:
    text = _number(mistakes, "mistake") if mistakes else "no mistakes"
    return f"{text}, {_number(warnings, 'warning')}" if warnings else text


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
