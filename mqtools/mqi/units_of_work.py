"""Units of work and locks: publish them, undo them, in one short transaction of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.states import DELAYED, LOCKED_FOR_BROWSE, PUT_UNCONFIRMED, UNLOCKED
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.store import queues
from mqtools.store.messages import messages
from mqtools.store.messages import units_of_work as statements
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue


def commit(work: Work, holder_id: int) -> None:
    """Make the puts of a unit of work available and remove its gets for good (MQCMIT)."""
    if work.connection.has_commands and holder_id == work.connection.id:
        work.has_commands, work.connection.has_commands = True, False
    _journal_unit(work, holder_id, backout=False)
    for queue_id, state, number, persistence, deliver_at in statements.summary(work.db, holder_id):
        event = states.CONFIRM_PUT if state == PUT_UNCONFIRMED else states.CONFIRM_GET
        if event == states.CONFIRM_PUT and deliver_at is not None and deliver_at > work.now_ms:
            number -= _delay(work, holder_id, queue_id)
        _settle(work, holder_id, queue_id, state, number, event, backout=False)
        work.durable |= persistence == MQPER_PERSISTENT


#: Words of the journal about a backout that did not increase BackoutCount.
NOT_COUNTED = "not counted as a backout"


def backout(
    work: Work, holder_id: int, kept: tuple[int, ...] = (), *, counts: bool = True, why: str | None = None
) -> bool:
    """Remove the puts of a unit of work and restore its gets, with BackoutCount increased if it counts (MQBACK).

    kept: keys of messages that stay as they are: got with MQGMO_MARK_SKIP_BACKOUT (SYNC-18). Others are
    ignored. Returns whether any was kept.  why: for the journal, where no program asked for it.
    """
    if kept:
        kept = tuple(held.seq for held in statements.of_holder(work.db, holder_id) if held.seq in kept)
    for seq in kept:
        statements.set_holder(work.db, seq, None)
    _journal_unit(work, holder_id, backout=True, detail=why if counts else NOT_COUNTED)
    for queue_id, state, number, *_ in statements.summary(work.db, holder_id):
        _settle(work, holder_id, queue_id, state, number, states.UNDO, backout=counts)
    for seq in kept:
        statements.set_holder(work.db, seq, holder_id)
    return bool(kept)


def undo_gets(work: Work, holder_id: int, gets: Sequence[statements.Held]) -> bool:
    """Restore the gets of a holder whose lease has ended, and leave its puts; return whether there were any.

    gets: all of them.
    """
    journal_each(work, gets, states.LEASE)
    for queue_id, state, number, persistence, _ in statements.summary(work.db, holder_id):
        if state != PUT_UNCONFIRMED:
            _settle(work, holder_id, queue_id, state, number, states.UNDO, backout=True)
            work.durable |= persistence == MQPER_PERSISTENT
    return bool(gets)


def _journal_unit(work: Work, holder_id: int, *, backout: bool, detail: str | None = None) -> None:
    if work.qmgr.journals:
        from mqtools.mqi import journal

        journal.settle(work, holder_id, backout=backout, detail=detail)


def journal_each(
    work: Work, each: Iterable[statements.Held | StoredMessage], event: str, detail: str | None = None
) -> None:
    """Write an event of messages that are about to change, where their queues have a journal. detail: why."""
    if work.qmgr.journals:
        from mqtools.mqi import journal

        for one in each:
            journal.settle_one(work, one.queue_id, one.seq, one.state, event, detail)


def count(work: Work, queue_id: int, before: int, event: str, number: int = 1, *, got_at: int | None = None) -> int:
    """Count messages of a queue that an event brings from one state to the next; return that.

    got_at: of a destructive get, milliseconds since 1970.
    """
    after, depth, uncommitted = states.EFFECTS[before, event]
    queues.count(work.db, queue_id, depth * number, uncommitted * number, got_at=got_at)
    return after


def _settle(work: Work, holder_id: int, queue_id: int, state: int, number: int, event: str, *, backout: bool) -> None:
    """Move the messages of a unit of work on a queue that are in a state, and wake who waits for them."""
    after = count(work, queue_id, state, event, number)
    if after == states.DELETED:
        statements.delete(work.db, holder_id, queue_id, state)
    else:
        statements.move(work.db, holder_id, queue_id, state, after, backout=backout)
    if after == UNLOCKED:
        work.wake(queue_id)


def _delay(work: Work, holder_id: int, queue_id: int) -> int:
    """Commit the puts of a unit of work on a queue whose delivery time is to come; return their number."""
    number = statements.delay(work.db, holder_id, queue_id, PUT_UNCONFIRMED, DELAYED, work.now_ms)
    count(work, queue_id, PUT_UNCONFIRMED, states.CONFIRM_DELAYED, number)
    return number


def undo_one(work: Work, holder_id: int, seq: int, *, counts: bool) -> None:
    """Undo one put or get of a unit of work and leave the rest of it as it is. counts: increase BackoutCount."""
    stored = messages.by_seq(work.db, seq)
    if stored is None or stored.holder_id != holder_id:
        return
    journal_each(work, [stored], states.UNDO)
    after = count(work, stored.queue_id, stored.state, states.UNDO)
    if after == states.DELETED:
        messages.remove(work.db, stored)
    else:
        messages.set_state(work.db, stored, after, None, stored.lock_id)
        if counts:
            statements.count_backout(work.db, seq)
        work.wake(stored.queue_id)


def confirm_got(work: Work, holder_id: int, seqs: Sequence[int]) -> None:
    """Make some gets of a unit of work final and leave the rest of it as it is."""
    from mqtools.store.messages import by_keys

    gets = by_keys.held_among(work.db, holder_id, seqs)
    journal_each(work, gets, states.CONFIRM_GET)
    by_keys.delete_held(work.db, holder_id, seqs)
    work.durable |= any(held.persistence == MQPER_PERSISTENT for held in gets)
    places = [(held.queue_id, held.state) for held in gets]
    for queue_id, state in set(places):
        count(work, queue_id, state, states.CONFIRM_GET, places.count((queue_id, state)))


def lock(work: Work, queue: Queue, found: Sequence[StoredMessage], lock_id: int) -> None:
    """Lock unlocked messages of a queue. lock_id: the holder of their lock, a handle or a lock id."""
    after = count(work, queue.id, UNLOCKED, states.BROWSE_LOCK, len(found))
    for stored in found:
        stored.state = UNLOCKED  # as the handle that has unlocked it just now
    if queue.journal:
        journal_each(work, found, states.BROWSE_LOCK)
    for stored in found:
        messages.set_state(work.db, stored, after, None, lock_id)


def unlock(work: Work, lock_id: int, *, why: str | None = None) -> bool:
    """Unlock all messages that a handle or a lock id holds and that were not got; return whether there were any.

    why: for the journal, where no program asked for it.
    """
    if work.qmgr.journals:
        locked = [stored for stored in messages.of_lock(work.db, lock_id) if stored.state == LOCKED_FOR_BROWSE]
        journal_each(work, locked, states.UNLOCK, why)
    queue_ids = statements.unlock(work.db, lock_id, LOCKED_FOR_BROWSE, UNLOCKED)
    for queue_id in queue_ids:
        work.wake(queue_id)
    return bool(queue_ids)
