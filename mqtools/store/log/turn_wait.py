"""Wait for the writer lock, with a notice after a while, and with a limit.

The kernel's wait for a lock has no limit, and polling costs processor time and fairness. So a thread waits in the
kernel, in the order of arrival, and the connection waits for the thread. A wait that has timed out keeps its place in
the queue: the next wait of the same connection continues it. A lock that is granted in between is released at once.

The thread stays for the next wait of the connection. On a busy machine a new thread gets a processor much later than
one that wakes up.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable
from threading import Condition, Thread

from mqtools.configuration import settings
from mqtools.errors import LockTimeout, StorageError
from mqtools.store import descriptors, file_warnings
from mqtools.store.failures import is_busy
from mqtools.store.log.turn_holder import find_holder, find_writer

#: Seconds until a notice is printed, and until the limit is read from the configuration.
NOTICE_AFTER_S, SHORT_S = 2.0, 0.1
#: States of the thread: nothing to do; in the kernel's queue, or about to be; it has the lock.
_IDLE, _WAITING, _GRANTED = range(3)


class TurnWait:
    """A thread that waits for the writer lock of one connection, one wait after another.

    turn, writer: descriptors of the lock files.  folder: the run folder.  is_pending: a wait has timed out and keeps
    its place in the queue.  Raises RuntimeError where no thread can be started.
    """

    def __init__(self, turn: int, writer: int, folder: str) -> None:
        self._turn, self._writer, self._folder = turn, writer, folder
        self._changed = Condition()
        self._state = _IDLE
        self._is_wanted = self._is_closed = self.is_pending = False
        Thread(target=self._run, daemon=True).start()

    def acquire(self, limit_s: float | None) -> None:
        """Wait for the lock, and warn after a while. limit_s: None for the configured limit.

        Raises LockTimeout; ConfigError where the limit is needed and cannot be read.
        """
        is_granted = self.is_pending = False
        begun = time.monotonic()
        try:
            if limit_s is None:
                if is_granted := self._wait(SHORT_S):
                    return
                limit_s = float(settings.value_of(settings.LOCK_TIMEOUT))
            if limit_s > NOTICE_AFTER_S:
                if is_granted := self._wait(begun + NOTICE_AFTER_S - time.monotonic()):
                    return
                self._warn()
            if is_granted := self._wait(begun + limit_s - time.monotonic()):
                return
            raise timeout(self._folder, limit_s)
        finally:
            if not is_granted:
                self.is_pending = self._give_up()

    def _wait(self, limit_s: float) -> bool:
        """Wait for the lock; return whether it was granted in time."""
        with self._changed:
            self._is_wanted = True
            if self._state == _IDLE:
                self._state = _WAITING
                self._changed.notify_all()
            if not self._changed.wait_for(lambda: self._state == _GRANTED, max(0.0, limit_s)):
                return False
            self._state = _IDLE
            return True

    def _warn(self) -> None:
        holder = find_holder(self._folder)
        who = f"{holder.description()} {holder.since()}" if holder else "programs that come and go"
        file_warnings.warn(f"waiting for the write turn: it is held by {who}")

    def _give_up(self) -> bool:
        """Release the lock as soon as it is granted; return whether the thread still waits for it."""
        with self._changed:
            self._is_wanted = False
            if self._state == _GRANTED:
                fcntl.flock(self._writer, fcntl.LOCK_UN)
                self._state = _IDLE
            return self._state == _WAITING

    def close(self) -> bool:
        """End the thread; return whether it still waits, and closes the lock files when the lock is granted."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            return self._state == _WAITING

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._state == _WAITING or self._is_closed)
                if self._state != _WAITING:
                    return
            fcntl.flock(self._turn, fcntl.LOCK_EX)
            fcntl.flock(self._writer, fcntl.LOCK_EX)
            fcntl.flock(self._turn, fcntl.LOCK_UN)
            with self._changed:
                if self._is_closed:
                    descriptors.close(self._turn)
                    descriptors.close(self._writer)
                    return
                if not self._is_wanted:
                    fcntl.flock(self._writer, fcntl.LOCK_UN)
                self._state = _GRANTED if self._is_wanted else _IDLE
                self._changed.notify_all()


def timeout(folder: str, limit_s: float) -> LockTimeout:
    """Return the error of a wait that has timed out."""
    words = f"{folder.removesuffix('-run')}: waited {limit_s:g} s for the write turn"
    holder = find_holder(folder)
    if holder is None:
        return LockTimeout(words)
    return LockTimeout(f"{words}: held {holder.since()} by {holder.description()}", hint=holder.hint())


def begin_after_others(begin: Callable[[], object], busy: StorageError, path: str, limit_s: float | None) -> None:
    """Begin a transaction while a program without the turn, such as the shell of SQLite, writes the file.

    begin: waits up to NOTICE_AFTER_S, then fails.  busy: its first failure.  limit_s: None for the configured limit.
    Raises LockTimeout; ConfigError where the limit is needed and cannot be read.
    """
    if limit_s is None:
        limit_s = float(settings.value_of(settings.LOCK_TIMEOUT))
    end = time.monotonic() + limit_s - NOTICE_AFTER_S
    while (now := time.monotonic()) < end:
        file_warnings.warn(f"waiting to write: {_writer(path)} writes to the file")
        try:
            begin()
        except StorageError as error:
            if not is_busy(error):
                raise
            time.sleep(max(0.0, min(end, now + SHORT_S) - time.monotonic()))  # where SQLite did not wait
        else:
            return
    raise LockTimeout(f"{path}: waited {limit_s:g} s to write: {_writer(path)} writes to the file") from busy


def _writer(path: str) -> str:
    writer = find_writer(path)
    return writer.description() if writer else "another program"
