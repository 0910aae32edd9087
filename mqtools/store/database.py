"""The database of a queue manager: its file, and transactions.

A commit is made without a flush; a caller that needs the change on disk asks for it, and the flush happens
after the writer lock has been released, so that writers flush side by side. Because the log is one file
written in order, a flushed change never depends on one that is not.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
import sys
from _thread import get_ident
from collections.abc import Callable, Iterable
from time import monotonic

from mqtools.constants.reasons import MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import Parameters, Row, open_files
from mqtools.store.definition_cache import DefinitionCache
from mqtools.store.descriptors import SharedFile
from mqtools.store.failures import FAILURES, is_busy, storage_error
from mqtools.store.log import checkpoint, disk_room, last_close, log_mark
from mqtools.store.log.writer_lock import WriterLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


APPLICATION_ID = log_mark.APPLICATION_ID
#: The version of schema.sql. A newer file is refused, an older one migrated.
SCHEMA_VERSION = 7
#: Seconds that a statement waits for another program to be done with the file.
BUSY_TIMEOUT_S = 10.0
#: The same for a transaction that writes, until ``log.turn_wait`` prints a notice and goes on.
_BEGIN_TIMEOUT_S = 2.0
#: Pages kept in memory: enough for the inner pages of the indexes of millions of messages.
_CACHE_KIB = 32_768


class Database:
    """An open queue manager file. One thread at a time; statements are cached.

    engine: which SQLite it is. A process has a file open by one of them only.  in_memory: it has no file.

    The file: path: as it was opened.  real_path: absolute, without links.  run_folder: the folder next to it.
    file: what all databases of the file in this process share; None in memory.  read_only: it is only read.
    is_ours: it is a queue manager of this version of mqx.
    finishes_log: the last connection of all processes moves the log into the file at its close, even after reads only.

    known: what has been read of the definitions.  writer_lock: None before the first transaction.
    log_descriptor: of the log, -1 before the first flush.
    is_room_low: puts are refused (``log.disk_room``).  next_look: when to look again, by ``time.monotonic``.

    Settings: lock_timeout_s: seconds that a transaction waits for the write turn; None for the configured limit.
    before_commit: called when a transaction that writes is about to be committed; what it raises undoes it.

    sql: the connection.  runs_in: the thread that is running a statement, 0 for none.
    blocks: how many blocks of queries or changes have begun, one in another, and not ended.
    is_writing: whether the block that began last is a transaction that writes.
    """

    __slots__ = (
        "__weakref__", "_changes", "_is_open", "_pid", "before_commit", "blocks", "file", "finishes_log", "is_ours",
        "is_room_low", "is_writing", "known", "lock_timeout_s", "log_descriptor", "next_look", "path", "read_only",
        "real_path", "run_folder", "runs_in", "sql", "writer_lock",
    )  # fmt: skip
    engine = "python"
    in_memory = False

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.real_path = os.path.realpath(path)  # SQLite has the log next to the target of a link
        self.run_folder = f"{self.real_path}-run"
        self.read_only = read_only
        self.file: SharedFile | None = None
        self.is_ours = self.is_writing = self.is_room_low = self._is_open = False
        self.finishes_log = True
        self.known = DefinitionCache()
        self.next_look, self.log_descriptor = 0.0, -1
        self.writer_lock: WriterLock | None = None
        self.lock_timeout_s: float | None = None
        self.before_commit: Callable[[], None] | None = None
        self.blocks = self.runs_in = self._changes = 0
        self._pid = os.getpid()
        if not self.in_memory:
            open_files.claim(self)
        try:
            self.sql = self._connect()
        except BaseException:
            open_files.release(self)
            raise
        self._is_open = self.file is not None

    @property
    def db(self) -> Self:
        """Return itself: what reads a queue manager takes a database like a connection (``source.Source``)."""
        return self

    def reading(self) -> Reading:
        """Return a block in which all queries see one state of the file."""
        return Reading(self)

    def writing(self) -> Writing:
        """Return a transaction that writes: it commits at the end of the block, and an exception rolls it back."""
        return Writing(self)

    is_open = staticmethod(open_files.is_open)
    sync = checkpoint.flush

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction of this database is open."""
        return self.sql.in_transaction

    def all(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """Run a query and return all its rows."""
        self.runs_in = get_ident()
        try:
            return self.sql.execute(statement, parameters).fetchall()
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        finally:
            self.runs_in = 0

    def column(self, statement: str, parameters: Parameters = ()) -> list[Any]:
        """Run a query and return the first column of all its rows."""
        return [row[0] for row in self.all(statement, parameters)]

    def one(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query and return its first row, or None."""
        self.runs_in = get_ident()
        try:
            row: Row | None = self.sql.execute(statement, parameters).fetchone()
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        finally:
            self.runs_in = 0
        return row

    def run(self, statement: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of rows it changed."""
        self.runs_in = get_ident()
        try:
            return self.sql.execute(statement, parameters).rowcount
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        finally:
            self.runs_in = 0

    def number(self, statement: str, parameters: Parameters = ()) -> int:
        """Run a query and return the number in the first column of its first row; 0 for null and without a row."""
        row = self.one(statement, parameters)
        return 0 if row is None else int(row[0] or 0)

    def run_many(self, statement: str, rows: Iterable[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        self.runs_in = get_ident()
        try:
            self.sql.executemany(statement, rows)
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        finally:
            self.runs_in = 0

    def version(self) -> int:
        """Return a number that changes when another connection has changed the file; next to free."""
        return self.number("pragma data_version")

    def open_reader(self) -> Self:
        """Open the file once more, only to be read."""
        return type(self)(self.path, read_only=True)

    def close(self, *, waits: bool = True) -> None:
        """Close the file; the last process to do so moves the log into it and removes the log.

        waits: for other threads and programs; False when it is forgotten, where ``sql`` may still be read from.
        """
        self._is_open = False
        if self._pid != os.getpid() or self.file is None:
            self.sql.close()
        elif not self.read_only:
            last_close.close_writer(self, self.file, waits=waits)
        elif waits:
            last_close.close_reader(self, self.file)
        open_files.release(self, waits=waits)
        if self.log_descriptor >= 0:
            os.close(self.log_descriptor)
            self.log_descriptor = -1
        if self.writer_lock is not None:
            self.writer_lock.close()
            self.writer_lock = None

    def __del__(self) -> None:  # forgotten: SQLite would remove the log, and the file would seem to lack it
        if self._is_open and self._pid == os.getpid() and not sys.is_finalizing():
            self.close(waits=False)

    def _connect(self) -> sqlite3.Connection:
        """Connect to the file. Raises StorageError."""
        place = self.path
        if self.read_only:
            place = address(self.path)
        try:
            sql = sqlite3.connect(
                place, uri=self.read_only, isolation_level=None, timeout=BUSY_TIMEOUT_S, cached_statements=256,
                check_same_thread=False,
            )  # fmt: skip
            if not self.read_only:
                sql.execute("pragma synchronous = normal")
                sql.execute("pragma wal_autocheckpoint = 0")  # ``log.checkpoint``
                sql.execute(f"pragma cache_size = -{_CACHE_KIB}")
        except sqlite3.Error as error:
            raise storage_error(error, self.path) from error
        return sql

    def begin_reading(self) -> None:
        """Begin a block in which all queries see one state of the file; ``end_block`` must follow."""
        if self.blocks == 0:
            self.run("begin")
            self.is_writing = False
        self.blocks += 1

    def begin_writing(self) -> None:
        """Wait for the turn to write and begin a transaction, or inside another one a part that can be undone alone.

        ``end_block`` must follow.  Raises StorageError.
        """
        self.is_writing = True
        if self.blocks > 0:
            if not self.in_transaction:
                raise StorageError(f"{self.path}: an error of the file has undone the transaction")
            self.run("savepoint part")
            self.blocks += 1
            return
        try:
            if self.file is not None:
                lock = self.writer_lock
                if lock is not None and not os.fstat(lock.writer).st_nlink:
                    lock.close()  # the run folder was emptied: other processes use new lock files
                    lock = self.writer_lock = None
                if lock is None:
                    lock = self.writer_lock = WriterLock(self.run_folder)
                    waits_s = _BEGIN_TIMEOUT_S if self.lock_timeout_s is None else self.lock_timeout_s
                    waits_s = min(BUSY_TIMEOUT_S, _BEGIN_TIMEOUT_S, waits_s)
                    self.sql.execute(f"pragma busy_timeout = {int(1000 * waits_s)}")
                lock.acquire(self.lock_timeout_s)
                open_files.check_there(self)
                if self.is_room_low or monotonic() >= self.next_look:
                    disk_room.check(self, self.file)
            try:
                self.run("begin immediate")
            except StorageError as error:
                if self.writer_lock is None or not is_busy(error):
                    raise
                from mqtools.store.log import turn_wait

                turn_wait.begin_after_others(
                    lambda: self.run("begin immediate"), error, self.real_path, self.lock_timeout_s
                )
        except BaseException:
            self.give_turn()
            raise
        self._changes = self.sql.total_changes
        self.blocks = 1

    def end_block(self, *, keep: bool, writing: bool) -> None:
        """End a block of queries or changes: commit, or roll back when it is not to be kept or the commit fails."""
        if self.blocks > 1:
            self.blocks -= 1
            if writing:
                self._end_part(keep=keep)
            return
        is_kept = False
        try:
            if keep:
                self._commit(writing=writing)
                is_kept = True
        except StorageError as error:
            if error.reason == MQRC_STORAGE_MEDIUM_FULL and self.file is not None:
                self.is_room_low = True
            raise
        finally:
            try:
                if not is_kept:
                    self.next_look = 0.0  # the disk may be full
                    self._undo()
            finally:
                self.blocks = 0
                if writing:
                    self.give_turn()

    def _end_part(self, *, keep: bool) -> None:
        if keep:
            self.run("release part")
        elif self.in_transaction:  # else SQLite has undone all of it
            self.known = DefinitionCache()  # a version that was undone may be given to another change
            self.run("rollback to part")
            self.run("release part")

    def _commit(self, *, writing: bool) -> None:
        if not writing:
            self.run("commit")
            return
        if self.before_commit is not None:
            self.before_commit()
        file, marked = self.file if self.sql.total_changes != self._changes else None, None
        if file is not None:
            frames, _, moved, *_ = file.read_index()
            if frames == moved:  # the commit may begin a log
                marked = log_mark.mark_log(self, file.descriptor)
            if marked is not None:  # until the commit the file is complete: all of the last log is in it
                log_mark.write(file.descriptor, marked & ~log_mark.HAS_LOG)
        self.run("commit")
        if file is not None:
            if marked is not None:
                log_mark.write(file.descriptor, marked)
            else:
                checkpoint.move_if_long(self, file)

    def give_turn(self) -> None:
        """Release the write turn to the next writer."""
        try:
            if self.is_room_low:
                from mqtools.store.log import reserve

                reserve.keep(self)
        finally:
            if self.writer_lock is not None:
                self.writer_lock.release()

    def _undo(self) -> None:
        """Roll back, unless SQLite has done so (a disk that fails), and clear the cache."""
        self.known = DefinitionCache()  # a version that was undone may be given to another change
        if self.in_transaction:
            self.run("rollback")


class Reading:
    """A block of queries that see one state of the file."""

    __slots__ = ("_database",)
    _writing = False

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Self:
        self._database.begin_reading()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._database.end_block(keep=kind is None, writing=self._writing)


class Writing(Reading):
    """A transaction that writes. Inside another one it is a part that can be undone alone."""

    __slots__ = ()
    _writing = True

    def __enter__(self) -> Self:
        self._database.begin_writing()
        return self


def address(path: str) -> str:
    """Return the URI that opens a file read-only."""
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    no_host = "//" if path.startswith("/") else ""
    return f"file:{no_host}{escaped}?mode=ro{'&immutable=1' if _is_at_rest(path) else ''}"


def _is_at_rest(path: str) -> bool:
    """Return whether a file is by itself where nothing can be written, such as a copy on a read-only disk.

    SQLite then has no place for the index of its log, and reads only a file that is declared immutable. The index
    exists for a file in use, and for a file that mqx has used there before.
    """
    if os.access(os.path.dirname(os.path.abspath(path)), os.W_OK, effective_ids=True):
        return False
    log = f"{path}-wal"
    return not os.path.exists(f"{path}-shm") and not (os.path.exists(log) and os.path.getsize(log))
