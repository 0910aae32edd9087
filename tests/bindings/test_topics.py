"""Publish and subscribe as programs do it."""

from __future__ import annotations

import os
import struct
from time import sleep

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.bindings import ibmmqc
from mqtools.headers.structures_message import SRO
from mqtools.mqi.connection import connect

from .publications import everything


def test_a_publication_comes_to_every_subscription_that_wants_it(pymqi, publish, subscribe):
    one, all_of_them, other = subscribe("a/b"), subscribe("a/#"), subscribe("x")
    publish("a/b", b"1")
    publish("a/c", b"2")
    assert everything(pymqi, one) == [b"1"]
    assert everything(pymqi, all_of_them) == [b"1", b"2"]
    assert everything(pymqi, other) == []


def test_a_program_publishes_through_an_alias_of_a_topic(pymqi, qmgr, pcf, subscribe, fails):
    cmqc = pymqi.CMQC
    pcf.MQCMD_CREATE_TOPIC({cmqc.MQCA_TOPIC_NAME: b"T", cmqc.MQCA_TOPIC_STRING: b"sport/one"})
    pcf.MQCMD_CREATE_Q({
        cmqc.MQCA_Q_NAME: b"ALIAS", cmqc.MQIA_Q_TYPE: cmqc.MQQT_ALIAS, cmqc.MQCA_BASE_OBJECT_NAME: b"T",
        cmqc.MQIA_BASE_TYPE: cmqc.MQOT_TOPIC,
    })  # fmt: skip
    subscription = subscribe(topic=b"sport/#")
    queue = pymqi.Queue(qmgr, "ALIAS")
    queue.put(b"1")
    queue.close()
    qmgr.put1("ALIAS", b"2")
    assert [subscription.get() for _ in range(2)] == [b"1", b"2"]
    for options in (cmqc.MQOO_INPUT_SHARED, cmqc.MQOO_BROWSE | cmqc.MQOO_OUTPUT):
        fails(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, pymqi.Queue(qmgr).open, "ALIAS", options)


def test_wildcards_of_characters_are_an_option(pymqi, publish, subscribe):
    c = pymqi.CMQC
    sub = subscribe("a/b*", c.MQSO_CREATE | c.MQSO_MANAGED | c.MQSO_WILDCARD_CHAR)
    publish("a/bcd/e")
    publish("a/x")
    assert len(everything(pymqi, sub)) == 1


def test_a_publication_has_its_subscriptions_correlation_and_the_publishers_fields(pymqi, publish, subscribe):
    sub = subscribe("a")
    publish("a", Format=b"MQSTR", Priority=7)
    md = pymqi.MD()
    sub.get(None, md)
    assert (md.Format, md.Priority) == (b"MQSTR   ", 7)
    assert md.CorrelId == sub.sub_desc.SubCorrelId != bytes(24)


def test_a_subscription_that_is_not_durable_ends_with_its_close_or_connection(pymqi, publish, subscribe, fails):
    c = pymqi.CMQC
    sub = subscribe("a")
    sub.close(close_sub_queue=True)
    warn = c.MQPMO_WARN_IF_NO_SUBS_MATCHED
    fails(c.MQRC_NO_SUBS_MATCHED, publish, "a", b"", warn, comp=1)
    other = pymqi.connect("QM1")
    held = subscribe("a", connection=other)
    publish("a", b"", warn)
    assert everything(pymqi, held) == [b""]
    other.disconnect()
    fails(c.MQRC_NO_SUBS_MATCHED, publish, "a", b"", warn, comp=1)


def test_publications_come_to_a_queue_of_the_programs_own(pymqi, qmgr, publish, subscribe):
    c = pymqi.CMQC
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED)
    sub = subscribe("a", c.MQSO_CREATE, queue=queue)
    publish("a")
    assert sub.get_sub_queue() is queue
    assert queue.get() == b"news"


