"""The writer lock: one writer at a time, in the order of arrival.

SQLite's own busy handler sleeps and tries again, so that a steady writer starves the others. Two kernel locks make it
fair: the holder of *turn* waits for *writer*; all others wait for *turn*. The kernel releases both when the
process ends, and a forked child has neither.

The holder writes its process id and the time into the writer's file, for those who wait (``turn_holder``).
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import StorageError
from mqtools.store import descriptors
from mqtools.store.descriptors import open_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.log.turn_wait import TurnWait

_IF_FREE = fcntl.LOCK_EX | fcntl.LOCK_NB


class WriterLock:
    """The writer lock of one connection. Not shared between threads.

    folder: the run folder.  turn, writer: descriptors of the lock files.  waiter: the thread that waits for the lock,
    from the first wait on.
    """

    __slots__ = ("_pid", "folder", "turn", "waiter", "writer")

    def __init__(self, folder: str) -> None:
        """Create the lock, and its folder where there is none.

        Raises StorageError, also (MQRC_NOT_AUTHORIZED) for a folder that others could have prepared.
        """
        self.folder = folder
        self.waiter: TurnWait | None = None
        self._pid = os.getpid()
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            _check_folder(folder)
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
        self.turn = open_lock_file(folder, "turn")
        try:
            self.writer = open_lock_file(folder, "writer")
        except StorageError:
            descriptors.close(self.turn)
            raise

    def acquire(self, limit_s: float | None = None, *, waits: bool = True) -> bool:
        """Wait until this connection may write; return whether it may.

        limit_s: of the wait, None for the configured one.  Raises LockTimeout when it has passed.
        waits: otherwise return False where the lock is not free, and keep no place in the queue.
        """
        is_free = self.waiter is None or not self.waiter.is_pending
        if is_free:
            try:
                fcntl.flock(self.turn, _IF_FREE)
                fcntl.flock(self.writer, _IF_FREE)
            except BlockingIOError:
                is_free = False  # *turn* may be held: then this connection is the next
        if is_free or not waits:
            fcntl.flock(self.turn, fcntl.LOCK_UN)
        if not is_free:
            if not waits:
                return False
            self._wait(limit_s)
        holder = self._pid.to_bytes(8, "little") + int(time.time() * 1000).to_bytes(8, "little")
        try:
            os.pwrite(self.writer, holder, 0)
        except OSError:
            return True  # on a full disk others cannot see who holds the lock
        return True

    @property
    def has_pending_wait(self) -> bool:
        """Whether an ``acquire`` has timed out, and keeps its place in the queue; the next one continues it."""
        return self.waiter is not None and self.waiter.is_pending

    def _wait(self, limit_s: float | None) -> None:
        from mqtools.store.log import turn_wait

        if self.waiter is None:
            try:
                self.waiter = turn_wait.TurnWait(self.turn, self.writer, self.folder)
            except RuntimeError:  # no thread can be started
                fcntl.flock(self.turn, fcntl.LOCK_UN)
                raise turn_wait.timeout(self.folder, 0) from None
        self.waiter.acquire(limit_s)

    def release(self) -> None:
        """Release the lock to the next writer."""
        fcntl.flock(self.writer, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close both lock files."""
        is_own = self._pid == os.getpid()  # a forked child has no thread that waits
        if is_own and self.waiter is not None and self.waiter.close():
            return  # the thread closes them when the lock is granted
        descriptors.close(self.turn)
        descriptors.close(self.writer)


def _check_folder(folder: str) -> None:
    """Raise StorageError for a run folder that is a link, belongs to a stranger, or can be written to by others."""
    try:
        found = os.lstat(folder)
        owner = os.stat(folder.removesuffix("-run")).st_uid
    except FileNotFoundError:
        return  # the process that needs it reports that
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    if not stat.S_ISDIR(found.st_mode):
        raise StorageError(f"{folder} is not a folder", MQRC_NOT_AUTHORIZED)
    if found.st_uid not in (owner, os.geteuid()):
        words = f"{folder} belongs to user {found.st_uid}, and the queue manager to user {owner}"
        raise StorageError(words, MQRC_NOT_AUTHORIZED, hint=f"check what is in it, then remove it: rm -r {folder}")
    if found.st_mode & stat.S_IWOTH:
        raise StorageError(f"{folder} can be written to by everybody", MQRC_NOT_AUTHORIZED, hint=f"chmod o-w {folder}")


def open_lock_file(folder: str, name: str) -> int:
    """Open a file of the run folder for a lock; create it if it is not there. Raises StorageError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(f"{folder}/{name}", flags, 0o600)
    except OSError as error:
        raise open_error(error, folder) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:  # a pipe; a file that has another name somewhere
        os.close(descriptor)
        words = f"{folder}/{name} is not a file of its own"
        raise StorageError(
            words, MQRC_NOT_AUTHORIZED, hint=f"check what is in the folder, then remove it: rm -r {folder}"
        )
    descriptors.not_for_children.add(descriptor)
    return descriptor
