"""Atomic writes of files: after a full disk or a kill, the previous file is unchanged. Flush of files and folders."""

from __future__ import annotations

import os
import stat


def flush_path(path: str) -> None:
    """Flush a file to disk, or the names in a folder. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_text(path: str, text: str) -> None:
    """Write a text file, on disk before it has its name; what is no file is just written to.

    path: where it is a link, the file that it leads to is replaced. Its permissions are of its owner's alone.
    Raises OSError, which names the file; what was there is untouched then.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return
    draft = f"{path}.{os.getpid()}.new"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            os.fchmod(descriptor, 0o600)
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        os.replace(draft, path)
    except BaseException as error:
        os.unlink(draft)
        if isinstance(error, OSError):
            error.filename = path
        raise
