"""Units of work and locks: publish them, undo them, in one short transaction of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.states import LOCKED_FOR_BROWSE, PUT_UNCONFIRMED, UNLOCKED
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.store import queues
from mqtools.store.messages import messages
from mqtools.store.messages import units_of_work as statements
from mqtools.store.messages.stored_message import StoredMessage


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


def _settle(work: Work, holder_id: int, queue_id: int, state: int, number: int, event: str, *, backout: bool) -> None:
    """Move the messages of a unit of work on a queue that are in a state, and wake who waits for them."""
    after, depth, uncommitted = states.EFFECTS[state, event]
    if after == states.DELETED:
        statements.delete(work.db, holder_id, queue_id, state)
    else:
        statements.move(work.db, holder_id, queue_id, state, after, backout=backout)
    queues.count(work.db, queue_id, depth * number, uncommitted * number)
    if after == UNLOCKED:
        work.wake(queue_id)


def _delay(work: Work, holder_id: int, queue_id: int) -> int:
    """Commit the puts of a unit of work on a queue whose delivery time is to come; return their number."""
    after, depth, uncommitted = states.EFFECTS[PUT_UNCONFIRMED, states.CONFIRM_DELAYED]
    number = statements.delay(work.db, holder_id, queue_id, PUT_UNCONFIRMED, after, work.now_ms)
    queues.count(work.db, queue_id, depth * number, uncommitted * number)
    return number


def undo_one(work: Work, holder_id: int, seq: int, *, counts: bool) -> None:
    """Undo one put or get of a unit of work and leave the rest of it as it is. counts: increase BackoutCount."""
    stored = messages.by_seq(work.db, seq)
    if stored is None or stored.holder_id != holder_id:
        return
    journal_each(work, [stored], states.UNDO)
    after, depth, uncommitted = states.EFFECTS[stored.state, states.UNDO]
    if after == states.DELETED:
        messages.remove(work.db, stored)
    else:
        messages.set_state(work.db, stored, after, None, stored.lock_id)
        if counts:
            statements.count_backout(work.db, seq)
        work.wake(stored.queue_id)
    queues.count(work.db, stored.queue_id, depth, uncommitted)


def confirm_got(work: Work, holder_id: int, seqs: Sequence[int]) -> None:
    """Make some gets of a unit of work final and leave the rest of it as it is."""
    from mqtools.store.messages import by_keys

    gets = by_keys.held_among(work.db, holder_id, seqs)
    journal_each(work, gets, states.CONFIRM_GET)
    number: dict[tuple[int, int], int] = {}
    for held in gets:
        place = held.queue_id, held.state
        number[place] = number.get(place, 0) + 1
        work.durable |= held.persistence == MQPER_PERSISTENT
    by_keys.delete_held(work.db, holder_id, seqs)
    for (queue_id, state), count in number.items():
        _, depth, uncommitted = states.EFFECTS[state, states.CONFIRM_GET]
        queues.count(work.db, queue_id, depth * count, uncommitted * count)


def unlock(work: Work, lock_id: int, *, why: str | None = None) -> bool:
    """Unlock all messages that a handle or a lock id holds and that were not got; return whether there were any.

    why: for the journal, where no program asked for it.
    """
    after, _, _ = states.EFFECTS[LOCKED_FOR_BROWSE, states.UNLOCK]
    if work.qmgr.journals:
        locked = [stored for stored in messages.of_lock(work.db, lock_id) if stored.state == LOCKED_FOR_BROWSE]
        journal_each(work, locked, states.UNLOCK, why)
    queue_ids = statements.unlock(work.db, lock_id, LOCKED_FOR_BROWSE, after)
    for queue_id in queue_ids:
        work.wake(queue_id)
    return bool(queue_ids)
