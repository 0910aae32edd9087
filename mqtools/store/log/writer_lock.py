"""The writer lock: one writer at a time, in the order of arrival.

SQLite's own busy handler sleeps and tries again, so that a steady writer starves the others. Two kernel
locks make it fair: whoever holds *turn* waits for *writer*; everybody else waits for *turn*. A lock goes
with the process that holds it, so nothing is left behind by a kill, and nothing lives on in a forked child.
"""

from __future__ import annotations

import fcntl
import os

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import StorageError
from mqtools.store import fork
from mqtools.store.descriptors import open_error


class WriterLock:
    """The writer lock of one connection. Not shared between threads."""

    __slots__ = ("_turn", "_writer")

    def __init__(self, folder: str) -> None:
        self._turn = _open(folder, "turn")
        try:
            self._writer = _open(folder, "writer")
        except OSError:
            fork.close(self._turn)
            raise

    def acquire(self) -> None:
        """Wait until this connection may write."""
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._writer, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._turn, fcntl.LOCK_UN)

    def try_acquire(self, limit_s: float) -> bool:
        """Wait no longer than a limit; return whether this connection may write."""
        import time

        deadline = time.monotonic() + limit_s
        while not (_try_lock(self._turn) and _try_lock(self._writer)):
            fcntl.flock(self._turn, fcntl.LOCK_UN)
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        fcntl.flock(self._turn, fcntl.LOCK_UN)
        return True

    def release(self) -> None:
        """Release the lock to the next writer."""
        fcntl.flock(self._writer, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close both lock files."""
        fork.close(self._turn)
        fork.close(self._writer)


def make_lock(folder: str) -> WriterLock:
    """Create the lock of a connection, and its folder where there is none. Raises StorageError."""
    try:
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
    except FileExistsError:
        pass  # another process was faster
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    try:
        return WriterLock(folder)
    except OSError as error:
        raise open_error(error, folder) from error


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(folder: str, name: str) -> int:
    descriptor = os.open(f"{folder}/{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fork.keep_from_children(descriptor)
    return descriptor
