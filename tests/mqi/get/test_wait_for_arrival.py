"""Sleeping until something becomes available, without getting it: what ends the sleep, and what it leaves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_Q_MGR_QUIESCING
from mqtools.lifecycle.locks import browse_messages_and_lock, extend_lease
from mqtools.lifecycle.verbs import get_message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get.waiters import wait_for_arrival

from ...errors import fails
from ..children import PATIENCE_S, kill, put, start_ready, start_waiting, waiters
from ..conftest import QM


def soon() -> float:
    return time.monotonic() + PATIENCE_S


def sleeper(connection: Connection) -> bool:
    return connection.open("Q", MQOO_BROWSE).wait_for_arrival(soon())


def test_an_arrival_ends_it_and_is_left_on_the_queue(qm: QM) -> None:
    (waiting,) = start_waiting(qm.path, qm.main, sleeper)
    put(qm.main, b"a")
    assert waiting.finish() is True
    assert qm.data() == [b"a"]


def test_the_deadline_ends_it_and_not_before(qm: QM) -> None:
    deadline = time.monotonic() + 0.1
    assert qm.open().wait_for_arrival(deadline) is False
    assert time.monotonic() >= deadline
    assert waiters(qm.main.db) == 0


def test_what_is_there_already_does_not_end_it(qm: QM) -> None:
    qm.put("old")
    assert qm.open().wait_for_arrival(time.monotonic() + 0.05) is False


def test_it_looks_once_when_it_can_no_longer_miss_anything(qm: QM) -> None:
    written_down = []

    def look() -> bool:
        written_down.append(waiters(qm.main.db))
        return True

    assert qm.open().wait_for_arrival(None, look) is True
    assert written_down == [1]
    assert waiters(qm.main.db) == 0


def test_a_look_that_finds_nothing_does_not_end_it(qm: QM) -> None:
    assert qm.open().wait_for_arrival(time.monotonic() + 0.05, lambda: False) is False


def test_a_descriptor_that_can_be_read_ends_it(qm: QM) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"x")
    assert wait_for_arrival(qm.open(), soon(), watched=[reader]) is True
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("hold", [browse_messages_and_lock, partial(get_message, confirm_id=7)])
def test_the_end_of_a_lease_ends_it(qm: QM, slept: list[float], hold: Callable[..., object]) -> None:
    handle = qm.open()
    qm.put("held")
    hold(qm.main, "Q", lease_s=2)
    assert handle.wait_for_arrival(None) is True
    assert slept == pytest.approx([2])


@pytest.mark.parametrize("kind", ["confirm id", "lock"])
def test_a_lease_that_begins_during_the_wait_ends_it(qm: QM, kind: str) -> None:
    qm.put("held")
    qm.put("other")
    if kind == "lock":
        lock_id = browse_messages_and_lock(qm.main, "Q").lock_id
    else:
        get_message(qm.main, "Q", confirm_id=7)
    (waiting,) = start_waiting(qm.path, qm.main, sleeper)
    if kind == "lock":
        extend_lease(qm.main, "Q", lock_id, 0.2)
    else:
        get_message(qm.main, "Q", confirm_id=7, lease_s=0.2)
    assert waiting.finish() is True


def test_the_death_of_a_holder_ends_it(qm: QM) -> None:
    child = start_ready(
        f"""
connection = connect(path)
connection.put1("Q", Message(b"a"), {MQPMO_SYNCPOINT})
connection.put1("Q", Message(b"b"))
connection.open("Q", MQOO_BROWSE).get({MQGMO_BROWSE_FIRST | MQGMO_LOCK})
print("holds", flush=True)
sys.stdin.read()
""",
        qm.path,
        says="holds",
    )
    (waiting,) = start_waiting(qm.path, qm.main, sleeper)
    kill(child)
    assert waiting.finish() is True


def test_a_handle_that_fails_when_quiescing_does_not_wait_then(qm: QM) -> None:
    handle = qm.main.open("Q", MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
    other = qm.main.open("Q", MQOO_BROWSE)
    queue_managers.end(qm.path)
    with fails(MQRC_Q_MGR_QUIESCING):
        handle.wait_for_arrival(soon())
    assert waiters(qm.main.db) == 0
    assert other.wait_for_arrival(time.monotonic() + 0.05) is False
