"""``mqx undo``: undo puts and gets by confirm id, and locks by either id."""

from __future__ import annotations

import click

from mqtools.constants.reasons import MQRC_NO_MSG_LOCKED
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.lifecycle.verbs import UndoResult, undo

from .shared import click_options
from .shared.command_session import Session, UsageError
from .shared.counts import print_totals
from .shared.read_only import connect_to_change, fetch_held
from .shared.suggested_command import suggest
from .shared.trash_notice import restore_hint


@click.command("undo")
@click.argument("queue", required=False, metavar="QUEUE")
@click_options.confirm_id("Confirm id of the put, get or lock")
@click.option("--lock-id", type=click_options.LOCK_ID, metavar="HEX", help="Deprecated: use mqx unlock")
@click.option("--dry-run", is_flag=True, help="Show what would be undone, without undoing it")
@click_options.general
def command(session: Session, queue: str | None, confirm_id: int | None, lock_id: bytes | None, dry_run: bool) -> None:
    """Undo all puts, gets and locks made on QUEUE with a confirm id.

    Undo removes unconfirmed puts. It returns unconfirmed gets to the queue, and locks them again if the get named a
    lock id. It unlocks messages locked with the confirm id. An unknown id changes nothing and ends with status 6.

    Puts, gets and locks of a queue share its confirm ids: scripts at both ends need different numbers.

    \b
    mqx undo ORDERS --confirm-id 7
    mqx undo ORDERS --confirm-id 7 --dry-run
    """
    if queue is None:
        raise UsageError("Missing argument 'QUEUE'.", restore_hint(session) or "mqx undo --help")
    name, _, q_mgr_name = queue.partition("@")
    if (confirm_id is None) == (lock_id is None):
        words = "--confirm-id is required" if confirm_id is None else "--confirm-id and --lock-id cannot be combined"
        raise UsageError(words, restore_hint(session, name) or "mqx lock --list shows them")
    if lock_id is not None:
        session.note(
            f"hint: --lock-id is deprecated; use {suggest(session, f'unlock {name} --lock-id {lock_id.hex().upper()}')}"
        )
    with connect_to_change(session, dry_run=dry_run) as connection:
        fetch_held(connection, confirm_id=confirm_id, lock_id=lock_id)
        try:
            result = undo(connection, name, confirm_id=confirm_id, lock_id=lock_id, q_mgr_name=q_mgr_name)
        except MQError as error:
            if error.reason == MQRC_NO_MSG_LOCKED:
                raise MQError(error.text, error.reason, hint=restore_hint(session, name), q_name=name) from error
            raise
    counts = {"puts": result.puts, "gets": result.gets, "locks": result.locks}
    number = result.puts + result.gets + result.locks
    print_totals(session, f"{'would undo' if dry_run else 'undone'} on {queue}: {_words(result)}", number, counts)


def _words(result: UndoResult) -> str:
    parts = ((result.puts, "put"), (result.gets, "get"), (result.locks, "lock"))
    return ", ".join(counted(number, noun) for number, noun in parts if number)
