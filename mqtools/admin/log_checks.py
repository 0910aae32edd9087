"""Readers that keep the log of a queue manager long."""

from __future__ import annotations

import os
import time

from mqtools.admin.findings import NOTICE, SOUND, Finding
from mqtools.errors import StorageError
from mqtools.store.database import Database
from mqtools.store.log.log_readers import find_readers

#: Bytes of the log that a reader may keep: twice its size at the reuse.
_MUCH = 8 << 20


def check_readers(db: Database) -> Finding:
    """Find the processes that read an old state of the file, so that the log grows; see ``find_readers``."""
    path = f"{db.real_path}-wal"
    try:
        readers = [reader for reader in find_readers(db) if reader.kept > _MUCH]
    except (OSError, StorageError):
        return Finding("readers", SOUND, path, "there is no log")
    if not readers:
        return Finding("readers", SOUND, path, "no reader keeps the log long")
    what = "; ".join(
        f"{reader.process.description()}{_age(reader.process.pid)} keeps {reader.kept >> 20} MiB of the log"
        for reader in readers
    )
    return Finding("readers", NOTICE, path, what, "the log is reused when they continue or end")


def _age(pid: int) -> str:
    """Return since when a process runs, in words; since when it reads is not known to anybody."""
    try:
        begun = os.stat(f"/proc/{pid}").st_ctime
    except OSError:
        return ""
    return f", running since {time.strftime('%H:%M:%S', time.localtime(begun))},"
