"""The restriction of a rules table to selected messages, while others arrive."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqtools.dlq import restriction
from mqtools.dlq.restriction import Restriction
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import Selection, select
from mqtools.store.messages.stored_message import StoredMessage

from .dead_letters import DLQ, bury, stored_on


def test_what_arrives_while_the_queue_is_read_is_evaluated_later(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_then_bury(*args: object) -> Iterator[StoredMessage]:
        yield from select(*args)  # type: ignore[arg-type]
        with connect(conn.db.path) as other:
            bury(other, b"mine too")

    includes = Restriction(conn, find_queue(conn.db, DLQ).id, Selection(grep="mine"))
    bury(conn, b"mine")
    monkeypatch.setattr(restriction, "select", read_then_bury)
    assert includes(stored_on(conn, DLQ)[0])
    monkeypatch.undo()
    assert [includes(stored) for stored in stored_on(conn, DLQ)] == [True, True]
