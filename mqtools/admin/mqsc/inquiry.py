"""MQSC commands that show, as inquiries of PCF: for a queue manager elsewhere whose command server has no Escape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.admin.commands.queues import Row
from mqtools.admin.mqsc.execute import Display, read_display
from mqtools.admin.mqsc.parameters import MqscParameters
from mqtools.admin.mqsc.report import Response, failure
from mqtools.constants import cmqcfc as c
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import Command
from mqtools.headers.pcf import CFIL, CFIN, CFST, Parameter
from mqtools.rules.attributes.table import Attribute, rows_of

#: Sends a command, and returns the values of each reply by their selectors; none where no object matches.
Inquire: TypeAlias = Callable[[int, Sequence[Parameter]], Sequence[Mapping[int, object]]]

_INQUIRIES = (c.MQCMD_INQUIRE_Q, c.MQCMD_INQUIRE_Q_MGR, c.MQCMD_INQUIRE_CHANNEL)
_HAS_NO_ESCAPE = "the queue manager does not run MQSC commands, and by PCF mqx sends DISPLAY of queues, QMGR, CHANNEL"


def show_by_pcf(inquire: Inquire, command: Command, name: str) -> Response:
    """Show the objects that a DISPLAY command asks for. Any other command fails. name: of the text, for mistakes."""
    found = BY_WORDS.get((command.verb, command.object_type))
    try:
        if found is None or not found.shows or found.number not in _INQUIRIES:
            raise MQError(_HAS_NO_ESCAPE, MQRC_FUNCTION_NOT_SUPPORTED)
        parameters = MqscParameters(command, name)
        display = read_display(found, parameters)
        if parameters.mistakes:
            raise MQError(parameters.mistakes[0].text, MQRC_FUNCTION_NOT_SUPPORTED)
        return display.response(_rows(display, inquire(found.number, list(_parameters(display)))))
    except MQError as error:
        return failure(error, command.name or "")


def _parameters(display: Display) -> Iterator[Parameter]:
    for row in display.command.parameters:
        value = display.arguments.get(row.name)
        if row.selector is not None and value in row.numbers:
            yield CFIN(row.selector, row.numbers[value])
        elif row.selector is not None and value and row.form:
            yield CFST(row.selector, str(value).encode())
    yield CFIL(display.command.asked, [c.MQIACF_ALL])


def _rows(display: Display, replies: Sequence[Mapping[int, object]]) -> Iterator[Row]:
    """Yield the attributes of each reply, in the order in which a command shows them."""
    command = display.command
    rows = [row for table in command.tables(display.arguments, command.object_types[-1]) for row in rows_of(table)]
    for reply in replies:
        shown = tuple(row for row in rows if row.selector in reply)
        yield shown, {row.name: _value(row, reply) for row in shown}


def _value(row: Attribute, reply: Mapping[int, object]) -> object:
    value = reply[row.selector or 0]
    return next((own for own, number in row.numbers.items() if number == value), value)
