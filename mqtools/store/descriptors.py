"""File descriptors: those of an open file, those that no child may keep, and errors of files that fail.

A fork copies every open descriptor, and the kernel keeps a pipe or a lock for as long as any copy of it is
open: a parent that was killed would continue living in its child. Programs that are executed are no matter,
since all descriptors close by then.
"""

from __future__ import annotations

import errno
import os
from _struct import Struct  # what ``struct`` has it from, one module fewer

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError

#: The beginning of the index of the log, as ``SharedFile.read_index`` returns it.
_INDEX = Struct("=16x2I72x6I")
#: Descriptors that SQLite needs for a file, its log, their folder and more.
_NEEDED = 6
_TOO_FEW = "too few file descriptors are left in this process (ulimit -n) or on this system"

#: Descriptors of this process that a child must not keep.
not_for_children: set[int] = set()


class SharedFile:
    """The descriptors of a file, in addition to those of SQLite.

    Invariant: they are closed after the last database of the file, because closing any descriptor of a file drops the
    locks that the process has on it.
    key: device and number of the file.  path: without links.  descriptor: for its mark (``log_mark``).
    flushed_mark: the one that is known to be on disk.
    life: for the locks of the connections of this process (``life_lock``), -1 before the first.  kept_open: what
    programs were given of such locks. No child keeps any of them.
    Its log: note: path of what a failed flush leaves.  flushes: how many there were.  has_failed_flush: the last one
    has.  is_long: it was lengthened, or that was tried.  moved_at: pages that it had when it was last moved into the
    file (``checkpoint``).
    """

    def __init__(self, key: tuple[int, int], path: str) -> None:
        """Raises StorageError where the file cannot be opened."""
        self.key = key
        self.path = path
        self.note = f"{path}-unflushed"
        self.descriptor = _open_file(path)
        self.flushed_mark: int | None = None
        self.flushes = self.moved_at = 0
        self.has_failed_flush = self.is_long = False
        self._index = self.life = -1
        self.kept_open: list[int] = []

    def read_index(self) -> tuple[int, ...]:
        """Return what the index of the log (``-shm``) has, all 0 without a log. The file was read before.

        The pages in the log; those of the file with its log; how many of the log are in the file: where all are, the
        next commit may begin a log.  Then the read marks.  Raises StorageError.
        """
        if self._index < 0:  # it stays open, since it has locks too
            self._index = _open_file(f"{self.path}-shm")
        try:
            header = os.pread(self._index, _INDEX.size, 0)
        except OSError as error:
            raise open_error(error, "index of the log") from error
        return _INDEX.unpack(header.ljust(_INDEX.size, b"\0"))

    def close(self) -> None:
        """Close all descriptors."""
        os.close(self.descriptor)
        if self._index >= 0:
            os.close(self._index)
        if self.life >= 0:
            close(self.life)
            self.life = -1
        for descriptor in self.kept_open:
            close(descriptor)


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


def open_error(error: OSError, path: str, reason: int = MQRC_NOT_AUTHORIZED) -> StorageError:
    """Return the error of a file that cannot be opened. reason: unless there are too few descriptors."""
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return too_few(path)
    return StorageError(f"{path}: {error.strerror}", reason)


def too_few(path: str) -> StorageError:
    """Return the error of a file that cannot be opened because there are too few descriptors."""
    return StorageError(f"{path}: {_TOO_FEW}", MQRC_RESOURCE_PROBLEM)


def are_too_few() -> bool:
    """Return whether too few descriptors are left to open a file and its log."""
    got: list[int] = []
    try:
        while len(got) < _NEEDED:
            got.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    finally:
        for descriptor in got:
            os.close(descriptor)
    return False


def flush_error(error: OSError, path: str) -> StorageError:
    """Return the error of a flush that failed, which says what happened to committed changes."""
    return StorageError(
        f"{path}: cannot flush to disk: {error.strerror}; the changes are committed and visible, but a power "
        "failure may undo them",
        MQRC_STORAGE_MEDIUM_FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else MQRC_RESOURCE_PROBLEM,
        hint="do not repeat the command before you have browsed the queue; no command succeeds until a flush does",
    )


def close(descriptor: int) -> None:
    """Close a descriptor of ``not_for_children``."""
    not_for_children.discard(descriptor)
    os.close(descriptor)


def close_in_child() -> None:
    """Replace each of ``not_for_children`` by /dev/null: the number stays taken, so that a late close hits no other."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for descriptor in not_for_children:
        os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)
    not_for_children.clear()
