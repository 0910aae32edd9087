"""Access to stored messages by key: for tools that show, count or transfer them.

A source is a connection, a transaction, a view of a queue manager, or its database.
"""

from __future__ import annotations

from mqtools.message import Message
from mqtools.mqi.get import search
from mqtools.mqi.resolution import check_gets_allowed, checks_everybody, resolve_for_get, resolve_for_put
from mqtools.store import holders, queues
from mqtools.store.messages import messages, units_of_work
from mqtools.store.messages.stored_message import StoredMessage as StoredMessage
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.source import Source as Source


def local_queue(source: Source, q_name: str) -> Queue:
    """Return the local queue that a name leads to. Raises MQError as ``resolve_for_get``."""
    return resolve_for_get(source.db, q_name)[0]


def browsable_queue(source: Source, q_name: str, *, although_inhibited: bool = False) -> Queue:
    """Return the local queue that a name leads to, for a program that only reads its messages.

    although_inhibited: gets need not be allowed.
    Raises MQError: MQRC_NOT_AUTHORIZED where every user is checked, MQRC_GET_INHIBITED, and as ``resolve_for_get``.
    """
    queue, path = resolve_for_get(source.db, q_name)
    if checks_everybody(source.db):
        from mqtools.mqi.authority import check_reader

        check_reader(source.db, q_name, "BROWSE")
    if not although_inhibited:
        check_gets_allowed(path)
    return queue


def load_message(source: Source, seq: int) -> StoredMessage | None:
    """Return a message by its key in any state; None when it is gone."""
    return messages.by_seq(source.db, seq)


def as_message(stored: StoredMessage, data: bytes, now_ms: int) -> Message:
    """Return a stored message with its data, its properties and the expiry that is left."""
    stored.md.expiry = search.remaining_expiry(stored, now_ms)
    return Message(data, stored.md, search.properties_of(stored), stored.deliver_at)


def load_data(source: Source, seq: int, limit: int | None = None) -> bytes:
    """Return the data of a message, at most limit bytes. Raises MessageDamaged."""
    return messages.load_data(source.db, seq, limit)


def data_read_along(source: Source, stored: StoredMessage) -> bytes | None:
    """Return the data that was read with a message, checked; None where it was not. Raises MessageDamaged."""
    if stored.data is None or len(stored.data) != stored.data_length:
        return None
    return messages.data_of(source.db, stored)


def first_held(source: Source, queue_id: int, limit: int) -> list[StoredMessage]:
    """Return the first locked and uncommitted messages of a queue, in delivery order, up to limit."""
    return messages.held(source.db, queue_id, limit=limit)


def ids_with_prefix(source: Source, queue_id: int, field: str, prefix: bytes, limit: int = 2) -> list[bytes]:
    """Return different values of msg_id, correl_id or group_id that begin with a prefix."""
    return messages.ids_with_prefix(source.db, queue_id, field, prefix, limit)


def logical_message_parts(source: Source, part: StoredMessage) -> list[StoredMessage]:
    """Return all segments of the logical message that a message belongs to, in delivery order."""
    return messages.of_group(source.db, part.queue_id, part.md.group_id, part.md.msg_seq_number)


def lock_id_of(source: Source, stored: StoredMessage) -> bytes | None:
    """Return the lock id under which a message is locked, or None."""
    if stored.lock_id is None:
        return None
    holder = holders.by_id(source.db, stored.lock_id)
    return holder.token if holder is not None else None


def count_held_by_all(source: Source, queue_id: int) -> int:
    """Return the number of all locked and uncommitted messages of a queue."""
    return sum(group[4] for group in units_of_work.groups(source.db, queue_id))


def check_put_target(source: Source, q_name: str, q_mgr_name: str = "") -> None:
    """Raise MQError when a put to a queue would fail to find it: MQRC_UNKNOWN_OBJECT_NAME and the like."""
    db = source.db
    with db.reading():
        resolve_for_put(db, queues.qmgr(db), q_name, q_mgr_name)
