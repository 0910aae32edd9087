"""Commands of the catalogue as MQSC: their parameters are read from a text, their results written as runmqsc does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from mqtools.admin.commands.authority import check_changes
from mqtools.admin.commands.command_events import CommandSender, change, note_command
from mqtools.admin.commands.queues import Row
from mqtools.admin.mqsc.parameters import MqscParameters, WhereFilter
from mqtools.admin.mqsc.report import Response, display_object, failure, none_found
from mqtools.formats.mqsc.output import MESSAGES, message
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection
from mqtools.rules.attributes.table import SWITCH, TEXT, WORD, rows_of
from mqtools.rules.commands.command import (
    INTEGERS,
    TEXTS,
    AdminCommand,
    CommandParameter,
    NothingFound,
    ParameterError,
    named_type,
)

#: Executes a parsed command. The sender is None for a command of this machine.
Action: TypeAlias = Callable[[Connection, CommandSender | None], Response]


@dataclass(frozen=True, slots=True)
class Display:
    """A parsed command that shows. where: filter of its objects.  names: attributes to show, None for all."""

    command: AdminCommand
    arguments: dict[str, Any]
    where: WhereFilter | None
    names: frozenset[str] | None

    def response(self, rows: Iterable[Row]) -> Response:
        """Return the response that shows those of the objects that pass the filter."""
        command, why = self.command, list[str]()
        try:
            found = [
                display_object(command.done, table, self.names, values)
                for table, values in rows
                if self.where is None or self.where.passes(values)
            ]
        except NothingFound as error:
            found, why = [], [f"mqx: {error.text}"]
        if found:
            return Response([], found)
        if command.missing in MESSAGES:
            return Response([message(command.missing), *why], reason=command.missing_reason)
        kind = self.arguments.get("object_type")
        return none_found(
            kind if kind and isinstance(kind, str) else command.missing,
            self.arguments["name"] or "*",
            command.missing_reason,
        )


def read_command(command: AdminCommand, parameters: MqscParameters) -> Action:
    """Parse the parameters of a command into an action; mistakes are recorded."""
    if command.shows:
        return partial(_display, read_display(command, parameters), parameters.command.source)
    what, arguments = parameters.command.object_type, _arguments(command, parameters)
    if command.sets:
        arguments["values"] = parameters.attributes(named_type(arguments) or str(command.table or what))
    else:
        parameters.finish()
    _check(command, parameters, arguments)
    return partial(_change, command, arguments, parameters.command.source)


def read_display(command: AdminCommand, parameters: MqscParameters) -> Display:
    """Parse the parameters, the filter and the requested attributes of a command that shows; mistakes are recorded."""
    what, arguments = parameters.command.object_type, _arguments(command, parameters)
    _check(command, parameters, arguments)
    rows = [row for table in command.tables(arguments, what) for row in rows_of(table) if row.keyword]
    where = parameters.filter(rows, what) if command.filters else None
    names = parameters.requested_attributes(rows, what)
    if names or (names is not None and command.is_brief and "*" in arguments["name"]):
        names = names.union(command.always, (where.attribute.name,) if where else ())
    return Display(command, arguments, where, names or None)


def _arguments(command: AdminCommand, parameters: MqscParameters) -> dict[str, Any]:
    """Parse the parameters of a command that no attribute is."""
    if not any(row.form for row in command.parameters):
        parameters.no_name()
    rows = [row for row in command.parameters if row.keyword or row.form or row.name == "object_type"]
    arguments = {row.name: _required(parameters, row, _argument(parameters, row)) for row in rows}
    arguments.pop("", None)
    return arguments


def _check(command: AdminCommand, parameters: MqscParameters, arguments: dict[str, Any]) -> None:
    """Record what is wrong with the parameters together, and leave out what mqx lacks, if no required one is absent."""
    if all(arguments.get(row.name, "") is not None for row in command.parameters if row.required):
        for lacking, is_whole in command.lacks(arguments):
            parameters.leave_out(lacking, whole=is_whole)
        for text in command.check(arguments):
            parameters.mistake(text)


def _argument(parameters: MqscParameters, row: CommandParameter) -> Any:
    if row.name == "object_type" and parameters.command.object_type in dict(row.words):
        return parameters.command.object_type
    if row.form:
        return parameters.name(row.form)
    if row.kind == "":
        return parameters.take_noted(row.keyword)
    if parameters.command.verb == "DISPLAY" and row.kind in (TEXT, WORD) and parameters.is_alone(row.keyword):
        return row.default  # a request to show it
    if row.kind == SWITCH:
        return parameters.flag(row.keyword, row.words[1][0])
    readers = {WORD: parameters.word, TEXTS: parameters.texts, INTEGERS: parameters.texts}
    found = readers.get(row.kind, parameters.parsed)(row)
    if found not in (None, row.default):
        parameters.note_effect(parameters.command.object_type, row.keyword)
    return row.default if found is None else found


def _required(parameters: MqscParameters, row: CommandParameter, argument: Any) -> Any:
    """Return an argument; record a mistake where a required one is absent."""
    if row.required and argument is None and not parameters.mistakes:
        command, words = parameters.command, " ".join(word for word, _ in row.words)
        parameters.mistake(f"{command.verb} {command.object_type} needs {row.keyword}: {words}")
    return argument


def _change(
    command: AdminCommand, arguments: dict[str, Any], text: str, connection: Connection, sender: CommandSender | None
) -> Response:
    if command.steps is not None:
        command.steps(connection, **arguments)
        note_command(connection, command, sender, text)
    else:
        try:
            with connection.work() as work:
                if sender is not None:
                    check_changes(command, work.db, sender.user, arguments)
                change(work, command, arguments, sender)
                note_command(connection, command, sender, text)
        except ParameterError as error:
            given = {**arguments, **arguments.get("values", {})}
            return failure(error, str(given.get(error.parameter) or ""))
    return Response([message(command.done) if command.done in MESSAGES else command.done])


def _display(display: Display, text: str, connection: Connection, sender: CommandSender | None) -> Response:
    command = display.command
    if command.recovers and not connection.db.read_only:
        _refresh(connection, is_status=command.completes)
    with connection.db.reading():
        response = display.response(command.do(connection.db, **display.arguments))
    if response.objects:
        note_command(connection, command, sender, text)
    return response


def _refresh(connection: Connection, *, is_status: bool) -> None:
    """Close the handles of dead processes, so that open counts are true."""
    if is_status:
        connection.announce()  # it is one of the connections to display
    with connection.work() as work:
        recovery.recover(work)
