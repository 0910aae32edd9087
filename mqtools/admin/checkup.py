"""What a doctor sees of a queue manager: its file, who may read it, room on the disk, what the dead left behind."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.admin import compaction
from mqtools.errors import StorageError
from mqtools.store import checkup, holders, space
from mqtools.store.liveness import is_alive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.store.database import Database

#: States of what was looked at: nothing to do, to be looked at, not to be used as it is.
SOUND, NOTICE, DAMAGED = "ok", "notice", "damaged"

#: Bytes of room below which a disk counts as full.
LITTLE_ROOM = 64 << 20
_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. check: what kind; subject: which; what: in words; hint: what to do, or None."""

    check: str
    state: str
    subject: str
    what: str
    hint: str | None = None


def look(db: Database, *, thorough: bool = False) -> Iterator[Finding]:
    """Look at a queue manager, one finding at least for each check; a damaged file is not asked for more.

    thorough: see ``mqtools.store.checkup.damage``.
    """
    file = list(_file(db, thorough))
    yield from file
    yield from _log(db)
    yield from _permissions(db)
    yield _disk(db)
    if file[0].state == SOUND:
        yield _space(db)
    yield _pipes(db)
    if file[0].state == SOUND:
        yield _programs(db)


def _file(db: Database, thorough: bool) -> Iterator[Finding]:
    try:
        mistakes = checkup.damage(db, thorough=thorough)
    except StorageError as error:
        mistakes = [error.text]
    for mistake in mistakes:
        yield Finding("file", DAMAGED, db.path, mistake, "copy the file, and unload from the copy what can be read")
    if not mistakes:
        yield Finding("file", SOUND, db.path, "no damage")


def _log(db: Database) -> Iterator[Finding]:
    """Report what is committed and not in the file yet, and logs that are not of this file."""
    left = checkup.foreign_logs(db)
    for path in left:
        yield Finding("log", NOTICE, path, "of another file or time, was set aside", "delete it when it is not needed")
    if db.lacks_log:
        what = "the file lacks its log and may lack the newest messages: it was copied while a program used it"
        yield Finding("log", NOTICE, db.path, what, "mqx qmgr backup makes a complete copy")
    elif checkup.is_flush_due(db):
        what = "a flush to disk has failed; nothing is acknowledged until one succeeds"
        yield Finding("log", NOTICE, db.path, what, "check the disk, then mqx qmgr backup to another disk")
    elif not db.log_found:
        yield Finding("log", SOUND, db.path, "the file is complete by itself; copy it, or mqx qmgr backup")
    else:
        what = f"{db.log_found} bytes in {db.path}-wal may not be in the file yet"
        if checkup.is_open_elsewhere(db):
            hint = "mqx qmgr backup copies both; the last program to end moves them into the file"
        else:
            what += ": the last program was killed"
            hint = "the next mqx command moves them into the file; until then copy it with mqx qmgr backup only"
        yield Finding("log", SOUND, db.path, what, hint)


def _permissions(db: Database) -> Iterator[Finding]:
    """Look who else may read or write the files; they hold messages."""
    found = False
    beside = (f"{db.path}-wal", f"{db.path}-shm") if db.log_found else ()  # else they go when the file is closed
    for path in (db.path, *beside, db.run_folder):
        try:
            status = os.stat(path)
        except FileNotFoundError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if mode & _FOR_OTHERS:
            found = True
            yield Finding("permissions", NOTICE, path, f"open to others (mode {mode:04o})", f"chmod go= {path}")
        if status.st_uid != os.geteuid():
            found = True
            yield Finding("permissions", NOTICE, path, f"belongs to user {status.st_uid}")
    if not found:
        yield Finding("permissions", SOUND, db.path, "for its owner alone")


def _disk(db: Database) -> Finding:
    folder = os.path.dirname(db.path) or "."
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return Finding("disk", NOTICE, folder, "is read-only")
    left = space.room(folder)
    if left < LITTLE_ROOM:
        return Finding("disk", NOTICE, folder, f"has {left} bytes left", "make room, or move the queue manager")
    return Finding("disk", SOUND, folder, f"has {left} bytes left")


def _space(db: Database) -> Finding:
    """Say how much of the file is needed for nothing: that is no mistake, it is used again."""
    found = space.space(db)
    what = f"{found.free} of {found.file} bytes are free for messages to come, the log has {found.log}"
    if found.growth > space.room(os.path.dirname(db.path) or "."):
        hint = f"{found.growth} bytes more on the disk are needed before anything can be written"
        return Finding("space", NOTICE, db.path, what, hint)
    hint = f"mqx qmgr compact -m {db.path} gives them back to the disk" if compaction.is_worth_it(found) else ""
    return Finding("space", SOUND, db.path, what, hint or None)


def _programs(db: Database) -> Finding:
    """Say which programs hold something of the queue manager."""
    living = [one for one in holders.connections(db) if one.token and is_alive(db.run_folder, one.token)]
    names = ", ".join(f"{one.appl_name} ({one.pid})" for one in living)
    return Finding("programs", SOUND, db.path, names or "none holds anything")


def _pipes(db: Database) -> Finding:
    try:
        left = checkup.leftover_pipes(db.run_folder)
    except FileNotFoundError:
        left = []
    except (OSError, StorageError) as error:
        return Finding("pipes", NOTICE, db.run_folder, str(error))
    if not left:
        return Finding("pipes", SOUND, db.run_folder, "none left by a dead process")
    what = f"{len(left)} left by dead processes, such as {left[0]}; they do no harm"
    return Finding("pipes", SOUND, db.run_folder, what, "whoever needs what those held removes them, and you may")
