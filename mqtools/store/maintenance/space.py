"""Space that a file takes: measuring what is unused, and compacting the file.

SQLite keeps the pages of deleted rows for new ones. VACUUM rewrites the file: it makes a copy without them in a
temporary file, then writes that over the file through the log, as one transaction. Readers continue meanwhile, and
writers wait for their turn. A kill leaves the file unchanged.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from mqtools.constants.reasons import MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.records import Record
from mqtools.store.database import Database
from mqtools.store.log import checkpoint, disk_room, reserve
from mqtools.store.log.writer_lock import WriterLock

#: Bytes of messages up to which the copy is made in memory.
_IN_MEMORY = 64 << 20
#: Bytes that the log has more for each page.
_FRAME_HEADER = 24
#: Virtual machine instructions of SQLite from one call of ``tick`` to the next: some milliseconds.
_TICK = 200_000
#: Where SQLite looks for a place for temporary files, after the variables of the environment.
_TEMPORARY = ("/var/tmp", "/usr/tmp", "/tmp", ".")


@dataclass(slots=True)
class Space(Record):
    """The room that a queue manager takes, in bytes.

    file: of the file, including the log's changes.  free: of that, unused.  log: of the log.  growth: of the file until
    the log can be reused: with less room on the disk nothing can be written.
    """

    file: int
    free: int
    log: int
    growth: int
    page: int

    @property
    def needed(self) -> int:
        """Return the bytes of the file that are needed."""
        return self.file - self.free


def space(db: Database) -> Space:
    """Measure a file; nothing is counted, SQLite keeps these numbers."""
    with db.reading():
        pages, free, size = (db.number(f"pragma {name}") for name in ("page_count", "freelist_count", "page_size"))
    own, log = _sizes(db)
    return Space(pages * size, free * size, log, max(0, pages * size - own), size)


def on_disk(db: Database) -> int:
    """Return the bytes that a file and its log have on the disk at this moment."""
    return sum(_sizes(db))


def _sizes(db: Database) -> tuple[int, int]:
    log = f"{db.path}-wal"
    return os.path.getsize(db.path), os.path.getsize(log) if os.path.exists(log) else 0


def room(folder: str) -> int:
    """Return the bytes that are free on the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def is_low(db: Database) -> bool:
    """Return whether the disk is full, so that puts are refused: as a change of the file would find it."""
    return disk_room.is_low_now(db)


def compact(db: Database, tick: Callable[[], None]) -> bool:
    """Compact a file; return whether the disk has the space back already.

    If not, a program reads what the file was: the disk has it once that has ended and the file is written to again.
    tick: called now and then; what it raises ends the work, and the file is as it was.
    Raises StorageError: MQRC_STORAGE_MEDIUM_FULL when there is too little room for it.
    """
    lock = WriterLock(db.run_folder)
    has_given_up = False
    try:
        lock.acquire()
        found = space(db)
        if found.free and room(_folder(db)) < found.growth + 2 * found.needed:
            has_given_up = reserve.give_up(db.real_path)
        _check_growth(db, found)
        is_empty = _empty_log(db)
        if found.free:
            _check_room(db, found)
            _vacuum(db, found, tick)
            is_empty = _empty_log(db)
        return is_empty
    finally:
        if has_given_up:
            reserve.keep_for_file(db.real_path)
        lock.close()


def _vacuum(db: Database, found: Space, tick: Callable[[], None]) -> None:
    raised: list[BaseException] = []

    def step() -> bool:
        try:
            tick()
        except BaseException as error:  # SQLite cannot hand it on: it is raised below
            raised.append(error)
        return bool(raised)

    if found.needed <= _IN_MEMORY:
        db.run("pragma temp_store = memory")
    db.sql.set_progress_handler(step, _TICK)
    try:
        db.run("vacuum")
    except StorageError:
        if raised:
            raise raised[0] from None
        raise
    finally:
        db.sql.set_progress_handler(None, 0)


def _empty_log(db: Database) -> bool:
    """Move the log into the file, and make both as small as possible; False while a program reads."""
    checkpoint.mark_anew(db)
    row = checkpoint.move(db, "truncate")
    return row is not None and not row[0]


def _check_growth(db: Database, found: Space) -> None:
    """Raise StorageError when the disk lacks room for what is in the log."""
    folder = _folder(db)
    if room(folder) < found.growth:
        raise StorageError(
            f"{folder} has {room(folder)} bytes left, the file has to grow by {found.growth} before it can be smaller",
            MQRC_STORAGE_MEDIUM_FULL,
            hint="make so much room on that disk for a moment",
        )


def _folder(db: Database) -> str:
    return os.path.dirname(os.path.abspath(db.path))


def _check_room(db: Database, found: Space) -> None:
    """Raise StorageError when the disk lacks room for the copy and for the log it goes through."""
    folder = _folder(db)
    needs = {folder: found.needed + found.needed // found.page * _FRAME_HEADER}
    if found.needed > _IN_MEMORY:
        other = temporary_folder()
        same = os.stat(other).st_dev == os.stat(folder).st_dev
        needs[folder if same else other] = needs.get(folder, 0) * same + found.needed
    for place, needed in needs.items():
        if room(place) < needed:
            raise StorageError(
                f"{place} has {room(place)} bytes left, {needed} are needed to rewrite the file",
                MQRC_STORAGE_MEDIUM_FULL,
                hint=f"the file needs {found.needed} bytes, for a while twice or three times; SQLITE_TMPDIR can name a "
                "folder of another disk; nothing has been changed",
            )


def temporary_folder() -> str:
    """Return the folder in which SQLite makes temporary files: the first that it can write to."""
    named = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"))
    for folder in (*named, *_TEMPORARY):
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return "."
