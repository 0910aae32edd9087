"""Upkeep of a long session: state of the queue manager, renewal of marks, release of dead holders, bulk unlock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mqtools.constants.states import LOCKED_FOR_BROWSE
from mqtools.lifecycle.locks import unlock_message
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import now_ms
from mqtools.mqi.recovery import recover_openers
from mqtools.mqi.trash import EDIT
from mqtools.operations import trash_contents
from mqtools.operations.selection import Selection
from mqtools.store import holders, queues
from mqtools.store.liveness import is_alive
from mqtools.store.messages import by_keys, marks, units_of_work
from mqtools.store.source import Source


def state_and_starts(connection: Connection) -> tuple[str, int]:
    now = queues.qmgr(connection.db)
    return now.state, now.starts


def close_file(connection: Connection) -> None:
    """Close the file of a connection that is disconnected."""
    connection.db.close()


def mark_interval_ms(connection: Connection) -> int:
    """Return MARKINT of the queue manager in milliseconds; negative for unlimited."""
    return queues.qmgr(connection.db).msg_mark_browse_interval


def renew_marks(connection: Connection, keys: Sequence[int], interval_ms: int) -> None:
    """Renew the marks of messages by an interval, in one transaction."""
    with connection.work() as work:
        marks.renew(work.db, keys, work.now_ms + interval_ms)


def gone_messages(connection: Connection, keys: Collection[int]) -> set[int]:
    """Return the keys of those messages that no longer exist."""
    return set(keys) - by_keys.existing_among(connection.db, keys)


def release_dead_holders(connection: Connection, q_name: str) -> None:
    """Release what dead holders have on a queue; write only if there are any."""
    db = connection.db
    queue = queues.by_name(db, q_name)
    if queue is None or not (_has_dead_holder(connection, queue.id) or holders.leases_ended(db, now_ms())):
        return
    with connection.work() as work:
        recovery.recover(work, queue.id)
        recover_openers(work, queue)


def _has_dead_holder(connection: Connection, queue_id: int) -> bool:
    db = connection.db
    owners = {handle.connection_id for handle in holders.of_queue(db, queue_id, "handle")}
    found = [holders.by_id(db, owner) for owner in owners if owner is not None]
    found += holders.holding_connections(db, queue_id)
    tokens = {owner.token for owner in found if owner is not None and owner.id != connection.id}
    return any(token is None or not is_alive(db, token) for token in tokens)


def unlock_by_lock_id(connection: Connection, q_name: str, lock_id: bytes, batch: int) -> Iterator[int]:
    """Unlock all messages that a lock id has locked on a queue; yield the number after each batch."""
    db = connection.db
    while lock := holders.of_lock(db, lock_id):
        keys = units_of_work.keys_of_lock(db, lock.id, LOCKED_FOR_BROWSE, batch)
        if not keys:
            return
        yield unlock_message(connection, q_name, lock_id, seqs=keys)


def replaced_versions(connection: Source, q_name: str, msg_id: bytes, seq: int) -> set[int]:
    """Return the numbers in the trash of the versions of a message on a queue that edits have replaced."""
    selected = trash_contents.select_trashed(connection, Selection(msg_ids=(msg_id,)), q_name=q_name)
    return {one.number for one in selected if one.stored.seq == seq and one.cause == EDIT}


def removal_numbers(connection: Connection, removal: int) -> list[int]:
    """Return the numbers in the trash of the messages of a removal, the newest first."""
    return trash_contents.newest_versions(trash_contents.select_trashed(connection.db, removal=removal))
