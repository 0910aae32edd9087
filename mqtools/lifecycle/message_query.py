"""The messages that a lifecycle verb is about: what the store seeks and narrows by, the test and the search of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mqtools.constants.states import ALL, ALONE
from mqtools.mqi.get import search
from mqtools.mqi.get.long_search import LongSearch
from mqtools.mqi.identity import now_ms
from mqtools.mqi.transaction import Work
from mqtools.predicates import ANYTHING, Predicate
from mqtools.records import Record
from mqtools.rules.index_fields import IndexFilter, build_msg_id, unique_id
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue

Accept: TypeAlias = Callable[[StoredMessage], bool]

_LAST_KEY = (1 << 63) - 1


class MessageQuery(Record):
    """The messages that a lifecycle verb is about.

    fields: equalities that the store seeks by.  predicate: what else it narrows by, None for nothing.  accept: the test
    of what it finds, None for no other.  matches: that part of it that may be asked outside of the transaction, where
    the search may take long: None where it is done in the transaction.  long_search: the search that may.
    """

    __slots__ = ("fields", "predicate", "accept", "matches", "long_search")

    def __init__(
        self,
        fields: dict[str, object],
        predicate: Predicate | None,
        accept: Accept | None,
        matches: Accept | None = None,
    ) -> None:
        self.fields = fields
        self.predicate = predicate
        self.accept = accept
        self.matches = None if messages.is_sought(fields) else matches
        self.long_search: LongSearch | None = None

    def first(self, work: Work, queue: Queue) -> StoredMessage | None:
        """Return the first unlocked one in the order of delivery; None also where the search is paused."""
        if self.predicate is None and self.accept is None:
            return search.first_available(work, queue, self.fields)
        if self.matches is None or not work.is_outermost:
            places = ALL if queue.grouped else (ALONE,)
            now = work.now_ms
            there = search.walk(work.db, queue.id, self.fields, self.predicate, now, completeness=places)
            return search.first_accepted(work, queue, there, self.accept)
        if self.long_search is None or self.long_search.queue.id != queue.id:  # the name may mean another queue by now
            self.long_search = LongSearch(queue, self.fields, self.predicate or ANYTHING, self.matches)
        return search.first_accepted(work, queue, self.long_search.candidates(work, queue), self.accept)

    @property
    def is_paused(self) -> bool:
        """Whether the search has to scan ahead outside of the transaction, and then continue in another one."""
        return self.long_search is not None and self.long_search.is_paused


def prepare(db: Database, q_mgr_name: str, given: Mapping[str, object], accept: Accept | None) -> MessageQuery:
    """Return the search for a filter; its test contains ``accept`` and does not read the data of a message.

    given: names and values, as ``rules/index_fields.py`` says.  Raises MQError: MQRC_SELECTION_STRING_ERROR.
    """
    asked = IndexFilter(given)
    sought = dict(asked.sought)
    if asked.is_by_unique_id and "msg_id" not in sought:
        sought["msg_id"] = _msg_id(db, asked)
    if not asked.reads_messages:
        return MessageQuery(sought, None, accept)

    def matches(stored: StoredMessage) -> bool:
        stored.md.expiry = search.remaining_expiry(stored, now_ms())
        whose = unique_id(stored.md, stored.seq, q_mgr_name)
        properties = search.properties_of(stored, asked.property_names)
        return asked.matches(stored.md, properties, whose)

    def accepts(stored: StoredMessage) -> bool:
        return matches(stored) and (accept is None or accept(stored))

    predicate = asked.predicate
    return MessageQuery(sought, None if predicate == ANYTHING else predicate, accepts, matches)


def _msg_id(db: Database, asked: IndexFilter) -> bytes:
    """Return the message identifier that a message with a unique id has."""
    assert asked.origin_q_mgr is not None
    assert asked.msg_time is not None
    if 0 < asked.msg_time <= _LAST_KEY:
        stored = messages.by_seq(db, asked.msg_time)
        if stored is not None and unique_id(stored.md, stored.seq, "")[1] == stored.seq:
            return stored.md.msg_id
    return build_msg_id(asked.origin_q_mgr, asked.msg_time) or b""
