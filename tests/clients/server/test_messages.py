"""Puts, gets, inquiries and subscriptions of clients, in either byte order."""

from __future__ import annotations

import threading
import time

import pytest

from mqtools.clients.wire import calls, spi
from mqtools.clients.wire.codes import SegmentType, Verb
from mqtools.constants import cmqc
from mqtools.headers.structures_message import GMO, MD, OD, PMO, SD, SRO, STS
from mqtools.message import Message
from mqtools.mqi.connection import connect

from .conftest import Client, depth_of, displayed, mqsc, sent

WAIT = cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_WAIT


def put_elsewhere(data, queue="DEV.QUEUE.1"):
    with connect("QM1") as connection:
        connection.put1(queue, Message(data))


def test_a_message_comes_back_as_it_was_put(client):
    handle = client.open()
    assert client.put(handle, b"body", Priority=7, CorrelId=b"c" * 24) == (0, 0)
    client.send(client.get_request(handle))
    api, body = client.reply(SegmentType.MQGET)
    reply = calls.GET_REPLY.read(body)
    md = MD.packed(client.order).unpack(reply["md"])
    gmo = GMO.packed(client.order).unpack(reply["gmo"])
    assert (api.comp_code, api.reason, reply["data"]) == (0, 0, (4, b"body"))
    assert (md["Priority"], md["CorrelId"], md["MsgId"][:4]) == (7, b"c" * 24, b"AMQ ")
    assert (gmo["ResolvedQName"].strip(), gmo["ReturnedLength"]) == (b"DEV.QUEUE.1", 4)


