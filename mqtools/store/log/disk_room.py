"""Room on the disk of a file that is written to: watched, so that a full disk can still be emptied of messages.

A reserve (``reserve``) lies beside the file. Room is *low* when the reserve is not whole, less than a little is left on
the disk, or both together are less than what the file has to grow by before its log can be used anew. While room is
low each transaction has the reserve for itself: it is given up at its beginning, with the writer lock, and made again
of what is left at its end. Puts are refused meanwhile (``delivery``), so the reserve is there for gets and deletes.
"""

from __future__ import annotations

import os
from time import monotonic

from mqtools.configuration.paths import MOST_DISK_LIMIT
from mqtools.errors import StorageError
from mqtools.store import open_files
from mqtools.store.log import log_mark
from mqtools.store.log.reserve_size import LITTLE, PAGE, reserve_path, wanted_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.types import OpenFile

#: Seconds from one look to the next of one database, at most, and bytes that may be written in a second meanwhile.
_INTERVAL_S, _SPEED = 0.05, 1 << 30


class Room:
    """Room on the disk of a file, as it was last looked at.

    is_low: puts are refused.  next_look: when to look again, by ``time.monotonic``.
    """

    __slots__ = ("is_low", "next_look")

    def __init__(self) -> None:
        self.is_low = False
        self.next_look = 0.0


def check(database: OpenFile) -> None:
    """Check whether room is low; if it is, release the reserve. Only for the holder of the writer lock."""
    database.room.next_look = monotonic() + _INTERVAL_S
    if database.file is None:
        return
    path = database.real_path
    try:
        left = _left(path)
        pages, growth = _pages(database)
    except (OSError, StorageError):
        return  # what needs the file says what is wrong
    database.room.next_look = monotonic() + min(_INTERVAL_S, left / _SPEED)
    try:
        size = os.stat(reserve_path(path)).st_size
    except OSError:
        size = 0
    is_enough = size >= wanted_bytes(pages) and left >= LITTLE and left + size >= growth + 2 * LITTLE
    if is_enough:
        database.room.is_low = False
        if left >= MOST_DISK_LIMIT:
            return
    from mqtools.store.log import reserve  # most disks have room

    if left < MOST_DISK_LIMIT:
        reserve.warn(path, left)
    if is_enough:
        return
    database.room.is_low = not reserve.renew(database, pages, growth)
    if database.room.is_low:
        reserve.give_up(path)


def is_low_now(database: OpenFile) -> bool:
    """Return whether room is low, as the next change will find it; nothing is changed. database: may be read-only.

    Raises StorageError, OSError.
    """
    path = database.real_path
    pages, growth = _pages(database)
    row = database.one("pragma freelist_count")
    wanted = wanted_bytes(pages - (0 if row is None else int(row[0])))
    size = os.stat(reserve_path(path)).st_size if os.path.exists(reserve_path(path)) else wanted
    return size + _left(path) < max(wanted + LITTLE, growth + 2 * LITTLE)


def _left(path: str) -> int:
    disk = os.statvfs(os.path.dirname(path) or ".")
    return disk.f_bavail * disk.f_frsize


def has_room(database: OpenFile, number: int) -> bool:
    """Return whether the disk has so many bytes, and a little more; True where there is no disk."""
    if database.file is None:
        return True
    return _left(database.real_path) >= number + LITTLE


def _pages(database: OpenFile) -> tuple[int, int]:
    """Return the pages of a file with its log, and the bytes by which it has to grow to have them all."""
    size = os.fstat(open_files.shared(database).descriptor).st_size
    has_index = os.path.exists(f"{database.real_path}-shm")  # not on a read-only disk
    pages = log_mark.pages(open_files.shared(database).index()) if has_index else 0  # 0 while there is no log
    return pages or size // PAGE, max(0, pages * PAGE - size)


def keep_reserve(database: OpenFile) -> None:
    """Make the reserve again at the end of a transaction while room is low, by the holder of the writer lock."""
    from mqtools.store.log import reserve

    reserve.keep(database)
