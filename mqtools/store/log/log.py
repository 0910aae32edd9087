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

#: Flushes after which the log is lengthened: a command that puts a few messages does not pay for it.
MANY = 16
#: Bytes that the log has before it is used anew: a header, 1000 pages of 4096 bytes, each with a header, and some more.
FULL_LENGTH = 32 + 1024 * (24 + 4096)


class Log:
    """The log of an open file. Each call raises StorageError where it cannot be opened.

    flushes: how many there were; after ``MANY`` of them it is to be lengthened.  is_long: that was done, or tried.
    has_failed: the last one has.  moved_at: pages that it had when it was last moved into the file (``checkpoint``).
    """

    __slots__ = ("_descriptor", "_note", "_path", "flushes", "has_failed", "is_long", "moved_at")

    def __init__(self, path: str) -> None:
        """path: of the queue manager's file."""
        self._path = path
        self._note = f"{path}-unflushed"
        self.flushes = self.moved_at = 0
        self.has_failed = self.is_long = False
        self._descriptor = -1

    def _open(self) -> int:
        """Return a descriptor of the log, opened by the first call."""
        if self._descriptor < 0:
            try:
                self._descriptor = os.open(f"{self._path}-wal", os.O_RDWR | os.O_CLOEXEC)
            except OSError as error:
                raise flush_error(error, self._path) from error  # what is to be flushed has been committed
        return self._descriptor

    def is_flush_due(self) -> bool:
        """Return whether a flush has failed, here or in another process, since which none has succeeded."""
        return self.has_failed or os.access(self._note, os.F_OK)

    def flush(self) -> bool:
        """Flush all that has been committed to disk; return False where that failed, now or in another process."""
        if self.is_flush_due():
            return False
        descriptor = self._open()
        try:
            os.fdatasync(descriptor)
        except OSError:
            self.has_failed = True
            self._leave_note()
            return False
        self.flushes += 1
        return True

    def rewrite(self, frames: int) -> None:
        """Write the log anew, with the same bytes, and flush it. Only for whoever may write.

        frames: that must be there.  Raises StorageError: the note stays, and nothing may be acknowledged.
        """
        from mqtools.store.log.frames import valid_frames

        descriptor = self._open()
        try:
            if valid_frames(descriptor) < frames:
                words = "a flush has failed, and the log has lost what was written last: visible changes may be lost"
                hint = "end all programs of the queue manager, browse what is there then, and see mqx doctor --thorough"
                raise StorageError(f"{self._path}: {words}", MQRC_OBJECT_DAMAGED, hint=hint)
            position, length = 0, os.fstat(descriptor).st_size
            while position < length:
                data = os.pread(descriptor, 1 << 20, position)
                os.pwrite(descriptor, data, position)
                position += len(data)
            os.fdatasync(descriptor)
            if os.path.exists(self._note):
                os.unlink(self._note)
            self.has_failed = False
        except OSError as error:
            raise flush_error(error, self._path) from error

    def _leave_note(self) -> None:
        try:
            os.close(os.open(self._note, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        except OSError:
            return  # this process knows; the log is written anew at once, and the call fails unless that succeeds

    def lengthen(self) -> None:
        """Fill the log up to its full length; it stays as it is where there is no room. Only for whoever may write.

        The next flush takes the zeros to disk.
        """
        descriptor = self._open()
        length = os.fstat(descriptor).st_size
        if not 0 < length < FULL_LENGTH:
            return
        try:
            is_full = os.pwrite(descriptor, bytes(FULL_LENGTH - length), length) == FULL_LENGTH - length
        except OSError:
            is_full = False
        if not is_full:
            os.ftruncate(descriptor, length)

    def close(self) -> None:
        """Close the log; a later call opens it again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
