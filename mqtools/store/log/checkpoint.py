"""Flushes and checkpoints of SQLite's write-ahead log.

Flushing an append costs half as much again as flushing an overwrite, because the inode must be written too. SQLite
appends to its log at every commit until it reuses the log for the first time. So a connection that flushes often
fills the log up with zeros once. They are not part of the log: SQLite reads frames up to the first without the log's
own salt.

After a flush that failed, the kernel may take for written what is not, and a second flush then succeeds for nothing.
So a failed flush leaves a note, ``NAME.db-unflushed``, and no process acknowledges anything until the log has been
read, verified, rewritten and flushed.

After a failed flush the log may be read back without what was written to it last, and SQLite does not look at its
checksums when it moves it: the file would be damaged. So SQLite moves nothing by itself at a commit
(``wal_autocheckpoint``). A process that moves the log rewrites it first where a flush is due.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import OpenFile, Row, open_files
from mqtools.store.descriptors import SharedFile, flush_error
from mqtools.store.log import log_mark

#: Flushes until the log is lengthened: a command that puts a few messages does not pay for it.
MANY = 16
#: Bytes of the log when SQLite reuses it: a header, 1000 pages of 4096 bytes, each with a header, and some more.
FULL_LENGTH = 32 + 1024 * (24 + 4096)
#: Pages until the next attempt, where a reader uses the log.
_AGAIN = 250


def move(database: OpenFile, how: str) -> Row | None:
    """Move the log into the file and return what SQLite says of it. Only for the holder of the writer lock.

    how: of ``wal_checkpoint``.  Raises StorageError, also where a flush has failed and the log cannot be rewritten.
    """
    settle(database)
    return database.one(f"pragma wal_checkpoint({how})")


def move_if_long(database: OpenFile, file: SharedFile) -> None:
    """Move the part of a long log that has no readers into the file; the rest stays in the log, and is safe."""
    try:
        pages, _, moved, *_ = file.read_index()
        if pages != moved and pages >= log_mark.MANY_PAGES and not file.moved_at <= pages < file.moved_at + _AGAIN:
            file.moved_at = pages
            mark_anew(database)
            move(database, "passive")
    except (OSError, StorageError):
        return  # a disk that fails or is full: the next flush reports it


def mark_anew(database: OpenFile) -> None:
    """Write a new mark into log and file (``log_mark``), before the log is moved.

    Only for the holder of the writer lock. Raises StorageError, but not where the disk is full: nothing changes.
    """
    file = open_files.shared(database)
    frames, _, moved, *_ = file.read_index()
    if frames == moved:
        return
    try:
        marked = log_mark.mark_log(database, file.descriptor)
    except StorageError as error:
        if error.reason != MQRC_STORAGE_MEDIUM_FULL:
            raise
        return
    if marked is not None:
        if not flush_log(database, file):
            write_anew(file)
        log_mark.write(file.descriptor, marked)


def without_waiting(database: OpenFile, act: Callable[[], object]) -> None:
    """Call a function whose statements fail at once where another program has the file."""
    (waits_ms,) = database.one("pragma busy_timeout") or (0,)
    database.one("pragma busy_timeout = 0")
    try:
        act()
    finally:
        database.one(f"pragma busy_timeout = {waits_ms}")


def settle(database: OpenFile) -> None:
    """Rewrite the log after a failed flush. Only for the holder of the writer lock. Raises StorageError.

    Otherwise the log may have lost pages: the next open of the file finds them by their checksums.
    """
    file = open_files.shared(database)
    if is_flush_due(file):
        write_anew(file)


def flush(database: OpenFile) -> None:
    """Flush all that has been committed to disk, and the mark of the file, once a mark; nothing in memory.

    Raises StorageError: it is committed, and may yet be lost.
    """
    file = database.file
    if file is None:
        return
    if not flush_log(database, file):
        database.begin_writing()
        try:
            write_anew(file)
        finally:
            database.end_block(keep=False, writing=True)
    elif file.flushes >= MANY and not file.is_long and not database.blocks:
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


def is_flush_due(file: SharedFile) -> bool:
    """Return whether a flush has failed, here or in another process, since which none has succeeded."""
    return file.has_failed_flush or os.access(file.note, os.F_OK)


def flush_log(database: OpenFile, file: SharedFile) -> bool:
    """Flush all that has been committed to disk; return False where that failed, now or in another process.

    Raises StorageError where the log cannot be opened.
    """
    if is_flush_due(file):
        return False
    if database.log_descriptor < 0:
        database.log_descriptor = _open(file.path)
    try:
        os.fdatasync(database.log_descriptor)
    except OSError:
        file.has_failed_flush = True
        _leave_note(file.note)
        return False
    file.flushes += 1
    return True


def write_anew(file: SharedFile) -> None:
    """Rewrite the log with the same bytes, and flush it, after a failed flush.

    Only for the holder of the writer lock.  Raises StorageError: the note stays, and nothing may be acknowledged.
    """
    from mqtools.store.log.frames import valid_frames

    descriptor = _open(file.path)
    try:
        if valid_frames(descriptor) < file.read_index()[0]:
            words = "a flush has failed, and the log has lost what was written last: visible changes may be lost"
            hint = "end all programs of the queue manager, browse the remaining messages, and see mqx doctor --thorough"
            raise StorageError(f"{file.path}: {words}", MQRC_OBJECT_DAMAGED, hint=hint)
        position, length = 0, os.fstat(descriptor).st_size
        while position < length:
            data = os.pread(descriptor, 1 << 20, position)
            os.pwrite(descriptor, data, position)
            position += len(data)
        os.fdatasync(descriptor)
        if os.path.exists(file.note):
            os.unlink(file.note)
        file.has_failed_flush = False
    except OSError as error:
        raise flush_error(error, file.path) from error
    finally:
        os.close(descriptor)


def _lengthen(database: OpenFile, file: SharedFile) -> None:
    """Fill the log up to its full length, once; it stays as it is where there is no room.

    The next flush takes the zeros to disk. What the caller wrote is committed: nobody is waited for.
    """
    lock = database.writer_lock
    if lock is None or not lock.acquire(waits=False):
        return  # the next flush tries again
    try:
        try:
            without_waiting(database, lambda: database.one("begin immediate"))
        except StorageError:
            return  # a program without the turn writes: likewise
        file.is_long = True  # tried once, whatever comes of it
        try:
            _fill(database.log_descriptor)
        finally:
            database.one("rollback")
    finally:
        lock.release()


def _fill(descriptor: int) -> None:
    missing = FULL_LENGTH - (length := os.fstat(descriptor).st_size)
    if length == 0 or missing <= 0:
        return
    try:
        is_full = os.pwrite(descriptor, bytes(missing), length) == missing
    except OSError:
        is_full = False
    if not is_full:
        os.ftruncate(descriptor, length)


def _open(path: str) -> int:
    try:
        return os.open(f"{path}-wal", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise flush_error(error, path) from error  # the commit has taken effect


def _leave_note(note: str) -> None:
    try:
        os.close(os.open(note, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError:
        return  # this process knows; it rewrites the log at once, and the call fails unless that succeeds
