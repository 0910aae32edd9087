"""Asynchronous consume: functions that are called with messages."""

from __future__ import annotations

import threading
import time

import pytest

from mqtools.bindings import consumers, ibmmqc, pymqe, sessions
from mqtools.bindings.structures_connection import CBC, CBD, CNO, CTLO
from mqtools.bindings.structures_message import GMO, MD, OD, PMO
from mqtools.constants import cmqc
from mqtools.errors import MQError

PATIENCE_S = 60


def made(structure, **values):
    return structure.pack({**structure.initial(), **values})


class Calls:
    """What the consumer was called with, and a way to wait for it."""

    def __init__(self):
        self.found = []
        self.changed = threading.Condition()
        self.then = lambda _body: None

    def __call__(self, h, md, gmo, body, cbc):
        self.then(body)
        with self.changed:
            self.found.append((body, CBC.unpack(cbc)))
            self.changed.notify()
        return (0, 0)

    def wait_for(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.found) >= count, PATIENCE_S), self.found
        return self.found


@pytest.fixture
def calls(monkeypatch):
    received = Calls()
    monkeypatch.setattr(consumers, "deliver", None)
    ibmmqc.MQCBINIT(received)
    return received


@pytest.fixture
def h():
    handle, *_ = ibmmqc.MQCONNX("QM1", made(CNO, Options=cmqc.MQCNO_HANDLE_SHARE_BLOCK))
    yield handle
    pymqe.MQDISC(handle)


def register(h, name=b"DEV.QUEUE.1", options=0, interval=0, operation=cmqc.MQOP_REGISTER, **cbd):
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=name), cmqc.MQOO_INPUT_SHARED)
    gmo = made(GMO, Options=options, WaitInterval=interval)
    assert ibmmqc.MQCB(h, operation, made(CBD, **cbd), ho, made(MD), gmo) == (0, 0)
    return ho


def put(h, body, name=b"DEV.QUEUE.1"):
    pymqe.MQPUT1(h, made(OD, ObjectName=name), made(MD), made(PMO), body)


def control(h, operation, **ctlo):
    return ibmmqc.MQCTL(h, operation, made(CTLO, **ctlo))


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never happened"
        threading.Event().wait(0.002)


def inhibit_gets(h, inhibited):
    other, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_SET)
    pymqe.MQSET(h, other, cmqc.MQIA_INHIBIT_GET, inhibited)


def test_a_consumer_is_called_with_what_is_there_and_what_comes(h, calls):
    put(h, b"before")
    ho = register(h, CallbackArea=7)
    assert control(h, cmqc.MQOP_START, ConnectionArea=9) == (0, 0)
    calls.wait_for(1)
    put(h, b"after")
    (first, cbc), (second, _) = calls.wait_for(2)
    assert (first, second) == (b"before", b"after")
    assert (cbc["CallType"], cbc["Hobj"], cbc["DataLength"]) == (cmqc.MQCBCT_MSG_REMOVED, ho, 6)
    assert (cbc["CallbackArea"], cbc["ConnectionArea"]) == (7, 9)
    assert control(h, cmqc.MQOP_STOP) == (0, 0)
    put(h, b"stopped")
    assert len(calls.found) == 2


def test_a_consumer_may_use_its_connection_and_stop_it(h, calls):
    def answer(body):
        put(h, body.upper(), b"DEV.QUEUE.2")
        assert control(h, cmqc.MQOP_STOP) == (0, 0)

    calls.then = answer
    register(h)
    put(h, b"one")
    assert control(h, cmqc.MQOP_START_WAIT) == (0, 0)
    assert [body for body, _ in calls.found] == [b"one"]
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=b"DEV.QUEUE.2"), cmqc.MQOO_INPUT_SHARED)
    assert pymqe.MQGET(h, ho, made(MD), made(GMO), 9)[0] == b"ONE"


def test_no_message_within_the_interval_is_an_event(h, calls):
    register(h, options=cmqc.MQGMO_WAIT, interval=20)
    control(h, cmqc.MQOP_START)
    body, cbc = calls.wait_for(1)[0]
    control(h, cmqc.MQOP_STOP)
    assert body is None
    assert (cbc["CallType"], cbc["Reason"]) == (cmqc.MQCBCT_EVENT_CALL, cmqc.MQRC_NO_MSG_AVAILABLE)


def test_start_and_stop_are_calls_where_they_are_asked_for(h, calls):
    register(h, Options=cmqc.MQCBDO_START_CALL | cmqc.MQCBDO_STOP_CALL)
    control(h, cmqc.MQOP_START)
    calls.wait_for(1)
    control(h, cmqc.MQOP_STOP)
    kinds = [cbc["CallType"] for _, cbc in calls.wait_for(2)]
    assert kinds == [cmqc.MQCBCT_START_CALL, cmqc.MQCBCT_STOP_CALL]


def test_an_error_is_an_event_and_suspends_the_consumer(h, calls):
    ho = register(h)
    inhibit_gets(h, 1)
    control(h, cmqc.MQOP_START)
    assert calls.wait_for(1)[0][1]["Reason"] == cmqc.MQRC_GET_INHIBITED
    inhibit_gets(h, 0)
    put(h, b"again")
    assert ibmmqc.MQCB(h, cmqc.MQOP_RESUME, made(CBD), ho, made(MD), made(GMO)) == (0, 0)
    assert calls.wait_for(2)[1][0] == b"again"


