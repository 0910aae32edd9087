"""Snapshot of the keys of the messages that a verb is about to change, and completion of their identifiers."""

from __future__ import annotations

from itertools import islice

from mqtools.constants.states import DELAYED, LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.lifecycle import ids, message_search
from mqtools.lifecycle.held_messages import describe_hold
from mqtools.lifecycle.verbs import unconfirmed_put_ids
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import now_ms
from mqtools.operations.selection import Selection, complete_id, keys_by_place, select
from mqtools.operations.stored_messages import (
    StoredMessage,
    count_held_by_all,
    first_held,
    ids_with_prefix,
    local_queue,
)
from mqtools.predicates import begins_with, is_whole_id
from mqtools.store.queues import Queue
from mqtools.store.source import Source


def select_keys(
    connection: Connection, q_name: str, selection: Selection, *, limit: int | None = None, with_delayed: bool = False
) -> list[int]:
    """Return the keys of the selected unlocked messages, as ``select_snapshot``. with_delayed: delayed ones too."""
    queue = _prepared_queue(connection, q_name)
    with connection.reading():
        keys = keys_by_place(connection, queue.id, selection, limit=limit)
        if keys is None:
            found = select(connection, queue.id, selection, all_states=with_delayed)
            free = (stored.seq for stored in found if stored.state in (UNLOCKED, DELAYED))
            keys = list(islice(free, limit))
        return keys


def select_snapshot(
    connection: Connection, q_name: str, selection: Selection, *, limit: int | None = None
) -> list[StoredMessage]:
    """Return the selected unlocked messages in delivery order, as they are in one state of the queue.

    Dead holders and expired leases are released first.
    Raises MQError: MQRC_GET_INHIBITED, MQRC_UNKNOWN_OBJECT_NAME, and as ``select`` does.
    """
    queue = _prepared_queue(connection, q_name)
    with connection.reading():
        return list(select(connection, queue.id, selection, limit=limit))


def _prepared_queue(connection: Connection, q_name: str) -> Queue:
    queue = message_search.readable_queue(connection, q_name)
    release_dead_holders(connection, queue.id)
    return queue


def release_dead_holders(connection: Connection, queue_id: int) -> None:
    """Release dead holders and expired leases on a queue, as a selection finds only unlocked messages.

    A read-only connection stays as it is: ``read_only.connect_read_only`` has released them where it can.
    """
    if connection.is_read_only:
        return
    with connection.work() as work:
        recovery.recover(work, queue_id)


def locked_keys(
    connection: Connection, q_name: str, lock_id: bytes, selection: Selection, *, limit: int | None = None
) -> list[int]:
    """Return the keys of the selected messages under a lock id, in delivery order.

    Raises MQError: MQRC_NO_MSG_LOCKED for a wrong lock id, and as ``select_keys`` does.
    """
    queue = message_search.readable_queue(connection, q_name)
    if not connection.is_read_only:
        with connection.work() as work:
            recovery.end_leases(work)
    with connection.reading():
        holder_id = ids.read_lock(connection.db, queue, lock_id, now_ms()).id
        if selection.is_everything:
            found = message_search.of_lock(connection, queue.id, holder_id)
        else:
            found = select(connection, queue.id, selection, all_states=True)
        locked = (stored for stored in found if stored.state == LOCKED_FOR_BROWSE)
        ours = (stored.seq for stored in locked if stored.lock_id == holder_id)
        return list(islice(ours, limit))


def describe_held(source: Source, q_name: str, selection: Selection) -> tuple[int, str]:
    """Return the number of selected messages that other programs hold, and words for the hold on the first of them.

    Raises MQError: MQRC_MSG_ID_ERROR for an ambiguous prefix, MQRC_UNKNOWN_OBJECT_NAME.
    """
    queue = local_queue(source, q_name)
    with source.db.reading():
        held = list(first_held(source, queue.id, 1))
        if not held:
            return 0, ""
        if selection.is_everything:
            number = count_held_by_all(source, queue.id) or 1  # where all are delayed, the first is named
            return number, describe_hold(source, held[0])
        chosen = select(source, queue.id, selection, all_states=True)
        number, first = 0, None
        for stored in chosen:
            if stored.state != UNLOCKED:
                number += 1
                first = first or stored
        return number, "" if first is None else describe_hold(source, first)


def complete_msg_id(connection: Connection, q_name: str, prefix: bytes | None) -> bytes | None:
    """Complete a prefix of a message id, whatever state the message is in; return None for None.

    A prefix that no message has is padded, to find nothing. Raises MQError: MQRC_MSG_ID_ERROR when several match.
    """
    if prefix is None or is_whole_id(prefix):
        return prefix
    queue = local_queue(connection, q_name)
    return complete_id("msg_id", prefix, ids_with_prefix(connection, queue.id, "msg_id", prefix))


def complete_put_id(
    connection: Connection, q_name: str, confirm_id: int, prefix: bytes | None, q_mgr_name: str = ""
) -> bytes | None:
    """Complete a prefix of the message id of a put with a confirm id, as ``complete_msg_id``."""
    if prefix is None or is_whole_id(prefix):
        return prefix
    found = unconfirmed_put_ids(connection, q_name, confirm_id, q_mgr_name=q_mgr_name)
    return complete_id("msg_id", prefix, sorted({each for each in found if begins_with(each, prefix)}))
