"""Files that get their name when they are complete and on disk, by default private to their user."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import BinaryIO

_PRIVATE = 0o600


def write_whole(path: str, write: Callable[[BinaryIO], int], *, replaces: bool, mode: int = _PRIVATE) -> int:
    """Write a file, flushed to disk; return what ``write`` returns: how much it has written. After 0 no file is made.

    replaces: an existing file, or a link, is replaced; else it raises FileExistsError.  mode: permissions.
    """
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.{os.urandom(8).hex()}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
            if mode != _PRIVATE:
                os.fchmod(file.fileno(), mode)
            written = write(file)
            file.flush()
            os.fsync(file.fileno())
        if written:
            (os.replace if replaces else os.link)(draft, path)
    except OSError as error:
        if error.strerror:  # with a name, str() of one without a number shows nothing else
            error.filename = error.filename or path
        raise
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
    return written


def write_json(path: str, content: object, mode: int = _PRIVATE) -> None:
    """Replace a file, or a link, by a file with a value as JSON. mode: permissions."""
    text = json.dumps(content).encode()
    write_whole(path, lambda file: file.write(text), replaces=True, mode=mode)
