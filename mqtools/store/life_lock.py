"""Proof of life of a connection: a lock on one byte of the queue manager's file, which the kernel drops with it.

The byte lies far beyond the end of the file; the token of the connection says where. The lock belongs to an open
descriptor (``F_OFD_SETLK``) and to the file itself, not to a name in a folder. Emptying, replacing or recreating the
run folder does not end it. A restored copy is another file, without locks.

All connections of a process have their locks on one descriptor (``SharedFile.life``). Invariant: a descriptor of the
file is closed only after the last database of the file in this process, because closing any of them drops the locks
that SQLite has there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys

from mqtools.store import OpenFile, descriptors, open_files
from mqtools.store.descriptors import open_error
from mqtools.store.log import log_mark

#: The first of the bytes that are locked. SQLite's own lie at 1 << 30.
_FIRST = 1 << 62
#: Bytes of a token that say which one is locked.
_RANDOM = 8
#: Last byte of the token of a connection that has a lock; a token without it has a pipe only (``liveness``).
_MARK = b"\x01"
#: Errors of a system or a file system that has no such locks.
_UNSUPPORTED = (errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


def take(database: OpenFile) -> bytes | None:
    """Take the lock of a new connection; return its token, None where the system has no such locks.

    Raises StorageError.
    """
    file = database.file
    if sys.platform != "linux" or file is None:
        return None
    byte = _FIRST | int.from_bytes(os.urandom(_RANDOM), "big") & (_FIRST - 1)
    try:
        if file.life < 0:
            open_files.check_there(database)
            file.life = os.open(database.real_path, os.O_RDONLY | os.O_CLOEXEC)
            descriptors.not_for_children.add(file.life)
        fcntl.fcntl(file.life, fcntl.F_OFD_SETLK, log_mark.flock(fcntl.F_RDLCK, byte, 1))
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return None
        raise open_error(error, database.path) from error
    return byte.to_bytes(_RANDOM, "big") + _MARK


def take_for_programs(database: OpenFile, token: bytes) -> int:
    """Take the lock of a connection once more, for programs that are to keep it; return the descriptor that has it."""
    open_files.check_there(database)
    try:
        descriptor = os.open(database.real_path, os.O_RDONLY | os.O_CLOEXEC)
        descriptors.not_for_children.add(descriptor)
        open_files.shared(database).kept_open.append(descriptor)
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, log_mark.flock(fcntl.F_RDLCK, _byte(token), 1))
    except OSError as error:
        raise open_error(error, database.path) from error
    return descriptor


def release(descriptor: int, token: bytes) -> None:
    """Release the lock of a connection that a descriptor has, also where a program that was given it still runs."""
    byte = int.from_bytes(token[:_RANDOM], "big")  # of a token of this process
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, log_mark.flock(fcntl.F_UNLCK, byte, 1))


def has_lock(token: bytes) -> bool:
    """Return whether the connection with a token has proved by a lock that it lives."""
    return len(token) == _RANDOM + len(_MARK) and token.endswith(_MARK)


def is_held(database: OpenFile, token: bytes) -> bool:
    """Return whether the lock of a token is held. Raises StorageError."""
    try:
        descriptor = open_files.shared(database).descriptor
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, log_mark.flock(fcntl.F_WRLCK, _byte(token), 1))
    except OSError as error:
        raise open_error(error, database.path) from error
    return int.from_bytes(found[:2], sys.byteorder) != fcntl.F_UNLCK


def _byte(token: bytes) -> int:
    """Return which byte of the file the lock of a token is on."""
    return _FIRST | int.from_bytes(token[:_RANDOM], "big") & (_FIRST - 1)
