"""``mqx get``: take messages off a queue."""

from __future__ import annotations

from typing import Any

import click

from mqtools.qmgr.selecting import Selection

from . import _get, _options
from ._session import Session, UsageMistake


@click.command("get")
@click.argument("queue")
@click.option("-n", "number", type=click.IntRange(min=1), help="Number of messages; default one.")
@click.option("--all", "everything", is_flag=True, help="All messages.")
@click.option("--wait", type=_options.DURATION, default="0", metavar="TIME", help="Wait so long for each message.")
@click.option("--follow", is_flag=True, help="Go on waiting for messages until interrupted.")
@click.option(
    "--confirm-id",
    type=click.IntRange(1, 2**63 - 1),
    metavar="N",
    help="Leave the get unconfirmed until mqx confirm get.",
)
@click.option("--lock-id", type=_options.LOCK_ID, help="Get what mqx lock has locked under this id.")
@click.option("--max-length", type=_options.SIZE, metavar="SIZE", help="Longest message to take; a longer one stays.")
@click.option("--accept-truncated", is_flag=True, help="With --max-length: take the beginning of a longer message.")
@click.option("-0", "--null", "null", is_flag=True, help="NUL instead of a newline between messages.")
@click.option("--force", is_flag=True, help="Write the exact bytes to a terminal too.")
@click.option("--exec", "exec_command", metavar="CMD", help="Run a command for each message: exit 0 takes it.")
@click.option("--dry-run", is_flag=True, help="Show what would be got, and leave it.")
@_options.selection
@_options.general
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Get messages from QUEUE: the first one, or those that the selection means.

    \b
    mqx get ORDERS
    mqx get ORDERS --all -o jsonl > orders.jsonl
    mqx get ORDERS --wait 30s --correl-id 414D5120
    mqx get ORDERS -n 10 --where "colour = 'red' AND Root.MQMD.Priority > 5"
    while mqx get JOBS > job; do sh ./work job; done
    mqx get JOBS --all --exec './work'

    A message is written out before it is removed: when nobody reads it, or the disk is full, it stays. Without
    -o the data alone is written, with a newline between messages.

    Exit status: 0 got; 3 nothing there; 4 got, but cut; 5 unknown queue; 7 longer than --max-length; 8 gets
    inhibited; 9 some got, then a failure; 10 no room for the output; 141 the reader has left.
    """
    if given["everything"] and given["number"]:
        raise UsageMistake("-n and --all together make no sense")
    limit = None if given["everything"] or (given["follow"] and not given["number"]) else given["number"] or 1
    request = _get.GetRequest(
        given["queue"],
        limit=limit,
        wait_s=given["wait"],
        follow=given["follow"],
        selection=selection,
        max_length=given["max_length"],
        accept_truncated=given["accept_truncated"],
        separator=b"\0" if given["null"] else b"\n",
        force=given["force"],
        dry_run=given["dry_run"],
    )
    if given["exec_command"]:
        if given["confirm_id"] or given["lock_id"]:
            raise UsageMistake("--exec commits or backs out by itself: it goes with no --confirm-id or --lock-id")
        _options.chosen_output(session, _options.OUTPUTS, "plain", "plain")
        from ._get_exec import get_and_run

        return get_and_run(session, request, given["exec_command"])
    if given["confirm_id"] or given["lock_id"]:
        from ._get_held import get_held

        return get_held(session, request, given["confirm_id"] or 0, given["lock_id"] or b"")
    if given["dry_run"]:
        from ._browse import BrowseRequest, browse_messages

        return browse_messages(session, BrowseRequest(given["queue"], limit=limit, selection=selection))
    return _get.get_messages(session, request)
