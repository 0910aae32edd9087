"""Escape: an MQSC command in a PCF message, and its output as texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mqtools.admin.commands.command_events import CommandSender
from mqtools.admin.mqsc.report import FAILED, SYNTAX, CommandReport
from mqtools.admin.mqsc.run import run_one
from mqtools.admin.pcf.request import PcfParameters
from mqtools.constants import cmqcfc as c
from mqtools.constants.reasons import MQCC_FAILED, MQCC_OK, MQRC_NONE
from mqtools.formats.mqsc.output import display_block
from mqtools.headers.pcf import PCFError
from mqtools.mqi.connection import Connection
from mqtools.rules.commands.command import AdminCommand

_LONGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class EscapeReply:
    """Output of an MQSC command. command: its number in PCF, MQCMD_ESCAPE for none."""

    command: int
    texts: list[str] = field(default_factory=list)
    comp_code: int = MQCC_OK
    reason: int = MQRC_NONE


def execute_escape(connection: Connection, parameters: PcfParameters, sender: CommandSender) -> EscapeReply:
    """Execute the MQSC command of an Escape command.

    Raises PCFError: MQRCCF_ESCAPE_TYPE_ERROR, and for missing and unknown parameters.
    """
    kind = parameters.value(c.MQIACF_ESCAPE_TYPE)
    if kind != c.MQET_MQSC:
        raise PCFError(f"there is no escape type {kind}", c.MQRCCF_ESCAPE_TYPE_ERROR, c.MQIACF_ESCAPE_TYPE)
    text = parameters.name(c.MQCACF_ESCAPE_TEXT, _LONGEST)
    parameters.finish()
    report, command = run_one(connection, text, sender)
    texts = list(texts_of(report))
    number = command.number if command is not None and command.number else c.MQCMD_ESCAPE
    if report.outcome in (SYNTAX, FAILED):
        return EscapeReply(number, texts, MQCC_FAILED, reason_of(report, command))
    return EscapeReply(number, texts)


def reason_of(report: CommandReport, command: AdminCommand | None) -> int:
    """Return the reason of a command that failed, as PCF has it."""
    if report.outcome == SYNTAX:
        return c.MQRCCF_COMMAND_FAILED
    reasons = {} if command is None else command.reasons
    return reasons.get(report.reason, report.reason)


def texts_of(report: CommandReport) -> Iterator[str]:
    """Yield the texts of the replies: the messages in one, and each displayed object."""
    if report.messages:
        yield "\n".join(report.messages)
    for item in report.objects:
        yield "\n".join(display_block(item.title, item.pairs))
