"""Locks of files, held as long as the process lives, on a local disk or on one that machines share."""

from __future__ import annotations

import fcntl
import os


def take(path: str, *, is_shared: bool, waits: bool, mode: int) -> int | None:
    """Lock a file, which is created if necessary; return it open, None if another process has locked it.

    A file that its holder deleted meanwhile counts for nothing: the one that is there now is locked.
    """
    how = (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | (0 if waits else fcntl.LOCK_NB)
    while True:
        number = _open(path, mode)
        try:
            fcntl.flock(number, how)
            if _is_same(number, path):
                return number
        except BlockingIOError:
            os.close(number)
            return None
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def take_alone(path: str, *, mode: int) -> int:
    """Lock a file when no other process has locked it any more; return it open."""
    number = take(path, is_shared=False, waits=True, mode=mode)
    assert number is not None
    return number


def _open(path: str, mode: int) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.fstat(number).st_uid == os.geteuid():
            os.fchmod(number, mode)
        return number


def _is_same(number: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False
