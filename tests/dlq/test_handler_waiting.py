"""How often the handler tries, how long it stays, and what wakes it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.constants import options as mq
from mqtools.dlq.attempt import LetterBatch
from mqtools.dlq.handler import Handler
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect

from .dead_letters import DLQ, FULL, OTHER, TO, Clock, bury, data_on, dead_message, once, only, run, when_asleep

# Attempts and waiting


@pytest.mark.conformance("BEY-75")
def test_three_retries_an_interval_apart_then_the_next_rule(conn: Connection, clock: Clock) -> None:
    bury(conn, to=FULL)
    table = f"RETRYINT(60) WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(3)\nACTION(FWD) FWDQ({OTHER})"
    totals, _ = run(conn, table, clock=clock)
    assert clock.sleeps == [60, 60, 60, 0]
    assert totals.hits == {2: 3, 3: 1}
    assert (totals.handled["FWD"], totals.unhandled, len(data_on(conn, OTHER))) == (1, 0, 1)


@pytest.mark.conformance("BEY-75")
def test_a_message_whose_attempts_are_used_up_stays_for_the_rest_of_the_run(conn: Connection, clock: Clock) -> None:
    bury(conn, to=FULL)
    table = f"WAIT(1000)\nREASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(3)\nACTION(FWD) FWDQ({FULL})"
    totals, said = run(conn, table, clock=clock)
    assert (totals.hits, totals.left["put_failed"], len(said)) == ({2: 3, 3: 1}, 1, 1)
    assert clock.sleeps == [60, 60, 60, 600, 400]
    assert only(conn, DLQ)[0].backout_count == 4


@pytest.mark.conformance("BEY-75")
def test_an_ignore_after_the_retries_ends_the_matter(conn: Connection, clock: Clock) -> None:
    bury(conn, to=FULL)
    totals, _ = run(conn, "WAIT(NO)\nACTION(RETRY) RETRY(2)\nACTION(IGNORE)", clock=clock)
    assert (clock.sleeps, totals.hits) == ([60, 0], {2: 2, 3: 1})
    assert (totals.left["ignored"], totals.unhandled) == (1, 0)


@pytest.mark.conformance("BEY-75")
def test_later_messages_wait_for_their_own_interval(conn: Connection, clock: Clock) -> None:
    bury(conn, b"1", to=FULL)
    attempts: list[tuple[float, bytes]] = []

    def pause(seconds: float) -> bool:
        if clock.now == 1000:
            bury(conn, b"2", to=FULL)
            seconds = 20.0
        return clock.pause(seconds)

    def note(stored: Any) -> bool:
        attempts.extend([(clock.now, b"%d" % stored.md.backout_count)])
        return True

    totals, _ = run(conn, "WAIT(NO)\nACTION(RETRY) RETRY(2)", clock=clock, pause=pause, select=note)
    # at 1000 the first; at 1020 the second; at 1060 the first again; at 1080 the second again
    assert totals.hits == {2: 4}
    assert clock.sleeps == [20, 40, 20, 0]


@pytest.mark.conformance("BEY-75")
def test_once_makes_one_attempt_a_message_whatever_the_table_says(conn: Connection, clock: Clock) -> None:
    bury(conn, to=FULL)
    bury(conn, b"free")
    table = "WAIT(YES) RETRYINT(1)\nACTION(RETRY) RETRY(5)"
    totals, _ = run(conn, table, once=True, clock=clock)
    assert (clock.sleeps, totals.hits, totals.left["put_failed"]) == ([], {2: 2}, 1)
    assert data_on(conn, TO) == [b"free"]


def test_no_sleep_is_longer_than_a_poll_can_be(conn: Connection, clock: Clock) -> None:

    def pause(seconds: float) -> bool:
        handler.stop()
        return clock.pause(seconds)

    table = parse_rules_table("RETRYINT(999999999) WAIT(999999999)\nACTION(RETRY)")
    handler = Handler(conn, table, DLQ, say=lambda _: None)
    handler.clock, handler.pause = clock, pause
    handler.run()
    assert clock.sleeps == [3600]


@pytest.mark.conformance("BEY-69")
@pytest.mark.parametrize(
    ("control", "slept"), [("WAIT(NO)", [0]), ("WAIT(7)", [7]), ("WAIT(90) RETRYINT(3)", [30, 30, 30])]
)
def test_a_table_that_waits_so_long_ends_so_long_after_the_last_useful_event(
    conn: Connection, clock: Clock, control: str, slept: list[float]
) -> None:
    totals, _ = run(conn, f"{control}\nACTION(RETRY)", clock=clock)
    assert (clock.sleeps, totals.seen) == (slept, 0)


def test_new_work_puts_the_end_off_and_what_is_no_dead_letter_does_not(conn: Connection, clock: Clock) -> None:
    arrivals: list[Callable[[], object]] = [lambda: bury(conn), lambda: conn.put1(DLQ, Message(b"plain"))]

    def pause(seconds: float) -> bool:
        if not arrivals:
            return clock.pause(seconds)
        clock.pause(5)
        arrivals.pop(0)()
        return True

    run(conn, "WAIT(20)\nACTION(RETRY)", clock=clock, pause=pause)
    assert clock.sleeps == [5, 5, 15]


def test_a_due_message_that_somebody_holds_is_tried_when_it_is_let_go(conn: Connection, clock: Clock) -> None:
    bury(conn, to=FULL)
    asked: list[float] = []
    with connect("QM1") as other, other.open(DLQ, mq.MQOO_INPUT_SHARED) as holder:

        def pause(seconds: float) -> bool:
            asked.append(seconds)
            if len(asked) == 1:
                holder.get(mq.MQGMO_SYNCPOINT)
            if len(asked) == 2:
                other.backout()
                seconds = 7.0
            return clock.pause(seconds)

        totals, _ = run(conn, "WAIT(100)\nACTION(RETRY) RETRY(2)", clock=clock, pause=pause)
    # Due and held after 60 seconds, when 40 are left to wait for anything; let go 7 later, and tried then.
    assert (asked, totals.hits, totals.left["put_failed"]) == ([60, 40, 100], {2: 2}, 1)


def test_a_message_that_somebody_takes_away_is_left_no_more(conn: Connection, clock: Clock) -> None:
    bury(conn)
    with connect("QM1") as other, other.open(DLQ, mq.MQOO_INPUT_SHARED) as taker:

        def pause(seconds: float) -> bool:
            if not clock.sleeps:
                taker.get()
                return not clock.pause(1)
            return clock.pause(seconds)

        totals, _ = run(conn, "WAIT(5)\nREASON(1) ACTION(RETRY)", clock=clock, pause=pause)
    assert (clock.sleeps, totals.seen) == ([1, 4], 0)


def test_what_a_dead_process_held_is_handled(conn: Connection) -> None:
    bury(conn)
    dead = connect("QM1")
    dead.open(DLQ, mq.MQOO_INPUT_SHARED).get(mq.MQGMO_SYNCPOINT)
    assert dead.presence is not None
    dead.presence.close()
    assert once(conn, "ACTION(RETRY)")[0].handled["RETRY"] == 1
    dead.db.close()


def test_the_handler_wakes_for_a_message_and_stops_when_told(conn: Connection) -> None:
    handler = Handler(conn, parse_rules_table("WAIT(100)\nACTION(RETRY)"), DLQ, say=lambda _: started.set())
    started = threading.Event()
    arrived: list[bytes] = []

    def produce() -> None:
        with connect("QM1") as other, other.open(TO, mq.MQOO_INPUT_SHARED) as target:
            assert started.wait(60)
            for number in range(3):
                # Low, then high: the second is in front of where the handler has read to.
                bury(other, b"%d" % number, priority=number)
                arrived.append(target.get(mq.MQGMO_WAIT, wait_ms=60_000).message.data)
            handler.stop()

    thread = threading.Thread(target=produce)
    thread.start()
    totals = handler.run()
    thread.join(60)
    assert arrived == [b"0", b"1", b"2"]
    assert (totals.handled["RETRY"], totals.reason) == (3, 0)


def test_a_message_that_is_let_go_or_committed_later_wakes_the_handler(conn: Connection) -> None:
    handler = Handler(conn, parse_rules_table("WAIT(100)\nACTION(RETRY)"), DLQ, say=lambda _: None)
    arrived: list[bytes] = []
    bury(conn, b"got")
    with connect("QM1") as getter, connect("QM1") as putter, connect("QM1") as reader:
        source, target = getter.open(DLQ, mq.MQOO_INPUT_SHARED), reader.open(TO, mq.MQOO_INPUT_SHARED)
        source.get(mq.MQGMO_SYNCPOINT)
        putter.put1(DLQ, dead_message(b"put"), mq.MQPMO_SYNCPOINT)

        def let_go() -> None:
            for end in (getter.backout, putter.commit):
                end()
                arrived.append(target.get(mq.MQGMO_WAIT, wait_ms=60_000).message.data)
            handler.stop()

        thread = when_asleep(reader, let_go)
        handler.run()
        thread.join(60)
    assert arrived == [b"got", b"put"]


@pytest.mark.parametrize("reloads", [False, True])
def test_a_sleep_ends_at_once_for_a_stop_and_for_another_table(conn: Connection, reloads: bool) -> None:
    def on_signal(*_: object) -> None:
        if reloads:
            handler.reload(parse_rules_table("WAIT(NO)\nACTION(IGNORE)"))
        else:
            handler.stop()

    handler = Handler(conn, parse_rules_table("WAIT(100)\nACTION(RETRY)"), DLQ, say=lambda _: None)
    before = signal.signal(signal.SIGUSR1, on_signal)
    try:
        began = time.monotonic()
        thread = when_asleep(conn, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        handler.run()
        thread.join(60)
        assert time.monotonic() - began < 60
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_stop_lets_the_current_message_finish_and_takes_no_other(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    bury(conn, b"1", to="NOWHERE")
    bury(conn, b"2")
    said: list[str] = []
    carry = LetterBatch.carry

    def stop_and_carry(batch: LetterBatch, *args: Any) -> tuple[str | None, int]:
        handler.stop()
        return carry(batch, *args)

    monkeypatch.setattr(LetterBatch, "carry", stop_and_carry)
    handler = Handler(conn, parse_rules_table("ACTION(RETRY) RETRY(9)"), DLQ, say=said.append)
    totals = handler.run()
    assert (totals.left["put_failed"], totals.handled["RETRY"]) == (1, 0)
    assert [line.split(":")[0] for line in said] == ["AMQ8708", "AMQ8722", "AMQ8709"]
    assert len(data_on(conn, DLQ)) == 2


def test_another_table_is_taken_up_between_messages_and_everything_is_new_to_it(conn: Connection, clock: Clock) -> None:
    bury(conn, b"1", to="NOWHERE")
    bury(conn, b"2")
    conn.put1(DLQ, Message(b"plain"))
    said: list[str] = []
    tables = [parse_rules_table("* Second\nWAIT(NO)\nACTION(DISCARD)")]

    def pause(seconds: float) -> bool:
        clock.pause(seconds)
        if tables:
            handler.reload(tables.pop())
        return bool(seconds)

    first = parse_rules_table("WAIT(9)\nDESTQ(NOWHERE) ACTION(RETRY) RETRY(9)")
    handler = Handler(conn, first, DLQ, say=said.append)
    handler.clock, handler.pause = clock, pause
    totals = handler.run()
    assert (totals.handled["DISCARD"], totals.hits, totals.left["no_dlh"]) == (2, {3: 2}, 1)
    assert sum("AMQ8721" in line for line in said) == 1
