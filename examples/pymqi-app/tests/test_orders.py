"""Tests of the order service, each against a queue manager of its own."""

from __future__ import annotations

import json

import orders
import pymqi
import pytest
from pymqi import CMQC


@pytest.fixture
def qmgr(mqx_qmgr):
    """Return a connection as the program makes it."""
    return pymqi.connect(mqx_qmgr.name, "DEV.APP.SVRCONN", "localhost(1414)", "app", "secret")


def order(qmgr, body):
    md = pymqi.MD(MsgType=CMQC.MQMT_REQUEST, ReplyToQ=b"ORDERS.REPLY")
    qmgr.put1("ORDERS", body, md)
    return md.MsgId


@pytest.mark.parametrize(("item", "count", "confirmed"), [("sledge", 2, True), ("skates", 2, False), ("ski", 1, False)])
def test_an_order_is_answered(qmgr, item, count, confirmed):
    msg_id = order(qmgr, json.dumps({"item": item, "count": count}))
    assert orders.serve(qmgr, wait_ms=0) == 1
    answer = pymqi.Queue(qmgr, "ORDERS.REPLY").get(None, pymqi.MD(CorrelId=msg_id))
    assert json.loads(answer) == {"item": item, "confirmed": confirmed}


def test_what_is_no_order_is_set_aside_as_it_came(qmgr, mqx_qmgr):
    order(qmgr, b"\xff\x00 no order")
    order(qmgr, b'{"item": "sledge", "count": 1}')
    assert orders.serve(qmgr, wait_ms=0) == 1
    assert mqx_qmgr.get_all("ORDERS.ASIDE") == [b"\xff\x00 no order"]


def test_an_order_that_cannot_be_answered_comes_again(qmgr, mqx_qmgr):
    mqx_qmgr.mqsc("ALTER QLOCAL(ORDERS.REPLY) MAXDEPTH(0)")
    order(qmgr, b'{"item": "sledge", "count": 1}')
    with pytest.raises(pymqi.MQMIError) as caught:
        orders.serve(qmgr, wait_ms=0)
    assert caught.value.reason == CMQC.MQRC_Q_FULL
    qmgr.backout()
    assert mqx_qmgr.depth("ORDERS") == 1


def test_each_test_has_a_queue_manager_of_its_own(mqx_qmgr):
    assert mqx_qmgr.depth("ORDERS") == 0
    assert not mqx_qmgr.get_all("ORDERS.ASIDE")


@pytest.mark.mqx(name="OTHER", queues=["MORE"])
def test_a_test_may_ask_for_more(mqx_qmgr):
    assert mqx_qmgr.name == "OTHER"
    mqx_qmgr.put("MORE", "hello", priority=3)
    assert mqx_qmgr.get_all("MORE") == [b"hello"]
