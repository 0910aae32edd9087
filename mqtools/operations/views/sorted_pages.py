"""Pages of a queue, or of hits on it, in the order of a value instead of the order of delivery."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, NamedTuple

from mqtools.operations.views.queue_pages import END, HitPages, QueuePages
from mqtools.operations.views.queue_search import Search
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.scans import pages

#: Distance of two order keys at first, and that of one which arrives behind another: there is room for many.
_GAP, _NEXT = 1 << 32, 1 << 12
_FIRST = END // 2
_PAGE = 500


class SortOrder(NamedTuple):
    """Order of a list. column: id.  descending: the highest value first.  value_of: returns what is compared."""

    column: str
    descending: bool
    value_of: Callable[[Database, StoredMessage], Any]

    def key_of(self, db: Database, stored: StoredMessage) -> Any:
        value = self.value_of(db, stored)
        return _Descending(value) if self.descending else value


class _Descending:
    """A value that sorts before lower ones."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Descending) -> bool:
        return bool(other.value < self.value)


class SortedPages(HitPages):
    """The messages of ``base`` by value; those with equal values in the order of arrival.

    Each has an order key of this list instead of its own. A message that is edited stays where it was sorted in.
    search: of the hits of a filter, None for a queue.
    """

    def __init__(
        self, base: QueuePages, search: Search | None, order: SortOrder, found: Sequence[tuple[Any, int]]
    ) -> None:
        """found: sort key and key of each message, in any order."""
        self.q_name, self.queue_id = base.q_name, base.queue_id
        self.base, self.search, self.order = base, search, order
        in_order = sorted(sorted(found, key=lambda one: one[1]), key=lambda one: one[0])
        self._values = [value for value, _ in in_order]
        self._seqs = array("q", [seq for _, seq in in_order])
        self._places = array("q", [_FIRST + number * _GAP for number in range(len(in_order))])
        self._newest = max((seq for _, seq in in_order), default=0)
        self._lock = Lock()

    def search_arrivals(self, db: Database) -> None:
        """Sort in what has arrived since."""
        if self.search is not None:
            self.search.search_arrivals(db)
        while True:
            arrived = pages.arrived_after(db, self.queue_id, self._newest, _PAGE)
            hits = set(self.base.keys) if arrived and isinstance(self.base, HitPages) else None
            for stored in arrived:
                if hits is None or stored.seq in hits:
                    self._insert(self.order.key_of(db, stored), stored.seq)
                self._newest = stored.seq
            if len(arrived) < _PAGE:
                return

    def _insert(self, value: Any, seq: int) -> None:
        """Insert a message behind those with lower and equal values; behind the next ones where there is no room."""
        with self._lock:
            at = bisect_right(self._values, value)
            while 0 < at < len(self._places) and self._places[at] - self._places[at - 1] == 1:
                at += 1
            if not self._places:
                place = _FIRST
            elif at == 0:
                place = self._places[0] - _GAP
            elif at == len(self._places):
                place = self._places[-1] + _GAP
            else:
                place = self._places[at - 1] + min(_NEXT, (self._places[at] - self._places[at - 1]) // 2)
            self._values.insert(at, value)
            self._seqs.insert(at, seq)
            self._places.insert(at, place)

    def _there(self, db: Database, keys: list[tuple[int, int]]) -> list[StoredMessage]:
        """Return the messages of some keys with their order keys here; drop those that are gone."""
        found = []
        for seq, place in keys:
            stored = messages.by_seq(db, seq)
            if stored is None:
                self._forget(place)
            else:
                found.append(stored.replace(order_key=place))
        return found

    def _forget(self, place: int) -> None:
        with self._lock:
            at = bisect_left(self._places, place)
            if at < len(self._places) and self._places[at] == place:
                del self._places[at], self._seqs[at], self._values[at]
