"""Proof of life, and the bell that wakes a waiting process.

A connection that holds something has a lock on the queue manager's file (``life_lock``) and two pipes in the run
folder. The lock proves that it lives, whatever happens to that folder. The *life* pipe is only kept open: when the
process dies, however it dies, the kernel closes the last write end, which wakes whoever waits for that. Where there are
no such locks it is the proof. A child that it forked keeps neither; a program that it executes keeps both if it is
given them (``Presence.share``), and with them what the connection holds. *Bell* is where other processes write a byte
to wake a wait.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM, MQRC_STORAGE_MEDIUM_FULL
from mqtools.store import OpenFile, descriptors, life_lock
from mqtools.store.descriptors import open_error
from mqtools.store.log.writer_lock import WriterLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from typing import Self


#: Seconds of sleep until a process checks that its bell still exists.
_TURN_S = 30.0
#: The same while it waits for the end of one whose pipe was removed: then only its lock can be asked.
_BLIND_S = 1.0

#: Error of a pipe that cannot be made to its reason. One not listed is a resource problem.
_REASONS = {
    errno.EACCES: MQRC_NOT_AUTHORIZED,
    errno.EPERM: MQRC_NOT_AUTHORIZED,
    errno.EROFS: MQRC_NOT_AUTHORIZED,
    errno.ENOSPC: MQRC_STORAGE_MEDIUM_FULL,
    errno.EDQUOT: MQRC_STORAGE_MEDIUM_FULL,
}


class Presence:
    """The lock and the pipes of one connection, held as long as it lives.

    token: says which they are.  life: the life pipe, None where there is none; its time says when the latest unit of
    work began, which needs no write to the file.
    """

    def __init__(self, database: OpenFile) -> None:
        self._database = database
        self._folder = database.run_folder
        self._bell: int | None = None
        token = life_lock.take(database)
        self.token = os.urandom(8) if token is None else token
        self._locks = [] if token is None or database.file is None else [database.file.life]
        self.life: int | None = None
        try:
            self.life = _make_pipe(self._folder, f"{self._folder}/life-{self.token.hex()}")
        except BaseException:
            Presence.close(self)
            raise

    def share(self) -> tuple[int, ...]:
        """Return descriptors for a program: the connection is alive while any process has them open."""
        assert self.life is not None
        if len(self._locks) == 1:
            self._locks.append(life_lock.take_for_programs(self._database, self.token))
        return (self.life, *self._locks[1:])

    @property
    def bell(self) -> int | None:
        """The descriptor that becomes readable by a ring; None before ``listen`` and after ``close``."""
        return self._bell

    def listen(self) -> None:
        """Create the bell. Call it before a waiter is registered, so that no ring is lost."""
        if self._bell is None:
            self._bell = _make_pipe(self._folder, f"{self._folder}/bell-{self.token.hex()}")

    def wait(self, timeout_s: float | None, others: Iterable[bytes] = (), watched: Iterable[int] = ()) -> bool:
        """Wait until the bell rings, another connection ends or this one is closed; return False when time ran out.

        timeout_s: None waits for ever.  others: tokens of connections whose death matters.  watched: descriptors
        that end the sleep when they can be read.
        """
        bell = self._bell
        if bell is None:
            return True  # closed by another thread
        import select  # late: a get that finds a message waits for nothing

        poll = select.poll()
        poll.register(bell, select.POLLIN)
        for descriptor in watched:
            poll.register(descriptor, select.POLLIN)
        with Ends(self._database, others) as ends:
            is_over = ends.is_one_gone
            for end in ends.descriptors:
                poll.register(end, 0)
            if not is_over:
                is_over = self._sleep_in_turns(poll, timeout_s, ends)
        if not ends.is_one_gone:
            self.drain()
        return is_over

    def _sleep_in_turns(self, poll: select.poll, timeout_s: float | None, ends: Ends) -> bool:
        """Sleep until something has ended it; return False when time ran out.

        After each turn it looks for what no pipe says: that its own bell was removed, or that a process has ended
        whose pipe was.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_s = ends.turn_s if deadline is None else min(ends.turn_s, deadline - time.monotonic())
            if self._sleep(poll, left_s) or ends.look_again() or self.renew_bell():
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return False

    def _sleep(self, poll: select.poll, timeout_s: float) -> list[tuple[int, int]]:
        """Return what ended the sleep, nothing when time ran out."""
        return poll.poll(max(0.0, timeout_s * 1000))

    def renew_bell(self) -> bool:
        """Recreate a removed bell; return whether it was removed: a ring may be lost."""
        bell = self._bell
        if bell is None or os.fstat(bell).st_nlink:
            return bell is None
        renewed = _make_pipe(self._folder, f"{self._folder}/bell-{self.token.hex()}")
        os.dup2(renewed, bell, inheritable=False)  # the number stays: other threads may be asleep on it
        descriptors.close(renewed)
        return True

    def drain(self) -> bool:
        """Read all rings; return whether there were any."""
        assert self._bell is not None
        rung = False
        try:
            while os.read(self._bell, 4096):
                rung = True
        except BlockingIOError:
            pass  # that was all
        return rung

    def close(self) -> None:
        """End the presence: from now on this connection counts as gone."""
        for descriptor, kind in ((self.life, "life"), (self._bell, "bell")):
            if descriptor is not None:
                remove_file(f"{self._folder}/{kind}-{self.token.hex()}")
                descriptors.close(descriptor)
        self.life = self._bell = None
        while self._locks:
            life_lock.release(self._locks.pop(), self.token)