@pytest.mark.parametrize("length", [32_500, 32_749, 100_000, 1 << 20])
def test_long_messages_travel_in_several_segments(client, length):
    data = bytes(range(256)) * (length // 256 + 1)
    handle = client.open()
    assert client.put(handle, data) == (0, 0)
    assert client.get(handle, room=1 << 21) == (0, data)


@pytest.mark.parametrize(("limit", "longest"), [(50_000, 50_000), (0, 4 << 20)])
def test_a_put_of_a_message_longer_than_maxmsgl_of_the_channel_fails(host, limit, longest):
    mqsc(f"ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) MAXMSGL({limit})")
    client = Client(host)
    client.negotiate()
    client.mqconn()
    handle = client.open()
    for length in (longest + 1, longest + 300_000):
        assert client.put(handle, bytes(length)) == (cmqc.MQCC_FAILED, cmqc.MQRC_MSG_TOO_BIG_FOR_CHANNEL)
        retained(client, b"a", bytes(length), reason=cmqc.MQRC_MSG_TOO_BIG_FOR_CHANNEL)
        assert spi_put(client, handle, 0, bytes(length)) == cmqc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
    assert client.put(handle, bytes(longest)) == (0, 0)
    assert depth_of("DEV.QUEUE.1") == 1


@pytest.mark.parametrize(
    ("options", "comp_code", "reason", "left"),
    [(0, 1, cmqc.MQRC_TRUNCATED_MSG_FAILED, 1), (64, 1, cmqc.MQRC_TRUNCATED_MSG_ACCEPTED, 0)],
)
def test_a_buffer_that_is_too_short(little, options, comp_code, reason, left):
    handle = little.open()
    little.put(handle, b"0123456789")
    little.send(little.get_request(handle, options=cmqc.MQGMO_NO_SYNCPOINT | options, room=4))
    api, body = little.reply(SegmentType.MQGET)
    length, data = calls.GET_REPLY.read(body)["data"]
    assert (api.comp_code, api.reason, length, data[:4]) == (comp_code, reason, 10, b"0123")
    assert depth_of("DEV.QUEUE.1") == left


def test_a_get_that_waits_is_answered_when_a_message_comes(client):
    handle = client.open()
    client.send(client.get_request(handle, options=WAIT, wait_ms=-1))
    assert client.received() == []
    threading.Timer(0.05, put_elsewhere, (b"late",)).start()
    client.wait()
    assert client.got() == (0, b"late")


def test_a_get_that_waits_is_answered_when_its_time_is_over(little):
    handle = little.open()
    started = time.monotonic()
    little.send(little.get_request(handle, options=WAIT, wait_ms=60))
    assert little.received() == []
    little.wait()
    assert little.got() == (cmqc.MQRC_NO_MSG_AVAILABLE, b"")
    assert time.monotonic() - started >= 0.06


def test_other_conversations_call_while_one_waits(client):
    handle = client.open()
    client.start(3)
    client.send(client.get_request(handle, options=WAIT, wait_ms=-1))
    assert client.call(SegmentType.MQCMIT, conversation=3)[0].reason == 0
    put_elsewhere(b"now")
    client.wait()
    assert client.got() == (0, b"now")


def test_a_second_get_while_one_waits_ends_the_channel(little):
    handle = little.open()
    for _ in range(2):
        little.send(little.get_request(handle, options=WAIT, wait_ms=-1))
    assert little.channel.is_over


@pytest.mark.parametrize(("verb", "depth"), [(SegmentType.MQCMIT, 1), (SegmentType.MQBACK, 0)])
def test_units_of_work(client, verb, depth):
    handle = client.open()
    client.put(handle, b"in a unit", cmqc.MQPMO_SYNCPOINT)
    assert client.call(verb)[0].reason == 0
    assert depth_of("DEV.QUEUE.1") == depth


def test_put1_and_its_errors(client):
    for name, reason in (("DEV.QUEUE.2", 0), ("NO.SUCH.QUEUE", cmqc.MQRC_UNKNOWN_OBJECT_NAME)):
        od = sent(client.order, OD, ObjectName=name.encode().ljust(48))
        parts = {"od": od, "md": sent(client.order, MD), "pmo": sent(client.order, PMO), "data": b"one"}
        api, body = client.call(SegmentType.MQPUT1, calls.PUT1.write(parts, client.order))
        reply = calls.PUT1_REPLY.read(body)
        assert (api.reason, reply["length"], len(reply["od"]), len(reply["pmo"])) == (reason, 3, 168, 128)
    assert depth_of("DEV.QUEUE.2") == 1


def test_an_asynchronous_put_has_no_reply_and_mqstat_its_outcome(client):
    handle = client.open(options=cmqc.MQOO_OUTPUT)
    mqsc("ALTER QLOCAL(DEV.QUEUE.1) MAXDEPTH(2)")
    parts = {"md": sent(client.order, MD), "data": b"x"}
    parts["pmo"] = sent(client.order, PMO, Version=2, Options=cmqc.MQPMO_ASYNC_RESPONSE)
    rest = calls.PUT.write(parts, client.order)
    for used in (handle, handle, handle, 999):
        body = calls.ApiHeader(handle=used).pack(rest, client.order)
        client.send(client.segment(SegmentType.MQPUT, body))
    assert client.received() == []
    sts = STS.packed(client.order).pack({**STS.initial(), "Version": 1})[:224]
    api, body = client.call(SegmentType.MQSTAT, calls.STAT.write({"kind": 0, "sts": sts}, client.order))
    outcome = STS.packed(client.order).unpack(calls.STAT.read(body)["sts"])
    assert (outcome["PutSuccessCount"], outcome["PutFailureCount"]) == (2, 2)
    assert (api.reason, outcome["CompCode"], outcome["Reason"]) == (0, 2, cmqc.MQRC_Q_FULL)


def inquire(client, handle, selectors, integers=10, characters=200):
    rest = calls.INQUIRE.write({"selectors": selectors, "integers": integers, "characters": characters}, client.order)
    api, body = client.call(SegmentType.MQINQ, rest, handle)
    return api.comp_code, api.reason, calls.INQUIRE_REPLY.read(body)


def test_attributes_of_the_queue_manager_that_every_java_client_asks_for(client):
    handle = client.open("", cmqc.MQOO_INQUIRE, ObjectType=cmqc.MQOT_Q_MGR)
    comp_code, reason, reply = inquire(client, handle, (31, 32, 2, 2015, 2032, 273), integers=4, characters=100)
    assert (comp_code, reason) == (0, 0)
    assert (reply["integers"][0] >= 800, reply["integers"][3]) == (True, 1)
    assert (reply["characters"][:48].strip(), reply["characters"][48:52]) == (b"QM1", b"QM1_")


def test_an_inquiry_has_as_many_integers_as_the_client_has_room_for(little):
    handle = little.open(options=cmqc.MQOO_INQUIRE)
    selectors = (cmqc.MQIA_MAX_Q_DEPTH, cmqc.MQIA_CURRENT_Q_DEPTH)
    assert inquire(little, handle, selectors, integers=5)[2]["integers"] == (5000, 0, 0, 0, 0)
    assert inquire(little, handle, selectors, integers=1)[:2] == (1, cmqc.MQRC_INT_ATTR_COUNT_TOO_SMALL)
    assert inquire(little, handle, (cmqc.MQCA_Q_NAME,), characters=3)[:2] == (1, cmqc.MQRC_CHAR_ATTRS_TOO_SHORT)
    assert inquire(little, handle, (5555,))[:2] == (2, cmqc.MQRC_SELECTOR_ERROR)


def test_mqset_changes_an_attribute(client):
    handle = client.open(options=cmqc.MQOO_SET)
    given = {"selectors": (cmqc.MQIA_INHIBIT_PUT,), "integers": (1,), "characters": b""}
    api, body = client.call(SegmentType.MQSET, calls.SET.write(given, client.order), handle)
    assert (api.comp_code, body.left) == (0, 0)
    assert client.put(client.open(), b"no") == (2, cmqc.MQRC_PUT_INHIBITED)


@pytest.mark.parametrize("structure", ["od", "pmo"])
def test_distribution_lists_are_refused(little, structure):
    pmo = sent("<", PMO, Version=2, RecsPresent=2 * (structure == "pmo"))
    od = sent("<", OD, Version=2, ObjectName=b"DEV.QUEUE.1", RecsPresent=2 * (structure == "od"))
    parts = {"od": od, "md": sent("<", MD), "pmo": pmo, "data": b""}
    api, _ = little.call(SegmentType.MQPUT1, calls.PUT1.write(parts, "<"))
    assert (api.comp_code, api.reason) == (2, cmqc.MQRC_RECS_PRESENT_ERROR)


def test_mqopen_returns_attributes_of_the_queue(little):
    mqsc("ALTER QLOCAL(DEV.QUEUE.1) DEFPSIST(YES) DEFPRESP(ASYNC) DEFREADA(YES)")
    attributes = {"StrucId": b"FOPA", "Version": 2, "Length": 84, "ErrorQueue": b" " * 48, "ExtraLength": 10240}
    attributes |= dict.fromkeys(("DefPersistence", "DefPutResponseType", "DefReadAhead", "PropertyControl"), -1)
    od = sent("<", OD, Version=2, ObjectName=b"DEV.QUEUE.1")
    values = {"od": od, "options": cmqc.MQOO_OUTPUT, "attributes": {**attributes, "ExtraOffset": 0}}
    _, body = little.call(SegmentType.MQOPEN, calls.OPEN.write(values, "<"))
    found = calls.OPEN.read(body)["attributes"]
    assert (found["DefPersistence"], found["DefPutResponseType"], found["DefReadAhead"]) == (1, 2, 1)
    assert (found["ExtraOffset"], found["ExtraLength"]) == (84, 0)


def test_mqclose_returns_no_handle(client):
    handle = client.open()
    rest = calls.CLOSE.write({"options": 0}, client.order)
    assert client.call(SegmentType.MQCLOSE, rest, handle)[0].handle == 0xFFFFFFFF
    assert client.call(SegmentType.MQCLOSE, rest, handle)[0].reason == cmqc.MQRC_HOBJ_ERROR


def sd(order, topic, options, name=b""):
    length = len(topic) + -len(topic) % 4
    values = {**SD.initial(), "Options": options, "ObjectStringVSOffset": 312, "ObjectStringVSLength": len(topic)}
    values |= {"SubNameVSOffset": 312 + length, "SubNameVSLength": len(name), "ResObjectStringVSBufSize": 10240}
    strings = topic.ljust(length, b"\0") + name + bytes(-len(name) % 4)
    return SD.packed(order).pack(values)[:312] + strings


def test_a_managed_subscription_and_its_retained_publications(client):
    options = cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED | cmqc.MQSO_NON_DURABLE | cmqc.MQSO_PUBLICATIONS_ON_REQUEST
    retained(client, b"news/today", b"retained")
    values = {"handle": 0xFFFFFFFF, "reserved": 0, "sd": sd(client.order, b"news/today", options)}
    api, body = client.call(SegmentType.MQSUB, calls.SUB.write(values, client.order))
    reply = calls.SUB.read(body)
    assert (api.comp_code, api.reason) == (0, 0)
    assert reply["sd"].rstrip(b"\0").endswith(b"news/today")
    assert client.get(api.handle)[0] == cmqc.MQRC_NO_MSG_AVAILABLE
    asked = calls.SUBRQ.write({"action": 1, "sro": SRO.packed(client.order).pack(SRO.initial())}, client.order)
    again, _ = client.call(SegmentType.MQSUBRQ, asked, reply["handle"])
    assert (again.comp_code, again.reason) == (0, 0)
    assert client.get(api.handle) == (0, b"retained")


def retained(client, topic, data, reason=0):
    length = len(topic) + -len(topic) % 4
    values = {**OD.initial(), "Version": 4, "ObjectType": cmqc.MQOT_TOPIC, "ObjectStringVSLength": len(topic)}
    od = OD.packed(client.order).pack({**values, "ObjectStringVSOffset": 400}) + topic.ljust(length, b"\0")
    pmo = sent(client.order, PMO, Options=cmqc.MQPMO_RETAIN)
    parts = {"od": od, "md": sent(client.order, MD), "pmo": pmo, "data": data}
    assert client.call(SegmentType.MQPUT1, calls.PUT1.write(parts, client.order))[0].reason == reason


def test_a_subscription_to_a_queue_of_the_program(little):
    handle = little.open("DEV.QUEUE.3")
    options = cmqc.MQSO_CREATE | cmqc.MQSO_DURABLE
    values = {"handle": 0xFFFFFFFF, "reserved": 0, "sd": sd("<", b"a/b", options, b"SUB")}
    api, _ = little.call(SegmentType.MQSUB, calls.SUB.write(values, "<"), handle)
    assert (api.reason, api.handle) == (0, handle)
    retained(little, b"a/b", b"published")
    assert little.get(handle) == (0, b"published")


def test_spi_lists_what_it_offers(client):
    rest = spi.QUERY_INOUT.write({"Version": 1}, client.order) + spi.QUERY_IN.write({"Version": 1}, client.order)
    _, body = client.spi(Verb.QUERY, rest)
    spi.QUERY_INOUT.read(body)
    assert [row[0] for row in spi.QUERY_OUT.read(body)["verbs"]] == [1, 2, 6, 7, 11, 12]


@pytest.mark.parametrize("verb", [3, 4, 5, 8, 99])
def test_other_spi_verbs_are_refused(client, verb):
    api, body = client.spi(verb, b"")
    assert (api.comp_code, api.reason, body.left) == (2, cmqc.MQRC_FUNCTION_NOT_SUPPORTED, 0)


def test_an_spi_open_describes_the_queue(client):
    api, reply = client.spi_open("DEV.QUEUE.1", cmqc.MQOO_OUTPUT)
    options = reply["lpoo"]
    assert (api.comp_code, options["DefPersistence"], options["DefPutResponseType"]) == (0, 1, 1)
    assert (options["ExtraOffset"], options["ExtraLength"], len(reply["extra"])) == (300, 216, 216)
    assert client.put(api.handle, b"by spi") == (0, 0)


def test_a_temporary_queue_by_spi_open(little):
    values = {"lpoo": {**spi.OPEN_OPTIONS.initial(), "Options": cmqc.MQOO_INPUT_EXCLUSIVE}, "Version": 1}
    values["od"] = sent("<", OD, Version=4, ObjectName=b"DEV.APP.MODEL.QUEUE", DynamicQName=b"MINE.*")
    api, body = little.spi(Verb.OPEN, spi.OPEN_INOUT.write({"Version": 1}, "<") + spi.OPEN_IN.write(values, "<"))
    spi.OPEN_INOUT.read(body)
    made = OD.packed("<").unpack(spi.OPEN_OUT.read(body)["od"])
    assert (api.reason, made["ObjectName"][:5], made["ObjectQMgrName"].strip()) == (0, b"MINE.", b"QM1")


def spi_put(client, handle, delay, data=b"by spi"):
    values = {"Version": 3, "Options": 0, "Delay": delay, "data": data}
    inout = {"Version": 1, "md": sent(client.order, MD), "pmo": sent(client.order, PMO, Version=2)}
    rest = spi.PUT_INOUT.write(inout, client.order) + spi.PUT_IN.write(values, client.order)
    return client.spi(Verb.PUT, rest, handle)[0].reason


def test_a_put_by_spi_and_one_with_a_delivery_delay(client):
    handle, began = client.open(), time.time()
    assert [spi_put(client, handle, delay) for delay in (0, 300)] == [0, 0]
    assert client.get(handle) == (0, b"by spi")
    assert client.get(handle)[0] == cmqc.MQRC_NO_MSG_AVAILABLE
    assert depth_of("DEV.QUEUE.1") == 1
    client.send(client.get_request(handle, options=WAIT, wait_ms=-1))
    while not client.held:
        client.wait()
    assert client.got() == (0, b"by spi")
    assert 0.3 <= time.time() - began < 5


def test_reserved_message_ids_are_of_one_client(client):
    found = []
    for _ in range(2):
        asked = {"Version": 1, "tag_size": 24, "number": 0xFFFFFF}
        rest = spi.RESERVE_INOUT.write({"Version": 1}, client.order) + spi.RESERVE_IN.write(asked, client.order)
        api, body = client.spi(Verb.RESERVE, rest)
        spi.RESERVE_INOUT.read(body)
        reply = spi.RESERVE_OUT.read(body)
        counter = reply["tag"][reply["position"] - 1 :]
        assert (api.reason, not any(counter), 0 < reply["number"] < 256 ** len(counter)) == (0, True, True)
        found.append(reply["tag"][: reply["position"] - 1])
    assert found[0] != found[1]


def spi_subscribe(client, topic, lsd_options, name=b"", options=cmqc.MQSO_CREATE, conversation=1):
    """Subscribe by SPI; return the API header, and the handle of the subscription."""
    options |= cmqc.MQSO_MANAGED | cmqc.MQSO_WILDCARD_TOPIC
    lsd = {"struc_id": b"LSD ", "version": 1, "options": lsd_options, "rest": bytes(184)}
    values = {"Version": 1, "handle": 0, "lsd": lsd, "sd": sd(client.order, topic, options, name)}
    rest = spi.SUBSCRIBE_INOUT.write({"Version": 1}, client.order) + spi.SUBSCRIBE_IN.write(values, client.order)
    api, body = client.spi(Verb.SUBSCRIBE, rest, conversation=conversation)
    spi.SUBSCRIBE_INOUT.read(body)
    return api, spi.SUBSCRIBE_OUT.read(body)["handle"]


def test_a_subscription_by_spi(client):
    api, subscription = spi_subscribe(client, b"sport/#", 0)
    assert (api.reason, subscription > 0) == (0, True)
    retained(client, b"sport/football", b"goal")
    assert client.get(api.handle) == (0, b"goal")


def share(client, conversation=1, topic=b"sport/#", durable=0, lsd_options=0x40000050):
    """Become a consumer of a shared subscription; return the reason, and the handles of queue and subscription."""
    options = cmqc.MQSO_CREATE | cmqc.MQSO_ALTER | durable
    api, subscription = spi_subscribe(client, topic, lsd_options, b"SHARED", options, conversation)
    return api.reason, api.handle, subscription


def close(client, *handles, options=0):
    rest = calls.CLOSE.write({"options": options}, client.order)
    return [client.call(SegmentType.MQCLOSE, rest, handle)[0].reason for handle in handles]


@pytest.mark.parametrize("durable", [0, cmqc.MQSO_DURABLE])
def test_each_publication_goes_to_one_consumer_of_a_shared_subscription(client, durable):
    client.start(3)
    (_, one, subscription), (_, other, _) = (share(client, number, durable=durable) for number in (1, 3))
    for data in (b"goal", b"foul", b"corner"):
        retained(client, b"sport/football", data)
    assert client.get(one) == (0, b"goal")
    client.send(client.get_request(other, conversation=3))
    assert client.got(3) == (0, b"foul")
    assert close(client, one, subscription) == [0, 0]
    assert share(client, topic=b"music", durable=durable)[0] == cmqc.MQRC_SUBSCRIPTION_IN_USE
    client.send(client.get_request(other, conversation=3))
    assert client.got(3) == (0, b"corner")


@pytest.mark.parametrize("is_queue_first", [True, False])
def test_a_shared_subscription_ends_with_its_last_consumer_and_a_durable_one_when_it_is_removed(little, is_queue_first):
    for durable, left in ((0, 0), (cmqc.MQSO_DURABLE, 1)):
        _, *handles = share(little, durable=durable)
        assert close(little, *(handles if is_queue_first else reversed(handles))) == [0, 0]
        assert len(displayed("DISPLAY SUB(SHARED*)")) == left
    assert share(little, durable=cmqc.MQSO_DURABLE, lsd_options=0)[0] == cmqc.MQRC_SUB_ALREADY_EXISTS
    api, subscription = spi_subscribe(little, b"sport/#", 0, b"SHARED", cmqc.MQSO_RESUME | cmqc.MQSO_DURABLE)
    assert close(little, subscription, options=cmqc.MQCO_REMOVE_SUB) == [0]
    assert close(little, api.handle) == [0]
    assert displayed("DISPLAY SUB(SHARED*)") == displayed("DISPLAY QLOCAL(SYSTEM.MANAGED.*)") == []


@pytest.mark.parametrize("durable", [0, cmqc.MQSO_DURABLE])
def test_no_managed_queue_outlives_its_subscription_and_connection(little, durable):
    _, _, subscription = share(little, durable=durable)
    assert close(little, *[subscription] * bool(durable), options=cmqc.MQCO_REMOVE_SUB) == [0] * bool(durable)
    assert len(displayed("DISPLAY QLOCAL(SYSTEM.MANAGED.*)")) == 1
    little.channel.close()
    assert displayed("DISPLAY QLOCAL(SYSTEM.MANAGED.*)") == []


def test_a_reader_by_spi_passes_the_context_of_what_it_got(client):
    source = client.spi_open("DEV.QUEUE.1", cmqc.MQOO_INPUT_SHARED, LpiOptions=0x23)[0].handle
    target = client.open("DEV.QUEUE.2", cmqc.MQOO_OUTPUT | cmqc.MQOO_PASS_ALL_CONTEXT)
    client.put(client.open(options=cmqc.MQOO_OUTPUT), b"poison")
    assert client.get(source) == (0, b"poison")
    options = cmqc.MQPMO_NO_SYNCPOINT | cmqc.MQPMO_PASS_ALL_CONTEXT
    parts = {"md": sent(client.order, MD), "pmo": sent(client.order, PMO, Options=options, Context=source)}
    rest = calls.PUT.write({**parts, "data": b"poison"}, client.order)
    assert client.call(SegmentType.MQPUT, rest, target)[0].reason == 0
