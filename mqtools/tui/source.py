"""Where the rows of the list come from: a queue in the order of delivery, or the hits of a filter in the same order.

All of this runs in a thread that reads, never in the one that draws.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from threading import Lock

from mqtools.qmgr.identity import now_ms
from mqtools.qmgr.resolution import resolve_for_get
from mqtools.store import marks, messages, pages, queues
from mqtools.tui.row import BEGINNING_BYTES, Row, make_row
from mqtools.tui.window import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mqtools.store.database import Database
    from mqtools.store.stored_message import StoredMessage

    Known = Mapping[int, Row]

#: Rows read at a time when a window is renewed, and at most in front of it.
_BEYOND = 200


class QueueSource:
    """All messages of a queue, whatever their state. q_name: of the local queue, where an alias may lead."""

    def __init__(self, db: Database, q_name: str) -> None:
        queue = resolve_for_get(db, q_name)[0]
        self.q_name = queue.name
        self.queue_id = queue.id

    def behind(self, db: Database, place: int, limit: int) -> list[StoredMessage]:
        """Give the next messages behind an order key."""
        return pages.behind(db, self.queue_id, place, limit)

    def before(self, db: Database, place: int, limit: int) -> list[StoredMessage]:
        """Give the last messages before an order key."""
        return pages.before(db, self.queue_id, place, limit)

    def count_before(self, db: Database, place: int) -> int:
        """Count what is before an order key."""
        return pages.count_before(db, self.queue_id, place)

    def total(self, db: Database) -> int:
        """Give how many there are."""
        return int(queues.status(db, self.queue_id)[0]) + pages.got_but_there(db, self.queue_id)


class HitsSource(QueueSource):
    """The messages that a filter has found so far: their keys and places, side by side in the order of delivery."""

    def __init__(self, db: Database, q_name: str) -> None:
        super().__init__(db, q_name)
        self._places = array("q")
        self._seqs = array("q")
        self._lock = Lock()  # one thread finds while another reads

    def add(self, found: Iterable[tuple[int, int]]) -> None:
        """Take in what was found: order key and key of each message. Nobody who reads waits while it is being found."""
        hits = list(found)
        with self._lock:
            for place, seq in hits:
                at = bisect_left(self._places, place)
                if at == len(self._places) or self._places[at] != place:
                    self._places.insert(at, place)
                    self._seqs.insert(at, seq)

    def behind(self, db: Database, place: int, limit: int) -> list[StoredMessage]:
        """Give the next hits behind an order key that are still there."""
        found: list[StoredMessage] = []
        while len(found) < limit:
            with self._lock:
                at = bisect_right(self._places, place)
                keys = list(zip(self._seqs[at : at + limit], self._places[at : at + limit], strict=True))
            if not keys:
                break
            place = keys[-1][1]
            found += self._there(db, keys)
        return found[:limit]

    def before(self, db: Database, place: int, limit: int) -> list[StoredMessage]:
        """Give the last hits before an order key that are still there."""
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
        """Give the messages of some keys, and forget those that are gone or have got another place."""
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
        """Count the hits before an order key."""
        with self._lock:
            return bisect_left(self._places, place)

    def total(self, db: Database) -> int:  # noqa: ARG002 - as of a queue
        """Give how many hits there are so far."""
        return len(self._places)

    @property
    def keys(self) -> list[int]:
        """The keys of all hits."""
        with self._lock:
            return list(self._seqs)


def first_page(db: Database, source: QueueSource, limit: int) -> Page:
    """Read the first rows."""
    with db.reading():
        found = source.behind(db, -1, limit)
        return Page(_rows(db, found, {}), at_start=True, at_end=len(found) < limit)


def last_page(db: Database, source: QueueSource, limit: int) -> Page:
    """Read the last rows."""
    with db.reading():
        found = source.before(db, messages.END, limit)
        return Page(_rows(db, found, {}), at_start=len(found) < limit, at_end=True)


def page_behind(db: Database, source: QueueSource, place: int, limit: int) -> Page:
    """Read the rows behind an order key."""
    with db.reading():
        found = source.behind(db, place, limit)
        return Page(_rows(db, found, {}), at_start=False, at_end=len(found) < limit)


def page_before(db: Database, source: QueueSource, place: int, limit: int) -> Page:
    """Read the rows before an order key."""
    with db.reading():
        found = source.before(db, place, limit)
        return Page(_rows(db, found, {}), at_start=len(found) < limit, at_end=False)


def page_again(db: Database, source: QueueSource, place: int, last: int, known: Known, *, at_start: bool) -> Page:
    """Read rows again, and what has come in front of them, among them and behind them.

    place, last: order keys of the first and the last.  known: rows by key, whose data is not read again.
    at_start: there was nothing in front of them.
    """
    with db.reading():
        found = source.behind(db, place - 1, _BEYOND)
        at_end = len(found) < _BEYOND
        while not at_end and found[-1].order_key <= last:
            more = source.behind(db, found[-1].order_key, _BEYOND)
            at_end = len(more) < _BEYOND
            found += more
        if at_start:
            in_front = source.before(db, place, _BEYOND)
            at_start = len(in_front) < _BEYOND
            found = in_front + found
        return Page(_rows(db, found, known), at_start=at_start, at_end=at_end)


def _rows(db: Database, found: list[StoredMessage], known: Known) -> list[Row]:
    now = now_ms()
    has_marks = bool(found) and marks.any_on(db, found[0].queue_id)
    rows = []
    for stored in found:
        before = known.get(stored.seq)
        if before is not None and (before.length, before.priority) != (stored.data_length, stored.md.priority):
            before = None  # edited where it lies
        row = make_row(stored, messages.load_data(db, stored.seq, BEGINNING_BYTES)) if before is None else before
        if before is not None and (before.state != stored.state or before.order_key != stored.order_key):
            row = before.replace(state=stored.state, order_key=stored.order_key)
        is_marked = has_marks and marks.is_marked(db, stored.seq, marks.CO_OPERATING, co_op=True, now_ms=now)
        if row.is_marked != is_marked or row.gone_at is not None:
            row = row.replace(is_marked=is_marked, gone_at=None)
        rows.append(row)
    return rows
