"""Arrivals on a queue, each message once: for displays that keep running and leave the messages on the queue."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_Q_DELETED
from mqtools.constants.states import BROWSE_GET_UNCONFIRMED, GET_UNCONFIRMED, LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.mqi.get import search
from mqtools.mqi.identity import now_ms
from mqtools.operations.selection import Selection, compile_selection
from mqtools.predicates import ANYTHING
from mqtools.store import queues
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import COLUMNS, StoredMessage, from_row, seq_of
from mqtools.store.scans import filtered_scan
from mqtools.store.source import Source

#: States of messages that programs could get before.
_WAS_THERE = (LOCKED_FOR_BROWSE, GET_UNCONFIRMED, BROWSE_GET_UNCONFIRMED)


class Arrivals:
    """The messages of a queue that become available from now on, in the order in which they do.

    A message arrives when any program could get it: one that is put in a unit of work arrives with the commit.
    number: of the last arrival that has been looked at.
    """

    def __init__(self, source: Source, queue_id: int, selection: Selection, *, with_held: bool) -> None:
        """with_held: whether messages arrive, too, that are locked now, or got in a unit of work, and come back."""
        self._db = source.db
        self._queue_id = queue_id
        self._test = compile_selection(self._db, queue_id, selection)
        with self._db.reading():
            self.number = queues.last_number(self._db, queue_id)
            held = list(
                search.by_page(lambda after, limit: messages.held(self._db, queue_id, after=after, limit=limit))
            )
        self._unavailable = {stored.seq: stored for stored in held if with_held or stored.state not in _WAS_THERE}

    def covers(self, seq: int) -> bool:
        """Return whether a message arrived before ``take`` looks."""
        return seq <= seq_of(self._queue_id, self.number)

    def forget(self, seq: int) -> None:
        """Leave out a message that was shown already."""
        self._unavailable.pop(seq, None)

    def take(self) -> list[StoredMessage]:
        """Return what has arrived since the last call. Raises MQError: MQRC_Q_DELETED."""
        now = now_ms()
        with self._db.reading():
            queue = queues.by_id(self._db, self._queue_id)
            if queue is None:
                raise MQError("the queue was deleted meanwhile", MQRC_Q_DELETED)
            after, self.number = self.number, queue.last_number
            known = [messages.by_seq(self._db, seq) for seq in sorted(self._unavailable)]
            rows = filtered_scan.arrivals(self._db, queue.id, ANYTHING, COLUMNS, after=after, last=self.number)
        there = [stored for stored in known if stored is not None] + [from_row(row) for row in rows]
        self._unavailable = {stored.seq: stored for stored in there if stored.state != UNLOCKED}
        return [stored for stored in there if stored.state == UNLOCKED and self._is_shown(stored, now)]

    def _is_shown(self, stored: StoredMessage, now: int) -> bool:
        return not stored.has_expired(now) and self._test.holds(stored, now)
