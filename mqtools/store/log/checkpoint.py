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
from mqtools.store.log import log, log_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.descriptors import SharedFile
    from mqtools.store.types import OpenFile, Row

#: Pages that have to follow before it is tried again, where somebody reads what the log has.
_AGAIN = 250


def move(database: OpenFile, how: str) -> Row | None:
    """Move the log into the file and return what SQLite says of it. Only for the holder of the writer lock.

    how: of ``wal_checkpoint``.  Raises StorageError, also where a flush has failed and the log cannot be written anew.
    """
    settle(database)
    return database.one(f"pragma wal_checkpoint({how})")


def move_if_long(database: OpenFile, file: SharedFile) -> None:
    """Move what nobody reads of a long log into the file; what cannot be moved stays where it is, and is safe."""
    try:
        pages = log_mark.left(file.index())
        if pages >= log_mark.MANY_PAGES and not file.moved_at <= pages < file.moved_at + _AGAIN:
            file.moved_at = pages
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
        if not log.flush(database, file):
            write_anew(file)
        log_mark.write(file.descriptor, marked)


def settle(database: OpenFile) -> None:
    """Write the log anew after a flush that failed. Only for the holder of the writer lock. Raises StorageError.

    A log that cannot be written anew may have lost pages: who opens the file next finds them by their checksums.
    """
    file = open_files.shared(database)
    if log.is_flush_due(file):
        write_anew(file)


def flush(database: OpenFile) -> None:
    """Flush all that has been committed to disk, and the mark of the file, once a mark; nothing in memory.

    Raises StorageError: it is committed, and may yet be lost.
    """
    file = database.file
    if file is None:
        return
    if not log.flush(database, file):
        database.begin_writing()
        try:
            write_anew(file)
        finally:
            database.end_block(keep=False, writing=True)
    elif file.flushes >= log.MANY and not file.is_long and not database.blocks:
        _lengthen(database, file)
    mark = log_mark.read(file.descriptor)
    if file.flushed_mark == mark:
        return
    try:
        os.fdatasync(file.descriptor)
    except OSError as error:
        log_mark.write(file.descriptor, mark)  # otherwise the next flush might find nothing to write
        raise flush_error(error, database.path) from error
    file.flushed_mark = mark


def write_anew(file: SharedFile) -> None:
    """Write the log anew and flush it, after a flush that failed. Only for the holder of the writer lock.

    Raises StorageError.
    """
    log.rewrite(file, log_mark.frames(file.index()))


def _lengthen(database: OpenFile, file: SharedFile) -> None:
    file.is_long = True  # tried once, whatever comes of it
    try:
        database.begin_writing()
    except StorageError:
        return  # another program holds the file: the log stays short
    try:
        log.lengthen(database.log_descriptor)
    finally:
        database.end_block(keep=False, writing=True)
