"""Registry of the files that this process has open: one SQLite library per file, and none inherited from a parent.

Where two SQLites have a file open in one process and one of them closes it, the system drops the locks of both. A
forked child inherits SQLite's record of the locks, but not the locks. Other processes would take its connection for
closed, and delete the log that it writes to. So the child closes at once what its parent had open. Where that is
impossible, because the parent was in the middle of a statement or a transaction, the child cannot use the file.
"""

from __future__ import annotations

import atexit
import os
from _thread import allocate_lock, get_ident
from _weakref import ref
from collections.abc import Callable

from mqtools.configuration import locate
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN, MQRC_OBJECT_DAMAGED, MQRC_RESOURCE_PROBLEM
from mqtools.errors import StorageError
from mqtools.store import File, OpenFile, descriptors, file_warnings
from mqtools.store.descriptors import SharedFile, open_error  # now: there may be none left to load it with
from mqtools.store.log import log_mark

#: The files that are open; by id, the databases that have one open, and its key.
_files: dict[File, SharedFile] = {}
_open: dict[int, tuple[ref[OpenFile], File]] = {}
#: Databases that are not closed by being forgotten, where this is wanted.
_kept: dict[int, OpenFile] | None = None
#: Held while a file is opened or closed.
_turn = allocate_lock()
#: Objects in use at the fork: ids of databases before, files after it.
_in_use: frozenset[int] = frozenset()
_refused: set[File] = set()
#: Files that a child can neither use nor close: a thread that the child lacks may hold their lock in memory.
_left: list[OpenFile] = []


def claim(database: OpenFile) -> None:
    """Register a database before it is opened, and rename a log that is not the file's own.

    Raises StorageError: MQRC_RESOURCE_PROBLEM where another engine has the file open, the parent was using it, it has
    more than one hard link, or no descriptor is left; MQRC_OBJECT_DAMAGED where it lacks its log; MQRC_NOT_AUTHORIZED
    where the file cannot be opened, or the log cannot be renamed.
    """
    key = locate.file_key(database.path)
    if key is None:
        return  # SQLite says what is wrong
    with _turn:
        others = databases(key)
        if key in _refused:
            raise _refusal(database, "this process was forked while its parent was using the file")
        if any(other.engine != database.engine for other in others):
            raise _refusal(database, "this process has the file open in another way")
        file = _files.get(key) or SharedFile(key, database.real_path)
        try:
            if os.fstat(file.descriptor).st_nlink > 1:  # SQLite has a log for each name: messages would be lost
                raise _refusal(
                    database,
                    "the file has more than one hard link",
                    hint=f"keep one name only: find FOLDER -samefile {_quoted(database.real_path)} lists them",
                )
            if not others:
                _check_log(database, file)
        except BaseException:
            if key not in _files:
                file.close()
            raise
        database.file = _files[key] = file
        _open[id(database)] = (ref(database), key)
        if _kept is not None:
            _kept[id(database)] = database


def release(database: OpenFile, *, waits: bool = True) -> None:
    """Unregister a database that is closed.

    waits: False for one that is being forgotten, perhaps while this very thread opens or closes a file.
    """
    if not _turn.acquire(blocking=waits):
        return
    try:
        _, key = _open.pop(id(database), (None, None))
        if _kept is not None:
            _kept.pop(id(database), None)
        if key in _files and all(its != key for _, its in _open.values()):  # also those that are being forgotten
            _files.pop(key).close()
    finally:
        _turn.release()


def begin_process(show: Callable[[str], None]) -> None:
    """Print warnings by a function, and keep each database until it is closed: the process calls ``close_all``."""
    global _kept
    _kept = {}
    file_warnings.show = show


def close_all() -> None:
    """Close all databases, for a process that ends; not one with a statement that another thread runs."""
    for database in databases():
        if database.runs_in in (0, get_ident()):
            database.close()


def check_there(database: OpenFile) -> None:
    """Raise StorageError (MQRC_CONNECTION_BROKEN) when the file was removed or replaced."""
    if database.file is None or locate.file_key(database.real_path) != database.file.key:
        raise StorageError(
            f"{database.path} was removed, moved or replaced after it was opened", MQRC_CONNECTION_BROKEN
        )


def shared(database: OpenFile) -> SharedFile:
    """Return what the databases of a file share; not for one in memory."""
    assert database.file is not None
    return database.file


def is_open(path: str) -> bool:
    """Return whether this process has a file open, by any engine."""
    key = locate.file_key(path)
    return key is not None and bool(databases(key))


def _refusal(database: OpenFile, words: str, hint: str | None = None) -> StorageError:
    return StorageError(f"{database.path}: {words}", MQRC_RESOURCE_PROBLEM, hint=hint)


def _quoted(path: str) -> str:
    from shlex import quote

    return quote(path)


def _check_log(database: OpenFile, file: SharedFile) -> None:
    """Rename a log that is not the file's own, with a warning. Raise StorageError for a file that lacks its log."""
    path = database.real_path
    aside = None
    try:
        found = log_mark.compare(file.descriptor, path)
        if found == log_mark.FOREIGN:
            aside = log_mark.set_aside(file.descriptor, path, database.run_folder)
            found = log_mark.compare(file.descriptor, path)
    except OSError as error:
        raise open_error(error, f"{path}-wal") from error
    if aside:
        words = f"{path}-wal is the log of another file or of another time: it is now {aside}, and was not used"
        file_warnings.warn(words)
    if found == log_mark.MISSING:
        raise StorageError(
            f"{path} lacks its log {path}-wal, which may have the newest messages: it was copied while in use, "
            "another program than mqx closed it, or the power failed",
            MQRC_OBJECT_DAMAGED,
            hint=f"put the log next to it, or do without: mqx doctor -m {_quoted(database.path)} --accept-missing-log",
        )


def databases(key: File | None = None) -> list[OpenFile]:
    """Return the databases that are open. key: those of one file only."""
    found = [each() for each, its in tuple(_open.values()) if key is None or its == key]
    return [database for database in found if database is not None]


def _before_fork() -> None:
    """Note what the child cannot close: all, where another thread is in SQLite, which has locks of the process."""
    global _in_use
    opened = databases()
    is_any = any(database.runs_in not in (0, get_ident()) for database in opened)
    _in_use = frozenset(id(database) for database in opened if is_any or database.blocks)


def _in_child() -> None:
    global _turn
    _turn = allocate_lock()  # a thread that the child lacks may hold it
    for file in _files.values():
        file.life, file.kept_open = -1, []  # ``descriptors`` has closed them
    for each, (reference, key) in tuple(_open.items()):
        database = reference()
        if each in _in_use and database is not None:
            _refused.add(key)
            _left.append(database)
            del _open[each]
        elif database is not None:
            database.close()


atexit.register(close_all)
os.register_at_fork(before=_before_fork, after_in_child=_in_child)
os.register_at_fork(after_in_child=descriptors.close_in_child)
