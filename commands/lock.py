"""``mqx lock``: lock messages, or list the locks and their holders."""

from __future__ import annotations

import math
import sys
from typing import Any

import click

from mqtools.configuration import settings
from mqtools.constants.states import PUT_UNCONFIRMED, STATE_NAMES
from mqtools.errors import NoMessageAvailable
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.formats.units import human_age, rfc3339
from mqtools.lifecycle.held_messages import Lock, TurnHolder, list_locks, turn_holder
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.mqi.identity import now_ms
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import load_data

from .browse.browse import browse_messages
from .browse.request import BrowseRequest
from .shared import click_options, command_session
from .shared import messages as _messages
from .shared.command_session import NOTHING_THERE, Session, Terminated, UsageError, end_on_sigterm
from .shared.holder_hint import print_holder_hint
from .shared.output_rows import print_list
from .shared.read_only import connect_read_only

_LIST_COLUMNS = (
    Column("queue", rank=0),
    Column("state", rank=1),
    Column("lock_id", rank=3),
    Column("confirm_id", align="right", rank=4),
    Column("messages", align="right", rank=2),
    Column("holder", rank=5),
    Column("appl_name", "program", rank=8),
    Column("since", rank=7),
    Column("lease_left_s", "lease_left", "right", rank=6),
    Column("kind", rank=9),
    Column("msg_ids", rank=10),
    Column("confirm_queue", rank=11),
)


@click.command("lock")
@click.argument("queue", required=False)
@click_options.most
@click_options.confirm_id("Confirm id with which mqx undo can also unlock")
@click.option(
    "--lease", type=click_options.LEASE, help="Unlock after this time, or never; default: that of lock_lease, 1h"
)
@click.option("--print-id", is_flag=True, help="Print only the lock id")
@click.option("--list", "list_them", is_flag=True, help="List locks and their holders, of QUEUE or of all queues")
@click.option("--dry-run", is_flag=True, help="Show what would be locked, without locking it")
@click_options.selection
@click_options.general
def command(session: Session, queue: str | None, selection: Selection, **given: Any) -> int:
    """Lock the selected messages of QUEUE; no program can get them without the lock id.

    \b
    mqx lock ORDERS
    mqx lock ORDERS -n 5 --where "colour = 'red'" -o jsonl
    lock=$(mqx lock ORDERS --older 1h --print-id --lease 5m)
    mqx get ORDERS --lock-id "$lock" --all; mqx unlock ORDERS --lock-id "$lock"
    mqx lock --list
    mqx lock --list ORDERS -o json

    The lock id is in each row of the output and outlives this process: the lock ends with unlock, undo, get, delete or
    the lease. Without --lease the setting lock_lease ($MQX_LOCK_LEASE, 1h) applies; --lease never has no end. No
    message to lock is status 3. --list also shows messages locked by handles of programs, and unconfirmed and
    uncommitted messages, each with its state. Lock ids and gets of confirm ids without a lease have never as lease_left
    (JSON: null). It also shows a program that has kept the turn to write for more than 2 s (kind writer, without a
    queue): all that change something wait for it. confirm_queue is the queue to name in confirm and undo: a report of
    an unconfirmed put is on another queue.
    """
    if given["list_them"]:
        _check_only_list(selection, given)
        return _list_held(session, queue)
    if queue is None:
        raise UsageError("QUEUE is required, except with --list", "mqx lock QUEUE")
    if given["dry_run"]:
        return browse_messages(session, BrowseRequest(queue, limit=given["limit"], selection=selection))
    return _lock_messages(session, queue, selection, given)


def _check_only_list(selection: Selection, given: dict[str, Any]) -> None:
    others = ("limit", "confirm_id", "lease", "print_id", "dry_run")
    if not selection.is_everything or any(given[name] for name in others):
        raise UsageError("--list can only be combined with QUEUE")


