"""``mqx lock``: lock messages under a lock id, and list who holds what."""

from __future__ import annotations

from typing import Any

import click

from mqtools.operations.selection import Selection

from . import _lock
from .shared import click_options
from .shared.command_session import Session, UsageMistake


@click.command("lock")
@click.argument("queue", required=False)
@click.option("-n", "number", type=click_options.Number(min=1), help="Lock so many at most; default all that match.")
@click.option(
    "--confirm-id",
    type=click_options.Number(1, 2**63 - 1),
    metavar="N",
    help="Have mqx undo --confirm-id N unlock them too.",
)
@click.option(
    "--lease", type=click_options.DURATION, metavar="TIME", help="Unlock by itself after this; default never."
)
@click.option("--print-id", is_flag=True, help="Print the lock id alone, not the messages.")
@click.option("--list", "list_them", is_flag=True, help="Show who holds what, of QUEUE or of all queues.")
@click.option("--dry-run", is_flag=True, help="Show what would be locked, and lock nothing.")
@click_options.selection
@click_options.general
def command(session: Session, queue: str | None, selection: Selection, **given: Any) -> int:
    """Lock the messages of QUEUE that the selection means; nobody gets them without the lock id.

    \b
    mqx lock ORDERS
    mqx lock ORDERS -n 5 --where "colour = 'red'" -o jsonl
    lock=$(mqx lock ORDERS --older 1h --print-id --lease 5m)
    mqx get ORDERS --lock-id "$lock" --all; mqx unlock ORDERS --lock-id "$lock"
    mqx lock --list
    mqx lock --list ORDERS -o json

    The lock id is in each line of the output and outlives this process: it ends with unlock, undo, get,
    delete or the lease. Nothing to lock is status 3. --list also shows handles of programs that have a
    message locked, and what is unconfirmed or uncommitted, each with its state.
    """
    if given["list_them"]:
        _check_only_list(selection, given)
        return _lock.list_held(session, queue)
    if queue is None:
        raise UsageMistake("a queue is needed: only --list goes without one", "mqx lock QUEUE")
    if given["lease"] is not None and given["lease"] <= 0:
        raise UsageMistake("--lease needs a time such as 5m")
    if given["dry_run"]:
        from .browse.browse import BrowseRequest, browse_messages

        return browse_messages(session, BrowseRequest(queue, limit=given["number"], selection=selection))
    request = _lock.LockRequest(
        queue,
        selection,
        limit=given["number"],
        confirm_id=given["confirm_id"] or 0,
        lease_s=given["lease"],
        print_id=given["print_id"],
    )
    return _lock.lock_messages(session, request)


def _check_only_list(selection: Selection, given: dict[str, Any]) -> None:
    others = ("number", "confirm_id", "lease", "print_id", "dry_run")
    if not selection.is_everything or any(given[name] for name in others):
        raise UsageMistake("--list shows what is held; it takes nothing beside a queue")
