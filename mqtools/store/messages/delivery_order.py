"""The order of delivery: the first messages of a queue, and the whole queue when its delivery sequence changes."""

from __future__ import annotations

from mqtools.store.database import Database
from mqtools.store.messages.stored_message import NUMBER_BITS, seq_of

#: Step of one priority in an order key; the lower bits are the number of the arrival, which never changes.
STEP = 1 << NUMBER_BITS


def reorder(db: Database, queue_id: int, *, by_priority: bool) -> int:
    """Reorder all messages of a queue, in any state, by another sequence; return their number."""
    return db.run(
        "update messages set order_key ="
        " (order_key & :numbers) + :by_priority * :step * (9 - min(max(priority, 0), 9))"
        " where seq >= :first and seq < :end",
        {
            "numbers": STEP - 1,
            "by_priority": int(by_priority),
            "step": STEP,
            "first": seq_of(queue_id, 0),
            "end": seq_of(queue_id + 1, 0),
        },
    )
