"""Registry of the files that this process has open: one SQLite library per file, and none inherited from a parent.

Each file has one descriptor here beside those of SQLite, for its mark (``log_mark``). It is closed after the last
database of the file, because closing any descriptor of a file drops the locks that the process has on it.

Where two SQLites have a file open in one process and one of them closes it, the system drops the locks of both. A
forked child inherits what SQLite knows of locks, but not the locks: others would take a connection of its own for
nobody's, and delete the log that it writes to. So the child closes at once what its parent had open. It is refused the
file where that cannot be, because the parent was in the middle of a statement or a transaction.
"""

from __future__ import annotations

import atexit
import errno
import os
import sys
from _thread import allocate_lock, get_ident
from _weakref import ref

from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN, MQRC_OBJECT_DAMAGED, MQRC_RESOURCE_PROBLEM
from mqtools.errors import StorageError
from mqtools.store import fork
from mqtools.store.descriptors import flush_error, open_error  # now: there may be none left to load it with
from mqtools.store.log import log_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from mqtools.store.types import File, OpenFile

#: Modules that call SQLite, and those of them in which a thread waits outside of it; in one it may do nothing else.
_CALLERS = frozenset(
    f"mqtools.store.{name}"
    for name in ("scans.columnar", "statements", "schema.migrations", "scans.scan", "maintenance.space")
)
_WAITER = "mqtools.store.log.turn_wait"
_WAITING = frozenset((_WAITER, "mqtools.store.log.writer_lock", "mqtools.store.log.log"))

#: By id of the database.
_open: dict[int, tuple[ref[OpenFile], File]] = {}
#: The descriptor of each file that is open, and of the index of its log (``-shm``), which has locks too.
_descriptors: dict[File, int] = {}
_indexes: dict[File, int] = {}
#: Descriptors of connections that have ended: for the next one, and those that a program may still have open.
_spare: dict[File, list[int]] = {}
_kept_open: dict[File, list[int]] = {}
#: The mark of each file that is known to be on disk.
_flushed: dict[File, int] = {}
#: Databases that are not closed by being forgotten, where this is wanted.
_kept: dict[int, OpenFile] | None = None
#: Held while a file is opened or closed.
_turn = allocate_lock()
#: What was in use when the process was forked: ids of databases before, files after it.
_in_use: frozenset[int] = frozenset()
_refused: set[File] = set()
#: What a child can neither use nor close: a lock of it in memory may be held by a thread that the child has not.
_left: list[OpenFile] = []
_is_watching = False


def claim(database: OpenFile) -> None:
    """Register a database that is about to be opened, and set aside a log that is not the file's own.

    Raises StorageError: MQRC_RESOURCE_PROBLEM where another engine has the file open, the parent was using it, it has
    more than one hard link, or no descriptor is left; MQRC_OBJECT_DAMAGED where it lacks its log; MQRC_NOT_AUTHORIZED
    where the file cannot be opened, or the log not be set aside.
    """
    global _is_watching
    file = _file(database.path)
    if file is None:
        return  # SQLite says what is wrong
    if not _is_watching:
        os.register_at_fork(before=_before_fork, after_in_child=_in_child)
        atexit.register(close_all)
        _is_watching = True
    with _turn:
        others = _open_now(file)
        if file in _refused:
            raise _refusal(database, "this process was forked while its parent was using the file")
        if any(other.engine != database.engine for other in others):
            raise _refusal(database, "this process has the file open in another way")
        if file not in _descriptors:
            _descriptors[file] = _open_file(database.path)
        database.file, database.descriptor = file, _descriptors[file]
        _open[id(database)] = (ref(database), file)
        if os.fstat(database.descriptor).st_nlink > 1:  # SQLite has a log for each name: each lacks what the others put
            _release(database)
            raise _refusal(
                database,
                "the file has more than one hard link",
                hint=f"keep one name only: find FOLDER -samefile {_quoted(database.real_path)} lists them",
            )
        if _kept is not None:
            _kept[id(database)] = database
        database.log_found = _log_size(database.real_path)
        if not others:
            _check_log(database)


def release(database: OpenFile) -> None:
    """Unregister a database that is closed."""
    with _turn:
        _release(database)


