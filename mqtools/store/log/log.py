"""The log beside the file (SQLite's write-ahead log): flushing and extending it.

To flush what lengthens a file costs half as much again as to flush what overwrites it, because the file's own
description has to be written too. SQLite lengthens its log by every commit until the log is used anew for the first
time, so a connection that flushes again and again fills it up with zeros once. They are no part of the log: SQLite
reads frames up to the first that does not carry the log's own salt.

After a flush that failed, the kernel may take for written what is not, and a second flush then succeeds for nothing.
So a failed flush leaves a note beside the file, ``NAME.db-unflushed``, and no process acknowledges anything until the
log has been read, verified, written anew and flushed.
"""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.store.descriptors import flush_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.descriptors import SharedFile
    from mqtools.store.types import OpenFile

#: Flushes after which the log is lengthened: a command that puts a few messages does not pay for it.
MANY = 16
#: Bytes that the log has before it is used anew: a header, 1000 pages of 4096 bytes, each with a header, and some more.
FULL_LENGTH = 32 + 1024 * (24 + 4096)


def is_flush_due(file: SharedFile) -> bool:
    """Return whether a flush has failed, here or in another process, since which none has succeeded."""
    return file.has_failed_flush or os.access(_note(file.path), os.F_OK)


def flush(database: OpenFile, file: SharedFile) -> bool:
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
        _leave_note(file.path)
        return False
    file.flushes += 1
    return True


def rewrite(file: SharedFile, frames: int) -> None:
    """Write the log anew, with the same bytes, and flush it. Only for whoever may write.

    frames: that must be there.  Raises StorageError: the note stays, and nothing may be acknowledged.
    """
    from mqtools.store.log.frames import valid_frames

    descriptor = _open(file.path)
    try:
        if valid_frames(descriptor) < frames:
            words = "a flush has failed, and the log has lost what was written last: visible changes may be lost"
            hint = "end all programs of the queue manager, browse what is there then, and see mqx doctor --thorough"
            raise StorageError(f"{file.path}: {words}", MQRC_OBJECT_DAMAGED, hint=hint)
        position, length = 0, os.fstat(descriptor).st_size
        while position < length:
            data = os.pread(descriptor, 1 << 20, position)
            os.pwrite(descriptor, data, position)
            position += len(data)
        os.fdatasync(descriptor)
        if os.path.exists(_note(file.path)):
            os.unlink(_note(file.path))
        file.has_failed_flush = False
    except OSError as error:
        raise flush_error(error, file.path) from error
    finally:
        os.close(descriptor)


def lengthen(descriptor: int) -> None:
    """Fill the log up to its full length; it stays as it is where there is no room. Only for whoever may write.

    The next flush takes the zeros to disk.
    """
    length = os.fstat(descriptor).st_size
    if not 0 < length < FULL_LENGTH:
        return
    try:
        is_full = os.pwrite(descriptor, bytes(FULL_LENGTH - length), length) == FULL_LENGTH - length
    except OSError:
        is_full = False
    if not is_full:
        os.ftruncate(descriptor, length)


def _open(path: str) -> int:
    try:
        return os.open(f"{path}-wal", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise flush_error(error, path) from error  # what is to be flushed has been committed


def _note(path: str) -> str:
    return f"{path}-unflushed"


def _leave_note(path: str) -> None:
    try:
        os.close(os.open(_note(path), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError:
        return  # this process knows; the log is written anew at once, and the call fails unless that succeeds
