"""What lies in a receiving folder beside the objects: those that never completed, and logs that nobody needs."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from mqtools.channel.reference_files import Refused, find, open_root, refusing
from mqtools.channel.reference_log import LOG_SUFFIX, PART_SUFFIX, Log, locked, log_name, part_name
from mqtools.records import Record
from mqtools.rules.reference import HIDDEN_PREFIX

if TYPE_CHECKING:
    from mqtools.rules.reference import Range

#: Days after which the log of an object that is no longer there is deleted.
KEPT_DAYS = 30


class UnfinishedObject(Record):
    """An object that has not got its name.

    name: empty where no log says it.  received, length: bytes; length None while the last portion has not come.
    missing: what is, as far as is known.  path: of the temporary file or, without one, the log.  changed_at: seconds
    since 1970.  why: in words.
    """

    __slots__ = ("changed_at", "instance_id", "length", "missing", "name", "path", "received", "why")

    def __init__(
        self,
        name: str,
        instance_id: bytes,
        received: int,
        length: int | None,
        missing: list[Range],
        path: str,
        changed_at: float,
        why: str,
    ) -> None:
        self.name = name
        self.instance_id = instance_id
        self.received = received
        self.length = length
        self.missing = missing
        self.path = path
        self.changed_at = changed_at
        self.why = why


def unfinished_objects(root_path: str) -> list[UnfinishedObject]:
    """List the objects that have not been completed in a receiving folder, the oldest first.

    Raises MQError: MQRC_API_EXIT_INIT_ERROR when the folder cannot be read; Refused when a file in it cannot.
    """
    root = open_root(root_path)
    try:
        with refusing(root_path):
            found = [_look(root, root_path, key) for key in _keys(root)]
    finally:
        os.close(root)
    return sorted((one for one in found if one is not None), key=lambda one: one.changed_at)


def _keys(root: int) -> list[str]:
    """List what the hidden files are called by."""
    keys = set()
    for name in os.listdir(root):
        key, suffix = os.path.splitext(name)
        if name.startswith(HIDDEN_PREFIX) and suffix in (LOG_SUFFIX, PART_SUFFIX):
            keys.add(key.removeprefix(HIDDEN_PREFIX))
    return sorted(keys)


def _look(root: int, root_path: str, key: str) -> UnfinishedObject | None:
    """Look at the files of one object; None when it is complete or nothing has come of it."""
    part, log_file = find(root, (part_name(key),)), find(root, (log_name(key),))
    try:
        log = Log() if log_file is None else _read(root, key)
        why = _why(root, log, part)
    except Refused as refused:
        log, why = Log(), str(refused)
    there = part or log_file
    if not why or there is None:
        return None
    progress = log.progress
    return UnfinishedObject(
        log.name,
        log.instance_id,
        sum(end - begin for begin, end in progress.ranges),
        progress.length,
        progress.missing,
        os.path.join(root_path, part_name(key) if part is not None else log_name(key)),
        there.st_mtime,
        why,
    )


def _read(root: int, key: str) -> Log:
    descriptor = os.open(log_name(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
    try:
        return Log.read(descriptor, mend=False)
    finally:
        os.close(descriptor)


def _why(root: int, log: Log, part: os.stat_result | None) -> str:
    """Say why an object has not got its name; nothing for one that has, or had, it."""
    if log.is_empty:
        return "" if part is None else "no log says what it is"
    if part is None:
        return "" if log.progress.is_complete else "its temporary file is gone"
    if not log.progress.is_complete:
        return "the end is missing" if log.progress.length is None else "portions are missing"
    there = find(root, tuple(log.name.split("/")))
    if there is None:
        return "complete, but not named yet"
    return "complete, with both its names" if os.path.samestat(there, part) else "complete, but its name is taken"


def forget_old_logs(root: int, days: float = KEPT_DAYS) -> int:
    """Delete the logs of finished objects that are no longer there, when nothing was written to them for so long.

    A portion sent again after that counts as the beginning of a new object. Gives their number.
    """
    before = time.time() - days * 86400
    forgotten = 0
    for key in _keys(root):
        try:
            forgotten += _forget(root, key, before)
        except (OSError, Refused):
            continue  # what cannot be read is listed as unfinished, and stays
    return forgotten


def _forget(root: int, key: str, before: float) -> bool:
    status = find(root, (log_name(key),))
    if status is None or status.st_mtime >= before or find(root, (part_name(key),)) is not None:
        return False
    with locked(root, key) as descriptor:
        log = Log.read(descriptor)
        if os.fstat(descriptor).st_mtime >= before or find(root, (part_name(key),)) is not None:
            return False
        if not log.is_empty and find(root, tuple(log.name.split("/"))) is not None:
            return False
        os.unlink(log_name(key), dir_fd=root)
    return True
