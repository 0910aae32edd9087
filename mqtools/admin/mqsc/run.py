"""Execution of MQSC: the commands of a text in order, each in its own transaction.

The whole text is parsed first. A command with a syntax error is not run, and a command that fails changes nothing;
neither ends the run, as in runmqsc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from mqtools.admin.commands.authority import check_command
from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.admin.commands.command_events import CommandSender
from mqtools.admin.mqsc.execute import Action, read_command
from mqtools.admin.mqsc.parameters import MqscParameters
from mqtools.admin.mqsc.report import WHOLE_COMMAND, CommandReport, MqscReport, Response, as_json, failure, lines
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import Command, SyntaxMistake, parse_mqsc
from mqtools.mqi import events
from mqtools.mqi.authority import checked_user
from mqtools.mqi.connection import Connection
from mqtools.rules.commands.command import AdminCommand

#: Verb and object type to what does the command, by the name of its object.
Programs: TypeAlias = Mapping[tuple[str, str], Callable[[str], Response]]
_Entry: TypeAlias = tuple[CommandReport, Callable[[Connection, Programs, CommandSender | None], Response] | None]

__all__ = [
    "CommandReport",
    "MqscReport",
    "Programs",
    "as_json",
    "changes_something",
    "check_mqsc",
    "lines",
    "only_displays",
    "run_mqsc",
]


def run_mqsc(
    connection: Connection,
    text: str,
    name: str = "<stdin>",
    *,
    skips_unsupported: bool = False,
    programs: Programs | None = None,
) -> MqscReport:
    """Run all commands of a text; failures are reported, not raised.

    name: of the text, for mistakes.  skips_unsupported: leave out commands, object types and attributes that mqx does
    not have.  programs: verb and object type to what does the command by the name of its object, in place of the table.
    """
    entries = _read(text, name, skips_unsupported=skips_unsupported)
    return MqscReport(
        [
            each if run is None else replace(each, response=run(connection, programs or {}, None))
            for each, run in entries
        ]
    )


def run_one(connection: Connection, text: str, sender: CommandSender) -> tuple[CommandReport, AdminCommand | None]:
    """Run the one command of a text that has come by PCF; return its report, and the command if it is known."""
    name = "ESCAPE"
    found = [each for each in parse_mqsc(text, name) if isinstance(each, Command)]
    entries = _read(text, name)
    command = BY_WORDS.get((found[0].verb, found[0].object_type)) if found else None
    if len(entries) != 1:
        words = f"the text has {len(entries)} commands, and must have one"
        return CommandReport(0, text, 1, 1, mistakes=[SyntaxMistake(words, 1, 1, name, text)]), None
    return _run_entry(connection, entries[0], sender), command


def run_command(
    connection: Connection, command: Command, sender: CommandSender
) -> tuple[CommandReport, AdminCommand | None]:
    """Run a command that has come as JSON; return its report, and the command of the catalogue if it is known."""
    entry = _read_command(command, "JSON", skips_unsupported=False)
    return _run_entry(connection, entry, sender), BY_WORDS.get((command.verb, command.object_type))


def _run_entry(connection: Connection, entry: _Entry, sender: CommandSender) -> CommandReport:
    report, run = entry
    return report if run is None else replace(report, response=run(connection, {}, sender))


def check_mqsc(text: str, name: str = "<stdin>") -> MqscReport:
    """Check all commands of a text without running them, as ``runmqsc -v`` does."""
    return MqscReport([report for report, _ in _read(text, name)])


def only_displays(text: str) -> bool:
    """Return whether all valid commands of a text are DISPLAY, so that a read-only connection is enough."""
    return {found.verb for found in parse_mqsc(text) if isinstance(found, Command)} == {"DISPLAY"}


def changes_something(text: str) -> bool:
    """Return whether a valid command of a text may change something: it is neither DISPLAY nor PING."""
    return any(isinstance(found, Command) and found.verb not in ("DISPLAY", "PING") for found in parse_mqsc(text))


def _read(text: str, name: str, *, skips_unsupported: bool = False) -> list[_Entry]:
    """Parse all commands: each is a report with its mistakes, and the function that runs a correct one."""
    entries: dict[int, _Entry] = {}
    for found in parse_mqsc(text, name):
        if isinstance(found, Command):
            entries[found.number] = _read_command(found, name, skips_unsupported=skips_unsupported)
        elif found.number in entries:
            entries[found.number][0].mistakes.append(found)
        else:
            entries[found.number] = _reported(found, mistakes=[found]), None
    return list(entries.values())


def _read_command(command: Command, name: str, *, skips_unsupported: bool) -> _Entry:
    found = BY_WORDS.get((command.verb, command.object_type))
    if found is None and not skips_unsupported:
        error = MQError(f"{command.verb} {command.object_type} is not supported", MQRC_FUNCTION_NOT_SUPPORTED)
        return _reported(command, response=failure(error, command.name or "")), None
    parameters = MqscParameters(command, name, skips_unknown=skips_unsupported)
    action = None if found is None else read_command(found, parameters)
    skipped = parameters.skipped if found is not None else [WHOLE_COMMAND]
    if found is not None and found.is_absent and skips_unsupported:
        skipped = [WHOLE_COMMAND, *skipped]
    if found is None or action is None or WHOLE_COMMAND in skipped:
        response = Response(["mqx: skipped: mqx does not have this command"])
        return _reported(command, response=response, skipped=skipped), None
    mistakes = sorted(parameters.mistakes, key=lambda mistake: (mistake.line, mistake.column))
    report = _reported(
        mistakes[0] if mistakes else command,
        mistakes=mistakes,
        skipped=skipped,
        has_unknown=parameters.has_unknown,
        without_effect=[f"{command.object_type} {keyword}" for keyword in parameters.without_effect],
    )
    return report, None if mistakes else partial(_run, command, found, action)


def _reported(place: Command | SyntaxMistake, **fields: Any) -> CommandReport:
    return CommandReport(place.number, place.source, place.line, place.column, comments=place.comments, **fields)


def _run(
    command: Command,
    found: AdminCommand,
    action: Action,
    connection: Connection,
    programs: Programs,
    sender: CommandSender | None,
) -> Response:
    try:
        user = checked_user(connection) if sender is None else sender.user
        if user is not None:
            face = "mqsc" if sender is None else "pcf"
            try:
                check_command(connection.db, user, found, face, (command.name or "").rstrip(" "))
            except MQError:
                events.command_not_authorized(connection, found.number, user)
                raise
        program = programs.get((command.verb, command.object_type))
        if program is None:
            return action(connection, sender)
        if command.verb == "START":
            action(connection, sender)
        return program(command.name or "")
    except MQError as error:
        return failure(error, command.name or "")
