"""The verbs with packed structures in and out: messages and their properties, as the bindings call them."""

from __future__ import annotations

import pytest

from mqtools.bindings import ibmmqc, pymqe
from mqtools.constants import cmqc
from mqtools.headers.structures_message import CMHO, GMO, IMPO, MD, OD, PD, PMO, SMPO, STS

from .conftest import made
from .verbs import INPUT, OUTPUT, get, opened, put

# -- messages -----------------------------------------------------------------------------------------------


def test_a_put_fills_the_descriptor_in_and_a_get_gives_it_back(h):
    ho = opened(h)
    sent = put(h, ho, b"hello", Format=b"MQSTR", ReplyToQ=b"R".ljust(48, b"\0"), Priority=7)
    assert sent["MsgId"] != bytes(24)
    assert len(sent["PutDate"].strip()) == 8
    body, md, gmo, length, comp_code, reason = get(h, ho)
    assert (body, length, comp_code, reason) == (b"hello", 5, 0, 0)
    got = MD.unpack(md)
    assert got["MsgId"] == sent["MsgId"]
    assert (got["Format"], got["Priority"], got["ReplyToQ"]) == (b"MQSTR   ", 7, b"R".ljust(48))
    assert GMO.unpack(gmo)["ResolvedQName"] == b"DEV.QUEUE.1".ljust(48)


def test_a_descriptor_of_version_1_keeps_its_rest_and_matches_only_its_own_message_again(h):
    ho = opened(h)
    put(h, ho, b"1")
    put(h, ho, b"2")
    md = made(MD, GroupId=b"g" * 24)
    body, md, *_ = get(h, ho, md)
    assert body == b"1"
    assert MD.unpack(md)["GroupId"] == b"g" * 24
    assert get(h, ho, md)[-1] == cmqc.MQRC_NO_MSG_AVAILABLE
    assert get(h, ho, md, Version=2, MatchOptions=0)[0] == b"2"


def test_put1_puts_where_the_descriptor_says_and_opens_nothing(h):
    _, pmo, comp_code, reason = pymqe.MQPUT1(h, made(OD, ObjectName=b"DEV.QUEUE.2"), made(MD), made(PMO), b"one")
    assert (comp_code, reason) == (0, 0)
    assert PMO.unpack(pmo)["ResolvedQName"] == b"DEV.QUEUE.2".ljust(48)
    assert get(h, opened(h, b"DEV.QUEUE.2"))[0] == b"one"


@pytest.mark.parametrize("verb", ["MQPUT", "MQPUT1"])
def test_a_put_leaves_the_msg_flags_of_the_caller_as_they_are(h, verb):
    given = made(MD, Version=2, MsgFlags=cmqc.MQMF_LAST_MSG_IN_GROUP)
    if verb == "MQPUT":
        md, *_, reason = pymqe.MQPUT(h, opened(h), given, made(PMO), b"x")
    else:
        md, *_, reason = pymqe.MQPUT1(h, made(OD, ObjectName=b"DEV.QUEUE.1"), given, made(PMO), b"x")
    assert (reason, MD.unpack(md)["MsgFlags"]) == (0, cmqc.MQMF_LAST_MSG_IN_GROUP)
    stored = MD.unpack(get(h, opened(h), made(MD, Version=2))[1])
    assert stored["MsgFlags"] == cmqc.MQMF_LAST_MSG_IN_GROUP | cmqc.MQMF_MSG_IN_GROUP


def test_context_is_passed_by_the_handle_it_came_to(h):
    ho = opened(h, options=INPUT | cmqc.MQOO_SAVE_ALL_CONTEXT)
    put(h, opened(h, options=OUTPUT), b"x")
    first = MD.unpack(get(h, ho)[1])
    target = opened(h, b"DEV.QUEUE.2", OUTPUT | INPUT | cmqc.MQOO_PASS_ALL_CONTEXT)
    pmo = made(PMO, Options=cmqc.MQPMO_PASS_ALL_CONTEXT, Context=ho)
    assert pymqe.MQPUT(h, target, made(MD), pmo, b"y")[-1] == 0
    assert MD.unpack(get(h, target)[1])["PutTime"] == first["PutTime"]
    wrong = made(PMO, Options=cmqc.MQPMO_PASS_ALL_CONTEXT)
    assert pymqe.MQPUT(h, target, made(MD), wrong, b"y")[-1] == cmqc.MQRC_CONTEXT_HANDLE_ERROR