def test_a_durable_subscription_collects_while_nobody_is_there(pymqi, pcf, publish, subscribe, fails):
    c = pymqi.CMQC
    durable = c.MQSO_CREATE | c.MQSO_DURABLE | c.MQSO_MANAGED
    first = pymqi.connect("QM1")
    sub = subscribe("a", durable, "mine", connection=first)
    fails(c.MQRC_SUB_ALREADY_EXISTS, subscribe, "a", durable, "mine")
    fails(c.MQRC_SUBSCRIPTION_IN_USE, subscribe, "a", c.MQSO_RESUME, "mine")
    sub.close(close_sub_queue=True)
    first.disconnect()
    publish("a", b"while away")
    fails(c.MQRC_TOPIC_NOT_ALTERABLE, subscribe, "other", c.MQSO_RESUME, "mine")
    again = subscribe("a", c.MQSO_RESUME, "mine")
    assert again.sub_desc.Options & durable == c.MQSO_DURABLE | c.MQSO_MANAGED
    assert everything(pymqi, again) == [b"while away"]
    publish("a", b"left")
    again.close(c.MQCO_REMOVE_SUB, close_sub_queue=True)
    fails(c.MQRC_NO_SUBSCRIPTION, subscribe, "a", c.MQSO_RESUME, "mine")
    names = pcf.MQCMD_INQUIRE_Q_NAMES({c.MQCA_Q_NAME: b"SYSTEM.MANAGED.*"})
    assert names[0].get(pymqi.CMQCFC.MQCACF_Q_NAMES, []) == []


def test_a_durable_subscription_of_a_killed_program_can_be_resumed(pymqi, publish, subscribe):
    c = pymqi.CMQC
    child = os.fork()
    if child == 0:
        sub = pymqi.Subscription(pymqi.connect("QM1"))
        sub.sub(topic_string="a", sub_opts=c.MQSO_CREATE | c.MQSO_DURABLE | c.MQSO_MANAGED, sub_name="killed")
        os._exit(0)
    os.waitpid(child, 0)
    publish("a", b"kept")
    assert everything(pymqi, subscribe("a", c.MQSO_RESUME, "killed")) == [b"kept"]


def test_the_last_retained_publication_comes_to_who_subscribes_later(pymqi, publish, subscribe):
    c = pymqi.CMQC
    publish("a/b", b"old", c.MQPMO_RETAIN)
    publish("a/b", b"new", c.MQPMO_RETAIN)
    publish("a/c", b"other", c.MQPMO_RETAIN)
    publish("a/b", b"not retained")
    assert sorted(everything(pymqi, subscribe("a/#"))) == [b"new", b"other"]
    options = c.MQSO_CREATE | c.MQSO_MANAGED | c.MQSO_NEW_PUBLICATIONS_ONLY
    assert everything(pymqi, subscribe("a/b", options)) == []


def test_retained_publications_can_be_asked_for(pymqi, qmgr, publish):
    c = pymqi.CMQC
    publish("a", b"held", c.MQPMO_RETAIN)
    sd = pymqi.SD(Options=c.MQSO_CREATE | c.MQSO_MANAGED | c.MQSO_PUBLICATIONS_ON_REQUEST)
    sd.set_vs("ObjectString", "a")
    h = qmgr.get_handle()
    _, ho, hsub, *_ = pymqi.pymqe.MQSUB(h, sd.pack(), 0)
    publish("a", b"not asked for")
    sro, *done = ibmmqc.MQSUBRQ(h, hsub, c.MQSR_ACTION_PUBLICATION, SRO.pack(SRO.initial()))
    assert (SRO.unpack(sro)["NumPubs"], done) == (1, [0, 0])
    queue = pymqi.Queue(qmgr)
    queue.set_handle(ho)
    assert queue.get() == b"held"
    assert pymqi.pymqe.MQCLOSE(h, hsub, 0) == (0, 0)


def test_a_publication_under_syncpoint_waits_for_the_commit(pymqi, qmgr, publish, subscribe):
    c = pymqi.CMQC
    other = pymqi.connect("QM1")
    sub = subscribe("a", connection=other)
    publish("a", b"1", c.MQPMO_SYNCPOINT)
    assert everything(pymqi, sub) == []
    qmgr.backout()
    publish("a", b"2", c.MQPMO_SYNCPOINT)
    qmgr.commit()
    assert everything(pymqi, sub) == [b"2"]


