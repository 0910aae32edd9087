"""``mqx confirm``: confirm puts and gets that were made with a confirm id."""

from __future__ import annotations

import click

from mqtools.formats.phrases import counted
from mqtools.lifecycle.verbs import confirm_get_message, confirm_put_message
from mqtools.operations.key_snapshot import complete_msg_id, complete_put_id

from .shared import click_options
from .shared.command_session import Session
from .shared.counts import print_totals
from .shared.read_only import connect_to_change, fetch_held, source_of


@click.command("confirm")
@click.argument("verb", type=click.Choice(["put", "get"]), metavar="put|get")
@click.argument("queue")
@click_options.confirm_id("Confirm id of the put or get", required=True)
@click_options.one_message
@click.option("--dry-run", is_flag=True, help="Show what would be confirmed, without confirming it")
@click_options.general
def command(session: Session, verb: str, queue: str, confirm_id: int, msg_id: bytes | None, dry_run: bool) -> None:
    """Confirm messages that were put on QUEUE, or got from it, with a confirm id.

    A confirmed put becomes available to all programs, behind all messages on the queue; a confirmed get removes the
    message permanently. A confirm id without such puts or gets changes nothing and ends with status 6.

    \b
    mqx put ORDERS hello --confirm-id 7 && mqx confirm put ORDERS --confirm-id 7
    mqx get ORDERS --confirm-id 8 > order && mqx confirm get ORDERS --confirm-id 8
    mqx confirm get ORDERS --confirm-id 8 --msg-id "$id"
    """
    name, _, q_mgr_name = queue.partition("@")
    with connect_to_change(session, dry_run=dry_run) as connection:
        fetch_held(connection, confirm_id=confirm_id)
        if verb == "put":
            whole = complete_put_id(connection, name, confirm_id, msg_id, q_mgr_name)
            number = confirm_put_message(connection, name, confirm_id, msg_id=whole, q_mgr_name=q_mgr_name)
        else:
            whole = complete_msg_id(source_of(connection), queue, msg_id)
            number = confirm_get_message(connection, queue, confirm_id, msg_id=whole)
    did = "would confirm" if dry_run else "confirmed"
    print_totals(session, f"{did} the {verb} of {counted(number)} on {queue}", number, {"confirmed": number})
