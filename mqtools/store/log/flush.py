"""Flush of committed changes and of the mark of the file, and recovery from a flush that failed."""

from __future__ import annotations

import os

from mqtools.errors import StorageError
from mqtools.store import open_files
from mqtools.store.descriptors import flush_error
from mqtools.store.log import log_mark
from mqtools.store.log.log import MANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.types import OpenFile


def flush(database: OpenFile) -> None:
    """Flush all that has been committed to disk, and the mark of the file, once a mark. Raises StorageError."""
    log = database.log
    if not log.flush():
        _take_turn_and_write_anew(database)
    elif log.flushes >= MANY and not log.is_long and not database.blocks:
        _lengthen(database)
    file = open_files.shared(database)
    mark = log_mark.read(file.descriptor)
    if file.flushed_mark == mark:
        return
    try:
        os.fdatasync(file.descriptor)
    except OSError as error:
        log_mark.write(file.descriptor, mark)  # otherwise the next flush might find nothing to write
        raise flush_error(error, database.path) from error
    file.flushed_mark = mark


def flush_log(database: OpenFile) -> None:
    """Flush the log. Only for the holder of the writer lock. Raises StorageError."""
    if not database.log.flush():
        write_anew(database)


def write_anew(database: OpenFile) -> None:
    """Write the log anew and flush it, after a flush that failed. Only for the holder of the writer lock.

    Raises StorageError.
    """
    database.log.rewrite(log_mark.frames(open_files.shared(database).index()))


def _lengthen(database: OpenFile) -> None:
    database.log.is_long = True  # tried once, whatever comes of it
    try:
        database.begin_writing()
    except StorageError:
        return  # another program holds the file: the log stays short
    try:
        database.log.lengthen()
    finally:
        database.end_block(keep=False, writing=True)


def _take_turn_and_write_anew(database: OpenFile) -> None:
    if database.blocks > 0:
        write_anew(database)
        return
    lock = database.own_lock()
    lock.acquire()
    try:
        write_anew(database)
    finally:
        lock.release()
