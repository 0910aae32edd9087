"""Keys of messages that are put once: a row each, and a lock while a program puts under the key."""

from __future__ import annotations

import fcntl
from hashlib import sha256

from mqtools.store import descriptors
from mqtools.store.database import Database
from mqtools.store.log.writer_lock import open_lock_file


def lock(db: Database, queue_id: int, key: bytes) -> int:
    """Wait until no other process puts under a key; return the descriptor that keeps the others waiting.

    The kernel drops the lock with the process. Raises StorageError.
    """
    byte = int.from_bytes(sha256(b"%d %s" % (queue_id, key)).digest()[:7], "big")
    descriptor = open_lock_file(db.run_folder, "once")
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, byte)
    except BaseException:
        descriptors.close(descriptor)
        raise
    return descriptor


def put_at(db: Database, queue_id: int, key: bytes, now_ms: int, window_ms: int) -> int | None:
    """Return when messages were put under a key, in milliseconds since 1970; None if not within the window."""
    row = db.one(
        "select put_at from once_keys where queue_id = ? and key = ? and put_at > ? and until > ?",
        (queue_id, key, now_ms - window_ms, now_ms),
    )
    return None if row is None else int(row[0])


def add(db: Database, queue_id: int, key: bytes, now_ms: int, window_ms: int) -> None:
    """Record that messages are put under a key; delete the keys whose window is over."""
    db.run("delete from once_keys where until <= ?", (now_ms,))
    db.run("insert or replace into once_keys values (?, ?, ?, ?)", (queue_id, key, now_ms, now_ms + window_ms))
