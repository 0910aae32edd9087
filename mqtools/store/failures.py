"""Translation of SQLite errors into errors with a reason code."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from mqtools.constants.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_DAMAGED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_STORAGE_MEDIUM_FULL,
    MQRC_UNEXPECTED_ERROR,
)
from mqtools.errors import StorageError
from mqtools.store.descriptors import are_too_few, too_few

#: The hint of an error where a disk is full.
HINT_WHEN_FULL = (
    "make room on that disk; or get messages, delete them with --no-trash, or empty the trash, and then mqx qmgr "
    "compact makes the file smaller; mqx doctor says how much is left"
)

#: Beginning of Python's message, which has no code, for a damaged text in the file.
_NO_TEXT = "Could not decode to UTF-8"

#: SQLite's result code to reason and words: an extended code, else the primary one. One not listed is an
#: unexpected error.
_MEANINGS = {
    5: (MQRC_RESOURCE_PROBLEM, "the file is busy: another program holds it"),
    6: (MQRC_RESOURCE_PROBLEM, "the file is busy: another program holds it"),
    8: (MQRC_NOT_AUTHORIZED, "the file or its folder is read-only"),
    10: (MQRC_OBJECT_DAMAGED, "the file cannot be read or written"),
    11: (MQRC_OBJECT_DAMAGED, "the file is damaged"),
    13: (MQRC_STORAGE_MEDIUM_FULL, "no space is left for the file"),
    14: (MQRC_NOT_AUTHORIZED, "the file cannot be opened"),
    26: (MQRC_OBJECT_DAMAGED, "the file is not a queue manager of mqx"),
    1034: (MQRC_RESOURCE_PROBLEM, "cannot flush to disk"),
    1290: (MQRC_RESOURCE_PROBLEM, "cannot flush the folder of the file to disk"),
    778: (MQRC_STORAGE_MEDIUM_FULL, "the file cannot be written: it has reached a size limit, or its disk fails"),
    4874: (MQRC_STORAGE_MEDIUM_FULL, "no space is left for the index of the log"),
}

#: SQLite's code for a file that cannot be opened.
_CANNOT_OPEN = 14
#: SQLite's code for a file that cannot be written.
_READ_ONLY = 8

#: Errors of a statement: SQLite's errors, and values that it has no room for (surrogates, 65 bits).
FAILURES = (sqlite3.Error, UnicodeEncodeError, OverflowError)


def storage_error(error: Exception, path: str) -> StorageError:
    """Return the StorageError for an error of SQLite."""
    code = 11 if str(error).startswith(_NO_TEXT) else getattr(error, "sqlite_errorcode", 0)
    words = str(error) if isinstance(error, sqlite3.Error) else f"a value cannot be stored: {error}"
    if code & 0xFF == _CANNOT_OPEN and are_too_few():
        return too_few(path)
    if code & 0xFF == _CANNOT_OPEN and _is_read_only(path):
        code = _READ_ONLY
    reason, words = _MEANINGS.get(code) or _MEANINGS.get(code & 0xFF, (MQRC_UNEXPECTED_ERROR, words))
    return StorageError(f"{path}: {words}", reason, hint=HINT_WHEN_FULL if reason == MQRC_STORAGE_MEDIUM_FULL else None)


def is_busy(error: StorageError) -> bool:
    """Return whether another program held the file too long: SQLITE_BUSY or SQLITE_LOCKED."""
    return getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF in (5, 6)


def _is_read_only(path: str) -> bool:
    """Return whether a file can be read in a folder that cannot be written to."""
    return os.access(path, os.R_OK) and not os.access(os.path.dirname(path) or ".", os.W_OK)
