"""Cost of the verbs: independent of the depth of the queue, counted in steps of SQLite's virtual machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import define_queue

from .costs import steps_of

ANY = MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT
SHALLOW, DEEP = 20, 1500
NOWHERE = b"\xee" * 24


def correl_id(number: int) -> bytes:
    return number.to_bytes(24, "big")


def filled(path: str, depth: int) -> Connection:
    """A connection to a new queue manager with so many messages on Q."""
    connection = connect(queue_managers.create(path))
    with connection.work() as work:
        define_queue(work, "QLOCAL", "Q", {"max_q_depth": 100_000})
    with connection.open("Q", ANY) as handle:
        handle.put_many(Message(b"x", MQMD(correl_id=correl_id(number))) for number in range(1, depth + 1))
    return connection


def life(connection: Connection, handle: Handle, depth: int) -> dict[str, Callable[[], object]]:
    """Verbs in an order in which each finds what it needs."""
    return {
        "put": lambda: handle.put(Message(b"x")),
        "put under syncpoint": lambda: handle.put(Message(b"x"), MQPMO_SYNCPOINT),
        "get": handle.get,
        "get under syncpoint": lambda: handle.get(MQGMO_SYNCPOINT),
        "commit": connection.commit,
        "get under syncpoint again": lambda: handle.get(MQGMO_SYNCPOINT),
        "backout": connection.backout,
        "get by id": lambda: handle.get(md=MQMD(correl_id=correl_id(depth - 1))),
        "get what is not there": lambda: handle.get(md=MQMD(msg_id=NOWHERE)),
        "browse first": lambda: handle.get(MQGMO_BROWSE_FIRST),
        "browse next": lambda: handle.get(MQGMO_BROWSE_NEXT),
        "lock": lambda: handle.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK),
        "get under cursor": lambda: handle.get(MQGMO_MSG_UNDER_CURSOR),
        "open": lambda: connection.open("Q", ANY),
        "put1": lambda: connection.put1("Q", Message(b"x")),
        "commit of nothing": connection.commit,
        "close": handle.close,
    }


@pytest.fixture
def two_depths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, Connection]:
    return {depth: filled(str(tmp_path / f"QM{depth}.db"), depth) for depth in (SHALLOW, DEEP)}


def test_no_verb_costs_more_on_a_deep_queue(two_depths):
    costs = {}
    for depth, connection in two_depths.items():
        calls = life(connection, connection.open("Q", ANY), depth)
        costs[depth] = {name: steps_of(connection.db, call) for name, call in calls.items()}
        connection.disconnect()
    assert costs[DEEP] == costs[SHALLOW]


def test_no_verb_costs_more_when_a_living_process_holds_many_messages(two_depths):
    """A get that finds nothing asks who holds something; it must not ask about every message."""
    costs = {}
    for depth, connection in two_depths.items():
        with connect(connection.db.path) as other:
            theirs = other.open("Q", ANY)
            for _ in range(depth):
                theirs.get(MQGMO_SYNCPOINT)
            handle = connection.open("Q", ANY)
            calls = {
                "get nothing": handle.get,
                "put": lambda handle=handle: handle.put(Message(b"x")),
                "get": handle.get,
            }
            costs[depth] = {name: steps_of(connection.db, call) for name, call in calls.items()}
        connection.disconnect()
    assert costs[DEEP] == costs[SHALLOW]
