"""Disposal of messages that a channel cannot deliver or send, or that an exit suppresses."""

from __future__ import annotations

from typing import Any

from mqtools.constants.names import name_or_number
from mqtools.constants.reasons import MQRC_CHANNEL_STOPPED
from mqtools.errors import MQError
from mqtools.mqi import report_messages
from mqtools.mqi.distributed_queuing.transmission import Carried
from mqtools.mqi.transaction import Work
from mqtools.rules.reports import DISCARD, disposition


def dispose(
    work: Work, definition: dict[str, Any], carried: Carried, reason: int, holder_id: int | None, *, may_lose: bool
) -> str | None:
    """Dead-letter a message, or discard it if it requests that, then put the exception report it requests.

    Return in words why it is lost, if it was neither dead-lettered nor to be discarded; else None.

    definition: of the channel.  reason: MQRC_* or MQFB_*.  holder_id: unit of work it belongs to, None for at once.
    may_lose: whether a message without a usable dead-letter queue is dropped; else it stays where it comes from.
    Raises MQError: MQRC_CHANNEL_STOPPED when there is no dead-letter queue or it refuses; nothing is reported then.
    Source: BEY-67, BEY-68, BEY-91, RPT-01, RPT-14, RPT-15, RPT-17 to RPT-19.
    """
    md = carried.md
    refusal = None
    if disposition(md.report) != DISCARD:
        refusal = _refusal_of_dead_letter(work, definition, carried, reason, holder_id)
    if refusal is not None and not may_lose:
        raise MQError(
            f"a message for queue {carried.remote_q} cannot be delivered ({_words(reason)}), "
            f"nor dead-lettered at {work.qmgr.name}: {refusal}",
            MQRC_CHANNEL_STOPPED,
            hint="mqx mqsc 'ALTER QMGR DEADQ(...)', or remove the obstacle",
        )
    if md.reply_to_q:
        report_messages.make_report(work, md, lambda: carried.data, reason, md.expiry, holder_id, definition["name"])
    return None if refusal is None else f"queue {carried.remote_q} ({_words(reason)}), dead-letter queue: {refusal}"


def _refusal_of_dead_letter(
    work: Work, definition: dict[str, Any], carried: Carried, reason: int, holder_id: int | None
) -> str | None:
    """Put a message on the dead-letter queue; return in words why that failed, or None."""
    if not definition["use_dead_letter_q"]:
        return f"channel {definition['name']} uses no dead-letter queue, USEDLQ(NO)"
    to, properties = (carried.remote_q, carried.remote_q_mgr), carried.properties
    error = report_messages.dead_letter(work, carried.md, carried.data, reason, to, holder_id, properties)
    if error is None:
        return None
    return error.text if not work.qmgr.dead_letter_q_name else f"{work.qmgr.dead_letter_q_name}: {error}"


def _words(reason: int) -> str:
    name = name_or_number("MQRC", reason)
    return str(name_or_number("MQFB", reason)) if name == reason else f"{name} {reason}"
