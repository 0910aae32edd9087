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
        _take_turn_and_write_anew(database)
    elif log.flushes >= MANY and not log.is_long and not database.blocks:
        _lengthen(database, log)
    open_files.flush_mark(database)


def flush_log(database: OpenFile) -> None:
    """Flush the log. Only for the holder of the writer lock. Raises StorageError."""
    if database.log is None:
        database.log = Log(database.real_path)
    if not database.log.flush():
        write_anew(database)


def write_anew(database: OpenFile) -> None:
    """Write the log anew and flush it, after a flush that failed. Only for the holder of the writer lock.

    Raises StorageError.
    """
    if database.log is None:
        database.log = Log(database.real_path)
    database.log.rewrite(log_mark.frames(open_files.index(database)))


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


def _take_turn_and_write_anew(database: OpenFile) -> None:
    if database.writer_lock is None:
        database.writer_lock = make_lock(database.run_folder)
    has_lock = database.blocks > 0  # it is given up by the end of the block
    if not has_lock:
        database.writer_lock.acquire()
    try:
        write_anew(database)
    finally:
        if not has_lock:
            database.writer_lock.release()
