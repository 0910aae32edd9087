"""Closing a file: the last connection of all processes leaves it complete.

SQLite moves the log into the file and removes it when the last connection that can write is closed. Two things are
added here: the same after the last one that only reads, and the mark of a complete file (``log_mark``). The mark is the
last change of the log, so SQLite flushes it with the file before it deletes the log: a power loss never leaves a file
that seems to lack its log.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see ``database``
import os

from mqtools.configuration.locate import file_key
from mqtools.errors import LockTimeout, StorageError
from mqtools.store import OpenFile, open_files
from mqtools.store.descriptors import SharedFile
from mqtools.store.log import log_mark
from mqtools.store.log.checkpoint import is_flush_due, write_anew
from mqtools.store.log.writer_lock import WriterLock

#: Seconds of the wait for the writer lock. A process that has it longer closes the file later, and does this then.
_PATIENCE_S = 0.25


def close_reader(database: OpenFile, file: SharedFile) -> None:
    """Close a file that was only read: as a writer does, unless another database has it open that will do so."""
    database.sql.close()
    path = database.real_path
    if not (database.is_ours and database.finishes_log and os.path.exists(f"{path}-wal") and os.access(path, os.W_OK)):
        return
    if len(open_files.databases(file.key)) > 1:
        return
    try:
        database.sql = sqlite3.connect(path, timeout=0, isolation_level=None)
        database.sql.execute("pragma schema_version")
        close_writer(database, file)
    except sqlite3.Error:
        database.sql.close()  # a damaged or busy file: nothing is lost, the log is where it was


def close_writer(database: OpenFile, file: SharedFile, *, waits: bool = True) -> None:
    """Close a file that could be written to. waits: for the writer lock.

    An error of the disk leaves the log where it is: the next program to open the file needs it.
    """
    lock = database.writer_lock or _new_lock(database, file)
    try:
        has_turn = lock is not None and lock.acquire(_PATIENCE_S, waits=waits)
    except LockTimeout:
        has_turn = False
    is_low = has_turn and database.is_room_low
    if is_low:
        from mqtools.store.log import reserve
    try:
        is_movable = has_turn and (not is_flush_due(file) or _is_written_anew(file))
        # SQLite removes the log by its name, which may be that of another file now.
        is_replaced = file_key(database.real_path) not in (None, file.key)
        if is_replaced or (lock is not None and not is_movable):
            log_mark.hold_open(file.descriptor)  # SQLite takes itself for not the last, and leaves the log alone
        if is_low:
            reserve.give_up(database.real_path)  # the file may grow by what is in the log
        if has_turn:
            _close_marked(file, database.sql)
        else:
            database.sql.close()
            if lock is None and database.is_ours:
                _mark_alone(file)
    finally:
        if is_low:
            reserve.keep_for_file(database.real_path)
        if lock is not None and lock is database.writer_lock:
            lock.release()  # the database closes it
        elif lock is not None:
            lock.close()


def _is_written_anew(file: SharedFile) -> bool:
    """Rewrite the log after a failed flush; return whether it may be moved into the file (``checkpoint``)."""
    try:
        write_anew(file)
    except StorageError:
        return False
    return True


def _new_lock(database: OpenFile, file: SharedFile) -> WriterLock | None:
    """Return a writer lock; None for a file that is not ours, cannot be written to, or has neither log nor folder."""
    if not database.is_ours:
        return None
    has_log = log_mark.read(file.descriptor) & log_mark.HAS_LOG
    if not has_log and not os.path.isdir(database.run_folder):
        return None
    try:
        return WriterLock(database.run_folder)
    except StorageError:
        return None


def _mark_alone(file: SharedFile) -> None:
    """Mark a file as complete that has got the mark of its log with the log's pages.

    A power loss can leave a file with the mark of a complete one and its log, and nothing else.
    """
    if os.path.exists(f"{file.path}-wal") or not log_mark.read(file.descriptor) & log_mark.HAS_LOG:
        return
    try:
        log_mark.mark_complete(file.descriptor)
    except OSError:
        return  # as in ``_close_marked``


def _close_marked(file: SharedFile, sql: sqlite3.Connection) -> None:
    """Close a connection, and mark the file as complete when its log is gone.

    The mark is first written at the end of a log that no other process needs. Copies of the log have it then, so the
    file gets another one.
    """
    version = None  # of the schema, once the log has its mark
    is_last = not log_mark.is_locked_elsewhere(file.descriptor) and len(open_files.databases(file.key)) <= 1
    mark = log_mark.read(file.descriptor) & ~log_mark.SCHEMA
    if is_last and mark & log_mark.HAS_LOG:
        try:
            (found,) = sql.execute("pragma user_version").fetchone()  # a migration has changed it in the log only
            sql.execute(f"pragma user_version = {mark & ~log_mark.HAS_LOG | found & log_mark.SCHEMA}")
            version = found & log_mark.SCHEMA
        except sqlite3.Error:
            version = None  # a full disk: the file is marked once the log is gone
    sql.close()
    if os.path.exists(f"{file.path}-wal"):
        return
    try:
        if version is None:
            log_mark.mark_complete(file.descriptor)
        else:
            log_mark.write(file.descriptor, log_mark.new_mark(version) & ~log_mark.HAS_LOG)
    except OSError:
        return  # a disk that fails: nothing is lost, but the next program may find that the log is missing