@pytest.fixture
def without_dlq(pymqi, pcf):
    """Let no publication go to the dead-letter queue."""
    c = pymqi.CMQC
    pcf.MQCMD_CHANGE_TOPIC({c.MQCA_TOPIC_NAME: b"SYSTEM.BASE.TOPIC", c.MQIA_USE_DEAD_LETTER_Q: c.MQUSEDLQ_NO})


@pytest.mark.usefixtures("without_dlq")
def test_what_reaches_not_every_durable_subscription_reaches_none(pymqi, qmgr, publish, subscribe, fails):
    c = pymqi.CMQC
    full = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED | c.MQOO_SET)
    full.set(c.MQIA_INHIBIT_PUT, 1)
    subscribe("a", c.MQSO_CREATE | c.MQSO_DURABLE, "full", queue=full)
    sub = subscribe("a")
    publish("a", b"1")
    fails(c.MQRC_PUBLICATION_FAILURE, publish, "a", b"2", Persistence=c.MQPER_PERSISTENT)
    assert everything(pymqi, sub) == [b"1"]


@pytest.mark.parametrize(
    ("topic", "options", "name", "reason"),
    [
        ("a", 32, None, 2046),
        ("a", 2 | 32 | 0x300000, None, 2046),
        ("a", 2 | 8 | 32, None, 2440),
        ("a", 4, "unknown", 2428),
        (None, 2 | 32, None, 2425),
        ("a", 2, None, 2019),
    ],
)
def test_subscriptions_that_cannot_be(subscribe, fails, topic, options, name, reason):
    fails(reason, subscribe, topic, options, name)


def test_topics_are_objects_too(pymqi, qmgr, subscribe, fails):
    c = pymqi.CMQC
    sub = subscribe("dev/x")
    pymqi.Topic(qmgr, "DEV.BASE.TOPIC", "x").pub(b"by object")
    qmgr.put1(pymqi.OD(ObjectType=c.MQOT_TOPIC, Version=4, ObjectName=b"DEV.BASE.TOPIC"), b"above")
    assert everything(pymqi, sub) == [b"by object"]
    fails(c.MQRC_UNKNOWN_OBJECT_NAME, pymqi.Topic(qmgr, "NO.SUCH").pub, b"")
    with pytest.raises(pymqi.PYIFError, match=r"Topic not open\."):
        pymqi.Topic(qmgr, topic_string="a").close()
    with pytest.raises(pymqi.PYIFError, match=r"Subscription not open\."):
        pymqi.Subscription(qmgr).close()


RFH2_TOO_LONG = struct.pack("<4s5i8s2i", b"RFH ", 2, 1000, 546, 1208, 0, b"MQSTR   "[:8], 0, 1208)


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("retained", [False, True])
@pytest.mark.parametrize("subscribed", [False, True])
def test_a_malformed_header_is_refused_as_by_a_queue(
    pymqi, qmgr, publish, subscribe, fails, persistence, retained, subscribed
):
    c = pymqi.CMQC
    sub = subscribe("a") if subscribed else None
    md = {"Format": c.MQFMT_RF_HEADER_2, "Persistence": persistence}
    fails(c.MQRC_RFH_ERROR, pymqi.Queue(qmgr, "DEV.QUEUE.1").put, RFH2_TOO_LONG, pymqi.MD(**md))
    fails(c.MQRC_RFH_ERROR, publish, "a", RFH2_TOO_LONG, c.MQPMO_RETAIN if retained else 0, **md)
    assert everything(pymqi, sub or subscribe("a")) == []


def test_what_is_wrong_with_the_call_is_no_refusal_of_a_queue(pymqi, publish, subscribe, fails):
    c = pymqi.CMQC
    sub = subscribe("a")
    fails(c.MQRC_OPTIONS_ERROR, publish, "a", b"", c.MQPMO_SYNCPOINT | c.MQPMO_NO_SYNCPOINT)
    fails(c.MQRC_PRIORITY_ERROR, publish, "a", b"", Priority=-7)
    assert everything(pymqi, sub) == []


