"""Asynchronous consume: functions that are called with messages."""

from __future__ import annotations

import threading
import time

import pytest

from mqtools.bindings import ibmmqc, pymqe
from mqtools.calls import consumers, sessions
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.headers.structures_connection import CBC, CBD, CNO, CTLO
from mqtools.headers.structures_message import GMO, MD, OD, PMO, STS

from .conftest import made

PATIENCE_S = 60


class Calls:
    """Record of the calls of a consumer, with a way to wait for one."""

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


def connected():
    handle, *_ = ibmmqc.MQCONNX("QM1", made(CNO, Options=cmqc.MQCNO_HANDLE_SHARE_BLOCK))
    yield handle
    pymqe.MQDISC(handle)


@pytest.fixture
def h():
    yield from connected()


@pytest.fixture
def other():
    """A connection that MQCTL has not started."""
    yield from connected()


def register(h, name=b"DEV.QUEUE.1", options=0, interval=0, operation=cmqc.MQOP_REGISTER, **cbd):
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=name), cmqc.MQOO_INPUT_SHARED)
    gmo = made(GMO, Options=options, WaitInterval=interval)
    assert ibmmqc.MQCB(h, operation, made(CBD, **cbd), ho, made(MD), gmo) == (0, 0)
    return ho


def put(h, body, name=b"DEV.QUEUE.1"):
    assert pymqe.MQPUT1(h, made(OD, ObjectName=name), made(MD), made(PMO), body)[-1] == 0


def control(h, operation, **ctlo):
    return ibmmqc.MQCTL(h, operation, made(CTLO, **ctlo))


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never happened"
        threading.Event().wait(0.002)


def inhibit_gets(h, inhibited):
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_SET)
    assert pymqe.MQSET(h, ho, cmqc.MQIA_INHIBIT_GET, inhibited)[-1] == 0


def change(h, ho, operation):
    assert ibmmqc.MQCB(h, operation, made(CBD), ho, made(MD), made(GMO)) == (0, 0)


def test_a_consumer_is_called_with_what_is_there_and_what_comes(h, other, calls):
    put(h, b"before")
    ho = register(h, CallbackArea=7)
    assert control(h, cmqc.MQOP_START, ConnectionArea=9) == (0, 0)
    calls.wait_for(1)
    put(other, b"after")
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


def test_an_error_is_an_event_and_suspends_the_consumer(h, other, calls):
    ho = register(h)
    inhibit_gets(h, 1)
    control(h, cmqc.MQOP_START)
    assert calls.wait_for(1)[0][1]["Reason"] == cmqc.MQRC_GET_INHIBITED
    inhibit_gets(other, 0)
    put(other, b"again")
    control(h, cmqc.MQOP_SUSPEND)
    change(h, ho, cmqc.MQOP_RESUME)
    control(h, cmqc.MQOP_RESUME)
    assert calls.wait_for(2)[1][0] == b"again"


def test_a_consumer_may_be_resumed_in_the_call_that_tells_it_of_its_error(h, other, calls):
    def resume(body):
        if body is None:
            inhibit_gets(h, 0)
            change(h, ho, cmqc.MQOP_RESUME)

    calls.then = resume
    ho = register(h)
    inhibit_gets(h, 1)
    control(h, cmqc.MQOP_START)
    calls.wait_for(1)
    put(other, b"again")
    assert calls.wait_for(2)[1][0] == b"again"
    assert control(h, cmqc.MQOP_STOP) == (0, 0)


def test_a_consumer_resumed_while_it_is_being_stopped_begins_after_its_last_call(h, calls):
    def resume(_body):
        if len(calls.found) == 1:
            inhibit_gets(h, 0)
            change(h, ho, cmqc.MQOP_RESUME)

    calls.then = resume
    ho = register(h, Options=cmqc.MQCBDO_START_CALL | cmqc.MQCBDO_STOP_CALL)
    inhibit_gets(h, 1)
    control(h, cmqc.MQOP_START)
    calls.wait_for(4)
    assert control(h, cmqc.MQOP_STOP) == (0, 0)
    assert [cbc["CallType"] for _, cbc in calls.wait_for(5)] == [
        cmqc.MQCBCT_START_CALL,
        cmqc.MQCBCT_EVENT_CALL,
        cmqc.MQCBCT_STOP_CALL,
        cmqc.MQCBCT_START_CALL,
        cmqc.MQCBCT_STOP_CALL,
    ]


