"""``mqx copy``: copy messages from one queue to another."""

from __future__ import annotations

from typing import Any

import click

from .move import move_messages, request_of, route
from .shared import click_options
from .shared.command_session import Session


@click.command("copy")
@route
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, **given: Any) -> int:
    """Copy the selected messages of FROM, or all, to TO: a queue or QUEUE@QMGR.

    \b
    mqx copy ORDERS ORDERS.TEST
    mqx copy ORDERS ORDERS.TEST --grep ACME -i -n 10
    mqx copy DLQ SAMPLES --reason MQRC_Q_FULL --dry-run
    mqx copy ORDERS ORDERS@QM2 --newer 1h --delay original

    FROM is not changed. A copy has the whole descriptor of its original (identifiers, put date and time, context,
    backout count, remaining expiry), its properties and the exact data; it is the last arrival on TO.

    Each copy is a put on TO: if TO is full, inhibited or unknown, earlier copies stay and are counted (9; none: the
    status of the reason), except with --batch all. A message that requests arrival reports (MQRO_COA) gets one, as for
    any put.

    With --delay messages are copied one by one, or batch by batch with --batch, with a delay between them: a fixed
    time, a random time, or original for the time between the original puts.

    Locked and uncommitted messages are skipped. --group-id copies each group completely and in order in a transaction
    of its own, or not at all. No message to copy is status 3.
    """
    return move_messages(session, request_of(given, copies=True))
