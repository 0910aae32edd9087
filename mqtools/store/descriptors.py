"""Errors of a file that cannot be opened or flushed: too few file descriptors, or a fault of the file itself."""

from __future__ import annotations

import errno
import os

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError

#: Descriptors that SQLite needs for a file, its log, their folder and more.
_NEEDED = 6
_TOO_FEW = "too few file descriptors are left in this process (ulimit -n) or on this system"


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
