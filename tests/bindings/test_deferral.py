"""What the garbage collector closes inside a call of the same thread."""

from __future__ import annotations

import gc
import signal
import sys
from contextlib import contextmanager

import pytest


@contextmanager
def collected_inside(function, make):
    """Leave something in a cycle, and have the garbage collector find it when a function is called."""

    def look(frame, event, _):
        if event == "call" and frame.f_code.co_name == function:
            sys.setprofile(None)
            found.append(gc.collect())

    found = []
    gc.collect()
    gc.disable()
    made = make()
    made.itself = made
    del made
    try:
        sys.setprofile(look)
        yield
    finally:
        sys.setprofile(None)
        gc.enable()
    assert found, "the function was not called"


@pytest.mark.parametrize("kind", ["subscription", "dynamic queue", "connection"])
def test_what_is_collected_inside_an_inquiry_is_closed_after_it(pymqi, qmgr, pcf, subscribe, kind):
    c = pymqi.CMQC

    def dynamic_queue():
        model = pymqi.OD(ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"DYNAMIC.*")
        return pymqi.Queue(qmgr, model, c.MQOO_INPUT_EXCLUSIVE)

    make = {
        "subscription": lambda: subscribe("news"),
        "dynamic queue": dynamic_queue,
        "connection": lambda: subscribe("news", connection=pymqi.connect("QM1")),
    }[kind]
    make()  # defines the model queue

    def names():
        return {found[c.MQCA_Q_NAME].strip() for found in pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: b"*"})}

    before = names()
    with collected_inside("matches_name", make):
        assert len(names() - before) == 1, "it was there when the inquiry began"
    assert names() == before


def test_a_connection_collected_inside_a_put_of_another_one_does_not_wait_for_it(pymqi, qmgr, monkeypatch):
    monkeypatch.setenv("MQX_LOCK_TIMEOUT", "1s")

    def make():
        connection = pymqi.connect("QM1")
        pymqi.Queue(connection, "DEV.QUEUE.2").put(b"x", pymqi.MD(), pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT))
        return connection

    with collected_inside("insert", make):
        qmgr.put1("DEV.QUEUE.1", b"y")
    assert pymqi.Queue(qmgr, "DEV.QUEUE.2").get() == b"x", "its disconnect has committed"


def test_a_call_by_a_signal_handler_reaches_a_get_that_waits(pymqi, qmgr):
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
    before = signal.signal(signal.SIGALRM, lambda *_: qmgr.disconnect())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(pymqi.MQMIError) as caught:
            queue.get(None, pymqi.MD(), pymqi.GMO(Options=pymqi.CMQC.MQGMO_WAIT, WaitInterval=60_000))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert caught.value.reason in (pymqi.CMQC.MQRC_HCONN_ERROR, pymqi.CMQC.MQRC_CONNECTION_BROKEN)
