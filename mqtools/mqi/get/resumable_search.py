"""Resumable search: examine a few messages while holding the write turn, the rest in reads, none of them twice.

The only message that a selector accepts may be the last of a million, and while one process has the write turn nobody
else can put. So a search in the write turn examines few messages. If none fits, the search continues outside of the
transaction (``resume``), and a further transaction claims what it has found. A get that is woken examines only what has
arrived since. The result is that of one search of the whole queue in the write turn, because:

1. A message is examined whatever its state. One that matches and is held is recorded, and found when it is released.
2. An arrival has a higher number than all before it, wherever it is in the order of delivery.
3. A message keeps its place, or moves back when its put is confirmed (LIFE-10): the search does not miss it.
4. A message that does not match never will. BackoutCount and Expiry change by themselves: a selector that uses them
   is evaluated on the whole queue in the write turn. After an edit, a restore, or a change of the order the search
   begins again (store/messages/revisions.py).
"""

from __future__ import annotations

from heapq import merge

from mqtools.constants.completeness import ALL, ALONE
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.mqi.get import search
from mqtools.mqi.identity import now_ms
from mqtools.store.messages import by_keys, messages, revisions
from mqtools.store.messages.stored_message import COLUMNS, from_row
from mqtools.store.scans import filtered_scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from mqtools.mqi.transaction import Work
    from mqtools.predicates import Predicate
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue
    from mqtools.store.source import Source

#: Places, or arrivals, that are examined in the write turn before the search continues outside.
_IN_TURN = 400
#: How often a search that was overtaken continues outside; then it is done in the write turn, however long it takes.
_PATIENCE = 3
#: Matching, and expired, messages that are recorded before the write turn is taken.
_MOST_KNOWN, _MOST_EXPIRED = 4096, 512
#: Recorded matches beyond which those that are gone are dropped, and most of the available ones.
_CROWD = 256
#: Arrivals, and held messages, that are read together.
_PAGE = 1000


