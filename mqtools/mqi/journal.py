"""Journal: write an event in the transaction that causes it, or with the commit of its unit of work.

A queue asks for it with JOURNAL(YES), or JOURNAL(BODY) to keep the data too. The verbs look at that attribute, which
they have read anyway, before they come here: off, the journal costs nothing.
"""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_NONE
from mqtools.rules import states
from mqtools.store import queues
from mqtools.store.messages import journal as statements
from mqtools.store.messages.messages import seq_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.transaction import Work
    from mqtools.store.queues import Queue

PUT, GET, BROWSE_LOCK, UNLOCK, EXPIRE, DELETE, MOVE = "put", "get", "browse_lock", "unlock", "expire", "delete", "move"
DEAD_LETTER, REPORT = "dead_letter", "report"
CHANNEL_SEND, CHANNEL_RECEIVE = "channel_send", "channel_receive"

#: Events that a cause of the transaction takes the place of; any other is what it is.
_CAUSED = (PUT, GET, DELETE)

#: Value of the attribute JOURNAL that keeps the data.
_BODY = 2

#: How many events a transaction removes at most, for each that it writes, when they are too old or too many.
_EVICTED_FOR_ONE = 4


def note(work: Work, queue: Queue, seq: int, event: str, *, held: bool = False) -> None:
    """Write an event of a message that is still on its queue.

    event: what it is unless the transaction has a cause of its own (``Work.cause``).  held: whether it is
    uncommitted by this, and the event final only with the commit.
    """
    about = _event_or_cause(work, queue, event)
    if held:
        statements.pend(work.db, seq, about)
    else:
        statements.write(work.db, seq, about)
        _evict(work, 1)


def note_each(work: Work, queue: Queue, first: int, number: int, event: str, *, held: bool) -> None:
    """Write the same event of messages with consecutive keys, as ``note``. first: key of the first of them."""
    about = _event_or_cause(work, queue, event)
    if held:
        statements.pend_range(work.db, first, first + number, about)
    else:
        statements.write_range(work.db, first, first + number, about)
        _evict(work, number)


def note_queue(work: Work, queue: Queue, event: str) -> None:
    """Write the same event of all messages of a queue."""
    note_range(work, queue, event, seq_of(queue.id, 0), seq_of(queue.id + 1, 0))


def note_range(work: Work, queue: Queue, event: str, first: int, end: int) -> None:
    """Write the same event of the messages with keys from one on and before another."""
    statements.write_range(work.db, first, end, _about(work, queue, event, MQRC_NONE))


def publish(work: Work, holder_id: int) -> None:
    """Write the events of a unit of work, before it is committed."""
    written = statements.publish(work.db, holder_id, work.now_ms)
    if written:
        _evict(work, written)


def forget(work: Work, holder_id: int) -> None:
    """Discard the events of a unit of work, before it is backed out."""
    statements.forget(work.db, holder_id)


def settle_one(work: Work, queue_id: int, seq: int, before: int, event: str) -> None:
    """Write or discard the event of a message that a confirm id or a lock id holds.

    before: its state.  event: of the table of transitions.
    """
    if event in (states.CONFIRM_PUT, states.CONFIRM_GET):
        _evict(work, statements.publish_one(work.db, seq, work.now_ms))
    elif before in states.UNCOMMITTED_STATES:
        statements.forget_one(work.db, seq)
    else:
        unlocked(work, queue_id, seq)


def unlocked(work: Work, queue_id: int, seq: int) -> None:
    """Write that a message is unlocked, if its queue has a journal."""
    queue = queues.by_id(work.db, queue_id)
    if queue is not None and queue.journal:
        note(work, queue, seq, UNLOCK)


def _event_or_cause(work: Work, queue: Queue, event: str) -> dict[str, object]:
    """Return the columns of an event, or of the transaction's own cause where it has one."""
    return _about(work, queue, *((work.cause if event in _CAUSED else None) or (event, MQRC_NONE)))


def _about(work: Work, queue: Queue, event: str, outcome: int) -> dict[str, object]:
    connection = work.connection
    return {
        "event_at": work.now_ms,
        "event": event,
        "holder": f"{connection.user_identifier} pid {os.getpid()}",
        "appl_name": connection.appl_name,
        "outcome": outcome,
        "queue": queue.name,
        "has_body": int(queue.journal == _BODY),
    }


def _evict(work: Work, written: int) -> None:
    """Remove what is too old or too much, the oldest first, a bounded number."""
    max_age_s, max_bytes = statements.retention(work.db)
    _, size = statements.status(work.db)
    too_old = work.now_ms - max_age_s * 1000 if max_age_s >= 0 else -1
    is_due = [at <= too_old or size > max_bytes >= 0 for _, at, _ in statements.oldest(work.db, 1)]
    if not any(is_due):
        return
    last = None
    for number, at, own_size in statements.oldest(work.db, _EVICTED_FOR_ONE * written):
        if at > too_old and (max_bytes < 0 or size <= max_bytes):
            break
        last, size = number, size - own_size
    if last is not None:
        statements.remove_through(work.db, last)
