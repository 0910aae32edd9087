"""Messages with a delivery time: counted from their put on, found by nobody before it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT, MQRO_COA, MQRO_EXPIRATION
from mqtools.constants.objects import MQMDS_PRIORITY
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.states import DELAYED, STATE_NAMES, UNLOCKED
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.identity import now_ms
from mqtools.mqi.publish_subscribe.publications import publish
from mqtools.operations.journal.past import open_past
from mqtools.operations.selection import select

from ..rows import assert_counters, messages, rows
from .children import getter, start_waiting
from .conftest import QM

LATER = b"later"


def put_later(qm: QM, seconds: float, data: bytes = LATER, options: int = 0, q_name: str = "Q", **md: object) -> int:
    """Put a delayed message; return its delivery time."""
    at = now_ms() + round(seconds * 1000)
    qm.main.put1(q_name, Message(data, MQMD(**md), deliver_at=at), options)  # type: ignore[arg-type]
    return at


def got(qm: QM) -> list[bytes]:
    return [result.message.data for result in qm.got()]


def states_on(qm: QM) -> list[str]:
    return [STATE_NAMES[row["state"]] for row in messages(qm.path)]


def test_a_delayed_message_counts_and_nobody_finds_it_before_its_time(qm: QM, advance: Callable[[float], None]) -> None:
    at = put_later(qm, 60, correl_id=b"C" * 24)
    assert (qm.depth(), states_on(qm)) == (1, ["delayed"])
    handle = qm.open()
    searches = (
        lambda: handle.get(),
        lambda: handle.get(MQGMO_BROWSE_FIRST),
        lambda: handle.get(md=MQMD(correl_id=b"C" * 24)),
        lambda: qm.main.open("Q", MQOO_BROWSE, selector="Root.MQMD.Priority = 0").get(MQGMO_BROWSE_FIRST),
    )
    for search in searches:
        with pytest.raises(NoMessageAvailable):
            search()
    advance(59.998)
    assert got(qm) == []
    advance(0.002)
    (result,) = qm.got()
    assert (result.message.data, result.message.deliver_at) == (LATER, at)
    assert_counters(qm.path)


@pytest.mark.parametrize("selector", ["", "Root.MQMD.Priority >= 0"])
def test_what_is_due_comes_in_the_order_of_delivery_times_behind_what_is_there(
    qm: QM, advance: Callable[[float], None], selector: str
) -> None:
    qm.main.open("Q", MQOO_INPUT_SHARED)
    for seconds in (3, 1, 2):
        put_later(qm, seconds, b"%d" % seconds)
    qm.put(b"now")
    advance(2)
    with qm.main.open("Q", MQOO_INPUT_SHARED, selector=selector) as handle:
        assert [handle.get().message.data for _ in range(3)] == [b"now", b"1", b"2"]
    advance(1)
    assert got(qm) == [b"3"]


def test_a_message_of_a_higher_priority_that_is_due_overtakes(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", msg_delivery_sequence=MQMDS_PRIORITY)
    qm.put(b"low", priority=0)
    put_later(qm, 1, b"high", priority=9)
    advance(1)
    assert got(qm) == [b"high", b"low"]


def test_the_delay_of_a_put_under_syncpoint_begins_with_the_put(qm: QM, advance: Callable[[float], None]) -> None:
    put_later(qm, 1, b"1", MQPMO_SYNCPOINT)
    put_later(qm, 9, b"9", MQPMO_SYNCPOINT)
    qm.put(b"0", options=MQPMO_SYNCPOINT)
    assert (qm.depth(), set(states_on(qm))) == (3, {"put_unconfirmed"})
    advance(2)
    qm.main.commit()
    assert sorted(states_on(qm)) == ["delayed", "unlocked", "unlocked"]
    assert_counters(qm.path)
    assert got(qm) == [b"1", b"0"]
    put_later(qm, 9, b"undone", MQPMO_SYNCPOINT)
    qm.main.backout()
    advance(9)
    assert got(qm) == [b"9"]


def test_a_waiting_get_wakes_at_the_delivery_time_also_of_a_message_that_comes_meanwhile(qm: QM) -> None:
    (waiting,) = start_waiting(qm.path, qm.main, getter())
    put_later(qm, 300, b"much later")
    at = put_later(qm, 0.4)
    assert waiting.finish() == LATER
    assert 0 <= time.time() * 1000 - at < 1000


def test_the_expiry_begins_with_the_put(qm: QM, advance: Callable[[float], None]) -> None:
    put_later(qm, 10, expiry=50, report=MQRO_EXPIRATION, reply_to_q="R")
    put_later(qm, 10, b"lives", expiry=150)
    advance(11)
    (result,) = qm.got()
    assert (result.message.data, result.message.md.expiry) == (b"lives", 40)
    assert qm.depth("R") == 1


def test_an_arrival_report_is_not_delayed_with_its_message(qm: QM) -> None:
    put_later(qm, 10, report=MQRO_COA, reply_to_q="R")
    assert len(qm.got("R")) == 1


def test_a_delay_survives_a_restart_with_its_persistent_message(qm: QM, advance: Callable[[float], None]) -> None:
    put_later(qm, 10, persistence=MQPER_PERSISTENT)
    put_later(qm, 10, b"lost", persistence=MQPER_NOT_PERSISTENT)
    qm.main.disconnect()
    queue_managers.end(qm.path)
    queue_managers.start(qm.path)
    assert_counters(qm.path)
    assert got(qm) == []
    advance(10)
    assert got(qm) == [LATER]


def test_each_subscription_gets_a_delayed_publication_at_its_time(qm: QM, advance: Callable[[float], None]) -> None:
    run_mqsc(qm.main, "DEFINE SUB(S) TOPICSTR('price') DEST(Q)")
    publish(qm.main, "price", Message(LATER, deliver_at=now_ms() + 1000), 0, MQMD())
    assert (qm.depth(), got(qm)) == (1, [])
    advance(1)
    assert got(qm) == [LATER]


def test_a_queue_is_cleared_of_delayed_messages(qm: QM) -> None:
    put_later(qm, 10)
    run_mqsc(qm.main, "CLEAR QLOCAL(Q)")
    assert qm.depth() == 0


def test_the_journal_has_the_delivery_and_the_queue_as_it_was(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=2)
    advance(1)
    put_later(qm, 10, options=MQPMO_SYNCPOINT)
    qm.main.commit()
    put_later(qm, 20, b"B")
    before = now_ms()
    advance(15)
    assert got(qm) == [LATER]
    assert rows(qm.path, "select event, state_before, state_after from journal order by event_seq") == [
        ("put", 0, DELAYED),
        ("put", None, DELAYED),
        ("deliver", DELAYED, UNLOCKED),
        ("get", UNLOCKED, None),
    ]
    with open_past(qm.path, before) as view:
        queue = view.show("Q")
        was = [(stored.state, stored.deliver_at) for stored in select(view.db, queue.id, all_states=True)]
        assert was == [(DELAYED, before + 10_000), (DELAYED, before + 20_000)]
        assert queue.depth == 2


def test_many_due_messages_are_all_found(qm: QM, advance: Callable[[float], None]) -> None:
    at = now_ms() + 1000
    messages = [Message(b"x", MQMD(correl_id=number.to_bytes(24, "big")), deliver_at=at) for number in range(1, 2502)]
    qm.main.put_each("Q", messages)
    advance(1)
    handle = qm.open()
    assert handle.get(md=MQMD(correl_id=(2501).to_bytes(24, "big"))).message.data == b"x"
    assert handle.get(MQGMO_WAIT).message.md.correl_id == (1).to_bytes(24, "big")
    assert_counters(qm.path)
