"""Mistakes and warnings of an input on stderr: with place and caret, or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mqtools.formats.jsontext import dumps
from mqtools.formats.mistakes import Mistake
from mqtools.formats.terminal import visible

from . import command_session

#: Characters of a line that are shown on each side of what is wrong in it: a long line may have a mistake in each word.
_AROUND = 200


def print_findings_as_json(found: Mapping[str, Sequence[Mistake]]) -> None:
    """Print findings as one JSON object. found: kind (``errors``, ``warnings``) to its findings."""
    command_session.print_error_line(
        dumps({kind: [_row(finding) for finding in findings] for kind, findings in found.items()})
    )


def _row(finding: Mistake) -> dict[str, object]:
    return {"file": finding.file, "line": finding.line, "column": finding.column, "message": finding.message}


def print_finding(finding: Mistake, lines: Sequence[str], kind: str = "") -> None:
    """Print a finding, its line, and a caret under its column. lines: all physical lines of the text.

    The caret is under the column as displayed: tabs expanded, control characters made visible.
    """
    command_session.print_error_line(f"{finding.place}: {kind}{finding.message}")
    line = lines[finding.line - 1].rstrip() if finding.line <= len(lines) else ""
    if line:
        at = finding.column - 1
        before = ("…" if at > _AROUND else "") + line[max(0, at - _AROUND) : at]
        shown = before + line[at : at + _AROUND] + ("…" if len(line) > at + _AROUND else "")
        command_session.print_error_line(shown.expandtabs(), keep="")
        command_session.print_error_line(f"{' ' * len(visible(before.expandtabs()))}^")