def release_forgotten(database: OpenFile) -> None:
    """Unregister a database that is being forgotten, unless this very thread is opening or closing a file."""
    if _turn.acquire(blocking=False):
        try:
            _release(database)
        finally:
            _turn.release()


def _release(database: OpenFile) -> None:
    _, file = _open.pop(id(database), (None, None))
    if _kept is not None:
        _kept.pop(id(database), None)
    if file in _descriptors and all(its != file for _, its in _open.values()):  # also those that are being forgotten
        os.close(_descriptors.pop(file))
        _flushed.pop(file, None)
        if file in _indexes:
            os.close(_indexes.pop(file))
        for descriptor in _spare.pop(file, []) + _kept_open.pop(file, []):
            fork.close(descriptor)


def take_spare(file: File) -> int | None:
    """Return a descriptor of a file, open to be read, that an earlier connection has left; None where there is none."""
    left = _spare.get(file)
    return left.pop() if left else None


def keep_spare(file: File, descriptor: int, *, is_usable: bool) -> None:
    """Keep a descriptor of a file, registered with ``fork``, until the last database of the file is closed.

    is_usable: for another connection.
    """
    with _turn:
        if _open_now(file):
            (_spare if is_usable else _kept_open).setdefault(file, []).append(descriptor)
        else:
            fork.close(descriptor)


def keep_all() -> None:
    """Keep each database until it is closed: for a process that calls ``close_all`` before it ends."""
    global _kept
    _kept = {}


def close_all() -> None:
    """Close all databases, for a process that ends; not one that another thread is using at this moment."""
    in_use = _find_in_use(by_this_thread=False)
    for number, (each, _) in tuple(_open.items()):
        database = each()
        if database is not None and number not in in_use:
            database.close()


def index(database: OpenFile) -> int:
    """Return a descriptor of the index of a file's log. The file must have been read before."""
    file = database.file
    assert file is not None
    if database.log_index < 0:
        with _turn:
            if file not in _indexes:
                _indexes[file] = _open_file(f"{database.real_path}-shm")
            database.log_index = _indexes[file]
    return database.log_index


def log_state(database: OpenFile) -> bytes:
    """Return the state of a file's log (``log_mark``). Only for the holder of the writer lock."""
    return os.pread(index(database), log_mark.STATE, 0)


def mark_log(database: OpenFile) -> None:
    """Mark the file and, in the transaction that is open, the log, if this transaction begins a log (``log_mark``).

    If it is not committed, the mark is not in the log: then the next transaction begins it, with another mark.
    """
    marked = mark_in_log(database)
    if marked is not None:
        log_mark.write(database.descriptor, marked)


def mark_in_log(database: OpenFile) -> int | None:
    """Write a new mark into the log; return the ``user_version`` with it for the file, None for one without marks."""
    before = log_mark.read(database.descriptor)
    if not log_mark.is_marked(before):
        return None
    marked = log_mark.with_new_mark(before)
    row = database.one("pragma user_version")
    version = log_mark.schema_version(before if row is None else int(row[0]))  # a migration has changed it
    database.run(f"pragma user_version = {log_mark.with_schema_version(marked, version)}")
    return marked


def flush_mark(database: OpenFile) -> None:
    """Flush the mark of a file, once a mark. Raises StorageError."""
    file, mark = database.file, log_mark.read(database.descriptor)
    if file is None or _flushed.get(file) == mark:
        return
    try:
        os.fdatasync(database.descriptor)
    except OSError as error:
        log_mark.write(database.descriptor, mark)  # otherwise the next flush might find nothing to write
        raise flush_error(error, database.path) from error
    _flushed[file] = mark


def is_flush_due(database: OpenFile) -> bool:
    """Return whether a flush of the log has failed, here or in another process, since which none has succeeded."""
    has_failed = database.log is not None and database.log.has_failed
    return has_failed or os.path.exists(log_mark.note_path(database.real_path))


