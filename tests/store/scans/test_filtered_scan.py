"""Filtered scans of a queue, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.predicates import ANYTHING
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.open_database import open_database
from mqtools.store.scans import filtered_scan


@pytest.fixture
def other(connection: Connection) -> Iterator[Database]:
    database = open_database(connection.db.path)
    yield database
    database.close()


@pytest.mark.parametrize(("before", "after"), [(UNLOCKED, LOCKED_FOR_BROWSE), (LOCKED_FOR_BROWSE, UNLOCKED)])
@pytest.mark.parametrize("moment", range(5))
def test_a_message_that_is_locked_or_unlocked_meanwhile_is_found_just_once(
    connection: Connection, other: Database, monkeypatch: pytest.MonkeyPatch, before: int, after: int, moment: int
) -> None:
    queue = queues.by_name(connection.db, "Q")
    assert queue is not None
    connection.put1("Q", Message(b"x"))
    connection.db.run("update messages set state = ?", (before,))
    statements: list[str] = []
    real = Database.all

    def noted(db: Database, statement: str, *given: Any) -> object:
        if len(statements) == moment:
            other.run("update messages set state = ?", (after,))
        statements.append(statement)
        return real(db, statement, *given)

    monkeypatch.setattr(Database, "all", noted)
    scan = filtered_scan.QueueScan(queue.id, ANYTHING, "seq", held=True)
    found = filtered_scan.scan_batch(connection.db, scan, after=-1, places=9)
    assert (len(found.rows), found.looked_at, len(statements)) == (1, 1, 6)
