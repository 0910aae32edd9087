"""Flushes and checkpoints: what the log has is moved into the file, but never what a failed flush may have lost.

After a failed flush the log may be read back without what was written to it last, and SQLite does not look at its
checksums when it moves it: the file would be damaged. So SQLite moves nothing by itself at a commit
(``wal_autocheckpoint``), and whoever moves the log writes it anew first where a flush is due (``log``).
"""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import open_files
from mqtools.store.descriptors import flush_error
from mqtools.store.log import log_mark
from mqtools.store.log.log import MANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.types import OpenFile, Row

#: Pages that have to follow before it is tried again, where somebody reads what the log has.
_AGAIN = 250


def move(database: OpenFile, how: str) -> Row | None:
    """Move the log into the file and return what SQLite says of it. Only for the holder of the writer lock.

    how: of ``wal_checkpoint``.  Raises StorageError, also where a flush has failed and the log cannot be written anew.
    """
    settle(database)
    return database.one(f"pragma wal_checkpoint({how})")


def move_if_long(database: OpenFile) -> None:
    """Move what nobody reads of a long log into the file; what cannot be moved stays where it is, and is safe."""
    tried = database.log.moved_at
    try:
        pages = log_mark.left(open_files.shared(database).index())
        if pages >= log_mark.MANY_PAGES and not tried <= pages < tried + _AGAIN:
            database.log.moved_at = pages
            mark_anew(database)
            move(database, "passive")
    except (OSError, StorageError):
        return  # a disk that fails or is full: the flush that follows says so


def mark_anew(database: OpenFile) -> None:
    """Write a new mark into log and file (``log_mark``), before the log is moved.

    Only for the holder of the writer lock. Raises StorageError, but not where the disk is full: nothing changes.
    """
    file = open_files.shared(database)
    if not log_mark.left(file.index()):
        return
    try:
        marked = log_mark.mark_log(database, file.descriptor)
    except StorageError as error:
        if error.reason != MQRC_STORAGE_MEDIUM_FULL:
            raise
        return
    if marked is not None:
        flush_log(database)
        log_mark.write(file.descriptor, marked)


def settle(database: OpenFile) -> None:
    """Write the log anew after a flush that failed. Only for the holder of the writer lock. Raises StorageError.

    A log that cannot be written anew may have lost pages: who opens the file next finds them by their checksums.
    """
    if database.log.is_flush_due():
        write_anew(database)


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
