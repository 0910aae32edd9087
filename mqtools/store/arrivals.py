"""Arrivals: a message that comes to a queue is counted by what is known of the queue."""

from __future__ import annotations

from mqtools.store import queues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Database


def count_arrival(db: Database, queue_id: int, most: int, now_ms: int, *, held: bool) -> tuple[int, int] | None:
    """Count a message that arrives on a queue whose definition is known; return its number, and how many gets wait.

    most: depth from which the queue is full.  None: it is full, or definitions have changed; nothing is counted then.
    """
    known = db.known
    change_counter, about, counters = known.counters
    if change_counter != db.change_counter or about != queue_id:
        counters = queues.counters_of(db, queue_id)
        if known.version != counters[0]:
            return None
        known.counters = (db.change_counter, queue_id, counters)
    _, depth, _, waiters, _, _, number = counters
    count = db.counted.get(queue_id) or queues.counted(db, queue_id)
    if depth + count.depth >= most:
        return None
    if count.last_number is None:
        count.last_number = number
    count.last_number += 1
    count.depth += 1
    if count.depth > count.high_depth:
        count.high_depth = count.depth
    if held:
        count.uncommitted += 1
    count.arrivals += 1
    count.put_at = now_ms
    return count.last_number, waiters