@pytest.mark.conformance("BEY-08")
def test_options_of_a_put_are_checked_before_its_context_handle(h):
    two = made(PMO, Options=cmqc.MQPMO_PASS_ALL_CONTEXT | cmqc.MQPMO_SET_ALL_CONTEXT)
    assert pymqe.MQPUT(h, opened(h), made(MD), two, b"")[-1] == cmqc.MQRC_OPTIONS_ERROR
    assert pymqe.MQPUT1(h, made(OD, ObjectName=b"DEV.QUEUE.1"), made(MD), two, b"")[-1] == cmqc.MQRC_OPTIONS_ERROR
    passed = made(PMO, Options=cmqc.MQPMO_PASS_ALL_CONTEXT)
    assert pymqe.MQPUT(h, opened(h), made(MD), passed, b"")[-1] == cmqc.MQRC_NOT_OPEN_FOR_PASS_ALL


def test_the_outcome_of_asynchronous_puts_is_counted_until_it_is_asked_for(h):
    ho = opened(h)
    put(h, ho, options=cmqc.MQPMO_ASYNC_RESPONSE)
    pymqe.MQSET(h, ho, cmqc.MQIA_INHIBIT_PUT, 1)
    refused = pymqe.MQPUT(h, ho, made(MD), made(PMO, Options=cmqc.MQPMO_ASYNC_RESPONSE), b"")
    assert refused[-2:] == (cmqc.MQCC_OK, cmqc.MQRC_NONE)
    sts, comp_code, reason = ibmmqc.MQSTAT(h, 0, made(STS))
    assert (comp_code, reason) == (0, 0)
    found = STS.unpack(sts)
    assert (found["PutSuccessCount"], found["PutFailureCount"], found["Reason"]) == (1, 1, cmqc.MQRC_PUT_INHIBITED)
    assert STS.unpack(ibmmqc.MQSTAT(h, 0, made(STS))[0])["PutFailureCount"] == 0
    assert ibmmqc.MQSTAT(h, 3, made(STS))[1:] == (cmqc.MQCC_FAILED, cmqc.MQRC_STAT_TYPE_ERROR)


def test_an_asynchronous_put_fails_at_the_call_only_where_the_call_is_wrong(h):
    pmo = made(PMO, Options=cmqc.MQPMO_ASYNC_RESPONSE)
    unknown = made(OD, ObjectName=b"NO.SUCH.QUEUE")
    assert pymqe.MQPUT1(h, unknown, made(MD), pmo, b"")[-2:] == (cmqc.MQCC_OK, cmqc.MQRC_NONE)
    found = STS.unpack(ibmmqc.MQSTAT(h, 0, made(STS))[0])
    assert (found["CompCode"], found["Reason"]) == (cmqc.MQCC_FAILED, cmqc.MQRC_UNKNOWN_OBJECT_NAME)
    assert found["ObjectName"].rstrip() == b"NO.SUCH.QUEUE"
    getting = opened(h, options=INPUT)
    assert pymqe.MQPUT(h, getting, made(MD), pmo, b"")[-1] == cmqc.MQRC_NOT_OPEN_FOR_OUTPUT
    both = made(PMO, Options=cmqc.MQPMO_ASYNC_RESPONSE | cmqc.MQPMO_SYNC_RESPONSE)
    assert pymqe.MQPUT(h, opened(h), made(MD), both, b"")[-1] == cmqc.MQRC_OPTIONS_ERROR
    assert STS.unpack(ibmmqc.MQSTAT(h, 0, made(STS))[0])["PutFailureCount"] == 0


def test_an_asynchronous_publication_is_counted_too(h):
    topic = {"ObjectType": cmqc.MQOT_TOPIC, "Version": 4}
    ho, *_ = pymqe.MQOPEN(h, made(OD, **topic, ObjectName=b"DEV.BASE.TOPIC"), cmqc.MQOO_OUTPUT)
    md = made(MD, Format=cmqc.MQFMT_RF_HEADER_2)
    assert pymqe.MQPUT(h, ho, md, made(PMO, Options=cmqc.MQPMO_ASYNC_RESPONSE), b"none")[-2:] == (0, 0)
    found = STS.unpack(ibmmqc.MQSTAT(h, 0, made(STS))[0])
    assert (found["Reason"], found["ObjectType"]) == (cmqc.MQRC_RFH_ERROR, cmqc.MQOT_TOPIC)


