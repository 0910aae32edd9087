"""Journal: write an event in the transaction that causes it, or with the commit of its unit of work.

A queue asks for it with JOURNAL(YES), or JOURNAL(BODY) to keep the data too. The verbs look at that attribute, which
they have read anyway, before they come here: off, the journal costs nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mqtools.constants.objects import MQMDS_PRIORITY
from mqtools.constants.reasons import MQRC_NONE
from mqtools.constants.states import LOCKED_FOR_BROWSE, PUT_UNCONFIRMED, UNLOCKED
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.mqi.transaction import EVICT_EVERY, EVICT_MORE, ConnectionState, Work
from mqtools.rules import states
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import history
from mqtools.store.messages import journal as statements
from mqtools.store.messages import journal_retention as limits
from mqtools.store.messages.stored_message import seq_of
from mqtools.store.queues import Queue

if TYPE_CHECKING:
    from mqtools.store.messages.journal import About

PUT, GET, BROWSE_LOCK, UNLOCK, EXPIRE, DELETE, MOVE = "put", "get", "browse_lock", "unlock", "expire", "delete", "move"
DEAD_LETTER, REPORT, COPY, EDIT, RESTORE, REPLAY = "dead_letter", "report", "copy", "edit", "restore", "replay"
CHANNEL_SEND, CHANNEL_RECEIVE, BACKOUT, DELIVER = "channel_send", "channel_receive", "backout", "deliver"

#: Events that a cause of the transaction takes the place of; any other is what it is.
_CAUSED = (PUT, GET, DELETE)

#: Event of the table of transitions to the one of the journal, and the state after it, where no holder had the message
#: uncommitted; any other unlocks it.
_OF_UNHELD = {states.DELIVER: (DELIVER, UNLOCKED), states.BROWSE_LOCK: (BROWSE_LOCK, LOCKED_FOR_BROWSE)}

#: Value of the attribute JOURNAL that keeps the data.
_BODY = 2

#: How many events are removed at most, for each that is written, when they are too old or too many; and how many of
#: them in one transaction.
_EVICTED_FOR_ONE, _STEP = 4, 100

#: How many events are counted in one transaction at most.
_COUNTED = 2000


def note(
    work: Work,
    queue: Queue,
    seq: int,
    event: str,
    *,
    arrives: bool = False,
    after: int | None = None,
    held: bool = False,
    detail: str | None = None,
    undone: str | None = None,
    is_long: bool = True,
) -> None:
    """Write an event of a message that is still on its queue, or has just come.

    event: what it is unless the transaction has its own cause (``Work.cause``).  arrives: it was not on the queue
    before; else the message is as it was before the event.  after: its state then, None when it goes; an arrival is
    in it already.  held: whether it is uncommitted by this, and the event final only with the commit.
    detail: words, unless the cause has its own.  undone: of a backout, the event that it undid.  is_long: whether its
    data may be in chunks.
    """
    about = _event_or_cause(work, queue, event, detail)
    if held:
        assert after is not None
        statements.pend(work.db, seq, about, after)
        return
    if arrives:
        statements.write_arrival(work.db, seq, about, is_long=is_long)
    else:
        statements.write(work.db, seq, about, after, undone, is_long=is_long)
    _count(work, 1)


def note_arrivals(work: Work, queue: Queue, first: int, number: int, *, held: bool) -> None:
    """Write the put of messages with consecutive keys, as ``note``. first: key of the first of them."""
    about = _event_or_cause(work, queue, PUT, None)
    if held:
        statements.pend_range(work.db, first, first + number, about, PUT_UNCONFIRMED)
    else:
        statements.write_arrivals(work.db, first, first + number, about)
        _count(work, number)


def note_queue(work: Work, queue: Queue, event: str, detail: str) -> None:
    """Write the same event of all messages of a queue, which are about to go."""
    note_range(work, queue, event, *_keys(queue), detail)


def note_range(work: Work, queue: Queue, event: str, first: int, end: int, detail: str) -> None:
    """Write the same event of the messages with keys from one on and before another, which are about to go."""
    about = _about(work, queue, event, MQRC_NONE, detail)
    _count(work, statements.write_departures(work.db, first, end, about))


def note_restart(db: Database, who: tuple[str, str]) -> None:
    """Write that a restart drops the nonpersistent messages, which are still there. who: user and application."""
    words = "nonpersistent, dropped by the restart of the queue manager"
    for name in queues.journaled_names(db):
        queue = queues.by_name(db, name)
        if queue is not None:
            has_body = queue.journal == _BODY
            about = now_ms(), DELETE, _holder(who[0]), who[1], MQRC_NONE, name, has_body, words
            statements.write_departures(db, *_keys(queue), about, is_nonpersistent=True)
            statements.forget_nonpersistent(db, *_keys(queue))


def settle(work: Work, holder_id: int, *, backout: bool, detail: str | None = None) -> None:
    """Write the events of a unit of work before it is committed, or backed out. detail: why."""
    undo = BACKOUT if backout else None
    _count(work, statements.settle(work.db, holder_id, work.now_ms, undo=undo, detail=detail))


def settle_one(work: Work, queue_id: int, seq: int, before: int, event: str, detail: str | None = None) -> None:
    """Write the event of a message that a confirm id or a lock id holds.

    A confirmed put is written when it has its new place, everything else before it is done.
    before: its state.  event: of the table of transitions, that of a lock or a delivery too; or LEASE: an undo.
    """
    if before in states.UNCOMMITTED_STATES:
        undo = {states.CONFIRM_PUT: None, states.CONFIRM_GET: None, states.LEASE: states.LEASE}.get(event, BACKOUT)
        _count(work, statements.settle_one(work.db, seq, work.now_ms, undo=undo, detail=detail))
    else:
        queue = queues.by_id(work.db, queue_id)
        if queue is not None and queue.journal:
            shown, after = _OF_UNHELD.get(event, (UNLOCK, UNLOCKED))
            note(work, queue, seq, shown, after=after, detail=detail)


def note_backout(work: Work, queue: Queue, seq: int, detail: str) -> None:
    """Write that the dead-letter handler leaves a message, before its backout count is increased. detail: why."""
    note(work, queue, seq, BACKOUT, after=UNLOCKED, detail=detail, undone=GET)


def set_level(work: Work, queue: Queue, level: int, *, is_deleted: bool = False) -> None:
    """Record another value of a queue's JOURNAL, and have what is uncommitted on it journaled, or not.

    Where the journal stops keeping data, the present messages are recorded: the queue can be shown as it was until now.
    is_deleted: the queue goes, and its messages have their events.
    """
    first, end = _keys(queue)
    if queue.journal == _BODY and level != _BODY and not is_deleted:
        _count(work, statements.record_present(work.db, first, end, queue.name, work.now_ms))
    if is_deleted:
        note_order(work, queue)
    if level == 0:
        statements.forget_range(work.db, first, end)
    elif queue.journal == 0:
        statements.pend_held(work.db, queue.id, _about(work, queue, PUT, MQRC_NONE, None, level))
    else:
        statements.set_pending_body(work.db, first, end, has_body=level == _BODY)
    statements.begin_level(work.db, queue.name, level, work.now_ms)


def note_order(work: Work, queue: Queue) -> None:
    """Record that a queue that has or had a journal is about to be ordered otherwise, or deleted."""
    if history.levels(work.db, queue.name):
        by_priority = queue.msg_delivery_sequence == MQMDS_PRIORITY
        history.note_order(work.db, queue.name, work.now_ms, by_priority=by_priority)


def _keys(queue: Queue) -> tuple[int, int]:
    """Return the first key of a queue's messages and the one behind the last."""
    return seq_of(queue.id, 0), seq_of(queue.id + 1, 0)


