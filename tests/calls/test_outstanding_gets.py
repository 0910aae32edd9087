"""Gets that wait without a thread: many at once, watched by poll."""

from __future__ import annotations

import select
import time

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.calls import outstanding_gets
from mqtools.calls.outstanding_gets import OutstandingGet
from mqtools.constants import cmqc
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.structures_message import GMO
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

PATIENCE_S = 10
WAITS = cmqc.MQGMO_WAIT | cmqc.MQGMO_NO_SYNCPOINT


@pytest.fixture
def waits(session):
    """Begin a get of a queue."""

    def begin(q_name="DEV.QUEUE.1", options=WAITS, wait_ms=-1, **fields):
        opened = session.connection.open(q_name, cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_FAIL_IF_QUIESCING)
        values = {**GMO.initial(), "Version": 4, "Options": options, "WaitInterval": wait_ms, "MatchOptions": 3}
        return OutstandingGet(session, opened, values, MQMD(**fields))

    return begin


@pytest.fixture
def other():
    with connect("QM1") as connection:
        yield connection


def is_rung(session, timeout_s=0.0):
    readable, _, _ = select.select([outstanding_gets.bell(session)], [], [], timeout_s)
    if readable:
        outstanding_gets.drain(session)
    return bool(readable)


def test_a_put_of_another_connection_rings_and_the_get_finds_it(session, waits, other):
    outstanding = waits()
    assert outstanding.look() is None
    assert outstanding.look_at > time.monotonic() + 1
    assert not is_rung(session)
    other.put1("DEV.QUEUE.1", Message(b"for you"))
    assert is_rung(session, PATIENCE_S)
    assert outstanding.look().message.data == b"for you"
    other.put1("DEV.QUEUE.1", Message(b"for nobody"))
    assert not is_rung(session)


def test_one_bell_wakes_all_gets_of_a_connection(session, waits, other):
    first, second = waits("DEV.QUEUE.1"), waits("DEV.QUEUE.2", correl_id=b"c".ljust(24, b"\0"))
    assert (first.look(), second.look()) == (None, None)
    other.put1("DEV.QUEUE.2", Message(b"second", MQMD(correl_id=b"c".ljust(24, b"\0"))))
    assert is_rung(session, PATIENCE_S)
    assert first.look() is None
    assert second.look().message.data == b"second"
    other.put1("DEV.QUEUE.1", Message(b"first"))
    assert is_rung(session, PATIENCE_S)
    assert first.look().message.data == b"first"


def test_a_wait_whose_time_is_out_has_no_message(waits):
    outstanding = waits(wait_ms=30)
    assert outstanding.look() is None
    assert outstanding.look_at <= time.monotonic() + 0.03
    time.sleep(0.03)
    with pytest.raises(NoMessageAvailable):
        outstanding.look()


def test_a_get_without_wait_looks_once(waits):
    with pytest.raises(NoMessageAvailable):
        waits(options=cmqc.MQGMO_NO_WAIT).look()


def test_an_ended_wait_gets_nothing_and_leaves_messages_to_others(session, waits, other):
    outstanding = waits()
    assert outstanding.look() is None
    outstanding.end()
    other.put1("DEV.QUEUE.1", Message(b"left"))
    assert not is_rung(session)
    with other.open("DEV.QUEUE.1", cmqc.MQOO_INPUT_SHARED) as handle:
        assert handle.get().message.data == b"left"


def test_an_error_ends_the_wait(session, waits, other):
    outstanding = waits()
    assert outstanding.look() is None
    run_mqsc(other, "ALTER QLOCAL(DEV.QUEUE.1) GET(DISABLED)")
    assert is_rung(session, PATIENCE_S)
    with pytest.raises(MQError) as caught:
        outstanding.look()
    assert caught.value.reason == cmqc.MQRC_GET_INHIBITED


def test_the_end_of_a_connection_that_holds_a_message_is_noticed(session, waits, other):
    other.put1("DEV.QUEUE.1", Message(b"held"))
    handle = other.open("DEV.QUEUE.1", cmqc.MQOO_INPUT_SHARED)
    handle.get(cmqc.MQGMO_SYNCPOINT)
    outstanding = waits()
    assert outstanding.look() is None
    (end,) = outstanding.descriptors
    poll = select.poll()
    poll.register(end, 0)
    other.abandon()
    assert poll.poll(PATIENCE_S * 1000)
    assert outstanding.look().message.data == b"held"


@pytest.mark.parametrize("options", [cmqc.MQGMO_PROPERTIES_IN_HANDLE, cmqc.MQGMO_UNLOCK])
def test_what_needs_a_handle_of_the_program_is_refused(waits, options):
    with pytest.raises(MQError):
        waits(options=options)


def test_fifty_waits_cost_no_time_of_the_processor(waits):
    outstanding = [waits() for _ in range(50)]
    assert {one.look() for one in outstanding} == {None}
    assert min(one.look_at for one in outstanding) > time.monotonic() + 20
    for one in outstanding:
        one.end()
