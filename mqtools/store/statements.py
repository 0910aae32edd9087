"""Statements of an open file, and blocks of them.

What a transaction has counted is written before a statement that could read it.
"""

from __future__ import annotations

from mqtools.store import counters
from mqtools.store.failures import FAILURES, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection, Cursor
    from collections.abc import Iterable, Sequence
    from typing import Protocol, Self

    from mqtools.store.types import File, Parameters, Row

    class Database(Protocol):
        """Database as a block of statements sees it."""

        def begin_reading(self) -> None:
            """Begin a block in which all queries see one state of the file."""

        def begin_writing(self) -> None:
            """Begin a transaction that writes."""

        def end_block(self, *, keep: bool, writing: bool) -> None:
            """End a block: commit, or roll back."""


class Statements:
    """Database as its statements see it. The attributes are described there."""

    __slots__ = ("blocks", "change_counter", "counted", "cursor", "file", "path", "sql")

    blocks: int
    change_counter: int
    counted: dict[int, counters.Count]
    cursor: Cursor
    file: File | None
    path: str
    sql: Connection

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

    def run_many(self, statement: str, rows: Iterable[Parameters]) -> None:
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
            return self.cursor.execute(statement, parameters).rowcount
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def control(self, statement: str) -> None:
        """Begin or end a transaction or a savepoint; nothing that is counted is written before."""
        try:
            self.cursor.execute(statement)
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
            self.change(counters.WRITE, (*counters.parameters(count), queue_id))


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
    """A transaction that writes. Inside another one it is part of it."""

    __slots__ = ()
    _writing = True

    def __enter__(self) -> Self:
        self._database.begin_writing()
        return self