@pytest.mark.usefixtures("without_dlq")
@pytest.mark.parametrize("is_durable", [False, True])
@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("delivery", ["default", "ALL", "ALL_DUR", "ALL_AVAIL"])
def test_which_subscriptions_must_be_reached_is_an_attribute_of_the_topic(
    pymqi, qmgr, pcf, publish, subscribe, fails, delivery, persistence, is_durable
):
    c = pymqi.CMQC
    number = c.MQIA_PM_DELIVERY if persistence else c.MQIA_NPM_DELIVERY
    if delivery != "default":
        value = getattr(c, f"MQDLV_{delivery}")
        pcf.MQCMD_CREATE_TOPIC({c.MQCA_TOPIC_NAME: b"T", c.MQCA_TOPIC_STRING: b"a/b", number: value})
    inhibited = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED | c.MQOO_SET)
    inhibited.set(c.MQIA_INHIBIT_PUT, 1)
    options = c.MQSO_CREATE | (c.MQSO_DURABLE if is_durable else 0)
    refused = subscribe("a/b/c", options, "refused", queue=inhibited)
    sub = subscribe("a/#")
    fail = {"default": bool(persistence) and is_durable, "ALL": True, "ALL_DUR": is_durable, "ALL_AVAIL": False}[
        delivery
    ]
    if fail:
        fails(c.MQRC_PUBLICATION_FAILURE, publish, "a/b/c", b"1", Persistence=persistence)
    else:
        publish("a/b/c", b"1", Persistence=persistence)
    assert everything(pymqi, sub) == ([] if fail else [b"1"])
    refused.close()


@pytest.mark.usefixtures("without_dlq")
def test_the_base_topic_says_it_for_all(pymqi, qmgr, pcf, publish, subscribe, fails):
    c = pymqi.CMQC
    (base,) = pcf.MQCMD_INQUIRE_TOPIC({c.MQCA_TOPIC_NAME: b"SYSTEM.BASE.TOPIC"})
    assert (base[c.MQIA_NPM_DELIVERY], base[c.MQIA_PM_DELIVERY]) == (c.MQDLV_ALL_AVAIL, c.MQDLV_ALL_DUR)
    full = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED | c.MQOO_SET)
    full.set(c.MQIA_INHIBIT_PUT, 1)
    sub = subscribe("a", c.MQSO_CREATE, queue=full)
    publish("a", b"lost to the one that is inhibited")
    pcf.MQCMD_CHANGE_TOPIC({c.MQCA_TOPIC_NAME: b"SYSTEM.BASE.TOPIC", c.MQIA_NPM_DELIVERY: c.MQDLV_ALL})
    fails(c.MQRC_PUBLICATION_FAILURE, publish, "a", b"1")
    sub.close()


def test_a_persistent_publication_comes_to_a_managed_subscription_that_is_not_durable(pymqi, publish, subscribe):
    c = pymqi.CMQC
    sub, md = subscribe("a"), pymqi.MD()
    publish("a", Persistence=c.MQPER_PERSISTENT)
    assert sub.get(None, md) == b"news"
    assert md.Persistence == c.MQPER_NOT_PERSISTENT


@pytest.mark.usefixtures("without_dlq")
def test_a_subscription_that_cannot_be_given_what_is_retained_is_not_made(pymqi, qmgr, pcf, publish, subscribe, fails):
    c = pymqi.CMQC
    publish("a", b"1", c.MQPMO_RETAIN, Persistence=1)
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED | c.MQOO_SET)
    queue.set(c.MQIA_INHIBIT_PUT, 1)
    durable = c.MQSO_CREATE | c.MQSO_DURABLE
    fails(c.MQRC_RETAINED_NOT_DELIVERED, subscribe, "a", durable, "mine", queue=queue)
    queue.set(c.MQIA_INHIBIT_PUT, 0)
    subscribe("a", durable, "mine", queue=queue)
    assert queue.get() == b"1"
    model = {c.MQCA_Q_NAME: b"SYSTEM.DURABLE.MODEL.QUEUE", c.MQIA_Q_TYPE: c.MQQT_MODEL}
    pcf.MQCMD_CHANGE_Q({**model, c.MQIA_MAX_MSG_LENGTH: 0})
    fails(c.MQRC_RETAINED_NOT_DELIVERED, subscribe, "a", durable | c.MQSO_MANAGED, "managed")
    names = pcf.MQCMD_INQUIRE_Q_NAMES({c.MQCA_Q_NAME: b"SYSTEM.MANAGED.*"})
    assert names[0].get(pymqi.CMQCFC.MQCACF_Q_NAMES, []) == []


