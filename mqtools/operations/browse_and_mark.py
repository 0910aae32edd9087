"""Browse of a queue with the marks of its co-operating readers."""

from __future__ import annotations

from mqtools.constants.states import UNLOCKED
from mqtools.mqi import browse_marks
from mqtools.mqi.connection import Connection
from mqtools.mqi.recovery import recover_openers
from mqtools.mqi.transaction import Work
from mqtools.store.messages import marks, messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue


def remove_ended_marks(connection: Connection, queue: Queue) -> None:
    """Remove expired marks of a queue and those of dead readers."""
    with connection.work() as work:
        if marks.any_on(work.db, queue.id):
            recover_openers(work, queue)
            marks.remove_ended(work.db, queue.id, work.now_ms)


def available_message(work: Work, seq: int) -> StoredMessage | None:
    """Return a message by its key if it is still on its queue and unlocked."""
    stored = messages.by_seq(work.db, seq)
    return None if stored is None or stored.state != UNLOCKED else stored


def mark_message(work: Work, queue: Queue, seq: int) -> None:
    """Mark a message for the co-operating readers; the mark stays until MARKINT is over."""
    browse_marks.mark_for_set(work, queue.id, seq, stays=True)
