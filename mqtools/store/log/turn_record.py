"""Record of the holder of the writer lock, in the memory of the lock's file: who it is, and whether it is asked for it.

Numbers have their lowest byte first: process id and milliseconds since 1970 in eight bytes each; one byte that says
that the holder keeps the turn between its calls (``kept_turn``), and one by which others say that they want it; six
bytes that count how often it was kept; the first bytes of the presence token of who keeps it. It is written without a
system call.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

LENGTH = 32
#: Where what begins.
KEPT, WANTED, NUMBER, TOKEN = 16, 17, 18, 24


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
