"""Restriction of a rules table to selected messages of the queue."""

from __future__ import annotations

from mqtools.dlq.letters import available
from mqtools.mqi.identity import now_ms
from mqtools.operations.selection import Selection, select
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source


class Restriction:
    """Predicate: whether a selection includes a message; called for one message after the other.

    Later arrivals are evaluated on the first call; positions are those at the start. Ages are evaluated on each call,
    so a message can grow into the selection or out of it. Raises MQError: MQRC_MSG_ID_ERROR for an ambiguous beginning
    of an identifier, MQRC_SELECTOR_SYNTAX_ERROR.
    """

    def __init__(self, source: Source, queue_id: int, selection: Selection) -> None:
        self._source = source
        self._queue_id = queue_id
        self._older_s, self._newer_s = selection.older_s, selection.newer_s
        self._selection = selection.replace(older_s=None, newer_s=None)
        self._has_places = selection.first is not None or selection.last is not None
        self._known: dict[int, bool] = {}
        self._judge()

    def __call__(self, stored: StoredMessage) -> bool:
        if stored.seq not in self._known and not self._has_places:
            self._judge()
        age_s = (now_ms() - stored.put_at) / 1000
        is_of_age = (self._older_s is None or age_s >= self._older_s) and (
            self._newer_s is None or age_s <= self._newer_s
        )
        return self._known.get(stored.seq, False) and is_of_age

    def _judge(self) -> None:
        """Evaluate the selection on the whole queue; drop the keys of messages that are gone."""
        with self._source.db.reading():  # one state: what arrives meanwhile is not yet known
            chosen = {stored.seq for stored in select(self._source, self._queue_id, self._selection)}
            there = available(self._source.db, self._queue_id)
            self._known = {stored.seq: stored.seq in chosen for stored in there}
