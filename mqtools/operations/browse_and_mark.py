"""Browse of a queue with the marks of its co-operating readers."""

from __future__ import annotations

from mqtools.mqi.connection import Connection
from mqtools.mqi.recovery import recover_openers
from mqtools.store.messages import marks
from mqtools.store.queues import Queue


def remove_ended_marks(connection: Connection, queue: Queue) -> None:
    """Remove expired marks of a queue and those of dead readers."""
    with connection.work() as work:
        if marks.any_on(work.db, queue.id):
            recover_openers(work, queue)
            marks.remove_ended(work.db, queue.id, work.now_ms)
