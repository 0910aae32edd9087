"""What this process has open: a file by one SQLite only, and by none that knows of locks which are its parent's.

Where two SQLites have a file open in one process and one of them closes it, the system drops the locks of both. A
forked child inherits what SQLite knows of locks, but not the locks: others would take a connection of its own for
nobody's, and delete the log that it writes to. So the child closes at once what its parent had open. It is refused the
file where that cannot be, because the parent was in the middle of a statement or a transaction.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from _weakref import ref

from mqtools.constants.reasons import MQRC_RESOURCE_PROBLEM
from mqtools.errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import TypeAlias

    from mqtools.store.database import Database

    #: Device and number.
    File: TypeAlias = tuple[int, int]

#: Modules that call SQLite, and those of them in which a thread waits outside of it.
_CALLERS = frozenset(
    f"mqtools.store.{name}" for name in ("scans.columnar", "database", "schema.migrations", "scans.scan", "space")
)
_WAITING = frozenset(f"mqtools.store.{name}" for name in ("write_turn", "log"))

#: By id of the database.
_open: dict[int, tuple[ref[Database], File]] = {}
#: What was in use when the process was forked: ids of databases before, files after it.
_in_use: frozenset[int] = frozenset()
_refused: set[File] = set()
#: What a child can neither use nor close: a lock of it in memory may be held by a thread that the child has not.
_left: list[Database] = []
_is_watching = False


def claim(database: Database) -> None:
    """Note what is about to be opened.

    Raises StorageError: MQRC_RESOURCE_PROBLEM where another engine has the file open, or the parent was using it.
    """
    global _is_watching
    file = _file(database.path)
    if file is None:
        return  # SQLite says what is wrong
    if not _is_watching:
        os.register_at_fork(before=_before_fork, after_in_child=_in_child)
        _is_watching = True
    _open[id(database)] = (ref(database), file)
    if file in _refused:
        words = "this process was forked while its parent was using the file"
    elif any(other.engine != database.engine for other in _open_now(file)):
        words = "this process has the file open in another way"
    else:
        return
    release(database)
    raise StorageError(f"{database.path}: {words}", MQRC_RESOURCE_PROBLEM)


def release(database: Database) -> None:
    """Note that a database is closed."""
    _open.pop(id(database), None)


def is_open(path: str) -> bool:
    """Tell whether this process has a file open, by any engine."""
    file = _file(path)
    return file is not None and bool(_open_now(file))


def _file(path: str) -> File | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_now(file: File) -> list[Database]:
    every = [each() for each, its in tuple(_open.values()) if its == file]
    return [database for database in every if database is not None]


def _before_fork() -> None:
    global _in_use
    others = [frame for thread, frame in sys._current_frames().items() if thread != get_ident()]
    is_any = any(map(_calls_sqlite, others))
    found = ((number, each()) for number, (each, _) in tuple(_open.items()))
    _in_use = frozenset(number for number, each in found if each is not None and (is_any or each.in_block))


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
    for number, (each, file) in tuple(_open.items()):
        database = each()
        if number in _in_use and database is not None:
            _refused.add(file)
            _left.append(database)
            del _open[number]
        elif database is not None:
            database.close()
