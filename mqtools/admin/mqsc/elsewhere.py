"""MQSC for a queue manager elsewhere, which runs each command and answers with the texts of runmqsc (Escape)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.admin.mqsc.inquiry import Inquire, show_by_pcf
from mqtools.admin.mqsc.report import CommandReport, DisplayedObject, MqscReport, Response
from mqtools.constants import cmqcfc as c
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import Command, parse_mqsc
from mqtools.rules.attributes.table import INTEGER, Attribute, parse_value, rows_of

#: A physical line that continues: with the next word, or with the next line as it is.
_CONTINUED = re.compile(r"\+[ \t]*\n[ \t]*|-[ \t]*\n")
#: A keyword of a displayed object, and its value, which may have one pair of parentheses in it.
_PAIR = re.compile(r"([A-Z][A-Z0-9]*)(?:\(((?:[^()]|\([^()]*\))*)\))?")
#: End of the words of an error that name its reason.
_REASON = re.compile(r" \(MQRC\w+ (\d+)\)$")
#: Reasons of a command server that has no Escape. Then it answers without a text.
_NO_ESCAPE = (c.MQRCCF_CFH_COMMAND_ERROR, c.MQRCCF_ESCAPE_TYPE_ERROR)


class EscapeOutput(NamedTuple):
    """Answer to one command. texts: a message, or an object with its title, each.  reason: MQRC_NONE if it was done."""

    texts: list[str]
    reason: int


Escape: TypeAlias = Callable[[str], EscapeOutput]


def run_elsewhere(escape: Escape, inquire: Inquire, text: str, name: str = "<stdin>") -> MqscReport:
    """Run all commands of a text; one with a mistake of syntax is not sent. name: of the text, for mistakes.

    inquire: shows objects where the command server has no Escape.
    """
    entries: dict[int, CommandReport] = {}
    for found in parse_mqsc(text, name):
        if found.number not in entries:
            response = _response(escape, inquire, found, name) if isinstance(found, Command) else Response([])
            entries[found.number] = CommandReport(
                found.number, found.source, found.line, found.column, response, comments=found.comments
            )
        if not isinstance(found, Command):
            entries[found.number].mistakes.append(found)
    return MqscReport(list(entries.values()))


def _response(escape: Escape, inquire: Inquire, command: Command, name: str) -> Response:
    output = escape(_CONTINUED.sub("", command.source).strip().rstrip(";"))
    may_ask = output.reason == c.MQRCCF_COMMAND_FAILED and command.verb == "DISPLAY"
    if not output.texts and (may_ask or output.reason in _NO_ESCAPE):
        return show_by_pcf(inquire, command, name)
    objects = [_displayed(command, text) for text in output.texts if "\n " in text]
    messages = [line for text in output.texts if "\n " not in text for line in text.splitlines()]
    if not output.reason:
        return Response(messages, objects)
    words, reason = messages[-1].removeprefix("mqx: ") if messages else "the command failed", output.reason
    if named := _REASON.search(words):  # one of mqx says it as it is, and not as PCF has it
        words, reason = words[: named.start()], int(named[1])
    return Response(messages, objects, reason, MQError(words, reason))


def _displayed(command: Command, text: str) -> DisplayedObject:
    """Return the object that a text shows: a title, then lines of keywords with their values."""
    title, _, rest = text.partition("\n")
    pairs = [(keyword, None if value is None else value.strip()) for keyword, value in _pairs(rest)]
    rows = _rows(command)
    values: dict[str, object] = {}
    for keyword, value in pairs:
        row = rows.get(keyword)
        if row is None:
            values[keyword.lower()] = value
        else:
            values[row.name] = _value(row, keyword if value is None else value)
    return DisplayedObject(title, pairs, values)


def _value(row: Attribute, text: str) -> object:
    """Return a displayed value as JSON has it: a number where the attribute is one."""
    try:
        return parse_value(row, text) if row.kind == INTEGER else text
    except ValueError:
        return text


def _pairs(text: str) -> Iterable[tuple[str, str | None]]:
    return ((found[1], found[2]) for found in _PAIR.finditer(text))


def _rows(command: Command) -> dict[str, Attribute]:
    """Return the attributes that a command shows, by their keywords; those of a switch by each of its words."""
    found = BY_WORDS.get((command.verb, command.object_type))
    tables = [] if found is None else found.tables({}, command.object_type)
    rows: dict[str, Attribute] = {}
    for table in tables:
        for row in rows_of(table):
            rows |= dict.fromkeys((row.keyword, *(word for word, _ in row.words)), row) if row.keyword else {}
    return rows
