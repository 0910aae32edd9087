"""SQL for users: documented views on a connection that can only read.

views.sql defines the views. A query has its own connection, so that a long one delays no other call.
"""

from __future__ import annotations

import marshal
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from tempfile import SpooledTemporaryFile

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.names import name_of
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM, MQRC_SELECTION_STRING_ERROR
from mqtools.errors import MQError, StorageError
from mqtools.formats.units import put_at_ms, rfc3339
from mqtools.headers.chain import read_dlh
from mqtools.message import MQMD
from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.failures import storage_error
from mqtools.store.open_database import open_database
from mqtools.store.sql_files import read_sql

#: Allowed actions of a statement: read columns, select, recurse. Functions and pragmas are checked by name.
_ALLOWED = frozenset((sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE))
#: Pragmas that only describe.
_PRAGMAS = frozenset(("table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"))
#: Functions that reach outside the file.
_FORBIDDEN_FUNCTIONS = frozenset(("load_extension", "edit", "readfile", "writefile", "fts3_tokenizer"))

#: Columns of users that no query reads.
_SECRETS = ("salt", "digest")

#: Table-valued functions. SQLite declares each when it is first used, which the authorizer would refuse.
_TABLE_FUNCTIONS = ("json_each('{}')", "json_tree('{}')", "pragma_table_info('messages')")

#: Bytes of rows that are kept in memory; more are in a temporary file.
_MOST_IN_MEMORY = 32 << 20
#: Virtual machine instructions of SQLite from one look at the clock to the next.
_TICK = 10_000
#: How SQLite's words begin where it has no code of its own for a refusal.
_REFUSED = ("not authorized", "cannot modify")
_SQLITE_ERROR = 1
_SQLITE_INTERRUPT = 9
_SQLITE_READONLY = 8
_SQLITE_AUTH = 23


def open_views(path: str, check: Callable[[Database], None] | None = None) -> sqlite3.Connection:
    """Open a queue manager's file for reading, with the views messages, queues, locks and journal before its tables.

    Whatever is no query is refused (``not authorized``), ATTACH and pragmas that change something included.
    check: called with the open file; what it raises refuses the view.  Raises StorageError as ``open_database`` does.
    """
    database = open_database(path, read_only=True)
    if check is not None:
        check(database)
    connection = database.sql
    try:
        connection.execute("pragma temp_store = memory")
        connection.create_function("mqx_text", 1, _text, deterministic=True)
        connection.create_function("mqx_dlh", 5, _dlh, deterministic=True)
        connection.create_function("mqx_put_at", 3, _put_at, deterministic=True)
        connection.executescript(read_sql("views.sql"))
        for function in _TABLE_FUNCTIONS:
            connection.execute(f"select * from {function}").fetchall()  # noqa: S608 - of the table above
        connection.execute("pragma query_only = on")
        connection.set_authorizer(_authorize)
    except sqlite3.Error as error:
        connection.close()
        raise storage_error(error, path) from error
    return connection


def query(
    connection: sqlite3.Connection,
    statement: str,
    parameters: Sequence[object] | dict[str, object] = (),
    *,
    timeout_s: float = 0,
) -> tuple[list[str], SpooledRows]:
    """Run one query to its end; return the names of its columns and its rows.

    The rows are in memory, or in a temporary file if they are many, before the first is returned. Otherwise a reader
    that pauses would prevent the reuse of the log, and the log would grow with every put.
    timeout_s: seconds until the query is ended, 0 for no limit.
    Raises StorageError: MQRC_NOT_AUTHORIZED for a statement that does more than read, MQRC_SELECTION_STRING_ERROR for
    one that is wrong, MQRC_RESOURCE_PROBLEM when the time is up, and as the file's state demands.
    """
    deadline = time.monotonic() + timeout_s if timeout_s else float("inf")
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _TICK)
    spool = SpooledTemporaryFile(max_size=_MOST_IN_MEMORY)  # noqa: SIM115 - closed with the rows
    try:
        cursor = connection.execute(statement, parameters)
        for row in cursor:
            marshal.dump(row, spool)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        spool.close()
        if getattr(error, "sqlite_errorcode", 0) == _SQLITE_INTERRUPT:
            raise _time_is_up(timeout_s) from error
        raise _in_our_words(error) from error
    except BaseException:
        spool.close()
        raise
    finally:
        connection.set_progress_handler(None, 0)
    return [column[0] for column in cursor.description or ()], SpooledRows(spool)


class SpooledRows:
    """Rows of a query, in memory or in a temporary file; they can be read several times, one after the other."""

    def __init__(self, spool: SpooledTemporaryFile[bytes]) -> None:
        self._spool = spool
        self._end = spool.tell()

    def __del__(self) -> None:
        self._spool.close()

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows."""
        self._spool.seek(0)
        while self._spool.tell() < self._end:
            yield marshal.load(self._spool)


def _time_is_up(timeout_s: float) -> StorageError:
    return StorageError(
        f"the query was ended after {timeout_s:g} s",
        MQRC_RESOURCE_PROBLEM,
        hint="narrow it, or allow more time with --timeout; 0 is no limit",
    )


def limit_memory(connection: sqlite3.Connection, most_bytes: int) -> None:
    """Let the queries of this process use so many bytes of memory; one that needs more fails (MemoryError)."""
    connection.set_authorizer(None)
    connection.execute(f"pragma hard_heap_limit = {most_bytes:d}")
    connection.set_authorizer(_authorize)


def _in_our_words(error: Exception) -> StorageError:
    code = getattr(error, "sqlite_errorcode", _SQLITE_ERROR) & 0xFF
    words = str(error)
    if code in (_SQLITE_AUTH, _SQLITE_READONLY) or words.startswith(_REFUSED):
        return StorageError("only queries are possible here: the connection can only read", MQRC_NOT_AUTHORIZED)
    if "one statement at a time" in words:
        return StorageError("SQL error: only one statement at a time", MQRC_SELECTION_STRING_ERROR)
    if code == _SQLITE_ERROR or not isinstance(error, sqlite3.Error):
        hint = "mqx sql --views lists the views and their columns" if words.startswith("no such") else None
        return StorageError(f"SQL error: {words}", MQRC_SELECTION_STRING_ERROR, hint=hint)
    return storage_error(error, "the query")


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_PRAGMA:
        allowed = (first or "").lower() in _PRAGMAS
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() not in _FORBIDDEN_FUNCTIONS
    else:
        allowed = action in _ALLOWED and not (first == "users" and second in _SECRETS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _text(data: bytes | None) -> str | None:
    """Return the data as text if it is UTF-8."""
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _dlh(field: str, md_format: str, encoding: int, ccsid: int, data: bytes | None) -> str | int | None:
    """Return a field of the dead-letter header, the reason by its name; None without a valid header."""
    if data is None or md_format != MQFMT_DEAD_LETTER_HEADER:
        return None
    try:
        dlh = read_dlh(MQMD(format=md_format, encoding=encoding, coded_char_set_id=ccsid), bytes(data))
    except MQError:
        return None
    if field == "reason":
        return name_of("MQRC", dlh.reason) or name_of("MQFB", dlh.reason) or dlh.reason
    return str(getattr(dlh, field))


def _put_at(put_date: str, put_time: str, arrived_at: int) -> str:
    """Return when a message was put, or when it arrived where the descriptor has no time."""
    said = put_at_ms(put_date, put_time)
    return rfc3339(arrived_at if said is None else said)
