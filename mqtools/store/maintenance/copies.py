"""Copies of a whole file: made by SQLite from one state of it, complete by themselves, and put in place."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.store import OpenFile
from mqtools.store.database import Database, address
from mqtools.store.descriptors import open_error
from mqtools.store.failures import storage_error
from mqtools.store.log import log_mark
from mqtools.store.log.reserve_size import PAGE

#: Pages copied at a time: 16 MiB.
_STEP = 4096
#: Seconds within which two changes of a file may leave it with the same time, by far.
_TIME_STEP_S = 0.1


def copy_database(source: OpenFile, path: str, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy all that is committed at this moment to a path, which is overwritten and readable by its owner only.

    It is one state of the file, so the log behind it is kept until the last page is read.
    source: open to be read; a connection that writes cannot be copied from.  progress: called after each step with the
    bytes that are copied, and those of the whole; what it raises ends the copy.
    Raises StorageError; nothing is left there then.
    """
    _make_empty(path)
    with source.reading():  # otherwise each change of the file would restart the copy
        source.one("pragma schema_version")
        _copy(source.sql, path, progress)


def copy_file(source: str, path: str) -> None:
    """Copy a file that no program uses, such as a backup, as ``copy_database`` does.

    Its own log is copied too.
    Raises StorageError: MQRC_OBJECT_DAMAGED for a file that is not one of ours, or lacks its log. OSError.
    """
    source = os.path.realpath(source)  # SQLite has the log next to the target of a link
    # SQLite must not have the file open yet: closing this descriptor would drop its locks.
    descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        found = log_mark.compare(descriptor, source)
    finally:
        os.close(descriptor)
    if found == log_mark.MISSING:
        words = "was copied while a program used it and lacks its log, which may have the newest messages"
        raise StorageError(f"{source} {words}", MQRC_OBJECT_DAMAGED, hint="mqx qmgr backup makes a complete copy")
    log = f"{source}-wal"
    has_log = found == log_mark.OWN and os.path.exists(log) and os.path.getsize(log) > 0
    where = address(source)
    if not has_log and "immutable" not in where:
        where += "&immutable=1"  # no file is written next to it, and a foreign log is not read
    try:
        sql = sqlite3.connect(where, uri=True)
    except sqlite3.Error as error:
        raise storage_error(error, source) from error
    try:
        _check_ours(sql, source)
        _make_empty(path)
        _copy(sql, path)
    finally:
        sql.close()


def state_name(db: Database) -> tuple[str, str]:
    """Return names for a file and for the state that the caller's transaction sees, so that equal ones are the same.

    The state of a file that was written to a moment ago has a name that no other has: the next change might leave its
    times as they are.
    """
    files = [os.stat(db.real_path)]
    with suppress(FileNotFoundError):
        log = os.stat(f"{db.real_path}-wal")
        files += [log] if log.st_size else []  # an empty one is made by who opens the file
    parts = [part for each in files for part in (each.st_size, each.st_mtime_ns)]
    is_quiet = time.time() - max(each.st_mtime for each in files) > _TIME_STEP_S
    state = "-".join(f"{part:x}" for part in parts) if is_quiet else os.urandom(8).hex()
    return f"{files[0].st_dev:x}-{files[0].st_ino:x}", state


def put_in_place(draft: str, path: str, *, replace: bool) -> None:
    """Flush a file and give it its name. replace: what has the name. Raises OSError, FileExistsError among them."""
    _flush(draft, os.O_RDWR)
    if replace:
        os.replace(draft, path)
    else:
        os.link(draft, path)
        os.unlink(draft)
    _flush(os.path.dirname(path) or ".", os.O_RDONLY)


def _flush(path: str, mode: int) -> None:
    descriptor = os.open(path, mode | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_ours(sql: sqlite3.Connection, path: str) -> None:
    try:
        row = sql.execute("pragma application_id").fetchone()
    except sqlite3.Error as error:
        raise storage_error(error, path) from error
    if row[0] != log_mark.APPLICATION_ID:
        raise StorageError(f"{path}: the file is not a queue manager of mqx", MQRC_OBJECT_DAMAGED)


def _copy(source: sqlite3.Connection, path: str, progress: Callable[[int, int], None] | None = None) -> None:
    def step(_: int, left: int, total: int) -> None:
        if progress is not None:
            progress((total - left) * PAGE, total * PAGE)

    try:
        copy = sqlite3.connect(path)
        try:
            copy.execute("pragma synchronous = off")  # it is flushed once, when it is put in place
            source.backup(copy, pages=_STEP, progress=step)
        finally:
            copy.close()
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            log_mark.mark_copy(descriptor)
        finally:
            os.close(descriptor)
    except BaseException as error:
        os.unlink(path)
        if isinstance(error, sqlite3.Error):
            raise storage_error(error, path) from error
        raise


def _make_empty(path: str) -> None:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(file, 0o600)
        finally:
            os.close(file)
    except OSError as error:
        raise open_error(error, path) from error
