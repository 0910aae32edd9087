"""The mark that ties a log to its file, so that a copy that is put back never meets a log of another time.

SQLite applies the log (its write-ahead log, ``-wal``) to the file of its name. mqx marks both: the upper three
bytes of ``user_version`` are the mark, the lowest byte is the version of the schema.

- Mark 0: not known; an older mqx made the file. Its log is taken for its own.
- An even mark: the file is complete; no log belongs to it.
- An odd mark: a log belongs to the file, the one whose first transaction set this mark.

Invariant: the mark in the file is on disk before anything in the log is acknowledged, and each copy of the first page
in a log carries a mark that was chosen for that log. So a log belongs to a file if and only if it has the file's mark.
The commit that begins a log is made while the file has an even mark. A kill before it leaves a complete file, and a
kill after it a log that has the mark. Before a part of the log is moved into the file, both get a new mark
(``checkpoint``): the log, at its end, before the file. So a copy of the log that was made before does not fit a copy of
the file that was made after. The last program to close the file writes its mark, made even, at the end of the log. It
deletes the log once it is in the file (``last_close``).
"""

from __future__ import annotations

import fcntl
import os
import sys
from _struct import Struct  # what ``struct`` has it from, one module fewer

from mqtools.store import OpenFile
from mqtools.store.log.writer_lock import WriterLock

#: "mqx1": marks a SQLite file as a queue manager of ours.
APPLICATION_ID = 0x6D717831

#: Of ``user_version``: the bits of the schema's version, and the bit that says that there is a log.
SCHEMA, HAS_LOG = 0xFF, 0x100
_SCHEMA_BITS = 8
#: Offsets of ``user_version`` and ``application_id`` in the first page, four bytes each, big-endian.
_OFFSET, _APPLICATION_OFFSET = 60, 68

#: Bytes of the header of the log and of each page in it; where the size of a page and the salts lie.
_LOG_HEADER, _FRAME_HEADER = 32, 24
_PAGE_SIZE, _SALTS, _FRAME_SALTS = slice(8, 12), slice(16, 24), slice(8, 16)

#: Pages in the log that cause a move after a commit, as in SQLite itself (``checkpoint``).
MANY_PAGES = 1000
#: Where and how long the lock is that SQLite holds on each file that it has open.
_SHARED_FIRST, _SHARED_LENGTH = 0x40000002, 510
#: Packs what the system calls a ``struct flock``: type, start and length in bytes; whence and process stay 0.
flock = Struct("h6xqq8x").pack

#: Relations of a log to its file: its own or none; one of another file or time; missing although there was one.
OWN, FOREIGN, MISSING = "own", "foreign", "missing"


def new_mark(user_version: int) -> int:
    """Return a new mark, that of a log that begins now, with the version of the schema of ``user_version``.

    Without ``HAS_LOG`` it is that of a complete file.
    """
    # Never 1, because the mark of a complete file, which is one less, must not be 0.
    mark = int.from_bytes(os.urandom(3), "big") & 0x7FFFFF | 3
    return mark << _SCHEMA_BITS | user_version & SCHEMA


def read(descriptor: int) -> int:
    """Return ``user_version`` as the file has it, whatever the log says."""
    return int.from_bytes(os.pread(descriptor, 4, _OFFSET), "big")


def write(descriptor: int, user_version: int) -> None:
    """Write ``user_version`` into the file itself."""
    os.pwrite(descriptor, user_version.to_bytes(4, "big"), _OFFSET)


def mark_log(database: OpenFile, descriptor: int) -> int | None:
    """Mark the log in the transaction that is open; return the new mark of the file. descriptor: of the file.

    None: the file of an older mqx has no mark. If the transaction is not committed, the mark is not in the log. Then
    the next transaction begins the log, with another mark.
    """
    if read(descriptor) <= SCHEMA:
        return None
    (version,) = database.one("pragma user_version") or (0,)  # a migration has changed it in the log only
    marked = new_mark(version)
    database.run(f"pragma user_version = {marked}")
    return marked


