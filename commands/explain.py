"""``mqx explain``: what a constant of MQ, a term or a rule of the catalogue means, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from shutil import get_terminal_size
from textwrap import fill

import click

from mqtools.explanations import lookup, rules
from mqtools.explanations.glossary import find_terms, read_glossary
from mqtools.explanations.words import KINDS, explain_word
from mqtools.formats.phrases import nearest
from mqtools.formats.rows import Column

from ._subcommands import SUBCOMMANDS
from .shared import click_options, command_session, output_rows
from .shared.command_session import DONE, NOTHING_THERE, PARTLY, Session, UsageError

_NAMES = ("name", "value", "family", "comp_code", "exit_status", "meaning", "what_to_do", "aliases")
#: Columns that follow where a rule is among what is explained.
_RULE_NAMES = ("source", "reasons", "only_on", "not_applicable", "implemented", "tested")
_INDENT = "    "
_COMMAND = "COMMAND"
_KINDS = {**lookup.KINDS, **KINDS, _COMMAND: "a command"}

#: Kinds of meaning of a word.
Meaning = lookup.Explanation | rules.CatalogueRule | rules.Area


@click.command("explain")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click_options.general
def command(session: Session, words: tuple[str, ...]) -> int:
    """Explain each WORD: a number, name, MQSC attribute, message, exit status, CCSID, command, rule or term.

    A name is in any case, with or without its prefix. A number is looked up among reasons, feedback codes, report
    options, message types, persistences, types of programs and exit statuses. The id of a rule, such as BROWSE-11,
    prints what the rule says, its source, and where it is implemented and tested; the part before the number lists the
    rules of an area. A term is one of mqx-concepts(7). The text is the same on a terminal and in a pipe; -o tsv writes
    a line for each meaning. Status 3: there is nothing of that name.

    \b
    mqx explain 2053
    mqx explain q_full cod-data MQGMO_LOCK
    mqx explain BOTHRESH AMQ8147E exit-8 ccsid-939 dlq-handle
    mqx explain BROWSE-11
    mqx explain 'confirm id'
    mqx explain 271 -o json
    """
    output = session.output or "table"
    if find_terms(" ".join(words)):
        words = (" ".join(words),)
    found = [_find(word) for word in words]
    for word, meanings in zip(words, found, strict=True):
        if not meanings:
            _report_unknown(session, word)
    every = [meaning for meanings in found for meaning in meanings]
    if output in ("table", "text"):
        for text in _paragraphs(every):
            command_session.write_line(text)
    else:
        _print_rows(session, every, "plain" if output == "tsv" else output)
    if all(found):
        return DONE
    return PARTLY if every else NOTHING_THERE


def _find(word: str) -> list[Meaning]:
    of_rules = (rules.find_rule(word), rules.find_area(word))
    return [
        *lookup.explain(word),
        *explain_word(word),
        *_command_of(word),
        *(meaning for meaning in of_rules if meaning is not None),
    ]


def _command_of(word: str) -> Iterator[lookup.Explanation]:
    name = word.strip().lower().removeprefix("mqx ")
    if name in SUBCOMMANDS:
        yield lookup.Explanation(
            family=_COMMAND,
            name=f"mqx {name}",
            value=name,
            meaning=f"{SUBCOMMANDS[name][1]}.",
            what_to_do=f"mqx {name} --help shows its options, mqx man {name} its manual page.",
        )


def _report_unknown(session: Session, word: str) -> None:
    term = nearest(word, [each.name for each in read_glossary()])
    close = [*rules.suggest(word), *([term] if term else ()), *lookup.suggest(word)][:5]
    hint = f"did you mean {', '.join(close)}?" if close else None
    session.report_error(UsageError(f"unknown name or number: {word}", hint))


# -- rows ---------------------------------------------------------------------------------------------------


def _print_rows(session: Session, meanings: list[Meaning], output: str) -> None:
    has_rules = any(not isinstance(meaning, lookup.Explanation) for meaning in meanings)
    places = rules.read_places() if has_rules else {}
    names = (*_NAMES, *_RULE_NAMES) if has_rules else _NAMES
    rows = [row for meaning in meanings for row in _rows(meaning, places)]
    every = [{name: row.get(name) for name in names} for row in rows]
    output_rows.print_rows(session, every, [Column(name) for name in names], output)


def _rows(meaning: Meaning, places: dict[str, rules.Places]) -> Iterator[dict[str, object]]:
    if isinstance(meaning, lookup.Explanation):
        yield {name: getattr(meaning, name) for name in _NAMES}
    elif isinstance(meaning, rules.Area):
        for rule in meaning.rules:
            yield from _rows(rule, places)
    else:
        place = places.get(meaning.id, rules.Places())
        own = {"name": meaning.id, "family": "RULE", "meaning": meaning.sentence}
        yield {"comp_code": "", "what_to_do": "", "aliases": (), **asdict(meaning), **asdict(place), **own}


# -- for reading --------------------------------------------------------------------------------------------


def _paragraphs(meanings: list[Meaning]) -> Iterator[str]:
    """A heading for each meaning, and its words below it, as wide as the terminal."""
    width = max(40, min(get_terminal_size().columns, 100))
    for number, meaning in enumerate(meanings):
        if number:
            yield ""
        if isinstance(meaning, lookup.Explanation):
            yield from _constant(meaning, width)
        elif isinstance(meaning, rules.Area):
            yield from _area(meaning, width)
        else:
            yield from _rule(meaning, width)


def _constant(meaning: lookup.Explanation, width: int) -> Iterator[str]:
    value = "" if meaning.name.endswith(str(meaning.value)) else f"{meaning.value}  "
    yield f"{meaning.name}  {value}({_kind(meaning)})"
    yield from _fill(
        (
            meaning.meaning,
            meaning.what_to_do and f"What to do: {meaning.what_to_do}",
            f"Also: {', '.join(meaning.aliases)}" if meaning.aliases else "",
        ),
        width,
    )


def _rule(rule: rules.CatalogueRule, width: int) -> Iterator[str]:
    yield f"{rule.id}  ({'a reading' if rule.id.startswith(rules.READINGS) else 'a rule'})"
    about = (
        rule.sentence,
        f"Source: {rule.source}",
        f"Reason: {', '.join(map(_with_number, rule.reasons))}" if rule.reasons else "",
        rule.only_on and f"Only on: {rule.only_on}",
        rule.not_applicable and f"Not applicable: {rule.not_applicable}",
    )
    yield from _fill(about, width)
    place = rules.read_places().get(rule.id, rules.Places())
    for heading, paths in (("Implemented in", place.implemented), ("Tested by", place.tested)):
        if paths:
            yield f"{_INDENT}{heading}:"
        yield from (f"{_INDENT * 2}{path}" for path in paths)


def _area(area: rules.Area, width: int) -> Iterator[str]:
    yield f"{area.prefix}  ({len(area.rules)} rules)"
    yield from _fill((f"{area.title}.",), width)
    longest = max(len(rule.id) for rule in area.rules)
    for rule in area.rules:
        yield from _fill((f"{rule.id:{longest}}  {rule.sentence}",), width, " " * (longest + 2))


def _fill(texts: Iterable[str], width: int, hanging: str = "") -> Iterator[str]:
    for text in texts:
        if text:
            below = _INDENT + hanging
            yield fill(text, width, initial_indent=_INDENT, subsequent_indent=below, break_on_hyphens=False)


def _with_number(reason: str) -> str:
    return f"{reason} ({lookup.explain(reason)[0].value})"


def _kind(meaning: lookup.Explanation) -> str:
    kind = [_KINDS[meaning.family]]
    if meaning.comp_code:
        kind.append(meaning.comp_code)
    if meaning.exit_status is not None:
        kind.append(f"exit status {meaning.exit_status}")
    return ", ".join(kind)
