"""Check-ups of a file: damage, renamed or missing logs, and pipes of dead processes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mqtools.errors import MQError
from mqtools.store import open_files
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive
from mqtools.store.log import checkpoint, log_mark
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import COLUMNS, from_row

#: Mistakes of a file that are listed at most.
_MOST_MISTAKES = 20
#: Messages that are read at a time.
_PAGE = 16
_NEXT_WHOLE = f"select {COLUMNS}, data, checksum from messages where seq > ? order by seq limit {_PAGE}"  # noqa: S608
_PIPES = ("life-", "bell-")


def accept_missing_log(path: str) -> bool:
    """Mark a file that lacks its log as complete; return whether it lacked one. This process must not have it open."""
    path = os.path.realpath(path)
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        if log_mark.compare(descriptor, path) != log_mark.MISSING:
            return False
        log_mark.mark_complete(descriptor)
        os.fsync(descriptor)
        return True
    finally:
        os.close(descriptor)


def damage(db: Database, *, thorough: bool = False) -> list[str]:
    """Return the problems that SQLite finds in the file; none when it is sound.

    thorough: compare each index with its table too, which reads all of the file. Raises StorageError when it cannot
    even be read so far.
    """
    pragma = "integrity_check" if thorough else "quick_check"
    return [str(words) for words in db.column(f"pragma {pragma}({_MOST_MISTAKES})") if words != "ok"]


def damaged_messages(db: Database) -> Iterator[tuple[str, bytes]]:
    """Yield queue and message id of each message that is not as it was put; every message is read."""
    after = 0
    while rows := db.all(_NEXT_WHOLE, (after,)):
        for row in rows:
            stored = from_row(row)
            after = stored.seq
            try:
                messages.data_of(db, stored)
            except MQError:
                yield _queue_name(db, stored.queue_id), stored.md.msg_id


def _queue_name(db: Database, queue_id: int) -> str:
    row = db.one("select name from queues where id = ?", (queue_id,))
    return "" if row is None else str(row[0])


def old_holders(db: Database, before_ms: int) -> list[tuple[str, str, int, int]]:
    """Count lock ids and confirm ids without a lease that were made before a time.

    Returns the name of the queue, the kind, the number and the time of the oldest.
    """
    rows = db.all(
        "select name, kind, count(*), min(created_at) from holders join queues on queues.id = queue_id"
        " where kind in ('lock', 'confirm') and connection_id is null and lease_until is null and created_at < ?"
        " group by name, kind order by name, kind",
        (before_ms,),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def foreign_logs(db: Database) -> list[str]:
    """Return the paths of the logs that were renamed because they are not of this file."""
    folder, name = os.path.split(db.real_path)
    return sorted(os.path.join(folder, each) for each in os.listdir(folder) if each.startswith(f"{name}-wal.foreign-"))


def log_size(db: Database) -> int:
    """Return the number of bytes of a file's log, 0 without a log."""
    try:
        return os.stat(f"{db.real_path}-wal").st_size
    except FileNotFoundError:
        return 0


def is_flush_due(db: Database) -> bool:
    """Return whether a flush has failed since which none has succeeded."""
    return checkpoint.is_flush_due(open_files.shared(db))


def is_open_elsewhere(db: Database) -> bool:
    """Return whether another process has the file open."""
    return log_mark.is_locked_elsewhere(open_files.shared(db).descriptor)


def leftover_pipes(db: Database) -> list[str]:
    """List the pipes in the run folder whose process is gone. Raises OSError, StorageError."""
    return sorted(name for name in os.listdir(db.run_folder) if name.startswith(_PIPES) and not _lives(db, name))


def _lives(db: Database, name: str) -> bool:
    try:
        token = bytes.fromhex(name.partition("-")[2])
    except ValueError:
        return False
    return is_alive(db, token)
