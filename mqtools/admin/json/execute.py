"""Commands as JSON: executed, with their results as IBM MQ's REST API answers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mqtools.admin.commands.command_events import CommandSender
from mqtools.admin.json.request import read_command
from mqtools.admin.mqsc.report import OK, SYNTAX, CommandReport
from mqtools.admin.mqsc.run import run_command, run_one
from mqtools.admin.pcf.escape import reason_of, texts_of
from mqtools.constants.cmqcfc import MQEVO_REST, MQRCCF_COMMAND_FAILED
from mqtools.constants.reasons import MQCC_FAILED, MQCC_OK, MQRC_NONE
from mqtools.errors import UsageError
from mqtools.formats.mqsc.script import Command
from mqtools.mqi.connection import Connection
from mqtools.rules.commands.command import AdminCommand

#: Object type to its attributes that IBM MQ lacks. They are answered only if they are requested by name: programs for
#: IBM MQ do not know them.
_OWN = {
    "QMGR": ("authchk", "jrnlage", "jrnlsize", "profile", "rcmds"),
    **dict.fromkeys(("QUEUE", "QLOCAL", "QMODEL", "QALIAS", "QREMOTE"), ("journal",)),
}


def execute_json(connection: Connection, values: Mapping[str, object]) -> dict[str, Any]:
    """Execute a command of JSON values with the authority of a connection's user; return the answer.

    Each object is an item with its parameters: MQSC keywords in lower case.  Raises UsageError as ``run_json``.
    """
    command, report, found = run_json(connection, values)
    asked = {param.keyword.lower() for param in command.params}
    hidden = {keyword for keyword in _OWN.get(command.object_type, ()) if keyword not in asked}
    return _answer(report, found, list(_items(report, hidden)))


def run_json(
    connection: Connection, values: Mapping[str, object]
) -> tuple[Command, CommandReport, AdminCommand | None]:
    """Run a command of JSON values; return it, its report, and its entry of the catalogue if it is known.

    Raises UsageError for a command with mistakes, which was not executed.
    """
    command = read_command(values)
    report, found = run_command(connection, command, _sender(connection))
    if report.outcome == SYNTAX:
        raise UsageError("; ".join(mistake.text for mistake in report.mistakes))
    return command, report, found


def _sender(connection: Connection) -> CommandSender:
    return CommandSender(connection.checked_user, origin=MQEVO_REST)


def execute_text(connection: Connection, text: str) -> dict[str, Any]:
    """Execute a command of MQSC with the authority of a connection's user; return the answer, with its lines."""
    report, found = run_one(connection, text, _sender(connection))
    return _answer(report, found, [{"text": each.split("\n")} for each in texts_of(report)])


def _items(report: CommandReport, hidden: set[str]) -> Iterator[dict[str, Any]]:
    for each in report.objects:
        yield {"parameters": {key: value for key, value in each.parameters.items() if key not in hidden}}
    if not report.objects:
        yield {"message": report.messages}


def _answer(report: CommandReport, command: AdminCommand | None, items: list[dict[str, Any]]) -> dict[str, Any]:
    comp_code, reason = (MQCC_OK, MQRC_NONE) if report.outcome == OK else (MQCC_FAILED, reason_of(report, command))
    return {
        "commandResponse": [{"completionCode": comp_code, "reasonCode": reason, **item} for item in items],
        "overallCompletionCode": comp_code,
        "overallReasonCode": MQRCCF_COMMAND_FAILED if reason else MQRC_NONE,
    }
