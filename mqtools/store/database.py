"""The database of a queue manager: opening and creating its file, statements, transactions.

A commit is made without a flush; a caller that needs the change on disk asks for it, and the flush happens
after the writer lock has been released, so that writers flush side by side. Because the log is one file
written in order, a flushed change never depends on one that is not.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # without what the package registers: adapters of datetime, which take a while to import
import os
import sys
from time import monotonic

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED, MQRC_Q_MGR_NAME_ERROR, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import counters, open_files
from mqtools.store.changes import check_writable
from mqtools.store.definition_cache import DefinitionCache
from mqtools.store.failures import FAILURES, storage_error
from mqtools.store.log import disk_room, last_close, log_mark
from mqtools.store.log.writer_lock import WriterLock, make_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Self

    from mqtools.store.log.log import Log
    from mqtools.store.types import File, Parameters, Row

APPLICATION_ID = log_mark.APPLICATION_ID
#: The version of schema.sql. A newer file is refused, an older one migrated.
SCHEMA_VERSION = 4


#: Seconds that a statement waits for another program to be done with the file.
BUSY_TIMEOUT_S = 10.0
#: Pages kept in memory: enough for the inner pages of the indexes of millions of messages.
_CACHE_KIB = 32_768


class Database:
    """An open queue manager file. One thread at a time; statements are cached.

    engine: which SQLite it is. A process has a file open by one of them only.
    before_commit: called when a transaction that writes is about to be committed; what it raises undoes it.
    known: what has been read of the definitions.  counted: by queue id, what the transaction has counted; it is written
    before the next statement that is not run with ``change``, and before the commit.
    change_counter: incremented by every statement except those of ``one``, ``find`` and ``change``.
    real_path: absolute, without links.  file, descriptor: device and number of the file, and what its mark is read and
    written by (``log_mark``).  is_ours: the file is a queue manager of this version of mqx.  lacks_log: it was found
    without its log.  log_found: bytes of the log that was found beside it.  finishes_log: the last to close the file,
    in whatever process, moves the log into it, although it was open only to be read.  lock_timeout_s: seconds that a
    transaction waits for the write turn; None for the configured limit.  is_low: there is little room on the disk,
    and puts are to be refused.  next_look: when to look at that again (``disk_room``).
    """

    __slots__ = (
        "__weakref__", "_changes", "_depth", "_is_open", "_pid", "before_commit", "change_counter", "counted",
        "descriptor", "file", "finishes_log", "is_low", "is_ours", "known", "lacks_log", "lock_timeout_s", "log",
        "log_found", "next_look", "path", "read_only", "real_path", "run_folder", "sql", "writer_lock",
    )  # fmt: skip
    engine = "python"

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.real_path = os.path.realpath(path)  # SQLite has the log beside the file that a link leads to
        self.run_folder = f"{self.real_path}-run"
        self.read_only = read_only
        self.before_commit: Callable[[], None] | None = None
        self.file: File | None = None
        self.descriptor = -1
        self.is_ours = self.lacks_log = self.is_low = self._is_open = False
        self.lock_timeout_s: float | None = None
        self.next_look = 0.0
        self.finishes_log = True
        self._pid = os.getpid()
        self._changes = self._depth = self.change_counter = self.log_found = 0
        self.writer_lock: WriterLock | None = None
        self.log: Log | None = None
        self.counted: dict[int, counters.Count] = {}
        self.known = DefinitionCache()
        self._claim()
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

    def all(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """Run a query and return all its rows."""
        self._begin_statement()
        try:
            return self.sql.execute(statement, parameters).fetchall()
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def one(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query that changes nothing and return its first row, or None."""
        if self.counted:
            self._write_counts()
        return self.find(statement, parameters)

    def find(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query that reads no counters of queues and return its first row, or None."""
        try:
            row: Row | None = self.sql.execute(statement, parameters).fetchone()
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        return row

    def run(self, statement: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of rows it changed."""
        self._begin_statement()
        try:
            return self.sql.execute(statement, parameters).rowcount
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def insert(self, statement: str, parameters: Parameters = ()) -> int:
        """Run an insert and return the row id."""
        self._begin_statement()
        try:
            row_id = self.sql.execute(statement, parameters).lastrowid
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        assert row_id is not None
        return row_id

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each row of parameters."""
        self._begin_statement()
        try:
            self.sql.executemany(statement, rows)
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def change(self, statement: str, parameters: Sequence[object]) -> int:
        """Run a statement that changes messages by themselves, and nothing that is read or counted of their queues.

        Returns the number of rows it changed.
        """
        try:
            return self.sql.execute(statement, parameters).rowcount
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def _begin_statement(self) -> None:
        self.change_counter += 1
        if self.counted:
            self._write_counts()

    def _write_counts(self) -> None:
        self.change_counter += 1
        counted, self.counted = self.counted, {}
        for queue_id, count in counted.items():
            self.change(counters.WRITE, count.row(queue_id))

    def reading(self) -> Reading:
        """Return a block in which all queries see one state of the file."""
        return Reading(self)

    def writing(self) -> Writing:
        """Return a transaction that writes: it commits at the end of the block, and an exception rolls it back."""
        return Writing(self)

    is_open = staticmethod(open_files.is_open)

    @property
    def in_block(self) -> bool:
        """Return whether a block of queries or changes has begun and not ended."""
        return self._depth > 0

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction of this database is open."""
        return self.sql.in_transaction

    def version(self) -> int:
        """Return a number that changes when another connection has changed the file; next to free."""
        row = self.one("pragma data_version")
        return 0 if row is None else int(row[0])

    def sync(self) -> None:
        """Flush all that has been committed to disk. Raises StorageError: it is committed, and may yet be lost."""
        from mqtools.store.log import flush

        flush.flush(self)

    def open_reader(self) -> Self:
        """Open the file once more, only to be read."""
        return type(self)(self.path, read_only=True)

    def close(self) -> None:
        """Close the file; the last process to do so moves the log into it and removes the log."""
        self._is_open = False
        last_close.close(self, is_own=self._pid == os.getpid() and self.file is not None)
        open_files.release(self)
        self._close_locks()

    def __del__(self) -> None:  # forgotten: SQLite would remove the log, and the file would seem to lack it
        if self._is_open and self._pid == os.getpid() and not sys.is_finalizing():
            if not self.read_only:
                last_close.close(self, is_own=True, waits=False)
            open_files.release_forgotten(self)
            self._close_locks()

    def _close_locks(self) -> None:
        for each in (self.writer_lock, self.log):
            if each is not None:
                each.close()
        self.writer_lock = self.log = None

    def _connect(self) -> sqlite3.Connection:
        try:
            if self.read_only:
                from mqtools.store.addresses import address

                place = address(self.path)
                return sqlite3.connect(
                    place, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_S, check_same_thread=False
                )
            sql = sqlite3.connect(
                self.path, isolation_level=None, timeout=BUSY_TIMEOUT_S, cached_statements=256, check_same_thread=False
            )
            sql.execute("pragma synchronous = normal")
            sql.execute(f"pragma cache_size = -{_CACHE_KIB}")
        except sqlite3.Error as error:
            raise storage_error(error, self.path) from error
        return sql

    def _claim(self) -> None:
        open_files.claim(self)

    def _begin_reading(self) -> None:
        if self._depth == 0:
            self.run("begin")
        self._depth += 1

    def begin_writing(self) -> None:
        """Begin a transaction that writes, or a part of the one that is open; ``end_writing`` must follow."""
        if self._depth == 0:
            if self.writer_lock is None or not os.fstat(self.writer_lock.writer).st_nlink:
                self._close_locks()  # somebody has emptied the run folder: the others wait for another file
                self.writer_lock = make_lock(self.run_folder)
            try:
                self.writer_lock.acquire(self.lock_timeout_s)
                if self.file is not None:
                    open_files.check_there(self)
                if self.is_low or monotonic() >= self.next_look:
                    disk_room.look(self)
                self.run("begin immediate")
                self._changes = self.sql.total_changes
            except BaseException:
                self._give_turn()
                raise
        self._depth += 1

    def end_writing(self, *, keep: bool) -> None:
        """End what ``begin_writing`` began: commit, or roll back when it is not to be kept or the commit fails."""
        self._end(keep=keep, writing=True)

    def _end(self, *, keep: bool, writing: bool) -> None:
        if self._depth > 1:
            self._depth -= 1
            return
        is_kept = False
        try:
            if keep:
                if writing and self.before_commit is not None:
                    self.before_commit()
                if writing and self.file and self.sql.total_changes != self._changes:
                    open_files.mark_log(self)
                self._commit()
                is_kept = True
        finally:
            try:
                if not is_kept:
                    self._undo()
            finally:
                self._depth = 0
                if writing:
                    self._give_turn()

    def _give_turn(self) -> None:
        try:
            if self.is_low:
                disk_room.keep_reserve(self)
        finally:
            if self.writer_lock is not None:
                self.writer_lock.release()

    def _commit(self) -> None:
        try:
            self.run("commit")
        except StorageError as error:
            self.is_low = self.is_low or (error.reason == MQRC_STORAGE_MEDIUM_FULL and self.file is not None)
            raise

    def _undo(self) -> None:
        """Roll back, unless SQLite has done so (a disk that fails), and discard counters and definition cache."""
        self.counted = {}
        self.known.forget()  # a version that was undone may be given to another change
        if self.in_transaction:
            self.run("rollback")


class Reading:
    """A block of queries that see one state of the file."""

    __slots__ = ("_database",)
    _writing = False

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Self:
        self._database._begin_reading()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._database._end(keep=kind is None, writing=self._writing)


class Writing(Reading):
    """A transaction that writes. Inside another one it is part of it."""

    __slots__ = ()
    _writing = True

    def __enter__(self) -> Self:
        self._database.begin_writing()
        return self


def open_database(path: str, *, read_only: bool = False, kind: type[Database] = Database) -> Database:
    """Open a queue manager's file. kind: of database, by its engine.

    Raises StorageError: no such file (MQRC_Q_MGR_NAME_ERROR), not one of ours or damaged
    (MQRC_OBJECT_DAMAGED), of a newer version of mqx, not readable (MQRC_NOT_AUTHORIZED).
    An older file is migrated first, after a copy was made beside it.
    """
    if not os.path.exists(path):
        raise StorageError(f"no queue manager at {path}", MQRC_Q_MGR_NAME_ERROR)
    if not read_only:
        check_writable(path)
    if not os.path.isfile(path):
        # A named pipe would be waited for, deaf to signals.
        raise StorageError(f"{path} is not a file", MQRC_OBJECT_DAMAGED)
    try:
        database, version = _open(path, read_only, kind)
    except StorageError as error:
        if error.reason != MQRC_STORAGE_MEDIUM_FULL:
            raise
        from mqtools.store.log import reserve

        if not reserve.lend(path):  # room for the index of the log
            raise
        database, version = _open(path, read_only, kind)
    try:
        if version != SCHEMA_VERSION:
            from mqtools.store.schema import migrations

            migrations.check_version(path, version, SCHEMA_VERSION)
            if read_only:
                database.close()
                migrations.migrate_for_reader(lambda: open_database(path))
                return open_database(path, read_only=True, kind=kind)
            migrations.migrate(database, version, SCHEMA_VERSION)
        database.is_ours = True
    except BaseException:
        database.close()
        raise
    return database


def _open(path: str, read_only: bool, kind: type[Database]) -> tuple[Database, int]:
    """Open a file; return its database, and the version of its schema."""
    database = kind(path, read_only=read_only)
    try:
        return database, _version_of(database)
    except BaseException:
        database.close()
        raise


def _version_of(database: Database) -> int:
    row = database.one("pragma application_id")
    if row is None or row[0] != APPLICATION_ID:
        raise StorageError(f"{database.path}: the file is not a queue manager of mqx", MQRC_OBJECT_DAMAGED)
    row = database.one("pragma user_version")
    return 0 if row is None else log_mark.schema_version(row[0])
