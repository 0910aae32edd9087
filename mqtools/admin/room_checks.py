"""Room on the disk of a queue manager: what is free, the limit, and the reserve for draining a full disk."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mqtools.admin.findings import NOTICE, SOUND, Finding
from mqtools.configuration.disk_limit import limit_bytes
from mqtools.errors import StorageError
from mqtools.formats.units import human_bytes
from mqtools.store.database import Database
from mqtools.store.log.reserve_size import RESERVE
from mqtools.store.maintenance import space
from mqtools.store.source import Source


@dataclass(frozen=True, slots=True)
class Room:
    """Room on the disk of a queue manager, in bytes. limit: below which mqx warns.  reserve: None where there is none.

    is_low: the disk is full, and puts are refused.
    """

    free: int
    limit: int
    reserve: int | None
    is_low: bool


def measure_room(source: Source) -> Room:
    """Measure the room on the disk of a queue manager. Raises ConfigError, OSError.

    source: a database, or a view of the queue manager.
    """
    db = source.db
    path = db.real_path + RESERVE
    reserve = os.lstat(path).st_size if os.path.lexists(path) else None
    try:
        is_low = space.is_low(db)
    except StorageError:
        is_low = False  # a damaged file, which takes no puts either
    return Room(space.room(_folder(db)), limit_bytes(), reserve, is_low)


def check_disk(db: Database) -> Finding:
    """Compare the free space of the disk with the limit."""
    folder = _folder(db)
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return Finding("disk", NOTICE, folder, "is read-only")
    found = measure_room(db)
    what = f"has {human_bytes(found.free)} left"
    if found.is_low:
        hint = "get or delete messages, then mqx qmgr compact; or free disk space"
        return Finding("disk", NOTICE, folder, f"{what}: puts are refused, gets and deletes work", hint)
    if found.free < found.limit:
        hint = "free disk space, or move the queue manager; disk_free_limit sets the limit"
        return Finding("disk", NOTICE, folder, f"{what}, less than the limit of {found.limit}", hint)
    return Finding("disk", SOUND, folder, what)


def check_reserve(db: Database) -> Finding:
    """Check the reserve, which is not there before the first change, and may be something else of that name."""
    path = db.real_path + RESERVE
    size = measure_room(db).reserve
    if size is None:
        return Finding("reserve", SOUND, path, "is made by the next change of the queue manager")
    if not os.path.isfile(path) or os.path.islink(path) or os.stat(path).st_nlink > 1:
        return Finding("reserve", NOTICE, path, "is not a plain file, and is not used", f"look at it, then rm {path}")
    return Finding(
        "reserve", SOUND, path, f"{human_bytes(size)} are kept, to get and delete messages when the disk is full"
    )


def _folder(db: Database) -> str:
    return os.path.dirname(db.real_path) or "."
