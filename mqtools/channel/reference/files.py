"""Files below a root folder, opened step by step without following links, so that no path leads outside.

Steps are those of ``mqtools.rules.reference.object_path``. Each is opened relative to the folder before it, so that
the checked folder is the one used, even if folders are renamed meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from mqtools.constants.reasons import (
    MQRC_API_EXIT_INIT_ERROR,
    MQRC_NOT_AUTHORIZED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_STORAGE_MEDIUM_FULL,
)
from mqtools.errors import MQError

FILE_MODE, FOLDER_MODE = 0o600, 0o700

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
#: Without O_NONBLOCK the opening of a pipe would wait for its writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

#: Errors that say that the machine, not this one object, cannot continue. Any other is of the object.
_STORAGE = {
    errno.ENOSPC: MQRC_STORAGE_MEDIUM_FULL,
    errno.EDQUOT: MQRC_STORAGE_MEDIUM_FULL,
    errno.EIO: MQRC_RESOURCE_PROBLEM,
    errno.EROFS: MQRC_RESOURCE_PROBLEM,
    errno.EMFILE: MQRC_RESOURCE_PROBLEM,
    errno.ENFILE: MQRC_RESOURCE_PROBLEM,
    errno.ENOMEM: MQRC_RESOURCE_PROBLEM,
}


class ObjectRefused(Exception):
    """Raised when an object cannot or must not be read or written: its message is suppressed."""


@contextmanager
def convert_errors(what: str) -> Iterator[None]:
    """Convert OSError to ObjectRefused, or to MQError for errors of the machine."""
    try:
        yield
    except OSError as error:
        reason = _STORAGE.get(error.errno or 0)
        if reason is not None:
            raise MQError(f"{what}: {error.strerror}", reason) from error
        raise ObjectRefused(f"{what}: {error.strerror}") from error


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    """Yield an open descriptor, and close it at the end."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_root(path: str) -> int:
    """Open a root folder, which may itself be reached by links. Raises MQError: MQRC_API_EXIT_INIT_ERROR."""
    if not path:
        raise MQError("MSGDATA must name the root folder", MQRC_API_EXIT_INIT_ERROR)
    try:
        return os.open(path, _FOLDER)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or error
        raise MQError(f"root folder {path}: {words}", MQRC_API_EXIT_INIT_ERROR) from error


def check_allowed(root: int, path: str, folders: Sequence[str]) -> None:
    """Check that an open root folder is one of the folders, or below one. path: of the root, for the words.

    The folders above the open one are compared, not their names, so that no link leads past the check.
    Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    allowed = set()
    for folder in folders:
        with suppress(OSError):  # a missing folder has no folders below it
            found = os.stat(folder)
            allowed.add((found.st_dev, found.st_ino))
    if allowed and not allowed.isdisjoint(_folders_above(root)):
        return
    raise MQError(
        f"root folder {path} is not below an exit folder: files may be written below {', '.join(folders) or 'none'}",
        MQRC_NOT_AUTHORIZED,
        hint="mqx channel listen --exit-folder FOLDER, or mqx config set channel.exit_folders FOLDER",
    )


def _folders_above(root: int) -> Iterator[tuple[int, int]]:
    """Yield device and number of an open folder, and of each folder above it."""
    here = os.dup(root)
    try:
        before = None
        while True:
            found = os.fstat(here)
            identity = (found.st_dev, found.st_ino)
            if identity == before:
                return  # the root of the file system is above itself
            yield identity
            before = identity
            above = os.open("..", _FOLDER, dir_fd=here)
            os.close(here)
            here = above
    except OSError:
        return  # what cannot be looked at is no exit folder
    finally:
        os.close(here)


def open_folder(root: int, steps: tuple[str, ...], *, create: bool = False) -> int:
    """Open a folder below a root; the caller closes the descriptor. create: create missing folders.

    Raises OSError, also for a link in the path.
    """
    here = os.dup(root)
    for step in steps:
        with closing(here):
            if create:
                with suppress(FileExistsError):
                    os.mkdir(step, FOLDER_MODE, dir_fd=here)
                os.fsync(here)
            here = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
    return here


def open_object(root: int, steps: tuple[str, ...]) -> int:
    """Open an object for reading. Raises OSError; ObjectRefused for anything but a regular file."""
    with closing(open_folder(root, steps[:-1])) as folder:
        descriptor = os.open(steps[-1], _FILE, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ObjectRefused(f"{'/'.join(steps)} is not a regular file")
    return descriptor


def stat_object(root: int, steps: tuple[str, ...]) -> os.stat_result | None:
    """Return the status of a name below a root, without following a link; None if it does not exist. Raises OSError."""
    with suppress(FileNotFoundError), closing(open_folder(root, steps[:-1])) as folder:
        return os.stat(steps[-1], dir_fd=folder, follow_symlinks=False)
    return None


def read_at(descriptor: int, offset: int, length: int) -> bytes:
    """Read a number of bytes at an offset; fewer only at the end of the file. Raises OSError."""
    with open(descriptor, "rb", closefd=False) as file:
        file.seek(offset)
        return file.read(length)


def write_at(descriptor: int, offset: int, data: bytes) -> None:
    """Write all bytes at an offset. Raises OSError."""
    rest = memoryview(data)
    while rest:
        written = os.pwrite(descriptor, rest, offset)
        offset += written
        rest = rest[written:]
