"""Savepoints: parts of a transaction that can be rolled back by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from mqtools.store.counters import Count
    from mqtools.store.database import Database


class Savepoint:
    """A part of a transaction that writes: an exception rolls back only the part. Savepoints are not nested.

    What was counted before it, and is not written yet, stays counted when the part is undone.
    """

    __slots__ = ("_counted", "_database")

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counted: dict[int, Count] = {}

    def __enter__(self) -> Self:
        database = self._database
        self._counted = {queue_id: count.copy() for queue_id, count in database.counted.items()}
        database.change("savepoint part", ())
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        database = self._database
        if kind is None:
            database.change("release part", ())
        elif database.in_transaction:  # else SQLite has undone all of it
            database.counted = self._counted
            database.known.forget()  # a version that was undone may be given to another change
            database.change_counter += 1
            database.change("rollback to part", ())
            database.change("release part", ())
