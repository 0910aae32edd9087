"""Audit of a receiving folder: incomplete objects and obsolete logs."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass

from mqtools.channel.reference.files import ObjectRefused, closing, convert_errors, open_root, stat_object
from mqtools.channel.reference.log import LOG_SUFFIX, PART_SUFFIX, ReferenceLog, log_name, open_locked, part_name
from mqtools.rules.reference import HIDDEN_PREFIX, Range

#: Days until the log of a deleted object is deleted.
KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class UnfinishedObject:
    """An incomplete object, which does not have its name yet.

    name: empty if no log names it.  received, length: bytes; length None before the last portion.  missing: ranges, as
    far as known.  path: of the temporary file or, without one, the log.  changed_at: seconds
    since 1970.  why: in words.
    """

    name: str
    received: int
    length: int | None
    missing: list[Range]
    path: str
    changed_at: float
    why: str


def unfinished_objects(root_path: str) -> list[UnfinishedObject]:
    """Return the incomplete objects in a receiving folder, the oldest first.

    Raises MQError: MQRC_API_EXIT_INIT_ERROR when the folder cannot be read; ObjectRefused when a file cannot.
    """
    with closing(open_root(root_path)) as root, convert_errors(root_path):
        found = [_look(root, root_path, key) for key in _keys(root)]
    return sorted((one for one in found if one is not None), key=lambda one: one.changed_at)


def _keys(root: int) -> list[str]:
    keys = set()
    for name in os.listdir(root):
        key, suffix = os.path.splitext(name)
        if name.startswith(HIDDEN_PREFIX) and suffix in (LOG_SUFFIX, PART_SUFFIX):
            keys.add(key.removeprefix(HIDDEN_PREFIX))
    return sorted(keys)


def _look(root: int, root_path: str, key: str) -> UnfinishedObject | None:
    """Return the state of one object; None when it is complete or no portion has arrived."""
    part, log_file = stat_object(root, (part_name(key),)), stat_object(root, (log_name(key),))
    try:
        log = ReferenceLog() if log_file is None else _read(root, key)
        why = _why(root, log, part)
    except ObjectRefused as refused:
        log, why = ReferenceLog(), str(refused)
    there = part or log_file
    if not why or there is None:
        return None
    progress = log.progress
    return UnfinishedObject(
        log.name,
        sum(end - begin for begin, end in progress.ranges),
        progress.length,
        progress.missing,
        os.path.join(root_path, part_name(key) if part is not None else log_name(key)),
        there.st_mtime,
        why,
    )


def _read(root: int, key: str) -> ReferenceLog:
    with closing(os.open(log_name(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)) as descriptor:
        return ReferenceLog.read(descriptor, mend=False)


def _why(root: int, log: ReferenceLog, part: os.stat_result | None) -> str:
    """Return why an object does not have its name; an empty text for one that has, or had, it."""
    if log.is_empty:
        return "" if part is None else "it has no log"
    if part is None:
        return "" if log.progress.is_complete else "its temporary file is gone"
    if not log.progress.is_complete:
        return "the end is missing" if log.progress.length is None else "portions are missing"
    there = stat_object(root, tuple(log.name.split("/")))
    if there is None:
        return "complete, but not named yet"
    return (
        "complete, with both its names" if os.path.samestat(there, part) else "complete, but another file has its name"
    )


def delete_old_logs(root: int) -> int:
    """Delete logs of complete objects that no longer exist, after ``KEPT_DAYS`` without writes; return their number.

    A portion sent again after that starts a new object.
    """
    before = time.time() - KEPT_DAYS * 86400
    forgotten = 0
    for key in _keys(root):
        with suppress(OSError, ObjectRefused):  # what cannot be read is listed as unfinished, and stays
            forgotten += _forget(root, key, before)
    return forgotten


def _forget(root: int, key: str, before: float) -> bool:
    status = stat_object(root, (log_name(key),))
    if status is None or status.st_mtime >= before or stat_object(root, (part_name(key),)) is not None:
        return False
    with open_locked(root, key) as descriptor:
        log = ReferenceLog.read(descriptor)
        if os.fstat(descriptor).st_mtime >= before or stat_object(root, (part_name(key),)) is not None:
            return False
        if not log.is_empty and stat_object(root, tuple(log.name.split("/"))) is not None:
            return False
        os.unlink(log_name(key), dir_fd=root)
    return True
