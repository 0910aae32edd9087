"""Unload: messages of a queue as a dump contains them, copied or removed from the queue.

A copy reads page by page, one transaction per page. A removal gets the messages in a unit of work. The
caller commits it once they are safe: until then no other program sees them, and a backout restores them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mqtools.constants.message import MQENC_NATIVE, MQFMT_RF_HEADER_2
from mqtools.constants.states import DELAYED, UNLOCKED
from mqtools.errors import MessageDamaged, MQError
from mqtools.formats.dump.display import Display
from mqtools.formats.dump.writer import dump_message
from mqtools.formats.properties import properties_to_dict
from mqtools.lifecycle.message_search import gettable_queue
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.get.removal import take_off
from mqtools.mqi.identity import now_ms
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.batches import in_batches
from mqtools.operations.browsed_queue import PREVIEW_BYTES, BrowsedQueue
from mqtools.operations.load import carried_properties
from mqtools.operations.selection import Selection, select
from mqtools.operations.stored_messages import as_message
from mqtools.rules.properties import into_rfh2
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source

_UTF_8 = 1208

#: Most bytes of data in one unit of work, to limit memory use.
_MOST_BYTES = 16_000_000


@dataclass(slots=True)
class UnloadedMessage:
    """A message to write to a dump. message: with its remaining expiry.  put_at: arrival, ms since 1970."""

    message: Message
    put_at: int
    state: int


def copy_messages(
    source: Source,
    queue_id: int,
    selection: Selection,
    *,
    limit: int | None = None,
    with_delayed: bool = False,
    note_damaged: Callable[[MessageDamaged], None] | None = None,
) -> Iterator[UnloadedMessage]:
    """Yield copies of the selected messages in delivery order; messages put after the start are left out.

    with_delayed: delayed messages too, unless positions are selected.
    note_damaged: called with the error of a damaged message, which is left out.  Raises MessageDamaged without it.
    """
    db = source.db
    with_delayed = with_delayed and selection.first is selection.last is None
    for stored in _select_existing(db, queue_id, selection, limit, with_data=True, all_states=with_delayed):
        if stored.state not in (UNLOCKED, DELAYED):
            continue
        try:
            data = messages.data_of(db, stored)
        except MessageDamaged as error:
            if note_damaged is None:
                raise
            note_damaged(error)
            continue
        if len(data) == stored.data_length:  # else another program has got it since
            yield UnloadedMessage(as_message(stored, data, now_ms()), stored.put_at, stored.state)


def _select_existing(
    db: Database,
    queue_id: int,
    selection: Selection,
    limit: int | None,
    *,
    with_data: bool = False,
    all_states: bool = False,
) -> Iterator[StoredMessage]:
    """Yield the selected messages that were put before the start: loading a queue from its own dump must end."""
    began = now_ms()
    return (
        stored
        for stored in select(db, queue_id, selection, limit=limit, with_data=with_data, all_states=all_states)
        if stored.put_at <= began
    )


def browse_messages(
    queue: BrowsedQueue, selection: Selection, *, limit: int | None = None
) -> Iterator[UnloadedMessage]:
    """Yield copies of the selected messages of a queue that is browsed, as ``copy_messages``."""
    for stored in queue.select(selection, limit=limit):
        yield UnloadedMessage(as_message(stored, stored.data or b"", now_ms()), stored.put_at, UNLOCKED)


def take_browsed(
    connection: QueueManagerConnection, q_name: str, selection: Selection, *, batch: int, limit: int | None = None
) -> Iterator[list[UnloadedMessage]]:
    """Get the selected messages from a queue that is browsed, as ``take_messages``."""
    with BrowsedQueue(connection, q_name) as queue, BrowsedQueue(connection, q_name, gets=True) as source:
        found = queue.select(selection, limit=limit, max_length=PREVIEW_BYTES)
        taken = (
            (UnloadedMessage(result.message, stored.put_at, UNLOCKED), result.data_length)
            for stored in found
            if (result := source.take(stored.seq)) is not None
        )
        yield from in_batches(taken, batch, _MOST_BYTES)


def take_messages(
    connection: Connection,
    q_name: str,
    selection: Selection,
    *,
    batch: int,
    limit: int | None = None,
    note_damaged: Callable[[MessageDamaged], None] | None = None,
) -> Iterator[list[UnloadedMessage]]:
    """Get the selected messages from a queue, and yield them in lists; the caller ends the unit of work.

    batch: most messages in a list.  Skips messages that another program took meanwhile.
    Delivery reports are sent as for a get.  note_damaged: as for ``copy_messages``; a lock quarantines the message.
    Raises MQError: MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE, and as ``select`` does.
    """
    with connection.work() as work:
        queue = gettable_queue(work, q_name)
    found = ((stored.seq, stored.data_length) for stored in _select_existing(connection.db, queue.id, selection, limit))
    for keys in in_batches(found, batch, _MOST_BYTES):
        yield _take(connection, q_name, keys, note_damaged)


def _take(
    connection: Connection, q_name: str, seqs: list[int], note_damaged: Callable[[MessageDamaged], None] | None
) -> list[UnloadedMessage]:
    """Get messages by key in the unit of work; one that is damaged has undone the call, is locked now, and left out."""
    while True:
        try:
            return _take_sound(connection, q_name, seqs)
        except MessageDamaged as error:
            if note_damaged is None:
                raise
            note_damaged(error)
            seqs = [seq for seq in seqs if seq != error.seq]


def _take_sound(connection: Connection, q_name: str, seqs: list[int]) -> list[UnloadedMessage]:
    taken = []
    with connection.work() as work:
        queue = gettable_queue(work, q_name)
        for seq in seqs:
            stored = messages.by_seq(work.db, seq)
            if stored is None or stored.state != UNLOCKED or stored.has_expired(work.now_ms):
                continue
            expiry = search.remaining_expiry(stored, work.now_ms)
            data = take_off(work, queue, stored, expiry, connection.unit_of_work(work))
            taken.append(UnloadedMessage(as_message(stored, data, work.now_ms), stored.put_at, UNLOCKED))
    return taken


def for_dump(message: Message) -> tuple[MQMD, bytes, dict[str, object]]:
    """Return a message with its properties in an MQRFH2, and the values that a load needs to restore the original.

    An MQRFH2 is added unless one at the start of the data has the same properties; if none is added, the last
    value is empty.
    """
    md, data, properties = message.md, message.data, message.properties
    if not properties:
        return md, data, {}
    if md.format == MQFMT_RF_HEADER_2 and carried_properties(md, data) == properties:
        return md, data, {}
    described, whole = _with_rfh2(message)
    kept = {"format": md.format, "encoding": md.encoding, "coded_char_set_id": md.coded_char_set_id}
    extra = {"rfh2": len(whole) - len(data), "md": kept, "properties": properties_to_dict(properties)}
    return described, whole, extra


def dump_text(db: Database, stored: StoredMessage, number: int, at: int | None = None) -> bytes:
    """Return a message as it is in a dump.

    number: of the message there.  at: the instant of its expiry, milliseconds since 1970; None for now.
    """
    message = as_message(stored, messages.load_data(db, stored.seq), now_ms() if at is None else at)
    md, data, extra = for_dump(message)
    ccsid = queues.qmgr(db).coded_char_set_id
    return b"".join(dump_message(md, data, Display(), number=number, extra=extra, ccsid=ccsid))


def _with_rfh2(message: Message) -> tuple[MQMD, bytes]:
    """Add an MQRFH2 in the character set and encoding of the message, else in UTF-8 and the native encoding.

    Return the message unchanged if its format does not fit in an MQRFH2.
    """
    md = message.md
    for ccsid, encoding in ((md.coded_char_set_id, md.encoding), (_UTF_8, MQENC_NATIVE)):
        try:
            return into_rfh2(md, message.data, message.properties, ccsid=ccsid, encoding=encoding)
        except MQError:
            continue
    return md, message.data
