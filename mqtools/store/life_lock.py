"""Proof of life of a connection: a lock on one byte of the queue manager's file, which the kernel drops with it.

The byte lies far beyond the end of the file; the token of the connection says where. The lock belongs to an open
descriptor (``F_OFD_SETLK``) and to the file itself, not to a name in a folder: whoever empties, replaces or makes anew
the run folder neither ends it nor makes another one. A restored copy is another file, on which nobody has a lock.

Invariant: a descriptor of the file is closed only after the last database of the file in this process, because closing
any of them drops the locks that SQLite has there. Until then it is kept for the next connection.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys

from mqtools.store import descriptors, open_files
from mqtools.store.descriptors import open_error
from mqtools.store.log import log_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.descriptors import SharedFile
    from mqtools.store.types import OpenFile

#: The first of the bytes that are locked. SQLite's own lie at 1 << 30.
_FIRST = 1 << 62
#: Bytes of a token that say which one is locked.
_RANDOM = 8
#: Last byte of the token of a connection that has a lock; a token without it has a pipe only (``liveness``).
_MARK = b"\x01"
#: Errors of a system or a file system that has no such locks.
_UNSUPPORTED = (errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class LifeLock:
    """The lock of one connection, held until it is released, or the process and what it handed the lock to have ended.

    token: of the connection.  descriptor: whoever has it open has the lock.
    """

    __slots__ = ("_file", "_is_shared", "_pid", "descriptor", "token")

    def __init__(self, file: SharedFile, descriptor: int, token: bytes) -> None:
        self._file = file
        self._pid = os.getpid()
        self._is_shared = False
        self.descriptor = descriptor
        self.token = token

    def share(self) -> int:
        """Return the descriptor for a program that is to keep the lock as long as it runs."""
        self._is_shared = True  # that program would keep the next connection alive too
        return self.descriptor

    def release(self) -> None:
        """Release the lock, also where a program that was given it still runs."""
        if self._pid != os.getpid():
            return  # a forked child has no copy of it
        _lock(self.descriptor, fcntl.F_UNLCK, self.token)
        self._file.keep_spare(self.descriptor, is_usable=not self._is_shared)


def take(database: OpenFile) -> LifeLock | None:
    """Take the lock of a new connection; None where the system has no such locks. Raises StorageError."""
    if sys.platform != "linux" or database.file is None:
        return None
    token = os.urandom(_RANDOM) + _MARK
    descriptor = database.file.take_spare()
    if descriptor is None:
        open_files.check_there(database)
        try:
            descriptor = os.open(database.real_path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise open_error(error, database.path) from error
        descriptors.keep_from_children(descriptor)
    try:
        _lock(descriptor, fcntl.F_RDLCK, token)
    except OSError as error:
        database.file.keep_spare(descriptor, is_usable=True)
        if error.errno in _UNSUPPORTED:
            return None
        raise open_error(error, database.path) from error
    return LifeLock(database.file, descriptor, token)


def has_lock(token: bytes) -> bool:
    """Return whether the connection with a token has proved by a lock that it lives."""
    return len(token) == _RANDOM + len(_MARK) and token.endswith(_MARK)


def is_held(database: OpenFile, token: bytes) -> bool:
    """Return whether somebody holds the lock of a token. Raises StorageError."""
    try:
        asked = log_mark.flock(fcntl.F_WRLCK, _byte(token), 1)
        found = fcntl.fcntl(open_files.shared(database).descriptor, fcntl.F_OFD_GETLK, asked)
    except OSError as error:
        raise open_error(error, database.path) from error
    return int.from_bytes(found[:2], sys.byteorder) != fcntl.F_UNLCK


def _lock(descriptor: int, kind: int, token: bytes) -> None:
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, log_mark.flock(kind, _byte(token), 1))


def _byte(token: bytes) -> int:
    """Return which byte of the file the lock of a token is on."""
    return _FIRST | int.from_bytes(token[:_RANDOM], "big") & (_FIRST - 1)
