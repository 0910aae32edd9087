"""Calls that clients make and that programs of the bindings do not, or not in this form."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.calls import connections, consumers, messages, objects, sessions, subscriptions
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.structures_message import GMO, MD, OD, PMO, SD, SRO, STS
from mqtools.mqi.connection import connect

from ..mqi.statistics.records import ACCOUNT, MQI, records, reset
from .conftest import made
from .test_forms import sent

FORM = fields.WIRE["<"]
ON_REQUEST = cmqc.MQSO_CREATE | cmqc.MQSO_PUBLICATIONS_ON_REQUEST


def publish(session, body=b"news", options=0, **md):
    od = sent("<", OD, {"ObjectString": "a/b"}, Version=4, ObjectType=cmqc.MQOT_TOPIC)
    messages.put1(session, od, sent("<", MD, **md), sent("<", PMO, Options=options), body, FORM)


def subscribe(session, ho=-1, options=cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED, **texts):
    sd = sent("<", SD, {"ObjectString": "a/#", **texts}, Options=options | cmqc.MQSO_WILDCARD_TOPIC)
    return subscriptions.subscribe(session, sd, ho, FORM)[1:3]


def received(session, ho):
    found = []
    while True:
        try:
            found.append(messages.get(session, ho, made(MD), made(GMO), 100)[0][-4:])
        except MQError:
            return found


def test_reserved_message_ids_are_given_once(session):
    blocks = [messages.reserve_ids(session)[:2] for _ in range(3)]
    firsts = [first for first, _ in blocks]
    assert {(len(first), first[:16], first[-2:]) for first in firsts} == {(24, b"AMQ QM1         ", b"\0\0")}
    assert {number for _, number in blocks} == {0xFFFF}
    assert sorted(set(firsts)) == firsts
    ho, *_ = objects.open_object(session, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_OUTPUT)
    md, *_ = messages.put(session, ho, made(MD), made(PMO), b"x")
    assert MD.unpack(md)["MsgId"][16] < 0x80 <= firsts[0][16]


def test_an_attribute_that_a_queue_lacks_is_a_warning(session):
    ho, *_ = objects.open_object(session, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_INQUIRE)
    asked = [cmqc.MQIA_BACKOUT_THRESHOLD, cmqc.MQCA_BASE_OBJECT_NAME, cmqc.MQIA_Q_TYPE]
    values, reason = objects.inquire(session, ho, asked)
    assert (values, reason) == ([0, b"*" * 48, cmqc.MQQT_LOCAL], cmqc.MQRC_SELECTOR_NOT_FOR_TYPE)


def test_a_recent_client_asks_the_queue_manager_for_its_capability(session):
    od = made(OD, ObjectType=cmqc.MQOT_Q_MGR)
    ho, *_ = objects.open_object(session, od, cmqc.MQOO_INQUIRE)
    values, reason = objects.inquire(session, ho, [cmqc.MQIA_ADVANCED_CAPABILITY, cmqc.MQCA_Q_MGR_NAME])
    assert (values, reason) == ([cmqc.MQCAP_SUPPORTED, b"QM1".ljust(48)], 0)


@pytest.mark.parametrize(
    ("selector", "is_wanted"),
    [
        ("JMSPriority = 7", True),
        ("JMSPriority < 7", False),
        ("JMSTimestamp > 0", True),
        ("JMSMessageID LIKE 'ID:%'", True),
    ],
)
def test_a_subscription_selects_by_the_descriptor_of_a_publication(session, selector, is_wanted):
    ho, _ = subscribe(session, SelectionString=selector)
    publish(session, Priority=7)
    assert received(session, ho) == [b"news"] * is_wanted


def test_a_selector_with_a_mistake_is_refused_and_disturbs_no_publisher(session):
    with pytest.raises(MQError) as caught:
        subscribe(session, SelectionString="colour = = 'red'")
    assert caught.value.reason == cmqc.MQRC_SELECTOR_SYNTAX_ERROR
    publish(session)


def test_publications_come_to_the_own_queue_of_a_subscription_when_requested(session):
    ho, *_ = objects.open_object(session, made(OD, ObjectName=b"DEV.QUEUE.1"), cmqc.MQOO_INPUT_SHARED)
    given, hsub = subscribe(session, ho, ON_REQUEST)
    assert given == ho
    publish(session, b"kept", cmqc.MQPMO_RETAIN)
    assert received(session, ho) == []
    sro, _ = subscriptions.request(session, hsub, cmqc.MQSR_ACTION_PUBLICATION, sent("<", SRO), FORM)
    assert SRO.packed("<").unpack(sro)["NumPubs"] == 1
    assert received(session, ho) == [b"kept"]


def test_calls_of_publish_subscribe_status_and_consumers_are_counted(home):
    with connect("QM1") as owner:
        assert not run_mqsc(owner, "ALTER QMGR STATMQI(ON) ACCTMQI(ON)").failed
    h, *_ = connections.connect("QM1")
    session = sessions.find(h)
    durable = cmqc.MQSO_MANAGED | cmqc.MQSO_DURABLE
    for options in (cmqc.MQSO_CREATE, cmqc.MQSO_RESUME, cmqc.MQSO_RESUME | cmqc.MQSO_ALTER):
        for handle in subscribe(session, -1, durable | options, SubName="s"):
            session.objects.pop(handle).close()
    _, hsub = subscribe(session)
    failing = ((subscribe, -1, durable | cmqc.MQSO_RESUME), (subscriptions.request, hsub, 1, sent("<", SRO), FORM),
               (consumers.register, h, cmqc.MQOP_SUSPEND, b"", hsub, b"", b""))  # fmt: skip
    for verb, *arguments in failing:
        with pytest.raises(MQError):
            verb(session, *arguments)
    messages.status(session, 0, sent("<", STS), FORM)
    consumers.control(session, cmqc.MQOP_STOP, b"")
    connections.disconnect(h)
    with connect("QM1") as owner:
        reset(owner)
        (calls,), accounts = records(owner, MQI), records(owner, ACCOUNT)
    expected = {"sub_dur_count": [1, 1, 1], "sub_ndur_count": [1, 0, 0], "sub_fail_count": 1, "subrq_fail_count": 1,
                "cb_fail_count": 1, "ctl_count": 1, "stat_count": 1, "cb_count": 0, "subrq_count": 0}  # fmt: skip
    assert {name: calls[name] for name in expected} == expected
    assert expected in [{name: found[name] for name in expected} for found in accounts]
