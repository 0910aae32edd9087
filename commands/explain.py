"""``mqx explain``: explain a reason code, feedback code or option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mqtools.explanations import lookup
from mqtools.formats.rows import Column

from .shared import click_options, command_session, output_rows
from .shared.command_session import DONE, NOTHING_THERE, PARTLY, Session, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

OUTPUTS = ("table", "plain", "csv", "json", "jsonl")

_NAMES = ("name", "value", "family", "comp_code", "exit_status", "meaning", "what_to_do", "aliases")
_INDENT = "    "


@click.command("explain")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click_options.general
def command(session: Session, words: tuple[str, ...]) -> int:
    """Explain each WORD: a number, or a name in any case, with or without its prefix.

    A number is looked up in reason codes, feedback codes, report options, message types, persistence values and
    application types. Exit status 3: unknown.

    \b
    mqx explain 2053
    mqx explain MQRC_Q_FULL
    mqx explain q_full cod-data MQGMO_LOCK
    mqx explain 271 -o json
    """
    output = click_options.choose_output(session, OUTPUTS, "table", "plain")
    found = [lookup.explain(word) for word in words]
    for word, meanings in zip(words, found, strict=True):
        if not meanings:
            _unknown(session, word)
    every = [meaning for meanings in found for meaning in meanings]
    if output == "table":
        for text in _paragraphs(every):
            command_session.write_line(text)
    else:
        rows = [{name: getattr(meaning, name) for name in _NAMES} for meaning in every]
        output_rows.print_rows(session, rows, [Column(name) for name in _NAMES], output)
    if all(found):
        return DONE
    return PARTLY if every else NOTHING_THERE


def _unknown(session: Session, word: str) -> None:
    close = lookup.suggest(word)
    session.report_error(
        UsageError(f"unknown name or number: {word}", f"did you mean {', '.join(close)}?" if close else None)
    )


def _paragraphs(meanings: list[lookup.Explanation]) -> Iterator[str]:
    """Yield a heading for each explanation and its text, wrapped to the width of the terminal."""
    from shutil import get_terminal_size
    from textwrap import fill

    width = max(40, min(get_terminal_size().columns, 100))
    for number, meaning in enumerate(meanings):
        if number:
            yield ""
        yield f"{meaning.name}  {meaning.value}  ({_kind(meaning)})"
        for text in (meaning.meaning, meaning.what_to_do and f"What to do: {meaning.what_to_do}", _also(meaning)):
            if text:
                yield fill(text, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)


def _kind(meaning: lookup.Explanation) -> str:
    kind = [lookup.KINDS[meaning.family]]
    if meaning.comp_code:
        kind.append(meaning.comp_code)
    if meaning.exit_status is not None:
        kind.append(f"exit status {meaning.exit_status}")
    return ", ".join(kind)


def _also(meaning: lookup.Explanation) -> str:
    return f"Also: {', '.join(meaning.aliases)}" if meaning.aliases else ""
