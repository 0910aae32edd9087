"""Statements of an open file, and blocks of them."""

from __future__ import annotations

from _thread import get_ident

from mqtools.store.failures import FAILURES, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection
    from collections.abc import Iterable
    from typing import Protocol, Self

    from mqtools.store.types import Parameters, Row

    class Database(Protocol):
        """Database as a block of statements sees it."""

        def begin_reading(self) -> None:
            """Begin a block in which all queries see one state of the file."""

        def begin_writing(self) -> None:
            """Begin a transaction that writes."""

        def end_block(self, *, keep: bool, writing: bool) -> None:
            """End a block: commit, or roll back."""


class Statements:
    """Database as its statements see it.

    path: as it was opened.  sql: the connection.  runs_in: the thread that is running a statement, 0 for none.
    Each statement raises StorageError.
    """

    __slots__ = ("path", "runs_in", "sql")

    path: str
    runs_in: int
    sql: Connection

    def all(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """Run a query and return all its rows."""
        self.runs_in = get_ident()
        try:
            return self.sql.execute(statement, parameters).fetchall()
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        finally:
            self.runs_in = 0

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

    def insert(self, statement: str, parameters: Parameters = ()) -> int:
        """Run an insert and return the row id."""
        self.run(statement, parameters)
        row = self.one("select last_insert_rowid()")
        assert row is not None
        return int(row[0])

    def run_many(self, statement: str, rows: Iterable[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        self.runs_in = get_ident()
        try:
            self.sql.executemany(statement, rows)
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        finally:
            self.runs_in = 0


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
