"""Filters of the lifecycle verbs: what the store seeks and narrows by, and the test of each candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mqtools.lifecycle.message_query import MessageQuery
from mqtools.mqi.get import search
from mqtools.mqi.identity import now_ms
from mqtools.predicates import ANYTHING
from mqtools.rules.index_fields import IndexFilter, build_msg_id, unique_id
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage

Accept: TypeAlias = Callable[[StoredMessage], bool]

_LAST_KEY = (1 << 63) - 1


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
