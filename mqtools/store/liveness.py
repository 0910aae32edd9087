"""Proof of life, and the bell that wakes a waiting process: named pipes that the kernel closes.

A connection that holds something has two pipes in the run folder of its queue manager. *Presence* is only
kept open: when the process dies, however it dies, the kernel closes the last write end, and any reader
sees it at once. A child that it forked keeps neither; a program that it executes keeps the first if it is given it
(``Presence.descriptor``), and with it what the connection holds. *Bell* is where other processes write a byte to wake
a wait.
"""

from __future__ import annotations

import errno
import os
import select
import stat

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Seconds in one poll; it can count the milliseconds of 24 days.
_LONGEST_POLL_S = 1_000_000

#: Error of a pipe that cannot be made to its reason. One not listed is a resource problem.
_REASONS = {
    errno.EACCES: MQRC_NOT_AUTHORIZED,
    errno.EPERM: MQRC_NOT_AUTHORIZED,
    errno.EROFS: MQRC_NOT_AUTHORIZED,
    errno.ENOSPC: MQRC_STORAGE_MEDIUM_FULL,
    errno.EDQUOT: MQRC_STORAGE_MEDIUM_FULL,
}


class Presence:
    """The pipes of one connection, held open as long as it lives."""

    __slots__ = ("_bell", "_folder", "_life", "token")

    def __init__(self, folder: str) -> None:
        self.token = os.urandom(8)
        self._folder = folder
        self._life = _make_pipe(_life_path(folder, self.token))
        self._bell: int | None = None

    @property
    def descriptor(self) -> int:
        """Return the open end of the proof of life: the connection counts as alive while any process has it open."""
        return self._life

    def listen(self) -> None:
        """Create the bell. Call it before a waiter is registered, so that no ring is lost."""
        if self._bell is None:
            self._bell = _make_pipe(_bell_path(self._folder, self.token))

    def wait(self, timeout_s: float | None, others: Iterable[bytes] = (), watched: Iterable[int] = ()) -> bool:
        """Wait until the bell rings, another connection ends or this one is closed; return False when time ran out.

        timeout_s: None waits for ever.  others: tokens of connections whose death matters.  watched: descriptors
        that end the sleep when they can be read.
        """
        bell = self._bell
        if bell is None:
            return True  # closed by another thread
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        for descriptor in watched:
            poll.register(descriptor, select.POLLIN)
        ends = []
        try:
            for token in others:
                end = _open_reader(_life_path(self._folder, token))
                if end is None or _is_closed(end):
                    return True
                ends.append(end)
                poll.register(end, 0)
            events = self._sleep(poll, timeout_s)
        finally:
            for end in ends:
                os.close(end)
        self._drain()
        return bool(events)

    def _sleep(self, poll: select.poll, timeout_s: float | None) -> list[tuple[int, int]]:
        """Return what ended the sleep, nothing when time ran out."""
        while timeout_s is not None and timeout_s > _LONGEST_POLL_S:
            if events := poll.poll(_LONGEST_POLL_S * 1000):
                return events
            timeout_s -= _LONGEST_POLL_S
        return poll.poll(None if timeout_s is None else max(0.0, timeout_s * 1000))

    def _drain(self) -> bool:
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
        for descriptor, path in (
            (self._life, _life_path(self._folder, self.token)),
            (self._bell, _bell_path(self._folder, self.token)),
        ):
            if descriptor is not None:
                remove_file(path)
                fork.close(descriptor)
        self._bell = None


def is_alive(folder: str, token: bytes) -> bool:
    """Return whether the connection with this presence still lives."""
    end = _open_reader(_life_path(folder, token))
    if end is None:
        return False
    try:
        return not _is_closed(end)
    finally:
        os.close(end)


def wait_for_one_to_leave(folder: str, tokens: Iterable[bytes]) -> None:
    """Wait until one of these connections has ended, for whatever reason."""
    poll = select.poll()
    ends = []
    try:
        for token in tokens:
            end = _open_reader(_life_path(folder, token))
            if end is None:
                return
            ends.append(end)
            if _is_closed(end):
                return
            poll.register(end, 0)
        poll.poll()
    finally:
        for end in ends:
            os.close(end)


def ring(folder: str, token: bytes) -> None:
    """Wake a connection that waits. One that is gone or not listening is passed over."""
    try:
        bell = os.open(_bell_path(folder, token), os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if stat.S_ISFIFO(os.fstat(bell).st_mode):  # never into a file that somebody has put there
            os.write(bell, b"!")
    except (BlockingIOError, BrokenPipeError):
        return  # the pipe is full of rings already, or its reader has just died
    finally:
        os.close(bell)


def sweep(folder: str, token: bytes) -> None:
    """Remove what a dead connection left in the run folder."""
    remove_file(_life_path(folder, token))
    remove_file(_bell_path(folder, token))


def remove_file(path: str) -> None:
    """Remove a file that may be gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _is_closed(end: int) -> bool:
    """Return whether nobody has a pipe open for writing: then it reads as ended, otherwise as empty."""
    try:
        return os.read(end, 1) == b""
    except BlockingIOError:
        return False


def _make_pipe(path: str) -> int:
    try:
        os.mkfifo(path, 0o600)
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, MQRC_RESOURCE_PROBLEM)
        raise StorageError(f"{path}: {error.strerror}", reason) from error
    fork.keep_from_children(descriptor)
    return descriptor


def _open_reader(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:  # a lack of descriptors is no proof of death
        raise StorageError(f"{path}: {error.strerror}", MQRC_RESOURCE_PROBLEM) from error


def _life_path(folder: str, token: bytes) -> str:
    return f"{folder}/life-{token.hex()}"


def _bell_path(folder: str, token: bytes) -> str:
    return f"{folder}/bell-{token.hex()}"
