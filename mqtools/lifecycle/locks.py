"""Browse, lock and unlock messages with lock ids.

A lock has no other end than unlock, undo, get, delete, or the lease it was given (LIFE-34).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.reasons import MQRC_NO_MSG_LOCKED
from mqtools.constants.states import LOCKED_FOR_BROWSE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.lifecycle import ids, message_search
from mqtools.lifecycle.message_query import MessageQuery
from mqtools.mqi import recovery, units_of_work
from mqtools.mqi.authority import check_reader
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import checks_everybody, resolve_for_get
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.store import holders
from mqtools.store.messages import units_of_work as statements
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue


@dataclass(slots=True, frozen=True)
class LockedMessages:
    """Result of a browse with lock: the lock id (8 bytes) and the messages, without their data."""

    lock_id: bytes
    messages: list[StoredMessage]


def browse_messages(
    connection: Connection,
    q_name: str,
    *,
    filter: Mapping[str, object] | None = None,
    accept: Callable[[StoredMessage], bool] | None = None,
) -> Iterator[StoredMessage]:
    """Return the unlocked messages that fit, without their data, in the order of delivery; nothing changes.

    filter, accept: as ``get_message`` takes them. Each page is read in its own transaction.
    Raises MQError: MQRC_GET_INHIBITED, MQRC_UNKNOWN_OBJECT_NAME, MQRC_SELECTION_STRING_ERROR.
    """
    queue = message_search.readable_queue(connection.db, q_name)
    if checks_everybody(connection.db):
        check_reader(connection.db, q_name, "BROWSE")
    wanted = message_search.prepare_query(connection, filter, accept)
    if not connection.db.read_only and holders.leases_ended(connection.db, now_ms()):
        with connection.work() as work:
            recovery.end_leases(work)
    return _browse(connection, queue, wanted)


def _browse(connection: Connection, queue: Queue, wanted: MessageQuery) -> Iterator[StoredMessage]:
    for stored in search.walk(connection.db, queue.id, wanted.fields, wanted.predicate, now_ms()):
        now = now_ms()
        stored.md.expiry = search.remaining_expiry(stored, now)
        if not stored.has_expired(now) and (wanted.accept is None or wanted.accept(stored)):
            yield stored


def browse_messages_and_lock(
    connection: Connection,
    q_name: str,
    seqs: Sequence[int] | None = None,
    *,
    filter: Mapping[str, object] | None = None,
    accept: Callable[[StoredMessage], bool] | None = None,
    limit: int | None = None,
    confirm_id: int = 0,
    lease_s: float | None = None,
) -> LockedMessages:
    """Lock the messages that fit, all under one lock id (LIFE-19); later arrivals stay unlocked (LIFE-33).

    seqs: just these, as far as they are still unlocked; else ``filter`` and ``accept`` as
    ``get_message`` takes them.  limit: of messages.  confirm_id: an undo with it unlocks them (LIFE-30).
    lease_s: seconds until the lock ends by itself, None for never.
    Raises NoMessageAvailable, and makes no lock then; MQError: MQRC_GET_INHIBITED, MQRC_OPTIONS_ERROR,
    MQRC_SELECTION_STRING_ERROR, MQRC_NOT_AUTHORIZED.
    """
    ids.check_confirm_id(confirm_id, optional=True)
    with connection.work() as work:
        queue = message_search.browsable_queue(work, q_name)
        recovery.recover(work, queue.id)
    wanted = message_search.prepare_query(connection, filter if seqs is None else None, accept)
    while keys := _keys(connection, queue, wanted, limit) if seqs is None else seqs:
        with connection.work() as work:
            queue = message_search.browsable_queue(work, q_name)
            found = _available(work, queue, keys, wanted, limit)
            if found:
                lease_until = ids.lease_end(work.now_ms, lease_s)
                holder_id, lock_id = ids.new_lock(work, queue, confirm_id, lease_until)
                _lock(work, queue, found, holder_id)
                return LockedMessages(lock_id, found)
        if seqs is not None:
            break  # else others were faster: search again
    raise NoMessageAvailable(f"no message on queue {q_name} fits")


def _keys(connection: Connection, queue: Queue, wanted: MessageQuery, limit: int | None) -> list[int]:
    """Return the keys of the messages that fit now, and of expired ones, which the caller discards."""
    keys, number = list[int](), 0
    for stored in search.walk(connection.db, queue.id, wanted.fields, wanted.predicate, now_ms()):
        if number == limit:
            break
        if stored.has_expired(now_ms()):
            keys.append(stored.seq)
        elif wanted.accept is None or wanted.accept(stored):
            keys.append(stored.seq)
            number += 1
    return keys


def _available(
    work: Work, queue: Queue, seqs: Sequence[int], wanted: MessageQuery, limit: int | None
) -> list[StoredMessage]:
    """Return those of some messages that are unlocked and still fit; discard the expired ones."""
    there = (message_search.by_key(work, queue, seq, None) for seq in dict.fromkeys(seqs))
    fitting = (stored for stored in there if stored is not None and (wanted.accept is None or wanted.accept(stored)))
    return list(islice(fitting, limit))


def _lock(work: Work, queue: Queue, found: list[StoredMessage], holder_id: int) -> None:
    units_of_work.lock(work, queue, found, holder_id)
    for stored in found:
        work.durable |= stored.md.persistence == MQPER_PERSISTENT
        stored.state, stored.lock_id = LOCKED_FOR_BROWSE, holder_id
        stored.md.expiry = search.remaining_expiry(stored, work.now_ms)


def unlock_message(
    connection: Connection,
    q_name: str,
    lock_id: bytes,
    *,
    msg_id: bytes | None = None,
    seqs: Collection[int] | None = None,
) -> int:
    """Unlock what a lock id has locked; return the number of messages (LIFE-28).

    msg_id: only the messages with it (LIFE-29).  seqs: just these instead, found without looking at the others.
    Raises MQError: MQRC_NO_MSG_LOCKED when the lock id holds no such message (LIFE-22).
    """
    with connection.work() as work:
        queue, _ = resolve_for_get(work.db, q_name)
        ids.check_authority(work, queue, states.UNLOCK)
        lock = ids.find_lock(work, queue, lock_id)
        if seqs is None:
            found = statements.of_lock(work.db, lock.id, msg_id)
        else:
            found = [message for message in statements.of_keys(work.db, seqs) if message.lock_id == lock.id]
        held = ids.filter_allowed(found, states.UNLOCK)
        if not held:
            which = "no message" if msg_id is None else f"message {msg_id.hex().upper()} not"
            raise MQError(f"{which} locked with lock id {lock_id.hex().upper()} on {queue.name}", MQRC_NO_MSG_LOCKED)
        ids.settle(work, held, states.UNLOCK)
        holders.remove_if_idle(work.db, lock.id)
        return len(held)


def extend_lease(connection: Connection, q_name: str, lock_id: bytes, lease_s: float | None) -> int | None:
    """Set a new lease of a lock, counted from now; return its end in milliseconds since 1970.

    lease_s: seconds, None for a lock without an end.
    Raises MQError: MQRC_NO_MSG_LOCKED when there is no such lock (any more), MQRC_OPTIONS_ERROR.
    """
    with connection.work() as work:
        queue, _ = resolve_for_get(work.db, q_name)
        ids.check_authority(work, queue, states.UNLOCK)
        lock = ids.find_lock(work, queue, lock_id)
        lease_until = ids.lease_end(work.now_ms, lease_s)
        holders.set_lease(work.db, lock.id, lease_until)
        work.wake(queue.id)  # waits end with the lease
        work.durable = True
        return lease_until
