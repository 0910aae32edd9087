"""Execution of MQSC: the commands of a text in order, each in a transaction of its own.

The whole text is parsed first. A command with a syntax error is not run, and a command that fails changes nothing;
neither ends the run, as in runmqsc.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mqtools.admin import kept_definitions
from mqtools.admin.mqsc import authorities, channel_authentication, channels, display, kept, objects, status
from mqtools.admin.mqsc.parameters import MqscParameters
from mqtools.admin.mqsc.report import WHOLE_COMMAND, CommandReport, MqscReport, Response, as_json, failure, lines
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import Command, SyntaxMistake, parse_mqsc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mqtools.admin.mqsc.objects import Action
    from mqtools.mqi.connection import Connection

    #: Verb and object type to what does the command, by the name of its object.
    Programs = Mapping[tuple[str, str], Callable[[str], Response]]

__all__ = ["CommandReport", "MqscReport", "Programs", "as_json", "check_mqsc", "lines", "only_displays", "run_mqsc"]

_QUEUE_TYPES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")

#: Commands that are accepted and change nothing: there is nothing to refresh, verify or start.
_WITHOUT_EFFECT = (
    ("REFRESH", "QMGR"),
    ("REFRESH", "SECURITY"),
    ("RESET", "QMGR"),
    ("RVERIFY", "SECURITY"),
    ("START", "CHINIT"),
    ("START", "CMDSERV"),
)

#: Verb and object type to the parser of the command. Other pairs are valid MQSC that mqx does not support: the
#: command fails.
COMMANDS: dict[tuple[str, str], Callable[[MqscParameters], Action]] = {
    **{("DEFINE", object_type): objects.define_queue for object_type in _QUEUE_TYPES},
    **{("ALTER", object_type): objects.alter_queue for object_type in _QUEUE_TYPES},
    **{("DELETE", object_type): objects.delete_queue for object_type in _QUEUE_TYPES},
    **{("DISPLAY", object_type): display.display_queues for object_type in (*_QUEUE_TYPES, "QUEUE")},
    ("CLEAR", "QLOCAL"): objects.clear_queue,
    ("ALTER", "QMGR"): objects.alter_qmgr,
    ("DISPLAY", "QMGR"): display.display_qmgr,
    ("PING", "QMGR"): objects.ping_qmgr,
    **dict.fromkeys(_WITHOUT_EFFECT, objects.change_nothing),
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
    ("START", "CHANNEL"): channels.start_channel,
    **{("DEFINE", object_type): kept.define_kept for object_type in kept_definitions.TYPES},
    **{("ALTER", object_type): kept.alter_kept for object_type in kept_definitions.TYPES},
    **{("DELETE", object_type): kept.delete_kept for object_type in kept_definitions.TYPES},
    **{("DISPLAY", object_type): kept.display_kept for object_type in kept_definitions.TYPES},
    ("DEFINE", "SUB"): kept.define_subscription,
    ("DELETE", "SUB"): kept.delete_subscription,
    ("DISPLAY", "SUB"): kept.display_subscriptions,
    ("SET", "CHLAUTH"): channel_authentication.set_chlauth,
    ("DISPLAY", "CHLAUTH"): channel_authentication.display_chlauth,
    ("SET", "AUTHREC"): authorities.set_authrec,
    ("DELETE", "AUTHREC"): authorities.delete_authrec,
    ("DISPLAY", "AUTHREC"): authorities.display_authrec,
    ("DISPLAY", "ENTAUTH"): authorities.display_entauth,
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One parsed command: with its action, or with its mistakes.

    skipped: what of it is left out.  has_unknown, without_effect: as of ``Parameters``.
    """

    command: Command | None
    action: Action | None = None
    mistakes: list[SyntaxMistake] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    has_unknown: bool = False
    without_effect: list[str] = field(default_factory=list)


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
    return MqscReport([_report(entry, connection, programs or {}) for entry in entries])


def check_mqsc(text: str, name: str = "<stdin>") -> MqscReport:
    """Check all commands of a text without running them, as ``runmqsc -v`` does."""
    return MqscReport([_report(entry, None, {}) for entry in _read(text, name)])


def only_displays(text: str) -> bool:
    """Return whether all valid commands of a text are DISPLAY, so that a read-only connection is enough."""
    return {found.verb for found in parse_mqsc(text) if isinstance(found, Command)} == {"DISPLAY"}


def _read(text: str, name: str, *, skips_unsupported: bool = False) -> list[_Entry]:
    entries: dict[int, _Entry] = {}
    for found in parse_mqsc(text, name):
        if isinstance(found, SyntaxMistake):
            entries.setdefault(found.number, _Entry(None)).mistakes.append(found)
        else:
            entries[found.number] = _read_command(found, name, skips_unsupported=skips_unsupported)
    return list(entries.values())


def _read_command(command: Command, name: str, *, skips_unsupported: bool) -> _Entry:
    reader = COMMANDS.get((command.verb, command.object_type))
    if reader is None:
        if (command.verb, command.object_type) == ("PING", "CHANNEL"):
            return _Entry(command)
        return _Entry(command, skipped=[WHOLE_COMMAND] if skips_unsupported else [])
    parameters = MqscParameters(command, name, skips_unknown=skips_unsupported)
    action = reader(parameters)
    if WHOLE_COMMAND in parameters.skipped:
        return _Entry(command, skipped=parameters.skipped)
    parameters.mistakes.sort(key=lambda mistake: (mistake.line, mistake.column))
    return _Entry(
        command,
        action,
        parameters.mistakes,
        parameters.skipped,
        parameters.has_unknown,
        parameters.without_effect,
    )


def _report(entry: _Entry, connection: Connection | None, programs: Programs) -> CommandReport:
    command: Command | SyntaxMistake = entry.mistakes[0] if entry.mistakes else _command_of(entry)
    response = None
    if WHOLE_COMMAND in entry.skipped:
        response = Response(["mqx: skipped: mqx does not have this command"])
    elif not entry.mistakes and (connection is not None or entry.action is None):
        response = _respond(_command_of(entry), entry.action, connection, programs)
    return CommandReport(
        command.number,
        command.source,
        command.line,
        command.column,
        response,
        entry.mistakes,
        command.comments,
        entry.skipped,
        entry.has_unknown,
        [f"{_command_of(entry).object_type} {keyword}" for keyword in entry.without_effect],
    )


def _command_of(entry: _Entry) -> Command:
    assert entry.command is not None
    return entry.command


def _respond(command: Command, action: Action | None, connection: Connection | None, programs: Programs) -> Response:
    try:
        program = programs.get((command.verb, command.object_type))
        if program is not None and connection is not None:
            authorities.check_command(connection, command)
            if action is not None:
                action(connection)
            return program(command.name or "")
        if action is None or connection is None:
            raise MQError(f"{command.verb} {command.object_type} is not supported", MQRC_FUNCTION_NOT_SUPPORTED)
        authorities.check_command(connection, command)
        return action(connection)
    except MQError as error:
        return failure(error, command.name or "")
