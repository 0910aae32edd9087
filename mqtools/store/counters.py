"""Counters of queues within a transaction: added up in memory, written in one go before anything could read them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.types import Row


class Count:
    """Counters of one queue that are not written yet.

    last_number: of its arrivals, once one is counted.  high_depth: the highest value that ``depth`` has had.
    """

    __slots__ = ("arrivals", "depth", "got_at", "high_depth", "last_number", "put_at", "uncommitted")

    def __init__(self) -> None:
        self.last_number: int | None = None
        self.arrivals = self.depth = self.high_depth = self.uncommitted = 0
        self.put_at: int | None = None
        self.got_at: int | None = None

    def copy(self) -> Count:
        """Return an independent copy."""
        copy = Count.__new__(Count)
        copy.last_number, copy.arrivals, copy.put_at, copy.got_at = (
            self.last_number, self.arrivals, self.put_at, self.got_at,
        )  # fmt: skip
        copy.depth, copy.uncommitted, copy.high_depth = self.depth, self.uncommitted, self.high_depth
        return copy

    def row(self, queue_id: int) -> Row:
        """Return the parameters of ``WRITE``."""
        return (self.high_depth, self.depth, self.uncommitted, self.arrivals, self.put_at, self.got_at, queue_id)


WRITE = (
    "update queue_status set high_depth = max(high_depth, depth + ?),"
    " depth = depth + ?, uncommitted = uncommitted + ?, last_number = last_number + ?,"
    " last_put_at = coalesce(?, last_put_at), last_get_at = coalesce(?, last_get_at) where queue_id = ?"
)