#: Attribute of the subscriber's queue, how it refuses, and the reason.
REFUSALS = {2051: {"MQIA_INHIBIT_PUT": 1}, 2053: {"MQIA_MAX_Q_DEPTH": 0}, 2030: {"MQIA_MAX_MSG_LENGTH": 3}}


@pytest.mark.parametrize("reason", REFUSALS)
def test_a_refused_publication_goes_to_the_dead_letter_queue_with_its_reason(
    pymqi, qmgr, pcf, publish, subscribe, reason
):
    c = pymqi.CMQC
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED)
    subscribe("a", c.MQSO_CREATE | c.MQSO_DURABLE, "refusing", queue=queue)
    change = {getattr(c, name): value for name, value in REFUSALS[reason].items()}
    pcf.MQCMD_CHANGE_Q({c.MQCA_Q_NAME: b"DEV.QUEUE.1", c.MQIA_Q_TYPE: c.MQQT_LOCAL, **change})
    publish("a", b"news", c.MQPMO_SYNCPOINT, Persistence=c.MQPER_PERSISTENT)
    qmgr.backout()
    publish("a", b"more", c.MQPMO_SYNCPOINT, Persistence=c.MQPER_PERSISTENT)
    qmgr.commit()
    md = pymqi.MD()
    letter = pymqi.Queue(qmgr, "DEV.DEAD.LETTER.QUEUE").get(None, md)
    dlh = struct.unpack("<4sii48s48s", letter[:108])
    assert (dlh[0], dlh[2], dlh[3].strip(), dlh[4].strip()) == (b"DLH ", reason, b"DEV.QUEUE.1", b"QM1")
    assert struct.unpack("<i", letter[124:128])[0] == c.MQAT_QMGR
    assert (letter[172:], md.Format, md.Persistence) == (b"more", c.MQFMT_DEAD_LETTER_HEADER, 1)


def test_without_room_on_the_dead_letter_queue_the_topic_decides(pymqi, qmgr, pcf, publish, subscribe, fails):
    c = pymqi.CMQC
    for name in (b"DEV.QUEUE.1", b"DEV.DEAD.LETTER.QUEUE"):
        pcf.MQCMD_CHANGE_Q({c.MQCA_Q_NAME: name, c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: 0})
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED)
    subscribe("a", c.MQSO_CREATE | c.MQSO_DURABLE, "full", queue=queue)
    publish("a", b"1")
    fails(c.MQRC_PUBLICATION_FAILURE, publish, "a", b"2", Persistence=c.MQPER_PERSISTENT)


@pytest.fixture
def define(qmgr, home):
    """Run MQSC."""

    def run(text):
        with connect("QM1") as connection:
            report = run_mqsc(connection, text)
        assert (report.syntax_errors, report.failed) == (0, 0)

    return run


def test_a_topic_refuses_publications_and_subscriptions_along_the_tree(pymqi, publish, subscribe, fails, define):
    c = pymqi.CMQC
    define(
        "DEFINE TOPIC(A) TOPICSTR('a') PUB(DISABLED) SUB(DISABLED) DURSUB(NO)\n"
        "DEFINE TOPIC(B) TOPICSTR('a/b') PUB(ENABLED) SUB(ENABLED)\nDEFINE TOPIC(C) TOPICSTR('a/b/c')"
    )
    durable = c.MQSO_CREATE | c.MQSO_DURABLE | c.MQSO_MANAGED
    for topic in ("a", "a/x"):
        fails(c.MQRC_PUT_INHIBITED, publish, topic)
        fails(c.MQRC_SUB_INHIBITED, subscribe, topic)
    fails(c.MQRC_SUB_INHIBITED, subscribe, "a/#")
    sub = subscribe("a/b/#")
    publish("a/b/c", b"1")
    assert everything(pymqi, sub) == [b"1"]
    fails(c.MQRC_DURABILITY_NOT_ALLOWED, subscribe, "a/b/c", durable, "mine")
    define("ALTER TOPIC(C) DURSUB(YES)")
    subscribe("a/b/c", durable, "mine").close(close_sub_queue=True)
    define("ALTER TOPIC(C) SUB(DISABLED)")
    fails(c.MQRC_SUB_INHIBITED, subscribe, None, c.MQSO_RESUME, "mine")


