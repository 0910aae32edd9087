"""Topics and subscriptions that commands make and inquire, and who may use them."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.mqi import authority
from mqtools.mqi.connection import connect

from .publications import everything


def test_a_topic_object_of_a_command_can_be_published_on(pymqi, qmgr, pcf, subscribe, fails):
    c = pymqi.CMQC
    pcf.MQCMD_CREATE_TOPIC({c.MQCA_TOPIC_NAME: b"PRICES", c.MQCA_TOPIC_STRING: b"prices"})
    sub = subscribe("prices/fruit")
    pymqi.Topic(qmgr, "PRICES", "fruit").pub(b"1")
    assert everything(pymqi, sub) == [b"1"]
    (found,) = pcf.MQCMD_INQUIRE_TOPIC({c.MQCA_TOPIC_NAME: b"PR*"})
    assert found[c.MQCA_TOPIC_STRING].rstrip(b"\0 ") == b"prices"
    pcf.MQCMD_DELETE_TOPIC({c.MQCA_TOPIC_NAME: b"PRICES"})
    fails(c.MQRC_UNKNOWN_OBJECT_NAME, pymqi.Topic(qmgr, "PRICES").pub, b"2")


def test_a_subscription_of_a_command_collects_and_is_resumed(pymqi, pcf, publish, subscribe, fails):
    c, f = pymqi.CMQC, pymqi.CMQCFC
    made = {f.MQCACF_SUB_NAME: b"admin", c.MQCA_TOPIC_STRING: b"a"}
    pcf.MQCMD_CREATE_SUBSCRIPTION(made)
    fails(f.MQRCCF_SUB_ALREADY_EXISTS, pcf.MQCMD_CREATE_SUBSCRIPTION, made)
    publish("a", b"kept")
    sub = subscribe("a", c.MQSO_RESUME, "admin")
    assert everything(pymqi, sub) == [b"kept"]
    fails(f.MQRCCF_SUBSCRIPTION_IN_USE, pcf.MQCMD_DELETE_SUBSCRIPTION, {f.MQCACF_SUB_NAME: b"admin"})
    sub.close(close_sub_queue=True)
    pcf.MQCMD_DELETE_SUBSCRIPTION({f.MQCACF_SUB_NAME: b"admin"})
    fails(c.MQRC_NO_SUBSCRIPTION, pcf.MQCMD_INQUIRE_SUBSCRIPTION, {f.MQCACF_SUB_NAME: b"admin"})


def test_subscriptions_are_inquired_whoever_made_them(pymqi, pcf, publish, subscribe, fails):
    c, f = pymqi.CMQC, pymqi.CMQCFC
    given = {f.MQCACF_SUB_NAME: b"to.queue", c.MQCA_TOPIC_STRING: b"a/#", f.MQCACF_DESTINATION: b"DEV.QUEUE.2"}
    pcf.MQCMD_CREATE_SUBSCRIPTION(given)
    held = subscribe("a/b")
    found = pcf.MQCMD_INQUIRE_SUBSCRIPTION({f.MQCACF_SUB_NAME: b"*"})
    shown = {one[c.MQCA_TOPIC_STRING].rstrip(b"\0"): one for one in found}
    assert set(shown) == {b"a/#", b"a/b"}
    assert shown[b"a/#"][f.MQCACF_DESTINATION].strip() == b"DEV.QUEUE.2"
    assert shown[b"a/#"][f.MQIACF_DURABLE_SUBSCRIPTION] == c.MQSUB_DURABLE_YES
    assert shown[b"a/b"][f.MQIACF_DESTINATION_CLASS] == c.MQDC_MANAGED
    one = pcf.MQCMD_INQUIRE_SUBSCRIPTION({f.MQBACF_SUB_ID: pymqi.ByteString(shown[b"a/b"][f.MQBACF_SUB_ID])})
    assert one == [shown[b"a/b"]]
    held.close()
    fails(f.MQRCCF_DEST_NAME_ERROR, pcf.MQCMD_CREATE_SUBSCRIPTION, {**given, **unknown(f)})


def test_a_subscription_is_deleted_by_the_identifier_that_an_inquiry_returns(pymqi, pcf, fails):
    c, f = pymqi.CMQC, pymqi.CMQCFC
    for name in (b"mine", b"other"):
        pcf.MQCMD_CREATE_SUBSCRIPTION({f.MQCACF_SUB_NAME: name, c.MQCA_TOPIC_STRING: b"a"})
    (found,) = pcf.MQCMD_INQUIRE_SUBSCRIPTION({f.MQCACF_SUB_NAME: b"mine"})
    by_id = {f.MQBACF_SUB_ID: pymqi.ByteString(found[f.MQBACF_SUB_ID])}
    fails(c.MQRC_NO_SUBSCRIPTION, pcf.MQCMD_DELETE_SUBSCRIPTION, {**by_id, f.MQCACF_SUB_NAME: b"other"})
    pcf.MQCMD_DELETE_SUBSCRIPTION(by_id)
    assert [
        one[f.MQCACF_SUB_NAME].strip(b"\0 ") for one in pcf.MQCMD_INQUIRE_SUBSCRIPTION({f.MQCACF_SUB_NAME: b"*"})
    ] == [b"other"]
    for unknown_one in (by_id, {f.MQCACF_SUB_NAME: b"mine"}):
        fails(c.MQRC_NO_SUBSCRIPTION, pcf.MQCMD_DELETE_SUBSCRIPTION, unknown_one)
    fails(c.MQRC_NO_SUBSCRIPTION, pcf.MQCMD_INQUIRE_SUBSCRIPTION, by_id)


def unknown(f):
    return {f.MQCACF_SUB_NAME: b"other", f.MQCACF_DESTINATION: b"NO.SUCH"}


@pytest.fixture
def stranger(qmgr, pcf, subscribe, monkeypatch):
    """Grant authorities to the user of this process, which is not the owner of the file, and has none on queues."""
    with connect("QM1") as owner:
        run_mqsc(owner, "DEFINE SUB(THEIRS) TOPICSTR('a') DEST(DEV.QUEUE.1)\nALTER QMGR AUTHCHK(ALL)")
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: False)
    monkeypatch.setattr(authority, "local_user", lambda: "stranger")

    def allow(profile, object_type, words):
        with monkeypatch.context() as patch, connect("QM1") as owner:
            patch.setattr(authority, "is_run_by_owner", lambda _db: True)
            subject = f"PROFILE('{profile}') OBJTYPE({object_type})"
            assert not run_mqsc(owner, f"SET AUTHREC {subject} PRINCIPAL('stranger') AUTHADD({words})").failed

    return allow


def test_a_program_needs_authority_to_open_publish_subscribe_and_resume(pymqi, stranger, publish, subscribe, fails):
    c = pymqi.CMQC
    durable = c.MQSO_DURABLE | c.MQSO_MANAGED
    fails(c.MQRC_NOT_AUTHORIZED, publish, "a")
    fails(c.MQRC_NOT_AUTHORIZED, subscribe, "a", c.MQSO_CREATE | durable, "MINE")
    stranger("SYSTEM.BASE.TOPIC", "TOPIC", "SUB,PUB")
    subscribe("a", c.MQSO_CREATE | durable, "MINE").close(sub_close_options=c.MQCO_KEEP_SUB, close_sub_queue=True)
    publish("a", b"kept")
    fails(c.MQRC_NOT_AUTHORIZED, subscribe, None, c.MQSO_RESUME | durable, "MINE")
    stranger("SYSTEM.BASE.TOPIC", "TOPIC", "RESUME")
    assert everything(pymqi, subscribe(None, c.MQSO_RESUME | durable, "MINE")) == [b"kept"]


def test_a_subscription_opens_no_way_to_a_queue_that_its_program_may_not_use(pymqi, qmgr, stranger, subscribe, fails):
    c = pymqi.CMQC
    stranger("SYSTEM.BASE.TOPIC", "TOPIC", "ALL")
    for managed in (0, c.MQSO_MANAGED):
        fails(c.MQRC_NOT_AUTHORIZED, subscribe, None, c.MQSO_RESUME | c.MQSO_DURABLE | managed, "THEIRS")
    stranger("DEV.QUEUE.2", "QUEUE", "GET")
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.2", c.MQOO_INPUT_SHARED)
    fails(c.MQRC_NOT_AUTHORIZED, subscribe, "a", c.MQSO_CREATE, queue=queue)
    stranger("DEV.QUEUE.2", "QUEUE", "PUT")
    subscribe("a", c.MQSO_CREATE, queue=queue).close()
