"""The reserve of a file: room on its disk that is kept for the day when the disk is full.

It is a file of its own (``NAME.db-reserve``), allocated and never written, readable by the owner only. One that is
not whole says, to every process, that room is low (``disk_room``). It is never made or changed through a link, and
one that is not a plain file of the owner is left alone: then there is no reserve.
"""

from __future__ import annotations

import os
import stat

from mqtools.configuration.disk_limit import limit_bytes
from mqtools.errors import StorageError
from mqtools.store import OpenFile, file_warnings, open_files
from mqtools.store.log import checkpoint
from mqtools.store.log.reserve_size import LEAST, LITTLE, PAGE, RESERVE, wanted_bytes

#: Bytes that the reserve lacks, at least, while room is low.
_MISSING = 4096
#: Bytes that a program needs to open a file on a full disk: the index of the log, and the log.
_TO_OPEN = 256 << 10
#: The smallest part of the reserve that is tried.
_LEAST_PART = 64 << 10
#: Pages in the log that cause a move into the file at the end of a transaction while room is low.
_MANY_FRAMES = 128
#: Bytes of a log that is cut while room is low.
_LONG_LOG = 6 << 20

#: Files whose users were warned by this process.
_warned: set[str] = set()


def warn(path: str, left: int) -> None:
    """Warn once in a process that less than the configured limit is left on the disk of a file."""
    if path in _warned:
        return
    limit = limit_bytes()
    if left < limit:
        _warned.add(path)
        words = f"only {left >> 20} MiB are left on this disk; disk_free_limit is {limit >> 20} MiB"
        file_warnings.warn(f"{os.path.dirname(path)}: {words}")


def renew(database: OpenFile, pages: int, growth: int) -> bool:
    """Make the reserve whole; return whether that succeeded with enough room left on the disk.

    True also where a reserve is impossible: in a read-only folder, or where another file has its name.
    pages: of the file with its log.  growth: bytes that the file has to grow by to have them all.
    """
    descriptor = _open(database.real_path, os.O_CREAT)
    if descriptor is None:
        return True
    try:
        size = wanted_bytes(pages - database.number("pragma freelist_count"))
        before = os.fstat(descriptor).st_size
        os.ftruncate(descriptor, min(size, before))
        is_whole = _allocate(descriptor, size + max(LITTLE, growth + 2 * LITTLE - size))
        os.ftruncate(descriptor, size if is_whole else min(size, before))
    except (OSError, StorageError):
        return False
    finally:
        os.close(descriptor)
    return is_whole


def give_up(path: str, number: int | None = None) -> bool:
    """Release the reserve, or a number of bytes of it; return whether there was any."""
    descriptor = _open(path)
    if descriptor is None:
        return False
    try:
        before = os.fstat(descriptor).st_size
        os.ftruncate(descriptor, 0 if number is None else max(0, before - number))
        return before > 0
    except OSError:
        return False
    finally:
        os.close(descriptor)


def lend(path: str) -> bool:
    """Release what a program needs to open the file on a full disk; return whether there was anything to give up."""
    return give_up(os.path.realpath(path), _TO_OPEN)


def keep(database: OpenFile) -> None:
    """Make the reserve again, of what is left, at the end of a transaction while room is low.

    The log is moved into the file first, so that the next transaction need not lengthen it.
    """
    try:
        file = open_files.shared(database)
        if file.read_index()[0] >= _MANY_FRAMES:
            checkpoint.move(database, "passive")
        if os.path.getsize(f"{database.real_path}-wal") > _LONG_LOG:
            # An earlier reader made it long, and its room is needed.
            checkpoint.without_waiting(database, lambda: checkpoint.move(database, "truncate"))
        pages = file.read_index()[1] or os.fstat(file.descriptor).st_size // PAGE
        size = wanted_bytes(pages - database.number("pragma freelist_count"))
    except (OSError, StorageError):
        size = LEAST  # the disk fails: the next transaction reports it
    fill(database.real_path, size)


def keep_for_file(path: str) -> None:
    """Make the reserve again of what is left, for a file without a log."""
    try:
        pages = os.path.getsize(path) // PAGE
    except OSError:
        return  # the file is gone
    fill(path, wanted_bytes(pages))


def fill(path: str, size: int) -> None:
    """Make as much of the reserve as there is room for, but not all of it."""
    descriptor = _open(path, os.O_CREAT)
    if descriptor is None:
        return
    try:
        disk = os.fstatvfs(descriptor)
        left = os.fstat(descriptor).st_size + disk.f_bavail * disk.f_frsize
        part = min(size - _MISSING, left - _LEAST_PART)
        while part >= _LEAST_PART and not _allocate(descriptor, part):
            part //= 2
        os.ftruncate(descriptor, part if part >= _LEAST_PART else 0)
    except OSError:
        return  # it is as large as it is
    finally:
        os.close(descriptor)


def _allocate(descriptor: int, size: int) -> bool:
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        return False
    return True


def _open(path: str, flags: int = 0) -> int | None:
    """Open the reserve; None where there is none, or it cannot be opened, or is not a plain file of the owner's."""
    flags |= os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path + RESERVE, flags, 0o600)
    except OSError:
        return None
    found, owner = os.fstat(descriptor), os.stat(path).st_uid
    if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_uid in (os.geteuid(), owner):
        if found.st_uid != owner and not found.st_size:
            os.fchown(descriptor, owner, -1)  # made by root for another user
        return descriptor
    os.close(descriptor)
    return None
