"""Wait for the write turn, with a notice after a while, and with a limit.

The kernel's wait for a lock has no limit, and polling costs processor time and fairness. So a thread waits in the
kernel, in the order of arrival, and the connection waits for the thread. A wait that ran out of time keeps its place
in the queue: the next wait of the same connection continues it. A turn that is granted after that is released at once.

The thread stays for the next wait of the connection: a new one for each would first have to wait for a processor,
which on a busy machine takes many times as long as to wake one that sleeps.
"""

from __future__ import annotations

import fcntl
import time
from _thread import allocate_lock, start_new_thread

from mqtools.errors import LockTimeout
from mqtools.store import file_warnings, fork
from mqtools.store.log import turn_record
from mqtools.store.log.turn_holder import find_holder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from mqtools.store.log.turn_holder import TurnHolder

    class WriterLock(Protocol):
        """Lock as a wait for it sees it (``writer_lock.WriterLock``)."""

        folder: str
        pending: TurnWait | None
        turn: int
        waiter: TurnWait | None
        writer: int

        def try_acquire(self, limit_s: float) -> bool:
            """Poll for the lock up to a limit (seconds)."""


#: Seconds after which a notice is printed, and after which the configuration is read for the limit.
NOTICE_AFTER_S, _SHORT_S = 2.0, 0.1
#: The setting of the limit: this layer knows the module of the settings by name only.
_SETTINGS, _LOCK_TIMEOUT = "mqtools.configuration.settings", "lock_timeout"


class TurnWait:
    """A thread that waits for the writer lock of one connection, one wait after another."""

    def __init__(self, lock: WriterLock) -> None:
        self._turn, self._writer, self._folder = lock.turn, lock.writer, lock.folder
        self._guard, self._begun, self._granted = allocate_lock(), allocate_lock(), allocate_lock()
        self._begun.acquire()
        self._granted.acquire()
        self._is_wanted = self._has_ended = True
        self._is_owner = self._is_over = False
        start_new_thread(self._run, ())

    def begin(self) -> None:
        """Begin to wait for the turn."""
        self._granted.acquire(blocking=False)  # that of a wait which was given up
        self._is_wanted, self._has_ended = True, False
        self._begun.release()

    def _run(self) -> None:
        while self._begun.acquire() and not self._is_over:
            self._wait()
            if self._is_owner:
                fork.close(self._turn)
                fork.close(self._writer)
                return

    def _wait(self) -> None:
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        if not turn_record.try_lock(self._writer):
            turn_record.note_awaited(self._writer, is_awaited=True)
            turn_record.ask(self._writer, self._folder)
            fcntl.flock(self._writer, fcntl.LOCK_EX)
            turn_record.note_awaited(self._writer, is_awaited=False)
        fcntl.flock(self._turn, fcntl.LOCK_UN)
        with self._guard:
            self._has_ended = True
            if not self._is_wanted:
                fcntl.flock(self._writer, fcntl.LOCK_UN)
            self._granted.release()

    def join(self, limit_s: float) -> bool:
        """Wait for the turn; return whether it was granted in time."""
        return self._granted.acquire(timeout=max(0.0, limit_s))

    def resume(self) -> bool:
        """Accept the turn again when it is granted; return whether the thread still waits for it."""
        with self._guard:
            self._is_wanted = True
            return not self._has_ended

    def give_up(self) -> bool:
        """Release the turn as soon as it is granted; return whether the thread still waits for it."""
        with self._guard:
            self._is_wanted = False
            if self._has_ended:
                fcntl.flock(self._writer, fcntl.LOCK_UN)
            return not self._has_ended

    def end(self) -> bool:
        """End the thread; return whether it still waits for the turn, and will close the lock files."""
        with self._guard:
            self._is_owner = not self._has_ended
        if not self._is_owner:
            self._is_over = True
            self._begun.release()
        return self._is_owner


def wait(lock: WriterLock, limit_s: float | None) -> None:
    """Wait for the turn. limit_s: None for the configured limit.

    Raises LockTimeout; ConfigError where the limit is needed and cannot be read.
    """
    try:
        waiter = lock.waiter = lock.waiter or TurnWait(lock)
    except RuntimeError:  # no thread can be started, as at the end of the process
        _wait_without_thread(lock, limit_s)
        return
    lock.pending, is_granted = None, False
    try:
        if not waiter.resume():
            waiter.begin()
        is_granted = waiter.join(_SHORT_S if limit_s is None else min(_SHORT_S, limit_s)) or _wait_long(
            lock, waiter, limit_s
        )
    finally:
        if not is_granted and waiter.give_up():
            lock.pending = waiter


def _wait_long(lock: WriterLock, waiter: TurnWait, limit_s: float | None) -> bool:
    """Wait for the turn after a short wait; warn after a while. Raises LockTimeout."""
    begun = time.monotonic() - _SHORT_S
    limit = _configured_limit_s() if limit_s is None else limit_s
    if limit > NOTICE_AFTER_S:
        if waiter.join(NOTICE_AFTER_S - _SHORT_S):
            return True
        _warn(lock.folder)
    if waiter.join(limit - (time.monotonic() - begun)):
        return True
    raise _timeout(lock.folder, limit)


def _wait_without_thread(lock: WriterLock, limit_s: float | None) -> None:
    limit = _configured_limit_s() if limit_s is None else limit_s
    if not lock.try_acquire(limit):
        raise _timeout(lock.folder, limit)


def _configured_limit_s() -> float:
    from importlib import import_module

    return float(import_module(_SETTINGS).value_of(_LOCK_TIMEOUT))


def _holder(folder: str) -> TurnHolder | None:
    return find_holder(folder)


def _warn(folder: str) -> None:
    holder = _holder(folder)
    who = f"{holder.description()} {holder.since()}" if holder else "programs that come and go"
    file_warnings.warn(f"waiting for the write turn: it is held by {who}")


def _timeout(folder: str, limit_s: float) -> LockTimeout:
    path = folder.removesuffix("-run")
    holder = _holder(folder)
    words = f"{path}: waited {limit_s:g} s for the write turn"
    if holder is None:
        return LockTimeout(words)
    return LockTimeout(f"{words}: held {holder.since()} by {holder.description()}", hint=holder.hint())
