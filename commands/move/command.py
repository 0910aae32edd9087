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
    """Move the messages of FROM that the selection means, all without one, to TO: a queue or QUEUE@QMGR.

    \b
    mqx move ORDERS ORDERS.HOLD --where "colour = 'red'"
    mqx move DLQ ORDERS --msg-id "$id"
    mqx move ORDERS ORDERS.OLD --older 7d --dry-run
    mqx move ORDERS ORDERS@QM2 -n 100 --delay 200ms
    mqx move IN OUT --group-id 47524F5550

    A message keeps all of its descriptor (identifiers, put date and time, context, backout count, what is left
    of its time), its properties and every byte of its data, headers included; it is the last arrival on TO. Putting
    and removing are one transaction for each batch: after a crash it is on one of the two queues, never on both.

    TO takes it like any put: where it is full, inhibited or unknown, what came before stays moved and is counted
    (9; nothing moved: the status of the reason), except with --batch all. A message that asks for arrival reports
    (MQRO_COA) gets one, as from any put; there is no delivery report, because nobody has received it.

    With --delay messages go one by one, or batch by batch with --batch, with a wait between them: so long, at random up
    to so long, or original: as far apart as they were put.

    What is locked or uncommitted is passed over. --group-id moves each group whole and in its order, in a
    transaction of its own, or leaves it.
    Nothing to move is status 3.
    """
    return move.move_messages(session, move.request_of(given, copies=False))
