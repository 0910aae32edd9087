"""Backup and restore of queue managers: copies are consistent, verified and self-contained."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from mqtools.admin import queue_managers
from mqtools.configuration import locate, protection, read_only
from mqtools.constants.reasons import (
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_MGR_NAME_ERROR,
)
from mqtools.errors import MQError, StorageError
from mqtools.mqi import authority
from mqtools.rules.object_names import is_valid_name
from mqtools.store import queues
from mqtools.store.log.log_mark import is_open_elsewhere
from mqtools.store.maintenance import checkup, copies
from mqtools.store.open_database import open_database
from mqtools.store.schema import migrations

#: Suffixes of the files that SQLite keeps next to a database.
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class BackupResult:
    """Result of a backup or restore. path: of the copy; name: of the queue manager in it; size: in bytes."""

    path: str
    name: str
    size: int
    messages: int


def back_up(
    path: str, target: str, *, force: bool = False, progress: Callable[[int, int], None] | None = None
) -> BackupResult:
    """Copy a queue manager, running or ended, to a file; programs may use it meanwhile.

    The copy is a snapshot of the committed data. force: replace the target.  progress: as ``copy_database`` has it.
    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_DAMAGED, and as ``open_database`` does; OSError for a target
    whose folder is not there. The target is unchanged then.
    """
    _check_target(target, path, force=force)
    os.stat(os.path.dirname(target) or os.curdir)

    def copy(draft: str) -> None:
        with closing(open_database(path, read_only=True)) as database:
            authority.check_reader_of_all(database, "BROWSE")
            copies.copy_database(database, draft, progress)

    return _make(target, copy, force=force)


def restore(source: str, name: str | None = None, *, force: bool = False) -> BackupResult:
    """Create a queue manager from a backup, under its own name or another one. A name with a slash is a path.

    force: replace a queue manager that has ended.
    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_IN_USE if the queue manager to replace still runs,
    MQRC_OBJECT_DAMAGED for a source that is not a queue manager, damaged or incomplete, MQRC_Q_MGR_NAME_ERROR;
    OSError. Nothing is changed then.
    """
    read_only.check_writable("a queue manager")
    if name is None:
        name = _own_name(source)
    path = locate.path_of(name)
    own_name = locate.name_of_path(path)
    if not is_valid_name(own_name):
        raise MQError(f"{own_name!r} is not a valid name for a queue manager", MQRC_Q_MGR_NAME_ERROR)
    if force and os.path.isfile(path):
        protection.check_change(path)
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
        return _verify(draft)[0]


def _check_target(target: str, source: str, *, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
        raise MQError(f"cannot copy {target} to itself", MQRC_OBJECT_ALREADY_EXISTS)
    if not os.path.isfile(target):
        raise MQError(f"{target} exists and is not a file", MQRC_OBJECT_ALREADY_EXISTS)
    if not force:
        raise MQError(f"{target} exists", MQRC_OBJECT_ALREADY_EXISTS, hint="--force replaces it")
    if is_open_elsewhere(target):
        raise MQError(f"{target} is in use: a program has it open", MQRC_OBJECT_IN_USE)


def _check_ended(path: str) -> None:
    """Check that the queue manager to replace has ended; an unusable file may be replaced too."""
    try:
        queue_managers.check_authority(path, "DLT")
        state = queue_managers.state_of(path)
    except StorageError as error:
        if error.reason != MQRC_OBJECT_DAMAGED:
            raise
        return
    if state != queue_managers.ENDED:
        name = locate.name_of_path(path)
        raise MQError(f"queue manager {name} is {state}", MQRC_OBJECT_IN_USE, hint=f"mqx qmgr end {name} --wait")


def _make(target: str, copy: Callable[[str], None], *, force: bool) -> BackupResult:
    """Write a copy in the folder of the target, verify it, and move it to the target."""
    draft = f"{target}.{os.getpid()}.part"
    try:
        copy(draft)
        name, messages = _verify(draft)
        size = os.path.getsize(draft)
        copies.put_in_place(draft, target, replace=force)
    except FileExistsError as error:
        raise MQError(f"{target} exists", MQRC_OBJECT_ALREADY_EXISTS, hint="--force replaces it") from error
    finally:
        for path in (draft, *(draft + suffix for suffix in (*_BESIDE, "-reserve")), *migrations.copies(draft)):
            if os.path.exists(path):
                os.unlink(path)
        queue_managers.remove_run_folder(f"{draft}-run")
    if force:
        for suffix in _BESIDE:  # left by the replaced file
            if os.path.exists(target + suffix):
                os.unlink(target + suffix)
    return BackupResult(target, name, size, messages)


def _verify(path: str) -> tuple[str, int]:
    """Verify a copy; return the name of the queue manager in it and its number of messages."""
    with closing(open_database(path, read_only=True)) as database:
        try:
            mistakes = checkup.damage(database)
            if mistakes:
                raise StorageError(f"the source is damaged: {mistakes[0]}", MQRC_OBJECT_DAMAGED)
            return queues.qmgr(database).name, queues.count_messages(database)
        except (IndexError, ValueError) as error:
            raise StorageError(f"{path}: the file is damaged", MQRC_OBJECT_DAMAGED) from error


def _rename(path: str, own_name: str) -> None:
    """Rename the queue manager in a file to the name that the file is created for."""
    with closing(open_database(path)) as database:
        if queues.qmgr(database).name != own_name:
            with database.writing():
                queues.rename_qmgr(database, own_name)
