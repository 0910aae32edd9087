"""Cost of the verbs: independent of the depth of the queue, counted in steps of SQLite's virtual machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.depths import depths
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
from mqtools.lifecycle import locks, verbs
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import alter_queue, define_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.trash_contents import newest_versions, restore, select_trashed

from ..rows import keys
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


def held(connection: Connection, depth: int) -> dict[str, Callable[[], object]]:
    """Verbs with ids, moves and the trash, in an order in which each finds what it needs."""
    wanted, seqs = MQMD(msg_id=b"\x01" * 24), keys(connection, "Q")
    lock_id = locks.browse_messages_and_lock(connection, "Q", seqs[:1]).lock_id
    return {
        "put": lambda: verbs.put_message(connection, "Q", Message(b"x", wanted), confirm_id=1),
        "confirm put": lambda: verbs.confirm_put_message(connection, "Q", 1),
        "get by field": lambda: verbs.get_message(connection, "Q", filter={"msg_id": wanted.msg_id}, confirm_id=2),
        "undo": lambda: verbs.undo(connection, "Q", confirm_id=2),
        "get": lambda: verbs.get_message(connection, "Q", confirm_id=2),
        "confirm get": lambda: verbs.confirm_get_message(connection, "Q", 2),
        "unlock": lambda: locks.unlock_message(connection, "Q", lock_id),
        "delete": lambda: verbs.delete_message(connection, "Q", seq=seqs[depth // 2]),
        "restore": lambda: restore(connection, newest_versions(select_trashed(connection.db))),
        "move": lambda: carry_batch(connection, Route("Q", "R"), seqs[depth // 2 + 1 :][:3]),
    }


@pytest.fixture
def two_depths(tmp_path: Path) -> dict[int, Connection]:
    return {depth: filled(str(tmp_path / f"QM{depth}.db"), depth) for depth in (SHALLOW, DEEP)}


def test_no_verb_costs_more_on_a_deep_queue(two_depths):
    costs = {}
    for depth, connection in two_depths.items():
        calls = life(connection, connection.open("Q", ANY), depth)
        costs[depth] = {name: steps_of(connection.db, call) for name, call in calls.items()}
        connection.disconnect()
    assert costs[DEEP] == costs[SHALLOW]


def test_no_verb_costs_more_with_many_delayed_messages(two_depths):
    costs = {}
    for depth, connection in two_depths.items():
        handle = connection.open("Q", ANY)
        handle.put_many(Message(b"x", deliver_at=now_ms() + 3_600_000 + number) for number in range(depth))
        calls = {**life(connection, handle, depth), "depth": lambda db=connection.db: depths(db, ["Q"])}
        costs[depth] = {name: steps_of(connection.db, call) for name, call in calls.items()}
        connection.disconnect()
    assert costs[DEEP] == costs[SHALLOW]


def test_no_verb_with_an_id_costs_more_on_a_deep_queue_with_a_long_journal(two_depths):
    costs = {}
    for depth, connection in two_depths.items():
        with connection.work() as work:
            define_queue(work, "QLOCAL", "R", {})
            alter_queue(work, "QLOCAL", "Q", {"journal": 1})
        with connection.open("Q", ANY) as handle:
            handle.put_many([Message(b"x")] * depth)
        connection.trash = Trash(3600, 1 << 20)
        costs[depth] = {name: steps_of(connection.db, call) for name, call in held(connection, depth).items()}
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