def _event_or_cause(work: Work, queue: Queue, event: str, detail: str | None) -> About:
    """Return the columns of an event, or of the transaction's own cause where it has one."""
    words, outcome = None, MQRC_NONE
    if work.cause is not None and event in _CAUSED:
        event, outcome, words = work.cause
    general = work.connection.event_detail
    if general is None and (words is None or detail is None):
        return _about(work, queue, event, outcome, words or detail)
    said = dict.fromkeys(each for each in (general, words, detail) if each)
    return _about(work, queue, event, outcome, "; ".join(said))


def _about(work: Work, queue: Queue, event: str, outcome: int, detail: str | None, level: int | None = None) -> About:
    """Return the columns of an event. level: of the journal, if it is not yet that of the queue."""
    who = work.connection
    has_body = (queue.journal if level is None else level) == _BODY
    return work.now_ms, event, _holder(who.user_identifier), who.appl_name, outcome, queue.name, has_body, detail


def _holder(user_identifier: str) -> str:
    return f"{user_identifier} pid {os.getpid()}"


def _count(work: Work, number: int) -> None:
    """Count events that were written, so that old ones go after the commit."""
    work.connection.events_noted += number
    work.connection.evict = evict


def evict(connection: ConnectionState) -> None:
    """Remove what is too old or too much, the oldest first: a number in proportion to what was written since.

    Each step is a separate transaction, after the one that wrote is committed and its waiters are woken. So no put
    waits for it. While more has to go the next look is soon, and takes one step. A step that fails is left to the next:
    what was written is kept.
    """
    left, connection.events_noted = _EVICTED_FOR_ONE * connection.events_noted, 0
    connection.evict_after = EVICT_EVERY
    try:
        is_counted = False
        while not is_counted:
            with connection.work() as work:
                _, is_counted = limits.count_new(work.db, _COUNTED)
        while left > 0:
            step = min(left, _STEP)
            with connection.work() as work:
                removed = _evict_step(work, step)
            if removed < step:
                return
            left -= removed
        connection.evict_after = EVICT_MORE - 1
    except MQError:
        return  # the queue manager has ended, or its disk is full: nothing of the caller's is lost by it


def _evict_step(work: Work, limit: int) -> int:
    """Remove the oldest events beyond the limits, at most a number; return how many.

    The last event stays: the number of the next follows from it.
    """
    newest = statements.last_event(work.db)
    max_age_s, max_bytes = limits.retention(work.db)
    too_old = work.now_ms - max_age_s * 1000 if max_age_s >= 0 else -1
    size, _ = limits.count_new(work.db)
    last, removed = None, 0
    is_due = size > max_bytes >= 0 or any(at <= too_old for _, at, _ in limits.oldest(work.db, 1))
    for number, at, own_size in limits.oldest(work.db, limit) if is_due else ():
        if number == newest or (at > too_old and (max_bytes < 0 or size <= max_bytes)):
            break
        last, size, removed = number, size - own_size, removed + 1
    if last is not None:
        limits.remove_through(work.db, last)
    return removed
