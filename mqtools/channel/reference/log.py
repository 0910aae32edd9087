"""Log of an object in a receiving folder: the portions that were applied, and the queues they came for.

A hidden file of JSON lines next to the hidden temporary file with the object's data. Invariant: a line is valid only
with its newline; what a crash left after the last newline is ignored. The log is kept when the object is complete, so
that a repeated portion is recognized.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

from mqtools.channel.reference.files import FILE_MODE, ObjectRefused
from mqtools.errors import MQError
from mqtools.rules.reference import HIDDEN_PREFIX, ArrivalProgress, Portion

LOG_SUFFIX, PART_SUFFIX = ".log", ".part"

_OPEN = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


def key_of(steps: tuple[str, ...], instance_id: bytes) -> str:
    """Return the key in the names of the hidden files of an object instance."""
    return sha256("/".join(steps).encode("utf-8") + b"\0" + instance_id).hexdigest()[:32]


def log_name(key: str) -> str:
    return f"{HIDDEN_PREFIX}{key}{LOG_SUFFIX}"


def part_name(key: str) -> str:
    return f"{HIDDEN_PREFIX}{key}{PART_SUFFIX}"


class ReferenceLog:
    """Contents of a log.

    name, instance_id: of the object; an empty name means that nothing is written yet.  progress: applied portions.
    digests: of the data by portion.  queues: queues of its messages; released: those that no longer need the object.
    inode: of the file that has, or is about to get, the object's name; 0 before.
    """

    def __init__(self) -> None:
        self.name = ""
        self.instance_id = b""
        self.progress = ArrivalProgress()
        self.digests: dict[tuple[int, int, bool], str] = {}
        self.queues: set[str] = set()
        self.released: set[str] = set()
        self.inode = 0
        self._mark = (0, 0)

    @property
    def is_empty(self) -> bool:
        return not self.digests

    def is_as_of(self, descriptor: int) -> bool:
        """Return whether the file holds exactly what was read from it or written to it here."""
        status = os.fstat(descriptor)
        return self._mark == (status.st_ino, status.st_size)

    def append(self, descriptor: int, *entries: dict[str, Any]) -> None:
        """Append entries, synced to disk. Raises OSError; MQError for an invalid entry."""
        text = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries).encode("ascii")
        rest = memoryview(text)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        for entry in entries:
            self._take(entry)
        self._note(descriptor)

    def _take(self, entry: dict[str, Any]) -> None:
        if "object" in entry:
            self.name, self.instance_id = entry["object"], bytes.fromhex(entry["instance"])
        if "offset" in entry:
            portion = Portion(entry["offset"], entry["length"], entry["last"])
            self.progress.add(portion)
            self.digests[portion.offset, portion.length, portion.is_last] = entry["sha256"]
        if "to" in entry:
            self.queues.add(entry["to"])
        if "released" in entry:
            self.released.add(entry["released"])
        self.inode = entry.get("inode", self.inode)

    def _note(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        self._mark = (status.st_ino, status.st_size)

    @classmethod
    def read(cls, descriptor: int, *, mend: bool = True) -> ReferenceLog:
        """Read a log. Raises ObjectRefused when it is damaged, OSError.

        mend: truncate a line without newline, and sync the rest: its writer may have died before that.
        """
        log = cls()
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(0)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        if mend:
            if len(whole) < len(text):
                os.ftruncate(descriptor, len(whole))
            os.fsync(descriptor)
        try:
            for line in whole.splitlines():
                log._take(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, MQError) as error:
            raise ObjectRefused(f"the log of portions is damaged: {error}") from error
        log._note(descriptor)
        return log


@contextmanager
def open_locked(root: int, key: str, *, create: bool = False) -> Iterator[int]:
    """Open a log and lock it against other processes; yield its descriptor.

    create: create a missing log. Raises OSError: FileNotFoundError without create.
    """
    name = log_name(key)
    while True:
        descriptor = os.open(name, _OPEN | (os.O_CREAT if create else 0), FILE_MODE, dir_fd=root)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(root, name, descriptor):
                yield descriptor
                return
        finally:
            os.close(descriptor)  # also where it was deleted while we waited for it


def _is_still(root: int, name: str, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(name, dir_fd=root, follow_symlinks=False), os.fstat(descriptor))
    return False
