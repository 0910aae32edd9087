"""``mqx push``: put messages in place of their originals on another queue manager."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from mqtools.formats.phrases import counted
from mqtools.mqi.connection import Connection
from mqtools.operations.elsewhere.push import ADDED, EQUAL, FROM_ELSEWHERE, NOT_HERE, Push
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import load_message
from mqtools.rules.origins import NOT_REPLACED, REPLACED

from .shared import click_options
from .shared.command_session import NOTHING_THERE, PARTLY, Session, UsageError
from .shared.counts import print_totals
from .shared.partly_done import PartlyDone
from .shared.places import read_place
from .shared.read_only import connect_read_only
from .shared.result_rows import Row, show_results

#: Result with which a message is skipped to its words.
SKIPPED = {
    **NOT_REPLACED,
    FROM_ELSEWHERE: "pulled from another queue; --add adds it",
    NOT_HERE: "no longer here",
}
#: Context that is lost if a user may not set it.
_LOST = {
    "original": "not authorized to set the context: changes of context fields are lost",
    "none": "not authorized to set or pass context: put time, user and application of the messages are lost",
}


@click.command("push")
@click.argument("queue")
@click.option("--to", "target", required=True, metavar="REMOTE:QUEUE", help="Queue that the messages go to")
@click.option("--add", "adds", is_flag=True, help="Add all messages, also pulled ones")
@click_options.most
@click.option("--dry-run", is_flag=True, help="Show the result for each message, without changing anything")
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, queue: str, target: str, selection: Selection, **given: Any) -> int:
    """Put the selected messages of QUEUE, or all, on a queue of another queue manager.

    \b
    mqx push DLQ --to PROD:DLQ --dry-run
    mqx push DLQ --to PROD:DLQ --msg-id "$id"
    mqx push REPAIRED --to PROD:ORDERS --add

    A pulled message that you have edited replaces its original: the get of the original and the put are one unit of
    work there. If the original is gone or changed, push names the message and skips it. Before that it waits up to 5 s
    for other readers, which may back out. Messages that were never pulled are added. QUEUE does not change; a second
    push does nothing. If a commit was interrupted, repeat the command: where other programs have the queue there open
    for output, it waits up to 5 s before it adds the first message, until the commit is decided.

    Push keeps the context if the user there is authorized to set it; otherwise it prints what is lost. The message is
    the last on its queue, with the remaining expiry of its original, unless you have edited the expiry.

    A remote must be read-write (mqx remote add --read-write). A push there asks for confirmation, and requires --yes
    without a terminal. Locked and uncommitted messages are skipped.

    Exit status: 0 also when everything was there already; 3 no messages; 8 the remote is read-only; 9 some skipped.
    """
    q_mgr_name, q_name = read_place(target)
    dry_run = given["dry_run"]
    push: Push | None = None
    with (
        PartlyDone(session, lambda: 0 if push is None or dry_run else push.results[REPLACED] + push.results[ADDED]),
        connect_read_only(session) if dry_run else session.connect() as connection,
    ):
        keys = select_keys(connection, queue, selection, limit=given["limit"])
        if not keys:
            return NOTHING_THERE
        with session.connect_anywhere(q_mgr_name, changes=not dry_run) as there:
            if there.q_mgr_id == connection.q_mgr_id:
                raise UsageError(f"{there.name} is the queue manager to push from", f"mqx copy {queue} {q_name}")
            push = Push(connection, there, q_name, given["adds"], dry_run)
            if not dry_run:
                session.confirm_elsewhere(f"push {counted(len(keys))} to {q_name}")
            columns = ("msg_id", "result")
            try:
                show_results(session, _rows(connection, push, keys), columns, SKIPPED, dry_run=dry_run)
            finally:
                status = _finish(session, push)
            return status
    return PARTLY


def _rows(connection: Connection, push: Push, keys: list[int]) -> Iterator[Row]:
    for key in keys:
        stored = load_message(connection, key)
        yield {"msg_id": "" if stored is None else stored.md.msg_id.hex().upper(), "result": push.message(key)}


def _finish(session: Session, push: Push) -> int:
    """Print the totals, and what was lost; return the exit status."""
    results = push.results
    done = results[REPLACED] + results[ADDED]
    text = f"{'would have pushed' if push.dry_run else 'pushed'} {counted(done)}"
    for result, words in {EQUAL: "there already", **SKIPPED}.items():
        if results[result]:
            text += f"; {results[result]} {words.partition(';')[0]}"
    print_totals(session, text, done, dict(results))
    if push.context in _LOST:
        session.note(_LOST[push.context])
    return PARTLY if any(results[result] for result in SKIPPED) else 0