def test_a_consumer_may_be_resumed_in_the_call_that_tells_it_of_its_error(h, calls):
    def resume(body):
        if body is None:
            inhibit_gets(h, 0)
            assert ibmmqc.MQCB(h, cmqc.MQOP_RESUME, made(CBD), ho, made(MD), made(GMO)) == (0, 0)

    calls.then = resume
    ho = register(h)
    inhibit_gets(h, 1)
    control(h, cmqc.MQOP_START)
    calls.wait_for(1)
    put(h, b"again")
    assert calls.wait_for(2)[1][0] == b"again"
    assert control(h, cmqc.MQOP_STOP) == (0, 0)


def test_a_consumer_resumed_while_it_is_being_stopped_begins_after_its_last_call(h, calls):
    in_event, may_return = threading.Event(), threading.Event()

    def dawdle(_body):
        if calls.found and not in_event.is_set():
            in_event.set()
            assert may_return.wait(PATIENCE_S)

    calls.then = dawdle
    ho = register(h, Options=cmqc.MQCBDO_START_CALL | cmqc.MQCBDO_STOP_CALL)
    inhibit_gets(h, 1)
    control(h, cmqc.MQOP_START)
    assert in_event.wait(PATIENCE_S)
    inhibit_gets(h, 0)
    assert ibmmqc.MQCB(h, cmqc.MQOP_RESUME, made(CBD), ho, made(MD), made(GMO)) == (0, 0)
    may_return.set()
    calls.wait_for(4)
    assert control(h, cmqc.MQOP_STOP) == (0, 0)
    assert [cbc["CallType"] for _, cbc in calls.wait_for(5)] == [
        cmqc.MQCBCT_START_CALL,
        cmqc.MQCBCT_EVENT_CALL,
        cmqc.MQCBCT_STOP_CALL,
        cmqc.MQCBCT_START_CALL,
        cmqc.MQCBCT_STOP_CALL,
    ]


def test_a_consumer_that_resumes_itself_while_it_is_suspended_is_not_waited_for(h, calls):
    consumer = None

    def resume(_body):
        if len(calls.found) == 0:
            until(lambda: consumer.is_suspended)
            assert ibmmqc.MQCB(h, cmqc.MQOP_RESUME, made(CBD), ho, made(MD), made(GMO)) == (0, 0)

    calls.then = resume
    ho = register(h)
    consumer = sessions.find(h).consumers.by_handle[ho]
    put(h, b"one")
    control(h, cmqc.MQOP_START)
    suspending = threading.Thread(target=ibmmqc.MQCB, args=(h, cmqc.MQOP_SUSPEND, made(CBD), ho, made(MD), made(GMO)))
    suspending.start()
    suspending.join(PATIENCE_S)
    assert not suspending.is_alive()
    put(h, b"two")
    assert [body for body, _ in calls.wait_for(2)] == [b"one", b"two"]


def test_an_error_after_the_stop_is_nobodys_concern(h, calls, monkeypatch):
    ho = register(h, Options=cmqc.MQCBDO_STOP_CALL)
    consumer = sessions.find(h).consumers.by_handle[ho]

    def fail(*_):
        consumer.run.stop()
        raise MQError("too late", cmqc.MQRC_GET_INHIBITED)

    monkeypatch.setattr(consumers, "get_once", fail)
    control(h, cmqc.MQOP_START)
    assert [cbc["CallType"] for _, cbc in calls.wait_for(1)] == [cmqc.MQCBCT_STOP_CALL]
    assert not consumer.is_suspended


def test_one_call_at_a_time_for_several_queues(h, calls):
    running = []

    def alone(body):
        running.append(body)
        threading.Event().wait(0.02)
        assert running[-1] == body

    calls.then = alone
    for name in (b"DEV.QUEUE.1", b"DEV.QUEUE.2"):
        register(h, name)
        for number in range(3):
            put(h, b"%s %d" % (name, number), name)
    control(h, cmqc.MQOP_START)
    assert len({body for body, _ in calls.wait_for(6)}) == 6


def test_a_deregistered_consumer_and_a_closed_queue_are_not_called(h, calls):
    first, second = register(h), register(h, b"DEV.QUEUE.2")
    control(h, cmqc.MQOP_START)
    assert ibmmqc.MQCB(h, cmqc.MQOP_DEREGISTER, made(CBD), first, made(MD), made(GMO)) == (0, 0)
    assert pymqe.MQCLOSE(h, second, 0) == (0, 0)
    put(h, b"1")
    put(h, b"2", b"DEV.QUEUE.2")
    assert control(h, cmqc.MQOP_STOP) == (0, 0)
    assert calls.found == []
    failed = ibmmqc.MQCB(h, cmqc.MQOP_DEREGISTER, made(CBD), first, made(MD), made(GMO))
    assert failed == (2, cmqc.MQRC_CALLBACK_NOT_REGISTERED)


def test_nothing_can_be_started_without_a_consumer(h, calls):
    assert control(h, cmqc.MQOP_START) == (2, cmqc.MQRC_NO_CALLBACKS_ACTIVE)
