"""``mqx unlock``: unlock messages that ``mqx lock`` has locked."""

from __future__ import annotations

import click

from mqtools.formats.phrases import counted
from mqtools.lifecycle.locks import unlock_message
from mqtools.operations.key_snapshot import complete_msg_id

from .shared import click_options
from .shared.command_session import Session
from .shared.counts import print_totals
from .shared.read_only import connect_to_change, fetch_held, source_of


@click.command("unlock")
@click.argument("queue")
@click.option("--lock-id", type=click_options.LOCK_ID, required=True, metavar="HEX", help="Lock id printed by mqx lock")
@click_options.one_message
@click.option("--dry-run", is_flag=True, help="Show what would be unlocked, without unlocking it")
@click_options.general
def command(session: Session, queue: str, lock_id: bytes, msg_id: bytes | None, dry_run: bool) -> None:
    """Unlock all messages of QUEUE that are locked under a lock id, or one of them.

    A lock id without locked messages changes nothing and ends with status 6.

    \b
    mqx unlock ORDERS --lock-id 5F2C90A1B3D4E6F7
    mqx unlock ORDERS --lock-id 5F2C90A1B3D4E6F7 --msg-id "$id"
    mqx unlock ORDERS --lock-id "$lock" -o json
    """
    with connect_to_change(session, dry_run=dry_run) as connection:
        whole = complete_msg_id(source_of(connection), queue, msg_id)
        fetch_held(connection, lock_id=lock_id)
        number = unlock_message(connection, queue, lock_id, msg_id=whole)
    text = f"{'would unlock' if dry_run else 'unlocked'} {counted(number)} on {queue}"
    print_totals(session, text, number, {"unlocked": number})
