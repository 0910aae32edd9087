"""Assembly of objects in a receiving folder from portions: in any order, repeated, or interrupted.

Invariant: a portion's data is on disk before its log entry, and the log entry before the message continues. Writing a
portion again has the same result, so one without a log entry is written again. An object gets its name when complete.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from hashlib import sha256

from mqtools.channel.reference.files import (
    FILE_MODE,
    ObjectRefused,
    closing,
    open_folder,
    open_object,
    read_at,
    stat_object,
    write_at,
)
from mqtools.channel.reference.log import (
    ReferenceLog,
    key_of,
    log_name,
    open_locked,
    part_name,
)
from mqtools.constants.structures import MQOII_NONE
from mqtools.errors import MQError
from mqtools.rules.reference import Portion, missing_ranges

#: Logs that are kept in memory.
_MOST_LOGS = 64
#: Answers of a file system that has no second names for a file.
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)


@dataclass(slots=True)
class ArrivedPortion:
    """A portion that has arrived. steps: path of the object.  q_name: queue of its message."""

    steps: tuple[str, ...]
    instance_id: bytes
    portion: Portion
    data: bytes
    q_name: str = ""
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        self.digest = sha256(self.data).hexdigest()

    @property
    def name(self) -> str:
        return "/".join(self.steps)


class ReceivingFolder:
    """A root folder in which objects are assembled. root: its descriptor, which the caller closes."""

    def __init__(self, root: int) -> None:
        self.root = root
        self._logs: dict[str, ReferenceLog] = {}

    def receive(self, arrival: ArrivedPortion) -> None:
        """Apply a portion, unless it was applied before; complete the object with the last one.

        Raises ObjectRefused when the name is another object's, or the portion does not belong to this one; OSError.
        """
        key = key_of(arrival.steps, arrival.instance_id)
        if stat_object(self.root, (log_name(key),)) is None:
            self._check_name(arrival, None)
        with open_locked(self.root, key, create=True) as descriptor:
            log = self._log(key, descriptor)
            part = stat_object(self.root, (part_name(key),))
            if log.progress.is_complete and part is None:
                # Without an instance id, a portion starts a new object where the complete one was removed.
                if arrival.instance_id != MQOII_NONE or stat_object(self.root, arrival.steps) is not None:
                    self._check_repeated(log, arrival)
                    _log_queue(log, descriptor, arrival)
                    return
                os.ftruncate(descriptor, 0)
                log = self._log(key, descriptor)
            self._check_name(arrival, part)
            self._apply(key, log, descriptor, arrival, part is not None)
            if log.progress.is_complete:
                self._finish(key, log, descriptor, arrival)

    def _log(self, key: str, descriptor: int) -> ReferenceLog:
        log = self._logs.get(key)
        if log is None or not log.is_as_of(descriptor):
            if len(self._logs) >= _MOST_LOGS:
                self._logs.clear()
            log = self._logs[key] = ReferenceLog.read(descriptor)
        return log

    def _check_name(self, arrival: ArrivedPortion, part: os.stat_result | None) -> None:
        """Raise ObjectRefused for a name that exists; after a crash the object may have both its names."""
        there = stat_object(self.root, arrival.steps)
        if there is not None and (part is None or not os.path.samestat(there, part)):
            raise ObjectRefused(f"{arrival.name} exists as another object")

    def _check_repeated(self, log: ReferenceLog, arrival: ArrivedPortion) -> None:
        """Raise ObjectRefused for a portion of a complete object, unless it is the same as before."""
        _check(log, arrival)
        if _is_known(log, arrival):
            return
        try:
            with closing(open_object(self.root, arrival.steps)) as descriptor:
                before = read_at(descriptor, arrival.portion.offset, arrival.portion.length)
        except FileNotFoundError:
            raise _is_another(arrival) from None
        if before != arrival.data:
            raise _is_another(arrival)

    def _apply(self, key: str, log: ReferenceLog, descriptor: int, arrival: ArrivedPortion, has_part: bool) -> None:
        """Write the new bytes of a portion, then its log entry."""
        if not log.is_empty and not has_part:
            raise ObjectRefused(f"the temporary file of {arrival.name} is gone")
        _check(log, arrival)
        if _is_known(log, arrival):
            _log_queue(log, descriptor, arrival)
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        with closing(os.open(part_name(key), flags, FILE_MODE, dir_fd=self.root)) as part:
            if log.is_empty:
                os.fsync(self.root)  # the two names, before anything counts on them
            _write_new(part, log, arrival)
            os.fsync(part)
        first = [{"object": arrival.name, "instance": arrival.instance_id.hex().upper()}] if log.is_empty else []
        portion = arrival.portion
        extent = {"offset": portion.offset, "length": portion.length, "last": portion.is_last}
        log.append(descriptor, *first, {**extent, "sha256": arrival.digest, "to": arrival.q_name})

    def _finish(self, key: str, log: ReferenceLog, descriptor: int, arrival: ArrivedPortion) -> None:
        """Rename a complete object from its temporary name to its own."""
        inode = self._cut(key, log.progress.length or 0)
        if inode != log.inode:
            log.append(descriptor, {"inode": inode})
        with closing(open_folder(self.root, arrival.steps[:-1], create=True)) as folder:
            self._name(key, folder, arrival)
            os.fsync(folder)
        if stat_object(self.root, (part_name(key),)) is not None:
            os.unlink(part_name(key), dir_fd=self.root)
        os.fsync(self.root)

    def _cut(self, key: str, length: int) -> int:
        """Truncate what a portion without a log entry left after the end; return the file's inode."""
        with closing(os.open(part_name(key), os.O_RDWR | os.O_NOFOLLOW, dir_fd=self.root)) as part:
            status = os.fstat(part)
            if status.st_size != length:
                os.ftruncate(part, length)
                os.fsync(part)
            return status.st_ino

    def _name(self, key: str, folder: int, arrival: ArrivedPortion) -> None:
        """Name the object without replacing another: with a hard link, since a rename would overwrite."""
        name, part = arrival.steps[-1], part_name(key)
        try:
            os.link(part, name, src_dir_fd=self.root, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            self._check_name(arrival, stat_object(self.root, (part,)))
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._check_name(arrival, None)
            os.rename(part, name, src_dir_fd=self.root, dst_dir_fd=folder)


def _check(log: ReferenceLog, arrival: ArrivedPortion) -> None:
    try:
        log.progress.check(arrival.portion)
    except MQError as error:
        raise ObjectRefused(f"{arrival.name}: {error.text}") from error


def _is_known(log: ReferenceLog, arrival: ArrivedPortion) -> bool:
    """Return whether a portion has been applied before. Raises ObjectRefused if it was with other data."""
    portion = arrival.portion
    digest = log.digests.get((portion.offset, portion.length, portion.is_last))
    if digest is not None and digest != arrival.digest:
        raise _is_another(arrival)
    return digest is not None


def _log_queue(log: ReferenceLog, descriptor: int, arrival: ArrivedPortion) -> None:
    if arrival.q_name not in log.queues:
        log.append(descriptor, {"to": arrival.q_name})


def _write_new(part: int, log: ReferenceLog, arrival: ArrivedPortion) -> None:
    """Write the missing bytes; check that the existing ones are the same."""
    begin, end = arrival.portion.offset, arrival.portion.end
    missing = missing_ranges(log.progress.ranges, begin, end)
    for known_begin, known_end in missing_ranges(missing, begin, end):
        known = arrival.data[known_begin - begin : known_end - begin]
        if read_at(part, known_begin, len(known)) != known:
            raise _is_another(arrival)
    for new_begin, new_end in missing:
        write_at(part, new_begin, arrival.data[new_begin - begin : new_end - begin])


def _is_another(arrival: ArrivedPortion) -> ObjectRefused:
    portion = arrival.portion
    return ObjectRefused(f"{arrival.name}: bytes {portion.offset} to {portion.end} arrived before with other data")
