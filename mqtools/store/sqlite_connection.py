"""Connections to a file with the standard library's SQLite."""

from __future__ import annotations

import _sqlite3 as sqlite3

from mqtools.store.failures import storage_error

#: Seconds that a statement waits for another program to be done with the file.
BUSY_TIMEOUT_S = 10.0
#: Pages kept in memory: enough for the inner pages of the indexes of millions of messages.
_CACHE_KIB = 32_768


def connect(path: str, *, read_only: bool) -> sqlite3.Connection:
    """Connect to a file. Raises StorageError."""
    try:
        if read_only:
            from mqtools.store.addresses import address

            place = address(path)
            return sqlite3.connect(
                place, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_S, check_same_thread=False
            )
        sql = sqlite3.connect(
            path, isolation_level=None, timeout=BUSY_TIMEOUT_S, cached_statements=256, check_same_thread=False
        )
        sql.execute("pragma synchronous = normal")
        sql.execute("pragma wal_autocheckpoint = 0")  # ``log.checkpoint``
        sql.execute(f"pragma cache_size = -{_CACHE_KIB}")
    except sqlite3.Error as error:
        raise storage_error(error, path) from error
    return sql
