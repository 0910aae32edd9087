"""Counts of a queue's messages since its statistics were last reset, for RESET QSTATS and performance events."""

from __future__ import annotations

from mqtools.mqi.transaction import Work
from mqtools.store import objects, queue_events, queues
from mqtools.store.queues import Queue

#: Kind of the stored objects that contain the counters of a queue at its last reset.
_KIND = "pcf_q_stats"


def reset_statistics(work: Work, queue: Queue, change: int = 0) -> dict[str, int]:
    """Return the counts of messages of a queue since the last reset, and reset them.

    change: number of messages that are about to come, negative for those that are about to leave: they are counted.
    Expired and cleared messages count as dequeued.
    """
    depth, number, _ = queue_events.activity(work.db, queue.id)
    depth, number = max(0, depth + change), number + max(0, change)
    before = objects.definition(work.db, _KIND, queue.name)
    # The counters may be those of a deleted queue with this name.
    if before is None or before["id"] != queue.id or before["number"] > number:
        before = {"number": 0, "depth": 0}
    counts = {"id": queue.id, "number": number, "depth": depth, "at_ms": work.now_ms}
    objects.define(work.db, _KIND, queue.name, counts)
    enqueued = number - before["number"]
    return {
        "msg_enq_count": enqueued,
        "msg_deq_count": max(0, before["depth"] + enqueued - depth),
        "high_q_depth": max(depth, queues.reset_high_depth(work.db, queue.id, depth)),
        "time_since_reset": (work.now_ms - before.get("at_ms", work.now_ms)) // 1000,
    }
