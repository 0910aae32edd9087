"""End of the dead-letter handler from outside, and its messages at the beginning and the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.configuration import locate
from mqtools.constants import reasons as rc
from mqtools.constants.options import MQOO_INPUT_EXCLUSIVE
from mqtools.dlq import attempt
from mqtools.dlq.handler import Handler
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import StorageError
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.put import PutResult
from mqtools.mqi.put import put as real_put
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work

from .dead_letters import DLQ, OTHER, TO, Clock, alter, bury, data_on, once, only, run


@pytest.mark.parametrize("waits", ["WAIT(YES)", "WAIT(NO)"])
def test_an_inhibited_get_ends_the_run(conn: Connection, clock: Clock, waits: str) -> None:

    def pause(_: float) -> bool:
        alter(conn, DLQ, inhibit_get=1)
        return True

    totals, _ = run(conn, f"{waits}\nACTION(RETRY)", clock=clock, pause=pause)
    assert totals.reason == rc.MQRC_GET_INHIBITED


@pytest.mark.parametrize(
    ("immediate", "reason"),
    [(False, rc.MQRC_Q_MGR_QUIESCING), (True, rc.MQRC_CONNECTION_BROKEN)],
    ids=["quiesce", "immediate"],
)
def test_the_end_of_the_queue_manager_wakes_the_handler_and_ends_the_run(
    conn: Connection, immediate: bool, reason: int
) -> None:
    bury(conn)
    began = time.monotonic()
    handler = Handler(conn, parse_rules_table("WAIT(100)\nACTION(IGNORE)"), DLQ, say=lambda _: None)
    asleep, sleep = Event(), handler.pause

    def pause(seconds: float) -> bool:
        asleep.set()
        return sleep(seconds)

    def end() -> None:
        asleep.wait(60)
        queue_managers.end(locate.find("QM1"), immediate=immediate)

    handler.pause = pause
    thread = Thread(target=end)
    thread.start()
    totals = handler.run()
    thread.join(60)
    assert time.monotonic() - began < 60
    assert (totals.reason, totals.left["ignored"], len(data_on(conn, DLQ))) == (reason, 1, 1)
    conn.abandon()  # immediate: it has ended already


@pytest.mark.conformance("BEY-77")
def test_a_failure_of_the_file_leaves_the_message_on_its_queue(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    bury(conn)
    with monkeypatch.context() as patched:
        patched.setattr(attempt, "put", without_room_for(b"hello"))
        with pytest.raises(StorageError):
            once(conn, "ACTION(RETRY)")
    assert not conn.in_unit_of_work
    assert only(conn, DLQ)[1].endswith(b"hello")
    assert once(conn, "ACTION(RETRY)")[0].handled["RETRY"] == 1


@pytest.mark.conformance("BEY-77")
def test_a_message_that_the_file_has_no_room_for_is_not_in_the_way_of_those_before_it(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        bury(conn, b"%d" % number)
    with monkeypatch.context() as patched:
        patched.setattr(attempt, "put", without_room_for(b"37"))
        handler = Handler(conn, parse_rules_table("ACTION(RETRY)"), DLQ, once=True, say=lambda _: None)
        with pytest.raises(StorageError):
            handler.run()
    assert data_on(conn, TO) == [b"%d" % number for number in range(37)]
    assert handler.totals().handled["RETRY"] == 37
    assert len(data_on(conn, DLQ)) == 23


def without_room_for(body: bytes) -> Callable[..., PutResult]:
    """Return a put that the file has no room for where the data is this."""

    def put(work: Work, target: Target, message: Message, *args: Any, **options: Any) -> PutResult:
        if message.data == body:
            raise StorageError("no space is left for the file")
        return real_put(work, target, message, *args, **options)

    return put


def test_the_first_line_names_the_queue_and_the_last_the_balance(conn: Connection) -> None:
    bury(conn)
    bury(conn, to="NOWHERE")
    said: list[str] = []
    Handler(conn, parse_rules_table("ACTION(RETRY)"), DLQ, once=True, say=said.append).run()
    assert said[0].startswith("AMQ8708")
    assert DLQ in said[0]
    assert said[-1].startswith("AMQ8709")
    assert "1 retried, 1 left" in said[-1]


def test_a_run_can_be_done_message_by_message_and_left_off_between_two(conn: Connection) -> None:
    for number in range(3):
        bury(conn, b"%d" % number)
    handler = Handler(conn, parse_rules_table("ACTION(RETRY)"), DLQ, once=True, say=lambda _: None)
    steps = handler.steps()
    next(steps)
    conn.put1(OTHER, Message(b"meanwhile"))
    next(steps)
    steps.close()
    assert handler.totals().handled["RETRY"] == 2
    assert data_on(conn, TO) == [b"0", b"1"]
    with conn.open(DLQ, MQOO_INPUT_EXCLUSIVE) as handle:  # nothing is left open
        assert handle.get().message.data.endswith(b"2")