def _lock_messages(session: Session, queue: str, selection: Selection, given: dict[str, Any]) -> int:
    """Lock messages and print them with their lock id; return 3 when there were none.

    A lock whose id could not be printed is released.
    """
    end_on_sigterm()
    limit = given["limit"]
    lease_s = settings.value_of(settings.LOCK_LEASE) if given["lease"] is None else given["lease"]
    writer = _messages.writer(session, separator=b"" if limit == 1 else b"\n")
    with session.connect() as connection:
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        seqs = None if selection.is_everything else select_keys(connection, queue, selection, limit=limit)
        try:
            locked = browse_messages_and_lock(
                connection,
                queue,
                seqs,
                limit=limit,
                confirm_id=given["confirm_id"] or 0,
                lease_s=None if lease_s == math.inf else lease_s,
            )
        except NoMessageAvailable:
            print_holder_hint(connection, session, queue, selection)
            return NOTHING_THERE
        is_printed = False
        try:
            if given["print_id"]:
                command_session.write_out(locked.lock_id.hex().upper().encode("ascii") + b"\n")
            else:
                shows_at_once = session.output in (None, "plain", "json", "jsonl") and not sys.stdout.isatty()
                for stored in locked.messages:
                    writer.write_stored(stored, load_data(connection, stored.seq), queue, locked.lock_id)
                    is_printed = shows_at_once
                writer.finish()
        except (OSError, UsageError, KeyboardInterrupt, Terminated) as error:
            if isinstance(error, UsageError) or not is_printed:
                unlock_message(connection, queue, locked.lock_id)
            raise
        until = "without a lease" if lease_s == math.inf else f"for {human_age(lease_s)}"
        session.note(f"locked {counted(len(locked.messages))} with lock id {locked.lock_id.hex().upper()}, {until}")
    return 0


def _list_held(session: Session, q_name: str | None) -> int:
    """Print the locks of a queue, or of all, with holder, time and lease; return 3 when there are none."""
    for_people = session.list_output == "table"
    with connect_read_only(session) as connection:
        locks = list_locks(connection, q_name, named=1 if for_people else -1)
        writer = turn_holder(connection)
    rows = [_row(lock, now_ms(), for_people=for_people) for lock in locks]
    if writer is not None and writer.is_in_the_way:
        session.note(f"mqx: the write turn is held {writer.since()} by {writer.description()}; others wait for it")
        rows.append(_writer_row(writer))
    return print_list(session, rows, _LIST_COLUMNS)


def _writer_row(writer: TurnHolder) -> dict[str, object]:
    """Return the row of a program that has kept the turn to write for long: it holds no message, but stops others."""
    return {
        **dict.fromkeys(column.name for column in _LIST_COLUMNS),
        "state": "stopped" if writer.is_stopped else "writing",
        "messages": 0,
        "holder": f"{writer.user} pid {writer.pid}".strip(),
        "appl_name": writer.program,
        "since": None if writer.since_ms is None else rfc3339(writer.since_ms),
        "kind": "writer",
        "msg_ids": [],
    }


def _row(lock: Lock, now: int, *, for_people: bool) -> dict[str, object]:
    left_s = None if lock.lease_until is None else max(0, lock.lease_until - now) / 1000
    lease_left: object = left_s
    if for_people and left_s is not None:
        lease_left = human_age(left_s)
    elif for_people and lock.kind in ("lock", "confirm") and lock.state != PUT_UNCONFIRMED:
        lease_left = "never"
    ids = [msg_id.hex().upper() for msg_id in lock.msg_ids]
    return {
        "queue": lock.q_name,
        "state": STATE_NAMES[lock.state],
        "lock_id": lock.lock_id or None,
        "confirm_id": lock.confirm_id or None,
        "messages": lock.number,
        "holder": lock.holder,
        "appl_name": lock.appl_name,
        "since": rfc3339(lock.since),
        "lease_left_s": lease_left,
        "kind": lock.kind,
        "msg_ids": [*ids[:1], "…"] if for_people and lock.number > 1 else ids,
        "confirm_queue": lock.id_q_name if lock.confirm_id else None,
    }
