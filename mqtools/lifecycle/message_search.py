"""Search for the message that a lifecycle verb is about: an available one, or one of the caller's own lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from mqtools.constants.options import MQOO_INPUT_EXCLUSIVE
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.lifecycle import ids
from mqtools.lifecycle.message_query import Accept, MessageQuery, prepare
from mqtools.mqi import recovery
from mqtools.mqi.authority import check_browse, check_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.resolution import check_gets_allowed, checks_everybody, resolve_for_get
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.store import holders
from mqtools.store.holders import Holder
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue
from mqtools.store.source import Source

T = TypeVar("T")


def readable_queue(source: Source, q_name: str) -> Queue:
    """Find the local queue that a name leads to, as long as gets are allowed all the way.

    Raises MQError: MQRC_GET_INHIBITED, MQRC_UNKNOWN_OBJECT_NAME, MQRC_NOT_AUTHORIZED and what else
    ``resolve_for_get`` says.
    """
    queue, path = resolve_for_get(source.db, q_name)
    check_gets_allowed(path)
    if checks_everybody(source.db):
        check_browse(source.db, path[0].name)
    return queue


def browsable_queue(work: Work, q_name: str) -> Queue:
    """Find the local queue of a verb that reads messages.

    Raises MQError: MQRC_NOT_AUTHORIZED; see ``readable_queue``.
    """
    queue = readable_queue(work.db, q_name)
    check_queue(work.connection, q_name, "BROWSE")
    return queue


def gettable_queue(work: Work, q_name: str) -> Queue:
    """Find the local queue of a destructive verb; locks on it whose lease has ended are freed.

    Raises MQError: MQRC_OBJECT_IN_USE while another connection has it for itself; MQRC_NOT_AUTHORIZED; see
    ``readable_queue``.
    """
    queue = readable_queue(work.db, q_name)
    check_queue(work.connection, q_name, "GET")
    if _is_exclusive(work.connection, queue):
        recovery.recover_openers(work, queue)
        if _is_exclusive(work.connection, queue):
            raise MQError(f"queue {queue.name} is open for exclusive input elsewhere", MQRC_OBJECT_IN_USE)
    recovery.end_leases(work)
    if queue.next_delivery is not None:
        recovery.deliver_due(work, queue.id)
    return queue


def _is_exclusive(connection: ConnectionState, queue: Queue) -> bool:
    return any(
        handle.options & MQOO_INPUT_EXCLUSIVE and handle.connection_id != connection.id
        for handle in holders.of_queue(connection.db, queue.id, "handle")
    )


def prepare_query(connection: Connection, filter: Mapping[str, object] | None, accept: Accept | None) -> MessageQuery:
    """Return the search for a filter and a test.

    filter: None or empty for any message (INDEX-12). Raises MQError: MQRC_SELECTION_STRING_ERROR.
    """
    if not filter:
        return MessageQuery({}, None, accept)
    return prepare(connection.db, connection.name, filter, accept)


def apply_to_found(
    connection: Connection,
    q_name: str,
    do: Callable[[Work, Queue, StoredMessage | None, object], T],
    *,
    seq: int | None,
    filter: Mapping[str, object] | None,
    accept: Accept | None = None,
    lock_id: bytes,
) -> T:
    """Search for a message, and do something with it in the transaction in which it is found.

    do: takes the message, None where nothing fits, and the message id that the filter asks for.
    """
    wanted = None
    while True:
        with connection.work() as work:
            queue = gettable_queue(work, q_name)
            lock = ids.find_lock(work, queue, lock_id) if lock_id else None
            wanted = wanted or prepare_query(connection, filter, accept)
            stored = find(work, queue, wanted, seq=seq, lock=lock)
            if stored is not None or not wanted.is_paused:
                return do(work, queue, stored, wanted.fields.get("msg_id"))
        assert wanted.long_search is not None
        wanted.long_search.scan_ahead(connection.db)


def find(
    work: Work, queue: Queue, wanted: MessageQuery, *, seq: int | None, lock: Holder | None
) -> StoredMessage | None:
    """Return one message: by its key, or the first wanted one in the order of delivery.

    lock: search only what it has locked (LIFE-22, LIFE-25). Without one, search what is unlocked; if nothing fits,
    release dead holders and search again. None also where the search is paused.
    """
    stored = _look(work, queue, wanted, seq, lock)
    if stored is not None or wanted.is_paused:
        return stored
    if lock is None and recovery.recover(work, queue.id):
        wanted.long_search = None
        stored = _look(work, queue, wanted, seq, lock)
    return stored


def _look(work: Work, queue: Queue, wanted: MessageQuery, seq: int | None, lock: Holder | None) -> StoredMessage | None:
    if seq is not None:
        return by_key(work, queue, seq, lock)
    if lock is None:
        return wanted.first(work, queue)
    for stored in of_lock(work, queue.id, lock.id):
        fits = all(getattr(stored.md, field) == value for field, value in wanted.fields.items())
        if fits and not stored.has_expired(work.now_ms) and (wanted.accept is None or wanted.accept(stored)):
            return stored
    return None


def by_key(
    work: Work, queue: Queue, seq: int, lock: Holder | None, free: tuple[int, ...] = (UNLOCKED,)
) -> StoredMessage | None:
    """Return a message by its key if it is in a free state or held by the caller's lock, and has not expired."""
    stored = messages.by_seq(work.db, seq)
    if stored is None or stored.queue_id != queue.id:
        return None
    if stored.has_expired(work.now_ms):
        if stored.state == UNLOCKED:
            search.expire(work, queue, stored)
        return None
    if lock is None:
        return stored if stored.state in free else None
    return stored if stored.state == LOCKED_FOR_BROWSE and stored.lock_id == lock.id else None


def of_lock(source: Source, queue_id: int, holder_id: int) -> Iterator[StoredMessage]:
    """Yield the messages of a lock in the order of delivery: the first one alone, then page by page."""

    def read(after: int, limit: int) -> list[StoredMessage]:
        return messages.locked(source.db, queue_id, LOCKED_FOR_BROWSE, holder_id, after=after, limit=limit)

    return search.by_page(read, first=1)