def mark_complete(descriptor: int, *, is_new: bool = False) -> None:
    """Mark a file as complete: its log is gone. Only for the holder of the writer lock.

    The mark is another one, so that a copy of the log that was made before does not fit the file any more.
    is_new: also where the file has the mark of a complete file.
    """
    before = read(descriptor)
    if is_new or before & HAS_LOG or before <= SCHEMA:
        write(descriptor, new_mark(before) & ~HAS_LOG)


def mark_copy(descriptor: int) -> None:
    """Mark a copy with another mark of a complete file, if it has a mark."""
    if read(descriptor) > SCHEMA:
        mark_complete(descriptor, is_new=True)


def compare(descriptor: int, path: str) -> str:
    """Compare a log with its file: OWN, FOREIGN or MISSING. descriptor: of the open file."""
    mark = read(descriptor) >> _SCHEMA_BITS
    if not mark or os.pread(descriptor, 4, _APPLICATION_OFFSET) != APPLICATION_ID.to_bytes(4, "big"):
        return OWN
    try:
        log = os.open(f"{path}-wal", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return MISSING if mark & 1 else OWN
    try:
        marks = _marks(log, mark | 1)
    finally:
        os.close(log)
    return OWN if not marks or mark | 1 in marks else FOREIGN


def _marks(log: int, wanted: int) -> set[int]:
    """Return the marks in a log, or only the wanted one, which is mostly that of its first page.

    A log of another program may have no marks.
    """
    marks: set[int] = set()
    header = os.pread(log, _LOG_HEADER, 0)
    page_size = int.from_bytes(header[_PAGE_SIZE], "big")
    position = _LOG_HEADER
    while len(frame := os.pread(log, _FRAME_HEADER + _OFFSET + 4, position)) == _FRAME_HEADER + _OFFSET + 4:
        if frame[_FRAME_SALTS] != header[_SALTS] or not page_size:
            break  # left over from before the log was reused
        if int.from_bytes(frame[:4], "big") == 1:
            marks.add(int.from_bytes(frame[-4:], "big") >> _SCHEMA_BITS | 1)
            if wanted in marks:
                return {wanted}
        position += _FRAME_HEADER + page_size
    return marks


def set_aside(descriptor: int, path: str, run_folder: str) -> str | None:
    """Move a log that is not of this file out of its way; return its new path, None where there is none any more.

    While another process has the file open, that process judges: the log is in use, and nothing is done.
    Raises StorageError, OSError.
    """
    lock = WriterLock(run_folder)
    try:
        lock.acquire()  # otherwise a log that is being begun could be taken for a foreign one
        if compare(descriptor, path) != FOREIGN or not _lock_all(descriptor):
            return None
        try:
            return _move_log(path)
        finally:
            fcntl.lockf(descriptor, fcntl.LOCK_UN, _SHARED_LENGTH, _SHARED_FIRST)
    finally:
        lock.close()


def _lock_all(descriptor: int) -> bool:
    """Lock the file as SQLite does against everybody. Only while this process has it open in no other way."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_LENGTH, _SHARED_FIRST)
    except BlockingIOError:
        return False
    return True


def is_open_elsewhere(path: str) -> bool:
    """Return whether another process has a file open. Only while this process has it not."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        return not _lock_all(descriptor)
    finally:
        os.close(descriptor)


def is_locked_elsewhere(descriptor: int) -> bool:
    """Return whether another process has a file open that this process has open too."""
    found = fcntl.fcntl(descriptor, fcntl.F_GETLK, flock(fcntl.F_WRLCK, _SHARED_FIRST, _SHARED_LENGTH))
    return int.from_bytes(found[:2], sys.byteorder) != fcntl.F_UNLCK


def hold_open(descriptor: int) -> None:
    """Lock a file as SQLite does while it has it open, until the descriptor is closed."""
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, flock(fcntl.F_RDLCK, _SHARED_FIRST, _SHARED_LENGTH))


def _move_log(path: str) -> str:
    number = 1
    while os.path.exists(aside := f"{path}-wal.foreign-{number}"):
        number += 1
    os.rename(f"{path}-wal", aside)
    if os.path.exists(f"{path}-shm"):
        os.unlink(f"{path}-shm")
    return aside
