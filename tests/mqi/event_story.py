"""Events of a queue manager in tests: what was put on an event queue since the last look, in words."""

from __future__ import annotations

from typing import Any

from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.mqi.connection import Connection
from mqtools.operations.instrumentation_messages import InstrumentationQueue


def events(connection: Connection, kind: str = "QMGR") -> list[dict[str, Any]]:
    """Get the events of a kind: QMGR, PERFM, CHANNEL, CONFIG or COMMAND."""
    with connection.open(f"SYSTEM.ADMIN.{kind}.EVENT", MQOO_INPUT_SHARED) as handle:
        rows = InstrumentationQueue(handle, gets=True).take()
        connection.commit()
    assert [row["error"] for row in rows] == [None] * len(rows)
    return [dict(row) for row in rows]


def only(connection: Connection, kind: str = "QMGR") -> dict[str, Any]:
    """Get the one event of a kind."""
    (found,) = events(connection, kind)
    return found


def names(connection: Connection, kind: str = "PERFM") -> list[object]:
    return [row["event"] for row in events(connection, kind)]