def test_a_consumer_that_resumes_itself_while_all_are_suspended_is_not_waited_for(h, other, calls):
    called, resumed = threading.Event(), threading.Event()

    def resume(_body):
        if len(calls.found) == 0:
            called.set()
            until(lambda: not sessions.find(h).consumers.is_running)
            change(h, ho, cmqc.MQOP_RESUME)
            resumed.set()

    calls.then = resume
    ho = register(h)
    put(h, b"one")
    control(h, cmqc.MQOP_START)
    assert called.wait(PATIENCE_S)
    suspending = threading.Thread(target=control, args=(h, cmqc.MQOP_SUSPEND))
    suspending.start()
    suspending.join(PATIENCE_S)
    assert not suspending.is_alive()
    assert resumed.wait(PATIENCE_S)
    control(h, cmqc.MQOP_RESUME)
    put(other, b"two")
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
    control(h, cmqc.MQOP_SUSPEND)
    change(h, first, cmqc.MQOP_DEREGISTER)
    assert pymqe.MQCLOSE(h, second, 0) == (0, 0)
    put(h, b"1")
    put(h, b"2", b"DEV.QUEUE.2")
    register(h, b"DEV.QUEUE.3")
    control(h, cmqc.MQOP_RESUME)
    assert control(h, cmqc.MQOP_STOP) == (0, 0)
    assert calls.found == []
    failed = ibmmqc.MQCB(h, cmqc.MQOP_DEREGISTER, made(CBD), first, made(MD), made(GMO))
    assert failed == (2, cmqc.MQRC_CALLBACK_NOT_REGISTERED)


def test_calls_from_outside_of_the_consumers_of_a_started_connection_fail(h, calls):
    ho = register(h)
    control(h, cmqc.MQOP_START)
    od, md, pmo, gmo = made(OD, ObjectName=b"DEV.QUEUE.1"), made(MD), made(PMO), made(GMO)
    outcomes = [
        pymqe.MQOPEN(h, od, cmqc.MQOO_OUTPUT),
        pymqe.MQCLOSE(h, ho),
        pymqe.MQPUT(h, ho, md, pmo, b""),
        pymqe.MQPUT1(h, od, md, pmo, b""),
        pymqe.MQGET(h, ho, md, gmo, 9),
        pymqe.MQCMIT(h),
        pymqe.MQBACK(h),
        pymqe.MQINQ(h, ho, cmqc.MQIA_MAX_Q_DEPTH),
        ibmmqc.MQCB(h, cmqc.MQOP_SUSPEND, made(CBD), ho, md, gmo),
        ibmmqc.MQSTAT(h, 0, made(STS)),
    ]
    assert [outcome[-2:] for outcome in outcomes] == [(2, cmqc.MQRC_HCONN_ASYNC_ACTIVE)] * len(outcomes)
    for operation in (cmqc.MQOP_START, cmqc.MQOP_START_WAIT):
        assert control(h, operation) == (2, cmqc.MQRC_HCONN_ASYNC_ACTIVE)
    assert control(h, cmqc.MQOP_SUSPEND) == (0, 0)
    put(h, b"while suspended")
    assert control(h, cmqc.MQOP_RESUME) == (0, 0)
    assert calls.wait_for(1)[0][0] == b"while suspended"
    assert pymqe.MQDISC(h) == (0, 0)


