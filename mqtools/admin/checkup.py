"""Checks of a queue manager: file integrity, log, permissions, disk space, and leftovers of dead processes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from mqtools.admin import compaction, error_log, log_checks, room_checks
from mqtools.admin.findings import DAMAGED, NOTICE, SOUND, Finding, or_sound
from mqtools.admin.transactions import read_transactions
from mqtools.errors import StorageError
from mqtools.formats.phrases import counted
from mqtools.formats.units import rfc3339
from mqtools.mqi.identity import now_ms
from mqtools.store import holders
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive
from mqtools.store.log.turn_holder import find_holder
from mqtools.store.maintenance import checkup, space

#: Damaged messages that are named one by one.
_MOST_MESSAGES = 20
_DAY_MS, _HOUR_MS = 86_400_000, 3_600_000
_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_up(db: Database, *, thorough: bool = False) -> Iterator[Finding]:
    """Check a queue manager; yield at least one finding per check. Checks that read a damaged file are skipped.

    thorough: see ``mqtools.store.maintenance.checkup.damage``.
    """
    file = list(or_sound(_damage(db, thorough), "file", db.path, "no damage"))
    yield from file
    yield from _log(db)
    yield from or_sound(_permissions(db), "permissions", db.path, "accessible to the owner only")
    yield room_checks.check_disk(db)
    yield room_checks.check_reserve(db)
    if file[0].state == SOUND:
        yield from or_sound(_messages(db), "messages", db.path, "all are as they were put")
        yield from or_sound(_locks(db), "locks", db.path, "none without a lease is older than a day")
        yield from or_sound(_errors(db), "errors", db.path, "nothing severe in the error log of the last day")
        yield from or_sound(_transactions(db), "transactions", db.path, "none is prepared for more than an hour")
        yield _space(db)
        yield log_checks.check_readers(db)
    yield from or_sound(_pipes(db), "pipes", db.run_folder, "none left by a dead process")
    yield from or_sound(_writer(db), "writer", db.run_folder, "no process holds the write turn")
    if file[0].state == SOUND:
        yield _programs(db)


def _damage(db: Database, thorough: bool) -> Iterator[Finding]:
    try:
        mistakes = checkup.damage(db, thorough=thorough)
    except StorageError as error:
        mistakes = [error.text]
    for mistake in mistakes:
        yield Finding("file", DAMAGED, db.path, mistake, "copy the file, and unload the readable messages of the copy")


def _messages(db: Database) -> Iterator[Finding]:
    """Compare each message with its checksum."""
    number = 0
    for q_name, msg_id in checkup.damaged_messages(db):
        number += 1
        if number <= _MOST_MESSAGES:
            text = msg_id.hex().upper()
            hint = f"mqx lock --list {q_name} shows whether it is quarantined; delete it by its id or lock id"
            yield Finding("messages", DAMAGED, f"{q_name} {text}", "its bytes are not those that were put", hint)
    if number > _MOST_MESSAGES:
        yield Finding("messages", DAMAGED, db.path, f"{number} messages are damaged in all")


def _errors(db: Database) -> Iterator[Finding]:
    """Report what is severe in the error log of the last day."""
    severe = [each for each in error_log.entries(db, since_ms=now_ms() - _DAY_MS) if each.severity == "S"]
    if severe:
        number, last = counted(len(severe), "severe entry", "severe entries"), severe[-1]
        what = f"{number}, the last at {rfc3339(last.last_at)}: {last.text}"
        yield Finding("errors", NOTICE, db.path, what, "mqx log --since -24h")


#: Kind of holder to its word, and how to end it.
_ENDS = {
    "lock": ("lock", "mqx unlock {} --lock-id ID unlocks it"),
    "confirm": ("confirm id", "mqx confirm put|get {0} N, or mqx undo {0} --confirm-id N"),
}


def _locks(db: Database) -> Iterator[Finding]:
    """Report old locks and confirm ids without a lease, which may be forgotten."""
    for q_name, kind, number, since in checkup.old_holders(db, now_ms() - _DAY_MS):
        one, end = _ENDS[kind]
        what = f"{counted(number, one)} without a lease held for more than a day, the oldest since {rfc3339(since)}"
        hint = f"mqx lock --list {q_name} shows what is held; {end.format(q_name)}"
        yield Finding("locks", NOTICE, q_name, what, hint)


def _transactions(db: Database) -> Iterator[Finding]:
    """Report transactions that are prepared for long: their messages stay out of reach."""
    found = [each for each in read_transactions(db) if each.state == "prepared" and each.since < now_ms() - _HOUR_MS]
    for each in found:
        words = f"prepared for more than an hour, since {rfc3339(each.since)}: {counted(each.puts + each.gets)}"
        hint = "start its transaction manager; else mqx qmgr transactions --commit ID or --backout ID"
        yield Finding("transactions", NOTICE, f"{each.number} {each.xid}", words, hint)


def _log(db: Database) -> Iterator[Finding]:
    """Check for committed data that is not in the file yet, and for logs of other files."""
    for path in checkup.foreign_logs(db):
        what = "does not belong to this file and was renamed"
        yield Finding("log", NOTICE, path, what, "delete it if it is not needed")
    if checkup.is_flush_due(db):
        what = "a flush to disk has failed; no operation is acknowledged until a flush succeeds"
        yield Finding("log", NOTICE, db.path, what, "check the disk, then mqx qmgr backup to another disk")
    elif not (size := checkup.log_size(db)):
        yield Finding("log", SOUND, db.path, "the file is complete; copy it, or use mqx qmgr backup")
    else:
        what = f"{size} bytes in {db.real_path}-wal may not be in the file yet"
        if checkup.is_open_elsewhere(db):
            hint = "copy both with mqx qmgr backup; the last program to end moves them into the file"
        else:
            what += ": the last program was killed"
            hint = "the next mqx command moves them into the file; until then copy it with mqx qmgr backup only"
        yield Finding("log", SOUND, db.path, what, hint)


def _permissions(db: Database) -> Iterator[Finding]:
    """Check that only the owner can access the files, which contain messages."""
    # Without a log they are deleted at close.
    beside = (f"{db.real_path}-wal", f"{db.real_path}-shm") if checkup.log_size(db) else ()
    for path in (db.path, *beside, db.run_folder):
        try:
            status = os.stat(path)
        except FileNotFoundError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if mode & _FOR_OTHERS:
            yield Finding("permissions", NOTICE, path, f"accessible to others (mode {mode:04o})", f"chmod go= {path}")
        if status.st_uid != os.geteuid():
            yield Finding("permissions", NOTICE, path, f"belongs to user {status.st_uid}")


def _space(db: Database) -> Finding:
    """Report the unused part of the file, which later messages use."""
    found = space.space(db)
    what = f"{found.free} of {found.file} bytes are free for new messages; the log has {found.log} bytes"
    if found.growth > space.room(os.path.dirname(db.path) or "."):
        hint = f"{found.growth} more bytes of disk space are needed before anything can be written"
        return Finding("space", NOTICE, db.path, what, hint)
    hint = f"mqx qmgr compact -m {db.path} returns them to the disk" if compaction.is_worth_it(found) else ""
    return Finding("space", SOUND, db.path, what, hint or None)


def _programs(db: Database) -> Finding:
    """Report the connected programs."""
    living = [one for one in holders.connections(db) if one.token and is_alive(db, one.token)]
    names = ", ".join(f"{one.appl_name} ({one.pid})" for one in living)
    return Finding("programs", SOUND, db.path, names or "no program is connected")


def _writer(db: Database) -> Iterator[Finding]:
    """Report who holds the write turn, for which all other writers wait."""
    holder = find_holder(db.run_folder)
    if holder is not None:
        state, hint = (NOTICE, holder.hint()) if holder.is_in_the_way else (SOUND, None)
        what = f"the write turn is held {holder.since()} by {holder.description()}"
        yield Finding("writer", state, db.run_folder, what, hint)


def _pipes(db: Database) -> Iterator[Finding]:
    try:
        left = checkup.leftover_pipes(db)
    except FileNotFoundError:
        return
    except (OSError, StorageError) as error:
        yield Finding("pipes", NOTICE, db.run_folder, str(error))
        return
    if left:
        what = f"{len(left)} left by dead processes, such as {left[0]}; they do no harm"
        hint = "mqx removes them when it needs what those processes held"
        yield Finding("pipes", SOUND, db.run_folder, what, hint)