class Ends:
    """The reading ends of the pipes of other connections, whose end wakes a sleep.

    descriptors: of those that can be watched.  unseen: tokens of the living whose pipe was removed or replaced.
    is_one_gone: one of them has ended.
    """

    def __init__(self, database: OpenFile, tokens: Iterable[bytes]) -> None:
        self._database = database
        self._tokens = tokens
        self.descriptors: list[int] = []
        self.unseen: list[bytes] = []
        self.is_one_gone = False

    def __enter__(self) -> Self:
        try:
            for token in self._tokens:
                self._watch(token)
                if self.is_one_gone:
                    break
        except BaseException:
            self.__exit__()
            raise
        return self

    def _watch(self, token: bytes) -> None:
        end = _open_reader(self._database.run_folder, token)
        if end is not None:
            self.descriptors.append(end)
        if end is None or _is_closed(end):
            self.is_one_gone = not is_alive(self._database, token)
            self.unseen.append(token)

    @property
    def turn_s(self) -> float:
        """Seconds of sleep until the next look at changes that no descriptor signals."""
        return _BLIND_S if self.unseen else _TURN_S

    def look_again(self) -> bool:
        """Return whether one of those has ended that cannot be watched."""
        self.is_one_gone = not all(is_alive(self._database, token) for token in self.unseen)
        return self.is_one_gone

    def __exit__(self, *_: object) -> None:
        for end in self.descriptors:
            os.close(end)


def is_alive(database: OpenFile, token: bytes) -> bool:
    """Return whether the connection with this presence still lives.

    Its lock decides. The pipe decides only for one that has no lock.
    """
    if life_lock.has_lock(token):
        return life_lock.is_held(database, token)
    end = _open_reader(database.run_folder, token)
    if end is None:
        return False
    try:
        return not _is_closed(end)
    finally:
        os.close(end)


def wait_for_one_to_leave(database: OpenFile, tokens: Iterable[bytes], timeout_s: float | None = None) -> None:
    """Wait until one of these connections has ended, for any reason.

    timeout_s: of the wait in seconds, None without limit.
    """
    import select

    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    with Ends(database, tokens) as ends:
        poll = select.poll()
        for end in ends.descriptors:
            poll.register(end, 0)
        while not ends.is_one_gone:
            left_s = ends.turn_s if deadline is None else min(ends.turn_s, deadline - time.monotonic())
            if left_s <= 0 or poll.poll(left_s * 1000) or ends.look_again():
                return


def ring(folder: str, token: bytes) -> None:
    """Wake a connection that waits. One that is gone or not listening is skipped."""
    try:
        bell = os.open(f"{folder}/bell-{token.hex()}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if stat.S_ISFIFO(os.fstat(bell).st_mode):  # never into a file that replaced the pipe
            os.write(bell, b"!")
    except (BlockingIOError, BrokenPipeError):
        return  # the pipe is full of rings already, or its reader has just died
    finally:
        os.close(bell)


def sweep(folder: str, token: bytes) -> None:
    """Remove what a dead connection left in the run folder."""
    remove_file(f"{folder}/life-{token.hex()}")
    remove_file(f"{folder}/bell-{token.hex()}")


def remove_file(path: str) -> None:
    """Remove a file that may be gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _is_closed(end: int) -> bool:
    """Return whether a pipe has no writer: then it reads as ended, otherwise as empty."""
    try:
        return os.read(end, 1) == b""
    except BlockingIOError:
        return False


def _make_pipe(folder: str, path: str) -> int:
    try:
        try:
            os.mkfifo(path, 0o600)
        except FileNotFoundError:  # the run folder was removed
            WriterLock(folder).close()
            os.mkfifo(path, 0o600)
        except FileExistsError:  # a foreign file: the names are ours
            os.unlink(path)
            os.mkfifo(path, 0o600)
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise open_error(error, path, _REASONS.get(error.errno or 0, MQRC_RESOURCE_PROBLEM)) from error
    descriptors.not_for_children.add(descriptor)
    return descriptor


def _open_reader(folder: str, token: bytes) -> int | None:
    """Open the life pipe of a connection, to see its end; return None where there is none."""
    path = f"{folder}/life-{token.hex()}"
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:  # a lack of descriptors is no proof of death
        raise open_error(error, path, MQRC_RESOURCE_PROBLEM) from error


def unit_began_at(folder: str, token: bytes) -> int | None:
    """Return when the latest unit of work of a connection began, in milliseconds since 1970; None if unknown."""
    try:
        return os.stat(f"{folder}/life-{token.hex()}").st_mtime_ns // 1_000_000
    except OSError:
        return None  # the run folder was emptied
