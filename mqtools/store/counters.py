"""Counters of queues within a transaction: added up in memory, written in one go before anything could read them."""

from __future__ import annotations

from _operator import attrgetter  # without what ``operator`` has in Python


class Count:
    """Counters of one queue that are not written yet.

    last_number: of its arrivals, once one is counted.  high_depth: the highest value that ``depth`` has had.
    put_at, got_at: of the last put and get, in milliseconds since 1970; 0: there was none.
    """

    last_number: int | None = None
    arrivals = depth = high_depth = uncommitted = put_at = got_at = 0

    def copy(self) -> Count:
        """Return an independent copy."""
        copy = Count()
        copy.last_number, copy.arrivals, copy.put_at, copy.got_at = (
            self.last_number, self.arrivals, self.put_at, self.got_at,
        )  # fmt: skip
        copy.depth, copy.uncommitted, copy.high_depth = self.depth, self.uncommitted, self.high_depth
        return copy


#: Adds counters of a queue to its row: ``parameters`` of a count, and the id of the queue.
WRITE = (
    "update queue_status set high_depth = max(high_depth, depth + ?),"
    " depth = depth + ?, uncommitted = uncommitted + ?, last_number = last_number + ?,"
    " last_put_at = coalesce(nullif(?, 0), last_put_at), last_get_at = coalesce(nullif(?, 0), last_get_at)"
    " where queue_id = ?"
)
parameters = attrgetter("high_depth", "depth", "uncommitted", "arrivals", "put_at", "got_at")
