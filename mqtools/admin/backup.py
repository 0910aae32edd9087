"""Backup and restore of a queue manager: copies that are consistent, checked and complete by themselves."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.admin import queue_managers
from mqtools.configuration import locate
from mqtools.constants.reasons import (
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_MGR_NAME_ERROR,
)
from mqtools.errors import MQError, StorageError
from mqtools.rules.object_names import is_valid_name
from mqtools.store import checkup, copies, lifetimes, queues
from mqtools.store.database import open_database
from mqtools.store.log.log_mark import is_open_elsewhere
from mqtools.store.schema import migrations

if TYPE_CHECKING:
    from collections.abc import Callable

#: What SQLite keeps beside a file.
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was made. path: of the copy; name: of the queue manager in it; size: in bytes."""

    path: str
    name: str
    size: int
    messages: int


def back_up(path: str, target: str, *, force: bool = False) -> Copied:
    """Copy a queue manager, running or ended, to a file; programs that use it go on meanwhile.

    The copy has all that is committed at one moment. force: replace the target.
    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_DAMAGED, and as ``open_database`` does; the target is as it
    was then.
    """
    _check_target(target, path, force=force)

    def copy(draft: str) -> None:
        database = open_database(path, read_only=True)
        try:
            copies.copy_database(database, draft)
        finally:
            database.close()

    return _make(target, copy, force=force)


def restore(source: str, name: str | None = None, *, force: bool = False) -> Copied:
    """Make a queue manager of a backup, under its own name or another one. A name with a slash is a path.

    force: replace a queue manager that has ended.
    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_IN_USE when the one to be replaced has not ended,
    MQRC_OBJECT_DAMAGED for a source that is no queue manager, damaged or incomplete, MQRC_Q_MGR_NAME_ERROR. OSError.
    Nothing has changed then.
    """
    if name is None:
        name = _own_name(source)
    path = locate.path_of(name)
    own_name = locate.name_of_path(path)
    if not is_valid_name(own_name):
        raise MQError(f"{own_name!r} cannot name a queue manager", MQRC_Q_MGR_NAME_ERROR)
    if force and os.path.isfile(path):
        _check_ended(path)
    _check_target(path, source, force=force)
    queue_managers.make_folder(os.path.dirname(path))

    def copy(draft: str) -> None:
        copies.copy_file(source, draft)
        _rename(draft, own_name)

    return _make(path, copy, force=force)


def _own_name(source: str) -> str:
    """Return the name of the queue manager in a backup."""
    with tempfile.TemporaryDirectory() as folder:
        draft = os.path.join(folder, "backup.db")
        copies.copy_file(source, draft)
        return _look(draft)[0]


def _check_target(target: str, source: str, *, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
        raise MQError(f"{target} is the file to be copied", MQRC_OBJECT_ALREADY_EXISTS)
    if not os.path.isfile(target):
        raise MQError(f"{target} exists and is not a file", MQRC_OBJECT_ALREADY_EXISTS)
    if not force:
        raise MQError(f"{target} exists", MQRC_OBJECT_ALREADY_EXISTS, hint="--force replaces it")
    if is_open_elsewhere(target):
        raise MQError(f"{target} is in use: a program has it open", MQRC_OBJECT_IN_USE)


def _check_ended(path: str) -> None:
    """Refuse to replace a queue manager that has not ended; a file that cannot be used may be replaced."""
    try:
        state = queue_managers.state_of(path)
    except StorageError as error:
        if error.reason != MQRC_OBJECT_DAMAGED:
            raise
        return
    if state != queue_managers.ENDED:
        name = locate.name_of_path(path)
        raise MQError(f"queue manager {name} is {state}", MQRC_OBJECT_IN_USE, hint=f"mqx qmgr end {name} --wait")


def _make(target: str, copy: Callable[[str], None], *, force: bool) -> Copied:
    """Make a copy beside the target, check it, and put it in place."""
    draft = f"{target}.{os.getpid()}.part"
    try:
        copy(draft)
        name, messages = _look(draft)
        size = os.path.getsize(draft)
        copies.put_in_place(draft, target, replace=force)
    except FileExistsError as error:
        raise MQError(f"{target} exists", MQRC_OBJECT_ALREADY_EXISTS, hint="--force replaces it") from error
    finally:
        for path in (draft, *(draft + suffix for suffix in _BESIDE), *migrations.copies(draft)):
            if os.path.exists(path):
                os.unlink(path)
        queue_managers.remove_run_folder(f"{draft}-run")
    if force:
        for suffix in _BESIDE:  # of the file that was replaced
            if os.path.exists(target + suffix):
                os.unlink(target + suffix)
    return Copied(target, name, size, messages)


def _look(path: str) -> tuple[str, int]:
    """Check a copy; return the name of the queue manager in it and the number of its messages."""
    database = open_database(path, read_only=True)
    try:
        mistakes = checkup.damage(database)
        if mistakes:
            raise StorageError(f"the copy is damaged, as its source is: {mistakes[0]}", MQRC_OBJECT_DAMAGED)
        return queues.qmgr(database).name, lifetimes.count_messages(database)
    except (IndexError, ValueError) as error:
        raise StorageError(f"{path}: the file is damaged", MQRC_OBJECT_DAMAGED) from error
    finally:
        database.close()


def _rename(path: str, own_name: str) -> None:
    """Give the queue manager in a file the name that the file is made for."""
    database = open_database(path)
    try:
        if queues.qmgr(database).name != own_name:
            with database.writing():
                lifetimes.rename_qmgr(database, own_name)
    finally:
        database.close()
