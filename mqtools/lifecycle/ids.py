"""Confirm ids and lock ids: their holders, and what happens to the messages they hold.

Both outlive the process and the machine: their holder is a row of its own, made with the first message it
holds and gone with the last. A confirm id belongs to a queue. A put or get under a confirm id
makes reports on other queues. Each message has its own holder for them, which belongs to the holder of
the confirm id. So confirming or undoing one message takes just its reports along.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import isfinite

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import MQQT_ALIAS
from mqtools.constants.reasons import MQRC_NO_MSG_LOCKED, MQRC_OPTIONS_ERROR
from mqtools.constants.states import DELAYED, LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.mqi import journal, recovery
from mqtools.mqi.authority import check_any
from mqtools.mqi.overrides import Override
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.mqi.units_of_work import count
from mqtools.rules import states
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.messages import units_of_work
from mqtools.store.messages.stored_message import order_key
from mqtools.store.messages.units_of_work import Held
from mqtools.store.queues import Queue

#: Words before the confirm id in the details of events.
CONFIRM_ID = "confirm id"

_LAST_CONFIRM_ID = (1 << 63) - 1
_LOCK_ID_LENGTH = 8

#: Event to authorities: its user needs one of them, where users are checked.
_AUTHORITIES = {
    states.CONFIRM_PUT: ("PUT",),
    states.CONFIRM_GET: ("GET",),
    states.UNLOCK: ("BROWSE", "GET"),
    states.UNDO: ("GET", "PUT", "BROWSE"),
}


def check_confirm_id(confirm_id: int, *, optional: bool = False) -> None:
    """Check that a number can be a confirm id: 1 to 2**63 - 1, or 0 for no confirm id.

    Raises MQError: MQRC_OPTIONS_ERROR.
    """
    if not (0 if optional else 1) <= confirm_id <= _LAST_CONFIRM_ID:
        raise MQError(f"{confirm_id} is not a valid confirm id: confirm ids begin at 1", MQRC_OPTIONS_ERROR)


def home_queue(target: Target) -> Queue:
    """Return the queue that a confirm id of a put belongs to: the target of the put, aliases resolved.

    Several remote queues share a transmission queue: each keeps its own confirm ids.
    """
    if not target.is_remote:
        return target.queue
    return next(queue for queue in target.path if queue.q_type != MQQT_ALIAS)


def event_detail(work: Work, confirm_id: int) -> Override:
    """Return a context in which the journal names a confirm id with what it holds; 0 for none."""
    return Override(
        work.connection, event_detail=f"{CONFIRM_ID} {confirm_id}" if confirm_id else work.connection.event_detail
    )


def holder_for(work: Work, home: Queue, confirm_id: int) -> int:
    """Return the holder of a confirm id; create it if it is new."""
    holder = holders.of_confirm(work.db, home.id, confirm_id)
    return work.add_holder("confirm", queue_id=home.id, confirm_id=confirm_id) if holder is None else holder.id


def holder_for_reports(work: Work, home: Queue, holder_id: int, seq: int | None) -> int:
    """Create the holder of the reports about one message under a confirm id; seq: None while it has no key."""
    token = None if seq is None else holders.report_token(seq)
    return work.add_holder("confirm", queue_id=home.id, token=token, connection_id=holder_id)


def extend_lease(work: Work, home: Queue, holder_id: int, lease_s: float) -> None:
    """Set the lease of the gets of a confirm id, counted from now, unless they already have a longer one."""
    lease_until = lease_end(work.now_ms, lease_s)
    holder = holders.by_id(work.db, holder_id)
    assert holder is not None
    assert lease_until is not None
    if lease_until > (holder.lease_until or 0):
        holders.set_lease(work.db, holder_id, lease_until)
    if holder.lease_until is None:
        work.wake(home.id)  # what waits for its earlier gets waits until then


def lease_end(now: int, lease_s: float | None) -> int | None:
    """Return the end of a lease, in milliseconds since 1970. Raises MQError: MQRC_OPTIONS_ERROR for no duration."""
    if lease_s is None:
        return None
    if not (isfinite(lease_s) and 0 < lease_s < 1e12):
        raise MQError(f"a lease of {lease_s} seconds is not valid: it must be longer than 0", MQRC_OPTIONS_ERROR)
    return now + max(1, int(lease_s * 1000))


def new_lock(work: Work, queue: Queue, confirm_id: int, lease_until: int | None) -> tuple[int, bytes]:
    """Create a lock; return its holder and its lock id."""
    lock_id = os.urandom(_LOCK_ID_LENGTH)
    holder_id = work.add_holder(
        "lock", queue_id=queue.id, token=lock_id, confirm_id=confirm_id or None, lease_until=lease_until
    )
    return holder_id, lock_id


def check_authority(work: Work, queue: Queue, event: str) -> None:
    """Check that the user may confirm, undo or unlock on a queue. event: of states. Raises MQError: 2035."""
    check_any(work.connection, queue.name, *_AUTHORITIES[event])


def find_lock(work: Work, queue: Queue, lock_id: bytes) -> Holder:
    """Find the holder of a lock id on a queue; a lock whose lease has ended no longer counts.

    Raises MQError: MQRC_NO_MSG_LOCKED (LIFE-22).
    """
    recovery.end_leases(work)
    return read_lock(work.db, queue, lock_id, work.now_ms)


def read_lock(db: Database, queue: Queue, lock_id: bytes, now_ms: int) -> Holder:
    """Find the holder of a lock id without writing: messages of a lock whose lease has ended stay locked."""
    lock = holders.of_lock(db, lock_id)
    ended = lock is not None and lock.lease_until is not None and lock.lease_until <= now_ms
    if lock is None or ended or lock.queue_id != queue.id:
        raise MQError(
            f"no message on queue {queue.name} is locked with lock id {lock_id.hex().upper()}", MQRC_NO_MSG_LOCKED
        )
    return lock


def filter_allowed(held: Iterable[Held], event: str) -> list[Held]:
    """Return the messages whose state allows an event; the others are not available to the caller."""
    return [message for message in held if (message.state, event) in states.TRANSITIONS]


def settle(work: Work, held: Sequence[Held], event: str) -> None:
    """Apply an event to messages that a confirm id or a lock id holds; persistent ones are flushed to disk."""
    groups: dict[tuple[int, int, str], list[Held]] = {}
    for message in held:
        is_delayed = event == states.CONFIRM_PUT and (message.deliver_at or 0) > work.now_ms
        key = message.queue_id, message.state, states.CONFIRM_DELAYED if is_delayed else event
        groups.setdefault(key, []).append(message)
        if message.persistence == MQPER_PERSISTENT:
            work.durable = True
        if work.qmgr.journals and event != states.CONFIRM_PUT:
            journal.settle_one(work, message.queue_id, message.seq, message.state, event)
    for (queue_id, state, done), group in groups.items():
        after = count(work, queue_id, state, done, len(group))
        if after == states.DELETED:
            units_of_work.delete_each(work.db, (message.seq for message in group))
        else:
            _move(work, queue_id, group, state, after, done)
        if after in (UNLOCKED, DELAYED):
            work.wake(queue_id)
    if work.qmgr.journals and event == states.CONFIRM_PUT:
        for message in held:  # with the place in the order that it has now
            journal.settle_one(work, message.queue_id, message.seq, message.state, event)


def _move(work: Work, queue_id: int, group: list[Held], before: int, after: int, event: str) -> None:
    """Move messages to another state; a confirmed put arrives only now (LIFE-10)."""
    if event == states.CONFIRM_PUT:
        _arrive(work, queue_id, group)
    backed_out = event == states.UNDO and before in states.UNCOMMITTED_STATES  # BEY-33
    keeps_lock = after == LOCKED_FOR_BROWSE
    units_of_work.move_each(
        work.db,
        (
            (after, message.order_key, message.lock_id if keeps_lock else None, backed_out, message.seq)
            for message in group
        ),
    )


def _arrive(work: Work, queue_id: int, group: list[Held]) -> None:
    queue = queues.by_id(work.db, queue_id)
    assert queue is not None
    first = units_of_work.draw_numbers(work.db, queue_id, len(group))
    for number, message in enumerate(group, first):
        message.order_key = order_key(queue, message.priority, number)


def settle_reports(work: Work, holder_id: int, about: Iterable[Held], event: str) -> None:
    """Apply an event to the reports about messages under a confirm id (RPT-35, RPT-36)."""
    report_holders = {holder.token: holder.id for holder in holders.of_connection(work.db, holder_id)}
    if not report_holders:
        return
    tokens = (holders.report_token(message.seq) for message in about)
    settle_held(work, [report_holders[token] for token in tokens if token in report_holders], event)


def settle_held(work: Work, holder_ids: Sequence[int], event: str) -> None:
    """Apply an event to all messages of some report holders, and remove the holders."""
    settle(
        work, [message for holder_id in holder_ids for message in units_of_work.of_holder(work.db, holder_id)], event
    )
    for holder_id in holder_ids:
        holders.remove_if_idle(work.db, holder_id)


def forget_idle_locks(work: Work, held: Iterable[Held]) -> None:
    """Remove the locks of removed messages where these were their last ones."""
    for lock_id in {message.lock_id for message in held if message.lock_id is not None}:
        holders.remove_if_idle(work.db, lock_id)


def transfer(work: Work, seq: int, holder_id: int, reports_id: int) -> None:
    """Transfer a message that was put with its reports to its own holder; the reports keep theirs."""
    units_of_work.set_holder(work.db, seq, holder_id)
    if not holders.remove_if_idle(work.db, reports_id):
        holders.set_token(work.db, reports_id, holders.report_token(seq))
