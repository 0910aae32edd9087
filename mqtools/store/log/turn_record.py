"""Record of the holder of the writer lock, in the memory of the lock's file: who it is, and whether it is asked for it.

Numbers have their lowest byte first: process id and milliseconds since 1970 in eight bytes each; one byte that says
that the holder keeps the turn between its calls (``kept_turn``), one by which others say that they want it, and one by
which a writer says that it is the next; five bytes that count how often it was kept; the first bytes of the presence
token of who keeps it. Whoever has the turn often writes it without a system call.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from mqtools.store import fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

LENGTH = 32
#: Where what begins.
KEPT, WANTED, AWAITED, NUMBER, TOKEN = 16, 17, 18, 19, 24

#: Seconds for which a reader waits: a process that was stopped meanwhile does not keep others from what is committed.
_PATIENCE_S = 0.25
_STEP_S = 0.0002


def map_record(folder: str) -> mmap | None:
    """Map the record of a run folder; None where that cannot be, which takes nothing but the words away.

    By a descriptor of its own: a forked child has the mapping too, which would keep the lock of the other one.
    """
    try:
        from mmap import mmap  # a file of its own, which few descriptors cannot open

        descriptor = os.open(f"{folder}/writer", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (OSError, ImportError):
        return None
    try:
        size = os.fstat(descriptor).st_size
        if size < LENGTH:
            os.pwrite(descriptor, bytes(LENGTH - size), size)  # no truncation: the block must be there on a full disk
        return mmap(descriptor, LENGTH)
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


def write_holder(descriptor: int, holder: bytes) -> bool:
    """Write who has the turn; return whether the one before had kept it, and died with it.

    descriptor: of the writer's file.  holder: what goes before ``AWAITED``.
    """
    before = os.pread(descriptor, LENGTH, 0)
    try:
        os.pwrite(descriptor, holder if len(before) == LENGTH else holder.ljust(LENGTH, b"\0"), 0)
    except OSError:
        return before[KEPT:WANTED] == b"\1"  # a full disk takes nothing but the words away
    return before[KEPT:WANTED] == b"\1"


def try_lock(descriptor: int) -> bool:
    """Take a lock if it is free; return whether it was."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(descriptor: int) -> bool:
    """Return whether somebody has the lock: a shared lock, which no writer ever has, is refused then."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def read_record(descriptor: int) -> tuple[int, int | None]:
    """Return process id and time (milliseconds since 1970) of the last holder; 0 and None where there was none."""
    record = os.pread(descriptor, LENGTH, 0)
    return int.from_bytes(record[:8], "little"), int.from_bytes(record[8:KEPT], "little") or None


def ask(descriptor: int, folder: str) -> bytes | None:
    """Ask for the turn if somebody keeps it; return which time of keeping that is, None when nobody does.

    descriptor: of the writer's file.
    """
    if os.fstat(descriptor).st_size < LENGTH:
        return None
    try:
        os.pwrite(descriptor, b"\1", WANTED)
    except OSError as error:
        if error.errno != errno.EBADF:  # it may be open for reading only: then the turn comes a little later
            raise
    record = os.pread(descriptor, LENGTH, 0)
    if not record[KEPT]:
        return None
    _ring(bell_path(folder, record[TOKEN:]))
    return record[NUMBER:TOKEN]


def note_awaited(descriptor: int, *, is_awaited: bool) -> None:
    """Write whether a writer waits for the turn as the next. Only for the holder of *turn* (``writer_lock``).

    descriptor: of the writer's file.
    """
    if os.fstat(descriptor).st_size >= LENGTH:  # else nobody has mapped it
        os.pwrite(descriptor, bytes([is_awaited]), AWAITED)


def kept_number(descriptor: int) -> bytes | None:
    """Return which time of keeping the turn this is, None when nobody keeps it."""
    record = os.pread(descriptor, LENGTH, 0)
    return record[NUMBER:TOKEN] if len(record) == LENGTH and record[KEPT] else None


def bell_path(folder: str, token: bytes) -> str:
    """Return the path of the pipe by which the connection with a presence token is asked for the turn."""
    return f"{folder}/turn-{short(token).hex()}"


def short(token: bytes) -> bytes:
    """Return as much of a presence token as the record has room for."""
    return token[: LENGTH - TOKEN]


def _ring(path: str) -> None:
    try:
        bell = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return  # it has just ended, or it gives the turn back by itself
    try:
        if stat.S_ISFIFO(os.fstat(bell).st_mode):  # never into a file that somebody has put there
            os.write(bell, b"!")
    except (BlockingIOError, BrokenPipeError):
        return  # it is full of rings already, or its reader has just died
    finally:
        os.close(bell)


class TurnView:
    """The write turn as a reader sees it: whether it is kept, and how to have it given back.

    The file of the turn of a run folder is opened when it is first there.
    """

    __slots__ = ("_descriptor", "_folder")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    def ask_back(self) -> None:
        """Ask for the turn if it is kept between calls, and wait until it was given back or its process has died."""
        if self._descriptor is None:
            self._descriptor = _open_record(self._folder)
            if self._descriptor is None:
                return
        if kept_number(self._descriptor) is None:
            return
        number = ask(self._descriptor, self._folder)
        deadline = time.monotonic() + _PATIENCE_S
        while number is not None and kept_number(self._descriptor) == number:
            if time.monotonic() > deadline or not is_locked(self._descriptor):
                return
            time.sleep(_STEP_S)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            fork.close(self._descriptor)
            self._descriptor = None


def _open_record(folder: str) -> int | None:
    for way in (os.O_RDWR, os.O_RDONLY):
        try:
            descriptor = os.open(f"{folder}/writer", way | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError:
            continue
        fork.keep_from_children(descriptor)
        return descriptor
    return None