def check_there(database: OpenFile) -> None:
    """Raise StorageError (MQRC_CONNECTION_BROKEN) when the file was removed or replaced."""
    try:
        found = os.stat(database.real_path)
        is_there = (found.st_dev, found.st_ino) == database.file
    except OSError:
        is_there = False
    if not is_there:
        raise StorageError(
            f"{database.path} was removed, moved or replaced after it was opened", MQRC_CONNECTION_BROKEN
        )


def protect_log_of_another(database: OpenFile) -> None:
    """Keep SQLite from removing the log of the file that is now where the database's file was.

    As the last to close a file SQLite removes the log by its name. With this lock it takes itself for not the last.
    """
    if _file(database.real_path) not in (None, database.file) and database.file is not None:
        log_mark.hold_open(database.descriptor)


def _refusal(database: OpenFile, words: str, hint: str | None = None) -> StorageError:
    return StorageError(f"{database.path}: {words}", MQRC_RESOURCE_PROBLEM, hint=hint)


def _quoted(path: str) -> str:
    from shlex import quote

    return quote(path)


def _open_file(path: str) -> int:
    try:
        try:
            return os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise open_error(error, path) from error


def _log_size(path: str) -> int:
    try:
        return os.stat(f"{path}-wal").st_size
    except OSError:
        return 0


def _check_log(database: OpenFile) -> None:
    """Set aside a log that is not the file's own, with a warning. Raise StorageError for a file that lacks its log."""
    descriptor, path = database.descriptor, database.real_path
    aside = None
    try:
        found = log_mark.compare(descriptor, path)
        if found == log_mark.FOREIGN:
            aside = log_mark.set_aside(descriptor, path, database.run_folder)
            found = log_mark.compare(descriptor, path)
    except OSError as error:
        _release(database)
        raise open_error(error, f"{path}-wal") from error
    except StorageError:
        _release(database)
        raise
    if aside:
        from mqtools.store import file_warnings

        words = f"{path}-wal is the log of another file or of another time: it is now {aside}, and was not used"
        file_warnings.warn(words)
    if found == log_mark.MISSING:
        _release(database)
        raise StorageError(
            f"{path} lacks its log {path}-wal, which may have the newest messages: it was copied while in use, "
            "another program than mqx closed it, or the power failed",
            MQRC_OBJECT_DAMAGED,
            hint=f"put the log next to it, or do without: mqx doctor -m {_quoted(database.path)} --accept-missing-log",
        )


def is_open(path: str) -> bool:
    """Return whether this process has a file open, by any engine."""
    file = _file(path)
    return file is not None and bool(_open_now(file))


def number(database: OpenFile) -> int:
    """Return how many databases of the same file this process has open."""
    return 0 if database.file is None else len(_open_now(database.file))


def _file(path: str) -> File | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_now(file: File) -> list[OpenFile]:
    every = [each() for each, its in tuple(_open.values()) if its == file]
    return [database for database in every if database is not None]


def _before_fork() -> None:
    global _in_use
    _in_use = _find_in_use(by_this_thread=True)


def _find_in_use(*, by_this_thread: bool) -> frozenset[int]:
    """Find the databases that a thread is in the middle of using. by_this_thread: in a block of this one too."""
    others = [
        frame
        for thread, frame in sys._current_frames().items()
        if thread != get_ident() and frame.f_globals.get("__name__") != _WAITER
    ]
    is_any = any(map(_calls_sqlite, others))
    is_block = by_this_thread or bool(others)
    found = ((number, each()) for number, (each, _) in tuple(_open.items()))
    return frozenset(number for number, each in found if each is not None and (is_any or (is_block and each.blocks)))


def _calls_sqlite(top: FrameType) -> bool:
    frame: FrameType | None = top
    if top.f_globals.get("__name__") in _WAITING:
        return False
    while frame is not None:
        if frame.f_globals.get("__name__") in _CALLERS:
            return True
        frame = frame.f_back
    return False


def _in_child() -> None:
    global _turn
    _turn = allocate_lock()  # a thread that the child has not may hold it
    _spare.clear()  # closed by ``fork``
    _kept_open.clear()
    for number, (each, file) in tuple(_open.items()):
        database = each()
        if number in _in_use and database is not None:
            _refused.add(file)
            _left.append(database)
            del _open[number]
        elif database is not None:
            database.close()
