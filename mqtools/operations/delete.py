"""Deletion of messages in batches, one transaction per batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.lifecycle import ids, message_search
from mqtools.mqi.get import removal
from mqtools.store import holders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.mqi.connection import Connection


def delete_batch(connection: Connection, q_name: str, keys: Sequence[int], *, lock_id: bytes = b"") -> int:
    """Delete messages by key in one transaction; return how many still existed (LIFE-31, LIFE-32).

    lock_id: of the lock that holds them; without one, only unlocked messages are deleted.
    Raises MQError: MQRC_NO_MSG_LOCKED for a wrong lock id, MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE.
    """
    with connection.work() as work:
        queue = message_search.gettable_queue(work, q_name)
        lock = ids.find_lock(work, queue, lock_id) if lock_id else None
        deleted = 0
        for key in keys:
            stored = message_search.by_key(work, queue, key, lock)
            if stored is not None:
                removal.delete(work, queue, stored)
                deleted += 1
        if lock is not None:
            holders.remove_if_idle(work.db, lock.id)
        work.durable = work.durable or deleted > 0
        return deleted
