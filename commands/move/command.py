"""``mqx move``: move messages from one queue to another."""

from __future__ import annotations

from typing import Any

import click

from ..shared import click_options
from ..shared.command_session import Session
from . import move, options


@click.command("move")
@options.route
@click_options.selection
@click_options.general
def command(session: Session, **given: Any) -> int:
    """Move the selected messages of FROM, or all, to TO: a queue or QUEUE@QMGR.

    \b
    mqx move ORDERS ORDERS.HOLD --where "colour = 'red'"
    mqx move DLQ ORDERS --msg-id "$id"
    mqx move ORDERS ORDERS.OLD --older 7d --dry-run
    mqx move ORDERS ORDERS@QM2 -n 100 --delay 200ms
    mqx move IN OUT --group-id 47524F5550

    A message keeps its whole descriptor (identifiers, put date and time, context, backout count, remaining expiry), its
    properties and its exact data, headers included; it is the last arrival on TO. Put and removal are one transaction
    per batch: after a crash a message is on one of the two queues, never on both.

    Each move is a put on TO: if TO is full, inhibited or unknown, messages moved before stay moved and are counted (9;
    none: the status of the reason), except with --batch all. A message that requests arrival reports (MQRO_COA) gets
    one, as for any put; no delivery report is generated, because no program received the message.

    With --delay messages are moved one by one, or batch by batch with --batch, with a delay between them: a fixed time,
    a random time, or original for the time between the original puts.

    Locked and uncommitted messages are skipped. --group-id moves each group completely and in order in a transaction of
    its own, or not at all. No message to move is status 3.
    """
    return move.move_messages(session, move.request_of(given, copies=False))