def test_a_function_that_raises_is_reported_once_and_only_its_consumer_is_suspended(h, other, calls, capsys):
    failed = []

    def fail_once(body):
        if body == b"bad" and not failed:
            failed.append(body)
            raise LookupError("no such order")

    calls.then = fail_once
    ho = register(h, options=cmqc.MQGMO_SYNCPOINT)
    register(h, b"DEV.QUEUE.2")
    cbd = made(CBD, CallbackType=cmqc.MQCBT_EVENT_HANDLER, CallbackArea=5)
    assert ibmmqc.MQCB(h, cmqc.MQOP_REGISTER, cbd, cmqc.MQHO_NONE, made(MD), made(GMO)) == (0, 0)
    put(h, b"bad")
    put(h, b"next")
    control(h, cmqc.MQOP_START)
    body, cbc = calls.wait_for(1)[0]
    assert (body, cbc["CallType"], cbc["Hobj"]) == (None, cmqc.MQCBCT_EVENT_CALL, cmqc.MQHO_NONE)
    assert (cbc["CompCode"], cbc["Reason"], cbc["CallbackArea"]) == (2, cmqc.MQRC_UNEXPECTED_ERROR, 5)
    reported = capsys.readouterr().err
    assert reported.startswith("mqx: the consumer of queue DEV.QUEUE.1 failed and is suspended\nTraceback")
    assert (reported.count("LookupError: no such order"), "in thread" in reported) == (1, False)
    browsing, *_ = pymqe.MQOPEN(other, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_BROWSE)
    gmo = made(GMO, Options=cmqc.MQGMO_BROWSE_FIRST)
    until(lambda: pymqe.MQGET(other, browsing, made(MD), gmo, 9)[0] == b"bad")
    put(other, b"elsewhere", b"DEV.QUEUE.2")
    calls.wait_for(2)
    control(h, cmqc.MQOP_SUSPEND)
    assert len(calls.found) == 2, "a suspended consumer is not called"
    change(h, ho, cmqc.MQOP_RESUME)
    control(h, cmqc.MQOP_RESUME)
    assert [body for body, _ in calls.wait_for(4)] == [None, b"elsewhere", b"bad", b"next"]


def test_an_event_handler_that_raises_is_reported_too(h, calls, capsys):
    def fail(body):
        raise LookupError(body)

    calls.then = fail
    register(h)
    ibmmqc.MQCB(h, cmqc.MQOP_REGISTER, made(CBD), cmqc.MQHO_NONE, made(MD), made(GMO))
    put(h, b"bad")
    assert control(h, cmqc.MQOP_START_WAIT) == (0, 0)
    reported = capsys.readouterr().err
    assert [line for line in reported.splitlines() if line.startswith(("mqx: ", "LookupError"))] == [
        "mqx: the consumer of queue DEV.QUEUE.1 failed and is suspended",
        "LookupError: b'bad'",
        "mqx: the event handler failed",
        "LookupError: None",
    ]


def test_nothing_can_be_started_without_a_consumer(h, calls):
    assert control(h, cmqc.MQOP_START) == (2, cmqc.MQRC_NO_CALLBACKS_ACTIVE)


@pytest.mark.parametrize(
    ("operation", "cbd", "reason"),
    [
        (1 << 20, {}, cmqc.MQRC_OPERATION_ERROR),
        (cmqc.MQOP_REGISTER, {"StrucId": b"XXXX"}, cmqc.MQRC_CBD_ERROR),
        (cmqc.MQOP_REGISTER, {"CallbackType": 9}, cmqc.MQRC_CALLBACK_TYPE_ERROR),
        (cmqc.MQOP_REGISTER, {"Options": 2}, cmqc.MQRC_CBD_OPTIONS_ERROR),
        (cmqc.MQOP_REGISTER, {"MaxMsgLength": -2}, cmqc.MQRC_MAX_MSG_LENGTH_ERROR),
    ],
)
def test_a_wrong_descriptor_of_a_callback_registers_nothing(h, operation, cbd, reason):
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_INPUT_SHARED)
    assert ibmmqc.MQCB(h, operation, made(CBD, **cbd), ho, made(MD), made(GMO)) == (cmqc.MQCC_FAILED, reason)
    assert control(h, cmqc.MQOP_START)[-1] == cmqc.MQRC_NO_CALLBACKS_ACTIVE


def test_wrong_control_options_start_nothing(h):
    register(h)
    assert control(h, cmqc.MQOP_START, StrucId=b"XXXX")[-1] == cmqc.MQRC_CTLO_ERROR
    put(h, b"a started connection would refuse it")
