"""Readers that keep the log long: they read an old state of the file, so SQLite cannot reuse the log.

SQLite has five read marks in the index of the log, each a number of frames and a lock that its readers share. A reader
whose mark is below the end of the log keeps what is behind the mark there. The locks are those of the kernel, which
lists their holders in /proc/locks on Linux; a holder in another container, or elsewhere, is not seen.
Format: https://www.sqlite.org/walformat.html (WAL-index).
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from mqtools.store import OpenFile, open_files
from mqtools.store.log.turn_holder import TurnHolder, locks_of, process_of

#: Offset of the locks of the read marks in the index. A reader with the first mark, which is always 0, reads the file
#: alone, and prevents any move into it.
_FIRST_LOCK = 123
#: Bytes of a frame, about.
_FRAME = 4096 + 24


@dataclass(slots=True)
class LogReader:
    """A process that reads an old state of the file. kept: bytes of the log that SQLite cannot reuse for it."""

    process: TurnHolder
    kept: int


def find_readers(database: OpenFile) -> list[LogReader]:
    """Return the readers of an old state of a file that the kernel lists; not this process.

    A reader that has just begun is among them: what it keeps is little. Raises StorageError, OSError.
    """
    file = open_files.shared(database)
    kept = _kept_by(file.read_index(), _lock_holders(os.stat(f"{file.path}-shm")))
    return [LogReader(process_of(pid), number) for pid, number in sorted(kept.items()) if pid != os.getpid()]


def _kept_by(index: tuple[int, ...], holders: list[tuple[int, int, int]]) -> dict[int, int]:
    """Return process ids and the bytes of the log that they keep. holders: process id, first and last byte locked."""
    end, _, moved, *marks = index
    kept: dict[int, int] = {}
    for pid, first, last in holders:
        for place, mark in enumerate(marks, _FIRST_LOCK):
            if first <= place <= last and mark < end and (mark or moved < end):
                kept[pid] = max(kept.get(pid, 0), (end - mark) * _FRAME)
    return kept


def _lock_holders(file: os.stat_result) -> list[tuple[int, int, int]]:
    """Return process id, first and last byte of each shared lock of a file that the kernel lists."""
    return [
        (max(0, int(pid)), int(first), sys.maxsize if last == "EOF" else int(last))
        for _, kind, _, way, pid, _, first, last in locks_of(file)
        if kind == "POSIX" and way == "READ"
    ]
