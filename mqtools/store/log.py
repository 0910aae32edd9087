"""The log beside the file (SQLite's write-ahead log): flushing it, and giving it its length.

To flush what lengthens a file costs half as much again as to flush what overwrites it, because the file's own
description has to be written too. SQLite lengthens its log by every commit until the log is used anew for the first
time, so a connection that flushes again and again fills it up with zeros once. They are no part of the log: SQLite
reads frames up to the first that does not carry the log's own salt.
"""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError

#: Flushes after which the log is lengthened: a command that puts a few messages does not pay for it.
MANY = 16
#: Bytes that the log has before it is used anew: a header, 1000 pages of 4096 bytes, each with a header, and some more.
FULL_LENGTH = 32 + 1024 * (24 + 4096)


class Log:
    """The log of an open file. Raises StorageError where it cannot be opened."""

    __slots__ = ("_descriptor", "_flushes", "_path")

    def __init__(self, path: str) -> None:
        """path: of the queue manager's file."""
        self._path = path
        self._flushes = 0
        try:
            self._descriptor = os.open(f"{path}-wal", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise StorageError(f"{path}: the log of the file cannot be opened", MQRC_OBJECT_DAMAGED) from error

    def flush(self) -> bool:
        """Flush all that has been committed to disk; tell whether to ``lengthen`` the log now, which is so once."""
        try:
            os.fdatasync(self._descriptor)
        except OSError as error:
            raise StorageError(f"{self._path}: flush failed: {error.strerror}", MQRC_STORAGE_MEDIUM_FULL) from error
        self._flushes += 1
        return self._flushes == MANY

    def lengthen(self) -> None:
        """Fill the log up to its full length; it stays as it is where there is no room. Only for whoever may write.

        The next flush takes the zeros to disk.
        """
        length = os.fstat(self._descriptor).st_size
        if not 0 < length < FULL_LENGTH:
            return
        try:
            is_full = os.pwrite(self._descriptor, bytes(FULL_LENGTH - length), length) == FULL_LENGTH - length
        except OSError:
            is_full = False
        if not is_full:
            os.ftruncate(self._descriptor, length)

    def close(self) -> None:
        """Close it."""
        os.close(self._descriptor)
