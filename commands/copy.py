"""``mqx copy``: copy messages from one queue to another."""

from __future__ import annotations

from typing import Any

import click

from .move import move, options
from .shared import click_options
from .shared.command_session import Session


@click.command("copy")
@options.route
@click_options.selection
@click_options.general
def command(session: Session, **given: Any) -> int:
    """Copy the messages of FROM that the selection means, all without one, to TO: a queue or QUEUE@QMGR.

    \b
    mqx copy ORDERS ORDERS.TEST
    mqx copy ORDERS ORDERS.TEST --grep ACME -i -n 10
    mqx copy DLQ SAMPLES --reason MQRC_Q_FULL --dry-run
    mqx copy ORDERS ORDERS@QM2 --newer 1h --delay original

    FROM stays as it is. A copy has all of the descriptor of its original (the identifiers too, put date and time,
    context, backout count, what is left of its time), its properties and every byte of its data; it is the last
    arrival on TO.

    TO takes it like any put: where it is full, inhibited or unknown, what came before stays copied and is counted
    (9; nothing copied: the status of the reason), except with --batch all. A message that asks for arrival reports
    (MQRO_COA) gets one, as from any put.

    With --delay messages go one by one, or batch by batch with --batch, with a wait between them: so long, at random up
    to so long, or original: as far apart as they were put.

    What is locked or uncommitted is passed over. --group-id copies each group whole and in its order, in a
    transaction of its own, or none of it. Nothing to copy is status 3.
    """
    return move.move_messages(session, move.request_of(given, copies=True))
