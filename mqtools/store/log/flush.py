"""Flush of committed changes and of the mark of the file: the first ones, and recovery from one that failed.

An ordinary one is in ``Database.sync``.
"""

from __future__ import annotations

from mqtools.errors import StorageError
from mqtools.store import open_files
from mqtools.store.log import log_mark
from mqtools.store.log.log import MANY, Log
from mqtools.store.log.writer_lock import make_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.types import OpenFile


def flush(database: OpenFile) -> None:
    """Flush all that has been committed to disk. Raises StorageError."""
    if database.log is None:
        database.log = Log(database.real_path)
    log = database.log
    if not log.flush():
        _rewrite(database, log)
    elif log.flushes >= MANY and not log.is_long and not database.in_block:
        _lengthen(database, log)
    open_files.flush_mark(database)


def settle(database: OpenFile) -> bool:
    """Write the log anew after a flush that failed, before it is moved into the file; return whether that succeeded.

    Only for the holder of the writer lock. A log that cannot be written anew may have lost pages, which must not get
    into the file: who opens it next finds them by their checksums.
    """
    try:
        if database.log is None:
            database.log = Log(database.real_path)
        database.log.rewrite(log_mark.frames(open_files.index(database)))
    except StorageError:
        return False
    return True


def _lengthen(database: OpenFile, log: Log) -> None:
    log.is_long = True  # tried once, whatever comes of it
    try:
        database.begin_writing()
    except StorageError:
        return  # another program holds the file: the log stays short
    try:
        log.lengthen()
    finally:
        database.end_writing(keep=False)


def _rewrite(database: OpenFile, log: Log) -> None:
    """Write the log anew after a flush that failed."""
    if database.writer_lock is None:
        database.writer_lock = make_lock(database.run_folder)
    has_lock = database.in_block  # it is given up by the end of the block
    if not has_lock:
        database.writer_lock.acquire()
    try:
        log.rewrite(log_mark.frames(open_files.index(database)))
    finally:
        if not has_lock:
            database.writer_lock.release()
