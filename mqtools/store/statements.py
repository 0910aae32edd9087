"""Statements of an open file, and blocks of them.

Each sees what others have done, also in a transaction that they keep open for a while (``kept_turn``). What this one's
transaction has counted or buffered is written before a statement that could meet it.
"""

from __future__ import annotations

from mqtools.store import counters
from mqtools.store.failures import FAILURES, storage_error
from mqtools.store.log.turn_record import TurnView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection, Cursor
    from collections.abc import Iterable, Sequence
    from typing import Protocol, Self

    from mqtools.store.log.kept_turn import KeptTurn
    from mqtools.store.log.writer_lock import WriterLock
    from mqtools.store.types import File, Parameters, Row
    from mqtools.store.write_buffer import Change, WriteBuffer

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

    __slots__ = (
        "_is_ready", "blocks", "buffer", "change_counter", "counted", "cursor", "file", "kept_turn", "path",
        "run_folder", "sql", "turn", "writer_lock",
    )  # fmt: skip

    _is_ready: bool
    blocks: int
    buffer: WriteBuffer | None
    change_counter: int
    counted: dict[int, counters.Count]
    cursor: Cursor
    file: File | None
    kept_turn: KeptTurn | None
    path: str
    run_folder: str
    sql: Connection
    turn: TurnView | None
    writer_lock: WriterLock | None

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
        if not self._is_ready:
            self._make_ready()
        try:
            row: Row | None = self.sql.execute(statement, parameters).fetchone()
        except FAILURES as error:
            raise storage_error(error, self.path) from error
        return row

    def find_unbuffered(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query like one of ``find`` that meets nothing of what is buffered, in a block."""
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
        if not self._is_ready:
            self._make_ready()
        try:
            return self.cursor.execute(statement, parameters).rowcount
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def change_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement like one of ``change`` once for each row of parameters; it writes nothing of the buffer."""
        try:
            self.sql.executemany(statement, rows)
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def change_later(self, statement: str, change: Change) -> bool:
        """Buffer a change of one message until it can be met; return False where it has to be made at once."""
        if self.buffer is None or not self.buffer.add(statement, change):
            return False
        self._is_ready = False
        return True

    def write_late(self) -> None:
        """Buffer changes of messages until they can be met, or the block ends that has begun to write."""
        if self.buffer is None:
            from mqtools.store.write_buffer import WriteBuffer

            self.buffer = WriteBuffer()

    def take_buffered(self) -> dict[str, list[Change]]:
        """Return what is buffered, for the commit of the unit of work, which writes it in another form.

        A failure of the call undoes the whole transaction from then on.
        """
        if self.buffer is None or self.kept_turn is None or not self.kept_turn.in_call:
            return {}
        self.kept_turn.undoes_all = self._is_ready = True
        return self.buffer.take()

    def control(self, statement: str) -> None:
        """Begin or end a transaction or a savepoint; nothing that is buffered or counted is written before."""
        try:
            self.cursor.execute(statement)
        except FAILURES as error:
            raise storage_error(error, self.path) from error

    def _make_ready(self) -> None:
        """Before a statement: outside of a block ask for the turn; in a call that shares a transaction, write first."""
        if not self.blocks:
            self._ask_for_turn()
            return
        self._is_ready = True
        if self.kept_turn is not None and self.kept_turn.in_call:
            self.kept_turn.begin_statements()
        elif self.buffer is not None:
            self.buffer.write(self)

    def _begin_statement(self) -> None:
        if not self._is_ready:
            self._make_ready()
        self.change_counter += 1
        if self.counted:
            self._write_counts()

    def _write_counts(self) -> None:
        if not self._is_ready:
            self._make_ready()
        self.change_counter += 1
        counted, self.counted = self.counted, {}
        for queue_id, count in counted.items():
            self.change(counters.WRITE, (*counters.parameters(count), queue_id))

    def _ask_for_turn(self) -> None:
        """Have the turn given back where it is kept between calls, by this database or another: to see all."""
        if self.file is None or (self.kept_turn is not None and not self.kept_turn.give_back()):
            return
        if self.writer_lock is None or self.writer_lock.is_kept_by_somebody:
            if self.turn is None:
                self.turn = TurnView(self.run_folder)
            self.turn.ask_back()


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
