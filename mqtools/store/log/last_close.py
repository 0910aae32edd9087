"""Closing a file: the last to close it, in whatever process, leaves it complete by itself.

SQLite moves the log into the file and removes it when the last connection that can write is closed. Two things are
added here: the same after the last one that only reads, and the mark of a complete file (``log_mark``). The mark is the
last change of the log, so SQLite flushes it with the file before it deletes the log: a power loss never leaves a file
that seems to lack its log.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see ``database``
import os

from mqtools.errors import LockTimeout, StorageError
from mqtools.store import open_files
from mqtools.store.log import log_mark
from mqtools.store.log.flush import write_anew
from mqtools.store.log.writer_lock import make_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.log.writer_lock import WriterLock
    from mqtools.store.types import OpenFile

#: Seconds of the wait for the writer lock; whoever has it longer closes the file later, and does this then.
_PATIENCE_S = 0.25


def close(database: OpenFile, *, is_own: bool, waits: bool = True) -> None:
    """Close a file. An error of the disk leaves the log where it is: the next program to open the file needs it.

    is_own: this process has opened it, and it is a file; else nothing is added.  waits: for the writer lock.
    """
    if not is_own:
        database.sql.close()
        return
    if not database.read_only:
        _close_for_writer(database, waits=waits)
        return
    database.sql.close()
    path = database.real_path
    if database.is_ours and database.finishes_log and os.path.exists(f"{path}-wal") and os.access(path, os.W_OK):
        _finish_log(database)


def _close_for_writer(database: OpenFile, *, waits: bool) -> None:
    lock = _writer_lock(database)
    has_turn = lock is not None and (_is_granted(lock) if waits else lock.acquire_now())
    is_low = has_turn and database.room.is_low
    if is_low:
        from mqtools.store.log import reserve
    ends_log = False
    try:
        if lock is not None and not (has_turn and _is_settled(database)):
            # SQLite takes itself for not the last, and leaves the log alone.
            log_mark.hold_open(open_files.shared(database).descriptor)
        else:
            open_files.protect_log_of_another(database)
        if is_low:
            reserve.give_up(database.real_path)  # the file may grow by what is in the log
        if has_turn:
            ends_log = _end_log(database, database.sql)
        database.sql.close()
        if has_turn:
            _mark(database, ends_log=ends_log)
    finally:
        if is_low:
            reserve.keep_for_file(database.real_path)
        _release(database, lock)


def _is_settled(database: OpenFile) -> bool:
    """Return whether the log may be moved into the file (``checkpoint``)."""
    if not open_files.is_flush_due(database):
        return True
    try:
        write_anew(database)
    except StorageError:
        return False
    return True


def _finish_log(database: OpenFile) -> None:
    """Open the file to be written, and close it again, unless somebody has it open who will do so."""
    if open_files.number(database) > 1:
        return
    ends_log = False
    lock = _writer_lock(database)
    try:
        if lock is not None and not _is_granted(lock):
            return
        sql = sqlite3.connect(database.real_path, timeout=0)
        try:
            if lock is None:
                sql.execute("pragma schema_version")
            else:
                ends_log = _end_log(database, sql)
        finally:
            sql.close()
        if lock is not None:
            _mark(database, ends_log=ends_log)
    except sqlite3.Error:
        return  # a damaged or busy file: nothing is lost, the log is where it was
    finally:
        _release(database, lock)


def _is_granted(lock: WriterLock) -> bool:
    try:
        lock.acquire(_PATIENCE_S)
    except LockTimeout:
        return False
    return True


def _writer_lock(database: OpenFile) -> WriterLock | None:
    """Return the writer lock; None for a file that is not ours, cannot be written to, or has neither log nor folder."""
    if database.writer_lock is not None:
        return database.writer_lock
    if not database.is_ours:
        return None
    if not log_mark.has_log(log_mark.read(open_files.shared(database).descriptor)) and not os.path.isdir(
        database.run_folder
    ):
        return None
    try:
        return make_lock(database.run_folder)
    except StorageError:
        return None


def _release(database: OpenFile, lock: WriterLock | None) -> None:
    if lock is not None and lock is database.writer_lock:
        lock.release()  # the database closes it
    elif lock is not None:
        lock.close()


def _end_log(database: OpenFile, sql: sqlite3.Connection) -> bool:
    """Write the mark of a complete file at the end of a log that no other process needs; return whether it is there."""
    descriptor = open_files.shared(database).descriptor
    if log_mark.is_locked_elsewhere(descriptor) or open_files.number(database) > 1:
        return False
    try:
        (version,) = sql.execute("pragma user_version").fetchone()  # a migration has changed it in the log only
        before = log_mark.with_schema_version(log_mark.read(descriptor), log_mark.schema_version(version))
        if log_mark.has_log(before):
            sql.execute(f"pragma user_version = {log_mark.without_log(before)}")
    except sqlite3.Error:
        return False  # a full disk: the file is marked once the log is gone
    return log_mark.has_log(before)


def _mark(database: OpenFile, *, ends_log: bool) -> None:
    """Mark the file as complete when its log is gone. ends_log: the log has marked it, with a mark that copies have."""
    if not os.path.exists(f"{database.real_path}-wal"):
        try:
            (log_mark.mark_copy if ends_log else log_mark.mark_complete)(open_files.shared(database).descriptor)
        except OSError:
            return  # a disk that fails: nothing is lost, but the next program may find that the log is missing
