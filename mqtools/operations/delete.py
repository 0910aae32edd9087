"""Deletion of messages in batches, one transaction per batch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.states import DELAYED, UNLOCKED
from mqtools.lifecycle import ids, message_search
from mqtools.mqi import trash
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import removal
from mqtools.mqi.transaction import Work
from mqtools.store import holders
from mqtools.store.holders import Holder
from mqtools.store.messages import by_keys, relocation
from mqtools.store.queues import Queue


def delete_batch(connection: Connection, q_name: str, keys: Sequence[int], *, lock_id: bytes = b"") -> int:
    """Delete messages by key in one transaction; return how many still existed (LIFE-31, LIFE-32).

    lock_id: of the lock that holds them; without one, only unlocked and delayed messages are deleted.
    Raises MQError: MQRC_NO_MSG_LOCKED for a wrong lock id, MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE.
    """
    with connection.work() as work:
        queue = message_search.gettable_queue(work, q_name)
        lock = ids.find_lock(work, queue, lock_id) if lock_id else None
        if lock is not None or queue.journal or queue.marks:
            deleted = sum(_delete_one(work, queue, key, lock) for key in keys)
        elif connection.trash is None:
            deleted = _delete_for_good(work, queue, keys)
        else:
            deleted = _delete_to_trash(work, queue, keys)
        if lock is not None:
            holders.remove_if_idle(work.db, lock.id)
        work.durable = work.durable or deleted > 0
        return deleted


def _delete_one(work: Work, queue: Queue, key: int, lock: Holder | None) -> bool:
    stored = message_search.by_key(work, queue, key, lock, (UNLOCKED, DELAYED))
    if stored is None:
        return False
    removal.delete(work, queue, stored)
    return True


def _delete_for_good(work: Work, queue: Queue, keys: Sequence[int]) -> int:
    """Delete messages: together those that are nothing but rows, then what is left of the others."""
    deleted = relocation.remove_ordinary(work.db, queue.id, keys, work.now_ms)
    if deleted:
        removal.count_rows_off(work, queue, deleted, MQPER_PERSISTENT)  # any deletion is flushed
    if deleted < len(keys):
        left = by_keys.existing_among(work.db, keys)
        deleted += sum(_delete_one(work, queue, key, None) for key in keys if key in left)
    return deleted


def _delete_to_trash(work: Work, queue: Queue, keys: Sequence[int]) -> int:
    """Delete messages in the order of their keys, in which the trash has them; together those next to each other."""
    rows = relocation.ordinary_sizes(work.db, queue.id, keys, work.now_ms)
    deleted = 0
    for are_rows, run in groupby(keys, rows.__contains__):
        if are_rows:
            deleted += _delete_rows(work, queue, {key: rows.pop(key) for key in tuple(run) if key in rows})
        else:
            deleted += sum(_delete_one(work, queue, key, None) for key in run)
    return deleted


def _delete_rows(work: Work, queue: Queue, rows: dict[int, tuple[int, int]]) -> int:
    """Delete together messages that are nothing but rows, in the order of their keys; return their number.

    rows: of ``relocation.ordinary_sizes``.
    """
    trash.keep_each(work, queue, {key: size for key, (_, size) in rows.items()}, trash.DELETE)
    removal.move_rows_off(work, queue, list(rows), max(persistence for persistence, _ in rows.values()))
    return len(rows)
