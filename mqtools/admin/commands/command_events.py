"""Configuration and command events: what a command changes, and the command itself, in its transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.admin.commands.queue_manager import OBJECT_TYPES
from mqtools.constants import administration as a
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.headers.pcf import CFGR, CFST, Parameter
from mqtools.message import MQMD
from mqtools.mqi import events
from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import rows_of
from mqtools.rules.commands.command import AdminCommand
from mqtools.rules.events import EVENT_QUEUES
from mqtools.rules.pcf.values import ParameterWriter

_QUEUES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")
#: Object type to what DISPLAY shows it as, and its MQOT. A change of any other type is no configuration event.
_OBJECTS = {word: (word, number) for word, number in OBJECT_TYPES if number != o.MQOT_ALL}
_OBJECTS |= dict.fromkeys(_QUEUES, ("QUEUE", o.MQOT_Q))
_CHANGING_VERBS = ("DEFINE", "ALTER", "DELETE")
_HIDDEN = "********"
_PASSWORD = re.compile(r"(PASSWORD\s*\(\s*)('[^']*'|[^)']*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CommandSender:
    """Sender of a command that does not come from a command line here.

    user: whose authority counts, None for the owner of the file.  md: descriptor of the message that brought it.
    origin: MQEVO_*.
    """

    user: str | None
    md: MQMD | None = None
    origin: int = c.MQEVO_MSG


def change(work: Work, command: AdminCommand, arguments: Mapping[str, Any], sender: CommandSender | None) -> Any:
    """Execute a command that changes something, and put the configuration events of it. sender: None for this machine.

    Raises MQError as the command.
    """
    kind, number = _OBJECTS.get(command.object_types[0] if command.object_types else "", ("", 0))
    name, reports = str(arguments.get("name") or ""), events.setting(work.db, rc.MQRC_CONFIG_CHANGE_OBJECT)
    if command.verb == "REFRESH" and arguments.get("kind") == c.MQRT_CONFIGURATION and reports:
        _refresh(work, arguments, sender)
    is_reported = command.verb in _CHANGING_VERBS and kind and name != EVENT_QUEUES[c.MQCMD_CONFIG_EVENT]
    if not is_reported or not (reports or kind == "QMGR"):  # ALTER QMGR may enable them
        return command.do(work, **arguments)
    before = next(_found(work, kind, name), None)
    done = command.do(work, **arguments)
    if reports or events.setting(work.db, rc.MQRC_CONFIG_CHANGE_OBJECT):
        context = {**_context(work, sender), c.MQIACF_OBJECT_TYPE: number}
        events.put_configuration(work, context, before, next(_found(work, kind, name), None))
    return done


def _found(work: Work, kind: str, name: str) -> Iterator[list[Parameter]]:
    """Yield the attributes of each object that fits a name; of a temporary dynamic queue none."""
    display, writer = BY_WORDS["DISPLAY", kind], ParameterWriter(work.qmgr.coded_char_set_id)
    arguments: dict[str, Any] = {row.name: row.default for row in display.parameters if row.name}
    if name:
        arguments["name"] = name
    try:
        for table, shown in display.do(work.db, **arguments):
            if shown.get("definition_type") != o.MQQDT_TEMPORARY_DYNAMIC or shown.get("q_type") != o.MQQT_LOCAL:
                values = writer.values(table, {**shown, **({"password": _HIDDEN} if shown.get("password") else {})})
                yield writer.attributes(rows_of(table), values)
    except MQError as error:
        if error.reason not in (rc.MQRC_UNKNOWN_OBJECT_NAME, rc.MQRC_UNKNOWN_CHANNEL_NAME):
            raise


def _refresh(work: Work, arguments: Mapping[str, Any], sender: CommandSender | None) -> None:
    """Put an event of each object, or of those of a type and a generic name, as they are."""
    for kind, number in dict.fromkeys(_OBJECTS.values()):
        if arguments.get("of_type") in (None, o.MQOT_ALL, number):
            context = {**_context(work, sender), c.MQIACF_OBJECT_TYPE: number}
            for parameters in _found(work, kind, "" if kind == "QMGR" else arguments.get("name") or "*"):
                events.put_event(work, rc.MQRC_CONFIG_REFRESH_OBJECT, context, parameters)


def note_command(
    connection: Connection,
    command: AdminCommand,
    sender: CommandSender | None,
    text: str = "",
    structures: Sequence[Parameter] = (),
) -> None:
    """Put the event of a command that has succeeded, if it is enabled: in the transaction, if one is open.

    text: of MQSC.  structures: of PCF.  A connection that only reads puts none.
    """
    setting = events.setting(connection.db, rc.MQRC_COMMAND_MQSC)
    if connection.is_read_only or not setting or (setting == a.MQEVR_NO_DISPLAY and command.verb == "DISPLAY"):
        return
    with connection.work() as work:
        writer = ParameterWriter(work.qmgr.coded_char_set_id)
        context: dict[int, object] = {**_context(work, sender), c.MQIACF_COMMAND: command.number}
        members = [writer.parameter(number, value) for number, value in context.items() if value is not None]
        if text:
            shown = _PASSWORD.sub(rf"\1'{_HIDDEN}'", text)
            structures = [writer.parameter(c.MQCACF_COMMAND_MQSC, shown)]
        data = [_without_password(each) for each in structures]
        groups = [CFGR(c.MQGACF_COMMAND_CONTEXT, members), CFGR(c.MQGACF_COMMAND_DATA, data)]
        events.put_event(work, rc.MQRC_COMMAND_MQSC if text else rc.MQRC_COMMAND_PCF, {}, groups)


def _without_password(parameter: Parameter) -> Parameter:
    return CFST(parameter.parameter, _HIDDEN.encode()) if parameter.parameter == c.MQCACH_PASSWORD else parameter


def _context(work: Work, sender: CommandSender | None) -> dict[int, object]:
    """Return the parameters that say who has sent a command, and how."""
    md = None if sender is None else sender.md
    user = work.connection.user_identifier if md is None else md.user_identifier
    context: dict[int, object] = {
        c.MQCACF_EVENT_USER_ID: user,
        c.MQIACF_EVENT_ORIGIN: c.MQEVO_CONSOLE if sender is None else sender.origin,
        c.MQCACF_EVENT_Q_MGR: work.qmgr.name if md is None else md.reply_to_q_mgr or work.qmgr.name,
    }
    if md is not None:
        context |= {
            c.MQBACF_EVENT_ACCOUNTING_TOKEN: md.accounting_token,
            c.MQCACF_EVENT_APPL_IDENTITY: md.appl_identity_data,
            c.MQIACF_EVENT_APPL_TYPE: md.put_appl_type,
            c.MQCACF_EVENT_APPL_NAME: md.put_appl_name,
            c.MQCACF_EVENT_APPL_ORIGIN: md.appl_origin_data,
        }
    return context
