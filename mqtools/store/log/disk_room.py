"""Room on the disk of a file that is written to: watched, so that a full disk can still be emptied of messages.

A reserve (``reserve``) is kept next to the file. Room is *low* when the reserve is not whole or the disk is almost
full. It is also low when both together are less than the growth of the file until its log can be reused. While room is
low each transaction has the reserve for itself: it gives the reserve up at its beginning, with the writer lock, and
makes it again of what is left at its end. Puts are refused meanwhile (``delivery``), so the reserve is there for gets
and deletes.
"""

from __future__ import annotations

import os
from time import monotonic

from mqtools.configuration.paths import MOST_DISK_LIMIT
from mqtools.errors import StorageError
from mqtools.store import OpenFile, open_files
from mqtools.store.descriptors import SharedFile
from mqtools.store.log.reserve_size import LITTLE, PAGE, RESERVE, wanted_bytes

#: Seconds from one look to the next of one database, at most, and bytes that may be written in a second meanwhile.
_INTERVAL_S, _SPEED = 0.05, 1 << 30


def check(database: OpenFile, file: SharedFile) -> None:
    """Check whether room is low; if it is, release the reserve. Only for the holder of the writer lock."""
    database.next_look = monotonic() + _INTERVAL_S
    try:
        left, reserved, pages, growth = _measure(file)
    except (OSError, StorageError):
        return  # what needs the file says what is wrong
    database.next_look = monotonic() + min(_INTERVAL_S, left / _SPEED)
    size = reserved or 0
    is_enough = size >= wanted_bytes(pages) and left >= LITTLE and left + size >= growth + 2 * LITTLE
    if is_enough:
        database.is_room_low = False
        if left >= MOST_DISK_LIMIT:
            return
    from mqtools.store.log import reserve  # most disks have room

    if left < MOST_DISK_LIMIT:
        reserve.warn(file.path, left)
    if is_enough:
        return
    database.is_room_low = not reserve.renew(database, pages, growth)
    if database.is_room_low:
        reserve.give_up(file.path)


def is_low_now(database: OpenFile) -> bool:
    """Return whether room is low, as the next change will find it; nothing is changed. database: may be read-only.

    Raises StorageError, OSError.
    """
    left, reserved, pages, growth = _measure(open_files.shared(database))
    wanted = wanted_bytes(pages - database.number("pragma freelist_count"))
    size = wanted if reserved is None else reserved
    return size + left < max(wanted + LITTLE, growth + 2 * LITTLE)


def has_room(database: OpenFile, length: int) -> bool:
    """Return whether the disk has room for a message of so many bytes, and a little more; True where there is no disk.

    It is written to the log, and then to the file, which grows by what its free pages do not take.
    """
    if database.file is None:
        return True
    growth = max(0, length - PAGE * database.number("pragma freelist_count"))
    return _measure(database.file)[0] >= length + growth + LITTLE


def _measure(file: SharedFile) -> tuple[int, int | None, int, int]:
    """Return the bytes left on the disk, the bytes of the reserve, and the pages of the file with its log.

    The last value is how many bytes the file must grow to have them all. A reserve of None does not exist.
    """
    disk = os.statvfs(os.path.dirname(file.path) or ".")
    try:
        reserved = os.stat(file.path + RESERVE).st_size
    except OSError:
        reserved = None
    size = os.fstat(file.descriptor).st_size
    has_index = os.path.exists(f"{file.path}-shm")  # not on a read-only disk
    pages = file.read_index()[1] if has_index else 0  # 0 while there is no log
    return disk.f_bavail * disk.f_frsize, reserved, pages or size // PAGE, max(0, pages * PAGE - size)
