"""A search that may take long: it examines a few messages in each transaction, and scans on between two of them.

The only message that a selector accepts may be the last of a million. While one process has the write turn no other
can put. So a transaction examines few messages. If none fits, ``scan_ahead`` reads on outside the transaction to the
next message that may fit, and another transaction begins there. If another program has taken that message, the search
continues after it.

Messages that arrive during the search keep their place in the order of delivery. A message that comes back during the
search, in front of what was examined, is left to the next one; a get that waits searches again for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mqtools.constants.states import ALL, ALONE, UNLOCKED
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.mqi.transaction import Work
from mqtools.predicates import narrow
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import COLUMNS, StoredMessage, from_row
from mqtools.store.queues import Queue
from mqtools.store.scans import filtered_scan
from mqtools.store.scans.filtered_scan import QueueScan

if TYPE_CHECKING:
    from mqtools.predicates import Predicate

#: Messages that a transaction examines before the search leaves it.
_IN_TURN = 400


class LongSearch:
    """A search of a queue for messages of one kind, and how far it has come.

    fields: values that they must have.  place: order key up to which no unlocked message fits.
    examined: order key up to which a transaction has examined the queue itself.
    is_paused: the last transaction has not come to the end of the queue: call ``scan_ahead``, and search again.
    is_split: it has left a transaction, so that others may have changed the queue since it began.
    """

    def __init__(
        self, queue: Queue, fields: dict[str, object], predicate: Predicate, matches: Callable[[StoredMessage], bool]
    ) -> None:
        """queue: as it is in the transaction that begins.  predicate: for the store.  matches: the test of each."""
        self.queue = queue
        self.fields = fields
        self.place = self.examined = -1
        self.is_paused = self.is_split = False
        self._predicate = predicate
        self._matches = matches
        self._number = queue.last_number  # of the last arrival that is known
        priority = fields.get("priority")
        self._priority = priority if isinstance(priority, int) else None

    def candidates(self, work: Work, queue: Queue, after: int = -1) -> Iterator[StoredMessage]:
        """Yield unlocked messages that may fit, expired ones too, in the order of delivery.

        queue: as it is in the transaction.  after: order key to begin behind.
        """
        self.is_paused = False
        predicate, place, looked_at = self._predicate_at(work.now_ms), max(self.place, after), 0
        if self._number < queue.last_number:
            rows = filtered_scan.arrivals(
                work.db, queue.id, predicate, COLUMNS, after=self._number, last=queue.last_number
            )
            self._number = queue.last_number
            arrived = sorted(map(from_row, rows), key=lambda stored: stored.order_key)
            yield from (each for each in arrived if each.state == UNLOCKED and after < each.order_key <= place)
        completeness = ALL if queue.grouped else (ALONE,)
        scan = QueueScan(queue.id, predicate, COLUMNS, completeness=completeness, priority=self._priority)
        for batch in filtered_scan.scan_batches(work.db, scan, place):
            yield from (from_row(row[1:]) for row in batch.rows)
            self.place = self.examined = messages.END if batch.end is None else batch.end
            looked_at += batch.looked_at
            if looked_at >= _IN_TURN and batch.end is not None:
                self.is_paused = self.is_split = True
                return

    def scan_ahead(self, db: Database) -> None:
        """Scan on, in reads, to the next message that may fit, or to the end of the queue."""
        now = now_ms()
        scan = QueueScan(self.queue.id, self._predicate_at(now), COLUMNS, priority=self._priority)
        for batch in filtered_scan.scan_batches(db, scan, self.place):
            for row in batch.rows:
                if self._may_fit(from_row(row[1:]), now):
                    self.place = row[0] - 1
                    return
            self.place = messages.END if batch.end is None else batch.end

    def _may_fit(self, stored: StoredMessage, now: int) -> bool:
        if stored.expires_at is not None and stored.expires_at <= now:
            return True  # to be discarded
        try:
            return self._matches(stored)
        except MQError:
            return True  # its properties are damaged: the transaction reports that

    def _predicate_at(self, now: int) -> Predicate:
        return narrow(self.fields, self._predicate, now)
