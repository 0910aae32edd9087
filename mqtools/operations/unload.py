"""Unloading: messages of a queue in the form that a dump has them, copied or taken off.

A copy reads page by page, each in a transaction of its own. What is moved is got in a unit of work, which is committed
when the caller has it safe: until then nobody else sees it, and a back-out gives it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.constants.message import MQENC_NATIVE, MQFMT_RF_HEADER_2
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.properties import properties_to_dict
from mqtools.lifecycle.message_search import gettable_queue
from mqtools.message import Message
from mqtools.mqi.get import search
from mqtools.mqi.get.removal import take_off
from mqtools.mqi.identity import now_ms
from mqtools.operations.load import carried_properties
from mqtools.operations.selection import select
from mqtools.rules.properties import into_rfh2
from mqtools.store.messages import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.message import MQMD
    from mqtools.mqi.connection import Connection
    from mqtools.operations.selection import Selection
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage

_UTF_8 = 1208

#: Bytes of data in one unit of work, so that long messages do not come together.
_MOST_BYTES = 16_000_000


@dataclass(slots=True)
class UnloadedMessage:
    """A message on its way out. message: its expiry is what remains.  put_at: when it came, milliseconds since 1970."""

    message: Message
    put_at: int
    state: int


def copy_messages(
    db: Database, queue_id: int, selection: Selection, *, limit: int | None = None
) -> Iterator[UnloadedMessage]:
    """Give copies of the messages that a selection means, in the order of delivery; nothing that comes later."""
    for stored in _there_now(db, queue_id, selection, limit):
        data = messages.load_data(db, stored.seq)
        if len(data) == stored.data_length:  # else it has been got since it was found
            yield _unloaded(stored, data, now_ms())


def _there_now(db: Database, queue_id: int, selection: Selection, limit: int | None) -> Iterator[StoredMessage]:
    """Select among what is there when it begins: a queue that is loaded from its own dump would have no end."""
    began = now_ms()
    return (stored for stored in select(db, queue_id, selection, limit=limit) if stored.put_at <= began)


def take_messages(
    connection: Connection, q_name: str, selection: Selection, *, batch: int, limit: int | None = None
) -> Iterator[list[UnloadedMessage]]:
    """Take the messages that a selection means off a queue, in lists; the unit of work is the caller's to end.

    batch: messages in a list, at most.  A message that somebody else got or locked meanwhile is passed over.
    Reports of delivery are made as a get makes them.
    Raises MQError: MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE, and as ``select`` does.
    """
    with connection.work() as work:
        queue = gettable_queue(work, q_name)
    found: list[int] = []
    length = 0
    for stored in _there_now(connection.db, queue.id, selection, limit):
        found.append(stored.seq)
        length += stored.data_length
        if len(found) >= batch or length >= _MOST_BYTES:
            yield _take(connection, q_name, found)
            found, length = [], 0
    if found:
        yield _take(connection, q_name, found)


def _take(connection: Connection, q_name: str, seqs: list[int]) -> list[UnloadedMessage]:
    """Get messages by their keys into the unit of work."""
    taken = []
    with connection.work() as work:
        queue = gettable_queue(work, q_name)
        for seq in seqs:
            stored = messages.by_seq(work.db, seq)
            if stored is None or stored.state != UNLOCKED or search.has_expired(work, stored):
                continue
            expiry = search.remaining_expiry(stored, work.now_ms)
            data = take_off(work, queue, stored, expiry, connection.unit_of_work(work))
            taken.append(_unloaded(stored, data, work.now_ms))
    return taken


def _unloaded(stored: StoredMessage, data: bytes, now: int) -> UnloadedMessage:
    stored.md.expiry = search.remaining_expiry(stored, now)
    return UnloadedMessage(Message(data, stored.md, search.properties_of(stored)), stored.put_at, UNLOCKED)


def for_dump(message: Message) -> tuple[MQMD, bytes, dict[str, object]]:
    """Give a message as a get with properties in an MQRFH2 gives it, and what leads back to the message as it is.

    Properties that no MQRFH2 in front has already are put in one of their own; the last is empty without such.
    """
    md, data, properties = message.md, message.data, message.properties
    if not properties:
        return md, data, {}
    if md.format == MQFMT_RF_HEADER_2 and carried_properties(md, data) == properties:
        return md, data, {}
    described, whole = _behind_rfh2(message)
    kept = {"format": md.format, "encoding": md.encoding, "coded_char_set_id": md.coded_char_set_id}
    extra = {"rfh2": len(whole) - len(data), "md": kept, "properties": properties_to_dict(properties)}
    return described, whole, extra


def _behind_rfh2(message: Message) -> tuple[MQMD, bytes]:
    """Write an MQRFH2 as the message is written; in UTF-8 and our encoding where nobody can.

    None is written where it could not hold the message's format.
    """
    md = message.md
    for ccsid, encoding in ((md.coded_char_set_id, md.encoding), (_UTF_8, MQENC_NATIVE)):
        try:
            return into_rfh2(md, message.data, message.properties, ccsid=ccsid, encoding=encoding)
        except MQError:
            continue
    return md, message.data
