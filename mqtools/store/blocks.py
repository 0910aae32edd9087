"""Blocks of queries and of changes of a database, as context managers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, Self

    class Database(Protocol):
        """What a block needs of a database."""

        def begin_reading(self) -> None:
            """Begin a block in which all queries see one state of the file."""

        def begin_writing(self) -> None:
            """Begin a transaction that writes."""

        def end_block(self, *, keep: bool, writing: bool) -> None:
            """End a block: commit, or roll back."""


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
