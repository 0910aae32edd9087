"""Trash: keep deleted, cleared and discarded messages for a while, so that they can be restored.

A connection keeps what it removes when it has a ``Trash``. Keeping is part of the transaction that removes; what
has become too old or too much goes then too, a bounded number of messages each time, the oldest first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from mqtools.mqi.transaction import Work
from mqtools.mqi.trash_limits import Trash
from mqtools.store import queues
from mqtools.store.messages import trash as statements
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue

DELETE, CLEAR, PURGE, DISCARD, EDIT = "delete", "clear", "purge", "discard", "edit"

#: How many messages a transaction that keeps one throws away at most, and how many for each that it keeps.
_LEAST_EVICTED = 100
_EVICTED_FOR_ONE = 2


def keep(work: Work, queue: Queue, stored: StoredMessage, cause: str) -> bool:
    """Keep a message that is about to be removed, in the transaction that removes it; return whether it is kept."""
    trash = work.connection.trash
    if trash is None:
        return False
    if not trash.takes(stored):
        trash.lost += 1
        return False
    keep_beyond_room(work, queue, stored, cause)
    make_room(work)
    return True


def keep_beyond_room(work: Work, queue: Queue, stored: StoredMessage, cause: str) -> None:
    """Keep a message that the trash takes; call ``make_room`` later in the same transaction."""
    trash = work.connection.trash
    assert trash is not None
    statements.keep(work.db, stored, _about(work, trash, queue.name, cause))


def keep_each(work: Work, queue: Queue, sizes: Mapping[int, int], cause: str) -> None:
    """Keep short messages that are about to be removed in the same transaction, in the order of the keys.

    sizes: key to the bytes of data and properties.
    """
    trash = work.connection.trash
    assert trash is not None
    taken = [seq for seq, size in sizes.items() if statements.counted_size(size) <= trash.max_bytes]
    trash.lost += len(sizes) - len(taken)
    if taken:
        statements.keep_each(work.db, taken, _about(work, trash, queue.name, cause))
        make_room(work, kept=len(taken))


def keep_queue(work: Work, queue: Queue, cause: str) -> None:
    """Keep all messages of a queue that is about to be cleared, or the latest ones that there is room for."""
    trash = work.connection.trash
    number = queues.status(work.db, queue.id)[0] if trash is not None else 0
    if trash is None or not number:
        return
    kept = statements.keep_queue(work.db, queue.id, _about(work, trash, queue.name, cause), trash.max_bytes)
    trash.lost += number - kept
    make_room(work, kept=kept)


def keep_range(work: Work, queue: Queue, cause: str, first: int, end: int) -> int:
    """Keep the messages of a queue with keys from one on and before another; return how many there were."""
    trash = work.connection.trash
    if trash is None or first >= end:
        return 0
    kept = statements.keep_range(work.db, _about(work, trash, queue.name, cause), first, end)
    if kept:
        make_room(work, kept=kept)
    return kept


def _about(work: Work, trash: Trash, q_name: str, cause: str) -> dict[str, object]:
    removal = trash.removals.get((q_name, cause))
    if removal is None:
        removal = trash.removals[q_name, cause] = statements.new_removal(work.db)
    return {
        "removal": removal,
        "removed_at": work.now_ms,
        "removed_by": f"{work.connection.user_identifier} pid {os.getpid()}",
        "cause": cause,
        "queue": q_name,
    }


def make_room(work: Work, *, kept: int = 1) -> None:
    """Delete the oldest messages beyond the limits for good, a bounded number. kept: how many were added."""
    trash = work.connection.trash
    assert trash is not None
    too_old = work.now_ms - trash.max_age_s * 1000
    if not statements.is_due(work.db, too_old, trash.max_bytes):
        return
    _, size = statements.status(work.db)
    last = None
    for number, removed_at, own_size, removal in statements.oldest(
        work.db, max(_LEAST_EVICTED, _EVICTED_FOR_ONE * kept)
    ):
        if removed_at > too_old and size <= trash.max_bytes:
            break
        last, size = number, size - own_size
        trash.lost += removed_at > too_old and removal in trash.removals.values()
    if last is not None:
        statements.remove_through(work.db, last)