class ResumableSearch:
    """A search of a queue for messages of one kind: how far it has come, and which messages match.

    fields: values that they must have.  predicate: a further condition for the store.  matches: the test of a
    candidate.  is_unfinished: the last search in the write turn ended before the end of the queue: call ``resume``,
    then search again.
    """

    __slots__ = (
        "_after",
        "_asked_behind",
        "_crowd",
        "_predicate",
        "_enough",
        "_expired",
        "_known",
        "_matches",
        "_number",
        "_place",
        "_setbacks",
        "_revision",
        "fields",
        "is_unfinished",
        "queue_id",
    )

    def __init__(
        self, queue_id: int, fields: dict[str, object], predicate: Predicate, matches: Callable[[StoredMessage], bool]
    ) -> None:
        self.fields = fields
        self.is_unfinished = False
        self.queue_id = queue_id
        self._predicate = predicate
        self._matches = matches
        self._revision = -1  # what was noted when it began (store/messages/revisions.py)
        self._number: int | None = None  # of the last arrival that was examined; None: the search has not begun
        self._after = self._place = -1  # all between these order keys was examined
        self._asked_behind = -1  # the order key behind which was searched last
        self._known: set[int] = set()  # keys of what matches, whatever its state
        self._expired: set[int] = set()  # keys of what is to be discarded
        self._crowd = _CROWD
        self._enough = 1
        self._setbacks = 0

    # In the write turn

    def found(
        self,
        work: Work,
        queue: Queue,
        *,
        after: int = -1,
        own_lock: StoredMessage | None = None,
        accept: Callable[[StoredMessage], bool] | None = None,
    ) -> Iterator[StoredMessage]:
        """Yield the messages that fit, in the order of delivery; discard the expired ones met on the way.

        queue: as it was when the transaction began.  after: order key to begin behind.  own_lock: what the caller has
        locked itself.  accept: the last test of each. At the end ``is_unfinished`` is whether there may be more.
        """
        self.is_unfinished = False
        self._asked_behind = after
        try:
            for stored in self._in_order(work, queue, after, own_lock):
                if search.has_expired(work, stored):
                    search.expire(work, queue, stored)
                elif self._has_fields(stored) and self._matches(stored) and (accept is None or accept(stored)):
                    yield stored
        finally:
            if not self.is_unfinished:  # the caller has enough, or all there is
                self._enough, self._setbacks = 1, 0

    def _in_order(
        self, work: Work, queue: Queue, after: int, own_lock: StoredMessage | None
    ) -> Iterator[StoredMessage]:
        """Yield the known matches and the candidates of the next scan, in the order of delivery."""
        db, is_patient = work.db, self._setbacks < _PATIENCE
        if after < self._after or not self._is_of_now(work, queue, is_patient=is_patient):
            self._forget()
        if self.is_unfinished:
            return
        known = self._known_now(work, queue, after, own_lock)
        place, looked_at = max(self._place, after), 0
        which = ALL if queue.grouped else (ALONE,)
        yield from (stored for stored in known if stored.order_key <= place)
        if place >= messages.END:
            return
        priority = self._priority
        for scan_batch in filtered_scan.scan_batches(
            db,
            queue.id,
            self._predicate_at(work.now_ms),
            COLUMNS,
            after=place,
            completeness=which,
            priority=priority,
        ):
            end = messages.END if scan_batch.end is None else scan_batch.end
            new = (from_row(row[1:]) for row in scan_batch.rows if row[1] not in self._known)
            there = [stored for stored in known if place < stored.order_key <= end]
            yield from merge(new, there, key=lambda stored: stored.order_key)
            place, looked_at = end, looked_at + scan_batch.looked_at
            if is_patient and looked_at >= _IN_TURN and place < messages.END:
                self.is_unfinished = True
                return

    def _is_of_now(self, work: Work, queue: Queue, *, is_patient: bool) -> bool:
        """Examine the arrivals since the last search; return whether its results are still valid."""
        if self._number is None:
            return True
        revision, last = revisions.read(work.db, queue.id)
        if revision != self._revision:
            self._setbacks += 1
            return False
        is_behind = last - self._number > _IN_TURN
        if is_patient and (is_behind or len(self._known) > self._crowd):
            self._setbacks += is_behind
            self.is_unfinished = True
            return True
        self._take_in(work.db, work.now_ms, last)
        # A number that this transaction has drawn is reused if it is undone.
        self._number = max(self._number, min(last, queue.last_number))
        return True

    def _known_now(self, work: Work, queue: Queue, after: int, own_lock: StoredMessage | None) -> list[StoredMessage]:
        """Return the known unlocked matches behind an order key, and the own lock; discard expired messages."""
        for stored in by_keys.unlocked_among(work.db, self._expired):
            if search.has_expired(work, stored):
                search.expire(work, queue, stored)
            else:
                self._known.add(stored.seq)
        known = by_keys.unlocked_among(work.db, self._known)
        if own_lock is not None:
            known.append(own_lock)
            known.sort(key=lambda stored: stored.order_key)
        return [stored for stored in known if stored.order_key > after]

    # Outside

    def resume(self, db: Database, enough: int | None = 1) -> None:
        """Examine the arrivals since the last search, then scan on to the next matches, in reads.

        enough: how many to find, None for all; the more often it was too few, the more.
        """
        now, after = now_ms(), self._asked_behind
        revision, last = revisions.read(db, self.queue_id)
        if self._number is None or revision != self._revision or after < self._after or after > self._place:
            self._begin(db, now, revision, last)
        else:
            self._take_in(db, now, last)
            self._number = last
            self._known = by_keys.existing_among(db, self._known)
            self._expired = by_keys.existing_among(db, self._expired)
            if enough is not None and len(self._known) > _CROWD:
                self._step_back(db, max(_CROWD // 4, enough))
        if len(self._known) > _MOST_KNOWN:
            self._begin(db, now, *revisions.read(db, self.queue_id))
        self._look_on(db, now, None if enough is None else max(enough, self._enough))
        self._enough = min(2 * self._enough, _MOST_KNOWN)
        self._crowd = max(_CROWD, 2 * len(self._known))  # else the next search stops at once

    def there(self, source: Source, but: Collection[int] = ()) -> list[int] | None:
        """Continue; return the keys of the next available or expired matches, in the order of delivery.

        but: keys to leave out.  None where so many match and are held that a search of all messages is cheaper.
        """
        db = source.db
        while True:
            self.resume(db, _PAGE + len(but))
            self._enough = 1
            if len(self._known) > _MOST_KNOWN:
                return None
            found = by_keys.unlocked_among(db, self._known | self._expired)
            keys = [stored.seq for stored in found if stored.order_key <= self._place and stored.seq not in but]
            if keys or self._place >= messages.END:
                return keys

    def _begin(self, db: Database, now: int, revision: int, last: int) -> None:
        """Restart. Held messages in front may move behind when they are confirmed: they are examined first."""
        self._forget()
        self._revision, self._number, self._after = revision, last, self._asked_behind
        self._place = place = -1
        while place < self._after:
            page = messages.held(db, self.queue_id, after=place, limit=_PAGE)
            for stored in page:
                self._note(stored, now)
            place = page[-1].order_key if len(page) == _PAGE else messages.END
        self._place = self._after

    def _step_back(self, db: Database, number: int) -> None:
        """Keep so many of the known available messages and step back to them; the scan will meet the others again."""
        unlocked = by_keys.unlocked_among(db, self._known)
        near = [stored.order_key for stored in unlocked if stored.order_key > self._asked_behind][:number]
        if len(near) == number:
            self._place = min(self._place, near[-1])
            self._known.difference_update(stored.seq for stored in unlocked if stored.order_key > self._place)

    def _look_on(self, db: Database, now: int, enough: int | None) -> None:
        if self._place >= messages.END:
            return
        found = 0
        for scan_batch in filtered_scan.scan_batches(
            db, self.queue_id, self._predicate_at(now), COLUMNS, after=self._place, held=True, priority=self._priority
        ):
            for row in scan_batch.rows:
                if enough is not None and found >= enough and row[0] > self._place:
                    return
                self._place = row[0]
                found += self._note(from_row(row[1:]), now)
            self._place = messages.END if scan_batch.end is None else scan_batch.end
            if len(self._known) > _MOST_KNOWN:
                self._setbacks = _PATIENCE
                return
            if len(self._expired) >= _MOST_EXPIRED or (enough is not None and found >= enough):
                return

    # Both

    def _forget(self) -> None:
        self._number, self._after, self._place = None, -1, -1
        self._known, self._expired = set(), set()

    def _take_in(self, db: Database, now: int, last: int) -> None:
        """Examine the arrivals up to a number."""
        number = last if self._number is None else self._number
        while number < last:
            until = min(number + _PAGE, last)
            for row in filtered_scan.arrivals(
                db, self.queue_id, self._predicate_at(now), COLUMNS, after=number, last=until
            ):
                self._note(from_row(row), now)
            number = until

    def _note(self, stored: StoredMessage, now: int) -> bool:
        """Note the key of a message that matches or has expired; return whether it matches and is unlocked."""
        if stored.expires_at is not None and stored.expires_at <= now and stored.state == UNLOCKED:
            self._expired.add(stored.seq)
            return False
        try:
            is_known = self._has_fields(stored) and self._matches(stored)
        except MQError:
            is_known = True  # its properties are damaged: the search in the write turn reports that
        if is_known:
            self._known.add(stored.seq)
        return is_known and stored.state == UNLOCKED

    def _has_fields(self, stored: StoredMessage) -> bool:
        return all(getattr(stored.md, field) == value for field, value in self.fields.items())

    @property
    def _priority(self) -> int | None:
        priority = self.fields.get("priority")
        return priority if isinstance(priority, int) else None

    def _predicate_at(self, now: int) -> Predicate:
        return search.narrow(self.fields, self._predicate, now)
