"""Pages of a queue in delivery order, in both directions: of all its messages, or of the hits of a search."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from threading import Lock

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import MQError
from mqtools.mqi.authority import check_browse
from mqtools.mqi.resolution import resolve_for_get
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.scans import pages
from mqtools.store.scans.pages import arrival_numbers as arrival_numbers
from mqtools.store.source import Source

#: Number and order key of a message.
NumberedKey = tuple[int, int]

#: Greater than any order key.
END = messages.END
#: Most messages that are stepped over to find one by its number.
WALKED = 50_000


class QueueDeleted(MQError):
    """Raised when the queue no longer exists."""


class QueuePages:
    """All messages of a queue in any state. q_name: of the local queue, where an alias may lead."""

    def __init__(self, db: Database, q_name: str) -> None:
        queue = resolve_for_get(db, q_name)[0]
        check_browse(db, queue.name)
        self.q_name = queue.name
        self.queue_id = queue.id

    def behind(self, source: Source, place: int, limit: int) -> list[StoredMessage]:
        """Return the next messages after an order key."""
        return pages.behind(source.db, self.queue_id, place, limit)

    def before(self, db: Database, place: int, limit: int) -> list[StoredMessage]:
        return pages.before(db, self.queue_id, place, limit)

    def count_before(self, db: Database, place: int) -> int:
        return pages.count_before(db, self.queue_id, place)

    def place_of(self, db: Database, number: int, total: int, known: NumberedKey | None) -> tuple[int, bool]:
        """Return the order key of the n-th message, from 1, and whether it is an estimate.

        It is found by stepping from the nearest end, or from a message whose number is known. Beyond WALKED steps it is
        interpolated between arrival numbers, which is exact where no message between has gone.
        """
        signposts = sorted([(0, -1), (total + 1, END), *([] if known is None else [known])])
        near_number, place = min(signposts, key=lambda post: abs(post[0] - number))
        away = number - near_number
        if not away:
            return place, False
        if abs(away) <= WALKED:
            found = pages.nth(db, self.queue_id, place, away)
            return (END if away > 0 else 0) if found is None else found, found is None
        below = max(post for post in signposts if post[0] < number)
        above = min(post for post in signposts if post[0] > number)
        estimate, is_exact = interpolate(pages.priority_ranges(db, self.queue_id), below, above, number)
        return estimate, not is_exact

    def first_since(self, db: Database, at_ms: int) -> int | None:
        """Return the order key of the first arrival at or after an instant; None without one."""
        seq = pages.first_since(db, self.queue_id, at_ms)
        found = None if seq is None else messages.by_seq(db, seq)
        return None if found is None else found.order_key

    def check(self, db: Database) -> None:
        """Raise QueueDeleted if the queue no longer exists; a new queue may have its name."""
        if queues.by_id(db, self.queue_id) is None:
            raise QueueDeleted(f"queue {self.q_name} was deleted", MQRC_OBJECT_CHANGED)

    def total(self, db: Database) -> int:
        """Return the number of messages. Raises QueueDeleted."""
        self.check(db)
        return int(queues.status(db, self.queue_id)[0]) + pages.got_but_there(db, self.queue_id)


class HitPages(QueuePages):
    """The hits of a filter so far: keys and order keys in two parallel arrays, in delivery order."""

    def __init__(self, db: Database, q_name: str) -> None:
        super().__init__(db, q_name)
        self._places = array("q")
        self._seqs = array("q")
        self._lock = Lock()  # one thread adds while another reads

    def add(self, found: Iterable[tuple[int, int]]) -> None:
        """Add hits: order key and key of each message. Readers do not wait while the iterable is consumed."""
        hits = list(found)
        with self._lock:
            for place, seq in hits:
                at = bisect_left(self._places, place)
                if at == len(self._places) or self._places[at] != place:
                    self._places.insert(at, place)
                    self._seqs.insert(at, seq)

    def behind(self, source: Source, place: int, limit: int) -> list[StoredMessage]:
        """Return the next hits after an order key that still exist."""
        found: list[StoredMessage] = []
        while len(found) < limit:
            with self._lock:
                at = bisect_right(self._places, place)
                keys = list(zip(self._seqs[at : at + limit], self._places[at : at + limit], strict=True))
            if not keys:
                break
            place = keys[-1][1]
            found += self._there(source.db, keys)
        return found[:limit]

    def before(self, db: Database, place: int, limit: int) -> list[StoredMessage]:
        """Return the last hits before an order key that still exist."""
        found: list[StoredMessage] = []
        while len(found) < limit:
            with self._lock:
                at = bisect_left(self._places, place)
                first = max(0, at - limit)
                keys = list(zip(self._seqs[first:at], self._places[first:at], strict=True))
            if not keys:
                break
            place = keys[0][1]
            found = self._there(db, keys) + found
        return found[-limit:]

    def _there(self, db: Database, keys: list[tuple[int, int]]) -> list[StoredMessage]:
        """Return the messages of some keys; drop those that are gone, move those whose order key changed."""
        found = []
        for seq, place in keys:
            stored = messages.by_seq(db, seq)
            if stored is not None and stored.order_key == place:
                found.append(stored)
            else:
                self._forget(place)
                if stored is not None:
                    self.add([(stored.order_key, stored.seq)])
        return found

    def _forget(self, place: int) -> None:
        with self._lock:
            at = bisect_left(self._places, place)
            if at < len(self._places) and self._places[at] == place:
                del self._places[at], self._seqs[at]

    def count_before(self, db: Database, place: int) -> int:  # noqa: ARG002 - as of a queue
        with self._lock:
            return bisect_left(self._places, place)

    def place_of(self, db: Database, number: int, total: int, known: NumberedKey | None) -> tuple[int, bool]:  # noqa: ARG002
        """Return the order key of the n-th hit, from 1; never an estimate."""
        with self._lock:
            return (self._places[number - 1] if number <= min(total, len(self._places)) else END), False

    def first_since(self, db: Database, at_ms: int) -> int | None:
        """Return the order key of the first hit that arrived at or after an instant; None without one."""
        since = pages.first_since(db, self.queue_id, at_ms)
        with self._lock:
            later = [hit for hit in zip(self._seqs, self._places, strict=True) if since is not None and hit[0] >= since]
        return min(later)[1] if later else None

    def total(self, db: Database) -> int:
        """Return the number of hits so far. Raises QueueDeleted."""
        self.check(db)
        return len(self._places)

    @property
    def keys(self) -> list[int]:
        with self._lock:
            return list(self._seqs)


def interpolate(
    ranges: Sequence[tuple[int, int]], below: NumberedKey, above: NumberedKey, number: int
) -> tuple[int, bool]:
    """Interpolate the order key of the n-th message; return it and whether it is exact.

    ranges: first and last order key of each, in order.  below, above: number and order key of a message before and one
    after it, which may be the positions before the first and after the last.
    """
    clipped = [(max(first, below[1] + 1), min(last, above[1] - 1)) for first, last in ranges]
    there = [(first, last) for first, last in clipped if first <= last]
    keys = sum(last - first + 1 for first, last in there)
    numbers = above[0] - below[0] - 1
    skipped = (number - below[0] - 1) * keys // max(1, numbers)
    for first, last in there:
        if skipped <= last - first:
            return first + skipped, keys == numbers
        skipped -= last - first + 1
    return above[1], False
