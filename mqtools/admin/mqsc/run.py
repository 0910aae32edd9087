"""Execution of MQSC: the commands of a text in order, each in a transaction of its own.

The whole text is parsed first. A command with a syntax error is not run, and a command that fails changes nothing;
neither ends the run, as in runmqsc.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mqtools.admin.mqsc import authorities, channel_authentication, channels, display, objects, status
from mqtools.admin.mqsc.parameters import Parameters
from mqtools.admin.mqsc.report import CommandReport, MqscReport, Response, as_json, failure, lines
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.formats.mqsc import Command, Mistake, parse_mqsc

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.admin.mqsc.objects import Action
    from mqtools.mqi.connection import Connection

__all__ = ["CommandReport", "MqscReport", "as_json", "check_mqsc", "lines", "only_displays", "run_mqsc"]

_QUEUE_TYPES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")

#: Verb and object type to the parser of the command. Other pairs are valid MQSC that mqx does not support: the
#: command fails.
COMMANDS: dict[tuple[str, str], Callable[[Parameters], Action]] = {
    **{("DEFINE", object_type): objects.define_queue for object_type in _QUEUE_TYPES},
    **{("ALTER", object_type): objects.alter_queue for object_type in _QUEUE_TYPES},
    **{("DELETE", object_type): objects.delete_queue for object_type in _QUEUE_TYPES},
    **{("DISPLAY", object_type): display.display_queues for object_type in (*_QUEUE_TYPES, "QUEUE")},
    ("CLEAR", "QLOCAL"): objects.clear_queue,
    ("ALTER", "QMGR"): objects.alter_qmgr,
    ("DISPLAY", "QMGR"): display.display_qmgr,
    ("PING", "QMGR"): objects.ping_qmgr,
    ("DISPLAY", "QSTATUS"): status.display_qstatus,
    ("DISPLAY", "CONN"): status.display_conn,
    ("DEFINE", "CHANNEL"): channels.define_channel,
    ("ALTER", "CHANNEL"): channels.alter_channel,
    ("DELETE", "CHANNEL"): channels.delete_channel,
    ("DISPLAY", "CHANNEL"): channels.display_channels,
    ("DISPLAY", "CHSTATUS"): channels.display_chstatus,
    ("STOP", "CHANNEL"): channels.stop_channel,
    ("RESET", "CHANNEL"): channels.reset_channel,
    ("RESOLVE", "CHANNEL"): channels.resolve_channel,
    ("SET", "CHLAUTH"): channel_authentication.set_chlauth,
    ("DISPLAY", "CHLAUTH"): channel_authentication.display_chlauth,
    ("SET", "AUTHREC"): authorities.set_authrec,
    ("DELETE", "AUTHREC"): authorities.delete_authrec,
    ("DISPLAY", "AUTHREC"): authorities.display_authrec,
    ("DISPLAY", "ENTAUTH"): authorities.display_entauth,
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One parsed command: with its action, or with its mistakes."""

    command: Command | None
    action: Action | None = None
    mistakes: list[Mistake] = field(default_factory=list)


def run_mqsc(connection: Connection, text: str, name: str = "<stdin>") -> MqscReport:
    """Run all commands of a text; failures are reported, not raised.

    name: of the text, for mistakes.
    """
    return MqscReport([_report(entry, connection) for entry in _read(text, name)])


def check_mqsc(text: str, name: str = "<stdin>") -> MqscReport:
    """Check all commands of a text without running them, as ``runmqsc -v`` does."""
    return MqscReport([_report(entry, None) for entry in _read(text, name)])


def only_displays(text: str) -> bool:
    """Return whether all valid commands of a text are DISPLAY, so that a read-only connection is enough."""
    return {found.verb for found in parse_mqsc(text) if isinstance(found, Command)} == {"DISPLAY"}


def _read(text: str, name: str) -> list[_Entry]:
    entries: dict[int, _Entry] = {}
    for found in parse_mqsc(text, name):
        if isinstance(found, Mistake):
            entries.setdefault(found.number, _Entry(None)).mistakes.append(found)
        else:
            entries[found.number] = _read_command(found, name)
    return list(entries.values())


def _read_command(command: Command, name: str) -> _Entry:
    reader = COMMANDS.get((command.verb, command.object_type))
    if reader is None:
        return _Entry(command)
    parameters = Parameters(command, name)
    action = reader(parameters)
    parameters.mistakes.sort(key=lambda mistake: (mistake.line, mistake.column))
    return _Entry(command, action, parameters.mistakes)


def _report(entry: _Entry, connection: Connection | None) -> CommandReport:
    command: Command | Mistake = entry.mistakes[0] if entry.mistakes else _command_of(entry)
    response = None
    if not entry.mistakes and (connection is not None or entry.action is None):
        response = _respond(_command_of(entry), entry.action, connection)
    return CommandReport(
        command.number, command.source, command.line, command.column, response, entry.mistakes, command.comments
    )


def _command_of(entry: _Entry) -> Command:
    assert entry.command is not None
    return entry.command


def _respond(command: Command, action: Action | None, connection: Connection | None) -> Response:
    try:
        if action is None or connection is None:
            raise MQError(f"{command.verb} {command.object_type} is not supported", MQRC_FUNCTION_NOT_SUPPORTED)
        authorities.check_command(connection, command)
        return action(connection)
    except MQError as error:
        return failure(error, command.name or "")