def test_a_topic_gives_priority_and_persistence(pymqi, qmgr, publish, subscribe, define):
    c = pymqi.CMQC
    define("DEFINE TOPIC(A) TOPICSTR('a') DEFPRTY(3) DEFPSIST(YES)\nDEFINE TOPIC(B) TOPICSTR('a/b') DEFPRTY(7)")
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED)
    sub = subscribe("a/#", c.MQSO_CREATE, queue=queue)
    publish("a/b/c")
    publish("a", Priority=9, Persistence=c.MQPER_NOT_PERSISTENT)
    got = [pymqi.MD(), pymqi.MD()]
    for md in got:
        queue.get(None, md)
    sub.close()
    assert sorted((md.Priority, md.Persistence) for md in got) == [(7, 1), (9, 0)]


def test_a_value_that_a_topic_cannot_have_is_refused(pymqi, pcf, fails):
    c, f = pymqi.CMQC, pymqi.CMQCFC
    topic = {c.MQCA_TOPIC_NAME: b"T", c.MQCA_TOPIC_STRING: b"t"}
    for number, value in ((c.MQIA_INHIBIT_PUB, 7), (c.MQIA_DEF_PRIORITY, 10), (c.MQIA_USE_DEAD_LETTER_Q, 3)):
        fails(f.MQRCCF_ATTR_VALUE_ERROR, pcf.MQCMD_CREATE_TOPIC, {**topic, number: value})


@pytest.mark.parametrize("durable", [False, True])
def test_a_subscription_expires(pymqi, publish, fails, subscribe, qmgr, pcf, durable):
    c = pymqi.CMQC
    options = c.MQSO_CREATE | c.MQSO_MANAGED | (c.MQSO_DURABLE if durable else 0)

    def make(expiry, name):
        sd = pymqi.SD(Options=options, SubExpiry=expiry)
        sd.set_vs("ObjectString", "a")
        sd.set_vs("SubName", name)
        return pymqi.Subscription(qmgr, sd)

    fails(c.MQRC_EXPIRY_ERROR, make, 0, "never")
    long, short = make(6000, "long"), make(1, "short")
    sleep(0.15)
    publish("a")
    assert (everything(pymqi, short), everything(pymqi, long)) == ([], [b"news"])
    if durable:
        for sub in (short, long):
            sub.close(close_sub_queue=True)
        assert subscribe(None, c.MQSO_RESUME, "long").sub_desc.SubExpiry == 6000
    fails(c.MQRC_NO_SUBSCRIPTION, subscribe, None, c.MQSO_RESUME, "short")
    names = pcf.MQCMD_INQUIRE_Q_NAMES({c.MQCA_Q_NAME: b"SYSTEM.MANAGED.DURABLE.*"})
    assert len(names[0].get(pymqi.CMQCFC.MQCACF_Q_NAMES, [])) == durable


def test_a_selector_sees_the_properties_of_an_mqrfh2_in_the_data(pymqi, qmgr, publish, define):
    c = pymqi.CMQC
    define("DEFINE SUB(S) TOPICSTR('a') DEST(DEV.QUEUE.1) SELECTOR('n > 3')")
    for n in (2, 5):
        folder = f"<usr><n dt='i4'>{n}</n></usr>".encode()
        folder += b" " * (-len(folder) % 4)
        fixed = struct.pack("<4s4i8s2i", b"RFH ", 2, 40 + len(folder), 546, 1208, b"MQSTR   ", 0, 1208)
        publish("a", fixed + struct.pack("<i", len(folder)) + folder + str(n).encode(), Format=c.MQFMT_RF_HEADER_2)
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1", c.MQOO_INPUT_SHARED)
    assert queue.get()[-1:] == b"5"
    with pytest.raises(pymqi.MQMIError, match="MQRC_NO_MSG_AVAILABLE"):
        queue.get()