@pytest.mark.conformance("LOCK-31")
def test_unlocking_neither_checks_nor_alters_descriptor_and_length(h):
    ho = opened(h, options=INPUT | OUTPUT | cmqc.MQOO_BROWSE)
    put(h, ho, b"x")
    lock = made(GMO, Options=cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK)
    assert pymqe.MQGET(h, ho, made(MD), lock, 9)[0] == b"x"
    odd = bytes(range(256)) + bytes(MD.length - 256)
    unlock = made(GMO, Options=cmqc.MQGMO_UNLOCK)
    assert pymqe.MQGET(h, ho, odd, unlock, -1) == (b"", odd, unlock, 0, cmqc.MQCC_OK, cmqc.MQRC_NONE)
    again = pymqe.MQGET(h, ho, odd, unlock, -1)
    assert again[-2:] == (cmqc.MQCC_WARNING, cmqc.MQRC_NO_MSG_LOCKED)


# -- properties ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "length"),
    [
        (cmqc.MQTYPE_BOOLEAN, True, 4),
        (cmqc.MQTYPE_BYTE_STRING, b"\0\xff", 2),
        (cmqc.MQTYPE_INT8, -5, 1),
        (cmqc.MQTYPE_INT16, -500, 2),
        (cmqc.MQTYPE_INT32, 70000, 4),
        (cmqc.MQTYPE_INT64, 1 << 40, 8),
        (cmqc.MQTYPE_FLOAT32, 0.5, 4),
        (cmqc.MQTYPE_FLOAT64, 0.1, 8),
        (cmqc.MQTYPE_STRING, "red", 3),
        (cmqc.MQTYPE_NULL, None, 0),
    ],
)
def test_type_and_value_of_a_property_survive_put_and_get(h, kind, value, length):
    ho = opened(h)
    sent, *_ = pymqe.MQCRTMH(h, made(CMHO))
    assert pymqe.MQSETMP(h, sent, made(SMPO), b"p", made(PD), kind, value, -1) == (0, 0)
    pymqe.MQPUT(h, ho, made(MD), made(PMO, Version=3, OriginalMsgHandle=sent), b"body")
    got, *_ = pymqe.MQCRTMH(h, made(CMHO))
    assert get(h, ho, Version=4, Options=cmqc.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=got)[0] == b"body"
    assert pymqe.MQINQMP(h, got, 0, b"p", 0, 0, 64) == (value, length, 0, 0)


def test_a_property_that_is_missing_or_too_long_fails(h):
    handle, *_ = pymqe.MQCRTMH(h, made(CMHO))
    pymqe.MQSETMP(h, handle, made(SMPO), b"p", made(PD), cmqc.MQTYPE_STRING, "0123456789", -1)
    assert pymqe.MQINQMP(h, handle, 0, b"q", 0, 0, 64)[-2:] == (2, cmqc.MQRC_PROPERTY_NOT_AVAILABLE)
    value, length, *failed = pymqe.MQINQMP(h, handle, 0, b"p", 0, 0, 4)
    assert (value, length, failed) == ("0123", 10, [2, cmqc.MQRC_PROPERTY_VALUE_TOO_BIG])


def test_properties_are_walked_by_a_wildcard_and_deleted(h):
    handle, *_ = pymqe.MQCRTMH(h, made(CMHO))
    for name in ("a", "b"):
        ibmmqc.MQSETMP(h, handle, made(SMPO), name, made(PD), cmqc.MQTYPE_STRING, name.upper(), -1)
    first = ibmmqc.MQINQMP(h, handle, made(IMPO), "%", made(PD), 0, 64)
    following = made(IMPO, Options=cmqc.MQIMPO_INQ_NEXT)
    assert [first, ibmmqc.MQINQMP(h, handle, following, "%", made(PD), 0, 64)] == [
        ("A", 1, "a", 0, 0),
        ("B", 1, "b", 0, 0),
    ]
    assert ibmmqc.MQINQMP(h, handle, following, "%", made(PD), 0, 64)[-1] == cmqc.MQRC_PROPERTY_NOT_AVAILABLE
    assert ibmmqc.MQINQMP(h, handle, made(IMPO), "a", made(PD), 0, 64)[2] == ""
    assert ibmmqc.MQDLTMP(h, handle, None, "a") == (0, 0)
    assert ibmmqc.MQDLTMH(h, handle) == (0, 0)
    assert ibmmqc.MQDLTMH(h, handle) == (2, cmqc.MQRC_HMSG_ERROR)
