"""The verbs with packed structures in and out, as the Python layers of the bindings call them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from mqtools.bindings import ibmmqc, pymqe
from mqtools.bindings.structures_connection import CNO
from mqtools.bindings.structures_message import CMHO, GMO, IMPO, MD, OD, PD, PMO, SMPO, STS
from mqtools.constants import cmqc
from mqtools.mqi.connection import connect as connect_otherwise

from .conftest import made

PATIENCE_S = 60
INPUT, OUTPUT = cmqc.MQOO_INPUT_AS_Q_DEF, cmqc.MQOO_OUTPUT
BOTH = INPUT | OUTPUT | cmqc.MQOO_INQUIRE | cmqc.MQOO_SET | cmqc.MQOO_BROWSE


@pytest.fixture
def h():
    handle, comp_code, reason = pymqe.MQCONN("QM1")
    assert (comp_code, reason) == (0, 0)
    yield handle
    pymqe.MQDISC(handle)


@pytest.fixture
def shared():
    cno = made(CNO, Options=cmqc.MQCNO_HANDLE_SHARE_BLOCK)
    handle, *_ = ibmmqc.MQCONNX("QM1", cno)
    yield handle
    pymqe.MQDISC(handle)


def opened(h, name=b"DEV.QUEUE.1", options=BOTH):
    ho, _, comp_code, reason = pymqe.MQOPEN(h, made(OD, ObjectName=name), options)
    assert (comp_code, reason) == (0, 0)
    return ho


def put(h, ho, body=b"x", options=0, **md):
    packed_md, _, comp_code, reason = pymqe.MQPUT(h, ho, made(MD, **md), made(PMO, Options=options), body)
    assert (comp_code, reason) == (0, 0)
    return MD.unpack(packed_md)


def get(h, ho, md=None, length=100, **gmo):
    return pymqe.MQGET(h, ho, md or made(MD), made(GMO, **gmo), length)


# -- connections --------------------------------------------------------------------------------------------


def test_a_connection_is_never_0_and_an_unknown_queue_manager_is_2058():
    _, comp_code, reason = pymqe.MQCONN("NOWHERE")
    assert (comp_code, reason) == (2, cmqc.MQRC_Q_MGR_NAME_ERROR)
    handle, *_ = pymqe.MQCONN(b"")
    assert handle > 0
    assert pymqe.MQDISC(handle) == (0, 0)
    assert pymqe.MQDISC(handle) == (2, cmqc.MQRC_HCONN_ERROR)


@pytest.mark.parametrize("name", ["*QM1", b"QM1".ljust(48), b"QM1".ljust(48, b"\0"), "QM1 ", ""])
def test_a_name_may_be_padded_and_that_of_a_group(name):
    handle, comp_code, reason = pymqe.MQCONNX(name, 0, b"", {"user": b"u", "password": b"p"}, None)
    assert (comp_code, reason) == (0, 0)
    pymqe.MQDISC(handle)


def test_the_default_queue_manager_is_known_by_its_name_wherever_it_lies(tmp_path, monkeypatch):
    from mqtools.admin import queue_managers

    monkeypatch.setenv("MQX_QMGR", queue_managers.create(str(tmp_path / "far" / "AWAY.db")))
    handle, comp_code, reason = pymqe.MQCONN("AWAY")
    assert (comp_code, reason) == (0, 0)
    pymqe.MQDISC(handle)


def test_two_connections_are_two_units_of_work(h):
    other, *_ = pymqe.MQCONN("QM1")
    put(h, opened(h), options=cmqc.MQPMO_SYNCPOINT)
    assert pymqe.MQCMIT(other) == (0, 0)
    assert get(other, opened(other))[-1] == cmqc.MQRC_NO_MSG_AVAILABLE
    assert pymqe.MQCMIT(h) == (0, 0)
    assert get(other, opened(other))[-1] == 0
    pymqe.MQDISC(other)


def test_begin_refuses_a_second_unit_of_work(h):
    assert pymqe.MQBEGIN(h) == (0, 0)
    put(h, opened(h), options=cmqc.MQPMO_SYNCPOINT)
    assert pymqe.MQBEGIN(h) == (2, cmqc.MQRC_UOW_IN_PROGRESS)
    assert pymqe.MQBACK(h) == (0, 0)
    assert get(h, opened(h))[-1] == cmqc.MQRC_NO_MSG_AVAILABLE


def test_a_disconnect_commits(h):
    other, *_ = pymqe.MQCONN("QM1")
    put(other, opened(other), options=cmqc.MQPMO_SYNCPOINT)
    pymqe.MQDISC(other)
    assert get(h, opened(h))[-2:] == (0, 0)


# -- threads ------------------------------------------------------------------------------------------------


def in_thread(call):
    found = []
    thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
    thread.start()
    return thread, found


def until_waiting(number):
    """Wait until as many gets are recorded as waiting."""
    end = time.monotonic() + PATIENCE_S
    with connect_otherwise("QM1") as other:
        while len(other.db.all("select 1 from waiters")) < number:
            assert time.monotonic() < end


def test_a_connection_that_is_not_shared_is_for_its_thread(h):
    thread, found = in_thread(lambda: pymqe.MQCMIT(h))
    thread.join()
    assert found == [(2, cmqc.MQRC_HCONN_ERROR)]


def test_a_thread_puts_while_another_waits_on_the_same_connection(shared):
    ho = opened(shared)
    thread, found = in_thread(lambda: get(shared, ho, Options=cmqc.MQGMO_WAIT, WaitInterval=-1))
    until_waiting(1)
    put(shared, ho, b"wake up")
    thread.join(PATIENCE_S)
    assert found[0][0] == b"wake up"


def test_two_threads_that_wait_on_one_connection_both_get_theirs(shared):
    first, second = opened(shared), opened(shared, b"DEV.QUEUE.2")
    waits = [
        in_thread(lambda ho=ho: get(shared, ho, Options=cmqc.MQGMO_WAIT, WaitInterval=-1)) for ho in (first, second)
    ]
    until_waiting(2)
    with connect_otherwise("QM1") as other:
        from mqtools.message import Message

        other.put1("DEV.QUEUE.2", Message(b"2"))
        other.put1("DEV.QUEUE.1", Message(b"1"))
    for thread, _ in waits:
        thread.join(PATIENCE_S)
    assert [found[0][0] for _, found in waits] == [b"1", b"2"]


def test_a_disconnect_ends_the_wait_of_another_thread(shared):
    ho = opened(shared)
    thread, found = in_thread(lambda: get(shared, ho, Options=cmqc.MQGMO_WAIT, WaitInterval=-1))
    until_waiting(1)
    assert pymqe.MQDISC(shared) == (0, 0)
    thread.join(PATIENCE_S)
    assert found[0][-2:] == (2, cmqc.MQRC_HCONN_ERROR)


# -- objects ------------------------------------------------------------------------------------------------


def test_opening_a_model_queue_tells_the_name_of_the_queue_that_was_made(h):
    od = made(OD, ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"REPLY.*")
    ho, back, comp_code, reason = pymqe.MQOPEN(h, od, cmqc.MQOO_INPUT_EXCLUSIVE)
    assert (comp_code, reason) == (0, 0)
    name = OD.unpack(back)["ObjectName"]
    assert len(name) == 48
    assert name.startswith(b"REPLY.")
    assert OD.unpack(back)["ObjectQMgrName"] == b"QM1".ljust(48)
    put(h, opened(h, name, OUTPUT), b"answer")
    assert get(h, ho)[0] == b"answer"
    assert pymqe.MQCLOSE(h, ho, 0) == (0, 0)
    assert pymqe.MQOPEN(h, made(OD, ObjectName=name), OUTPUT)[-1] == cmqc.MQRC_UNKNOWN_OBJECT_NAME


@pytest.mark.parametrize(("version", "resolved"), [(1, b"\0" * 48), (3, b"DEV.QUEUE.1".ljust(48))])
def test_names_are_resolved_from_version_3_on(h, version, resolved):
    _, back, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=b"DEV.QUEUE.1", Version=version), OUTPUT)
    assert OD.unpack(back)["ResolvedQName"] == resolved


def test_structures_of_a_wrong_length_are_the_modules_own_error(h):
    with pytest.raises(pymqe.error, match="MQOD wrong size"):
        pymqe.MQOPEN(h, b"OD  ", OUTPUT)


def test_a_wrong_structure_and_a_wrong_handle_have_their_reasons(h):
    assert pymqe.MQOPEN(h, made(OD, StrucId=b"XX  "), OUTPUT)[-1] == cmqc.MQRC_OD_ERROR
    assert pymqe.MQPUT(h, 987654, made(MD), made(PMO), b"")[-1] == cmqc.MQRC_HOBJ_ERROR
    assert get(h, opened(h), Version=9)[-1] == cmqc.MQRC_GMO_ERROR
    assert pymqe.MQCLOSE(h, 987654, 0) == (2, cmqc.MQRC_HOBJ_ERROR)


def test_attributes_are_inquired_and_set(h):
    ho = opened(h)
    assert pymqe.MQINQ(h, ho, cmqc.MQCA_Q_NAME) == (b"DEV.QUEUE.1".ljust(48), 0, 0)
    assert pymqe.MQSET(h, ho, cmqc.MQIA_INHIBIT_PUT, cmqc.MQQA_PUT_INHIBITED) == (0, 0)
    assert pymqe.MQPUT(h, ho, made(MD), made(PMO), b"x")[-1] == cmqc.MQRC_PUT_INHIBITED
    assert pymqe.MQSET(h, ho, cmqc.MQIA_CURRENT_Q_DEPTH, 1)[-1] == cmqc.MQRC_SELECTOR_ERROR


def test_several_attributes_come_as_integers_and_one_string(h):
    ho = opened(h)
    selectors = [cmqc.MQCA_Q_NAME, cmqc.MQIA_MAX_Q_DEPTH, cmqc.MQCA_TRIGGER_DATA, cmqc.MQIA_INHIBIT_PUT]
    assert ibmmqc.MQSET(h, ho, [cmqc.MQIA_INHIBIT_PUT, cmqc.MQCA_TRIGGER_DATA], [1], b"go".ljust(64)) == (0, 0)
    integers, characters, comp_code, reason = ibmmqc.MQINQ(h, ho, selectors, [], 2, 2, 112)
    assert (comp_code, reason) == (0, 0)
    assert integers == [5000, 1]
    assert characters == b"DEV.QUEUE.1".ljust(48) + b"go".ljust(64)


def test_the_queue_manager_answers_for_itself(h):
    ho, _, comp_code, reason = pymqe.MQOPEN(h, made(OD, ObjectType=cmqc.MQOT_Q_MGR), cmqc.MQOO_INQUIRE)
    assert (comp_code, reason) == (0, 0)
    assert pymqe.MQINQ(h, ho, cmqc.MQCA_Q_MGR_NAME)[0] == b"QM1".ljust(48)
    assert len(pymqe.MQINQ(h, ho, cmqc.MQCA_VERSION)[0]) == 8
    assert pymqe.MQINQ(h, ho, cmqc.MQIA_COMMAND_LEVEL)[0] >= 900
    assert pymqe.MQINQ(h, ho, 9999)[1:] == (2, cmqc.MQRC_SELECTOR_ERROR)
    assert pymqe.MQCLOSE(h, ho, 0) == (0, 0)


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


def test_a_message_too_long_stays_or_is_cut_as_the_options_say(h):
    ho = opened(h)
    put(h, ho, b"0123456789")
    assert get(h, ho, length=4)[3:] == (10, 1, cmqc.MQRC_TRUNCATED_MSG_FAILED)
    body, _, _, length, comp_code, reason = get(h, ho, length=4, Options=cmqc.MQGMO_ACCEPT_TRUNCATED_MSG)
    assert (body, length, comp_code, reason) == (b"0123", 10, 1, cmqc.MQRC_TRUNCATED_MSG_ACCEPTED)
    assert get(h, ho)[-1] == cmqc.MQRC_NO_MSG_AVAILABLE


def test_put1_puts_where_the_descriptor_says_and_opens_nothing(h):
    _, pmo, comp_code, reason = pymqe.MQPUT1(h, made(OD, ObjectName=b"DEV.QUEUE.2"), made(MD), made(PMO), b"one")
    assert (comp_code, reason) == (0, 0)
    assert PMO.unpack(pmo)["ResolvedQName"] == b"DEV.QUEUE.2".ljust(48)
    assert get(h, opened(h, b"DEV.QUEUE.2"))[0] == b"one"


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


@pytest.mark.parametrize("made_late", ["kept.append(Q())", "q = Q(); q.itself = q", "q = Q()"])
def test_a_connection_that_is_never_disconnected_ends_quietly(tmp_path, made_late):
    (tmp_path / "layer.py").write_text(LAYER)
    (tmp_path / "program.py").write_text(f"from layer import *\n{made_late}\nput((kept or [q])[0].h)\n")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, check=False, timeout=240
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


#: A Python layer as the genuine ones are: it disconnects when its object is deleted, and expects no exception.
LAYER = """
from mqtools.bindings import pymqe
from mqtools.bindings.structures_message import MD, OD, PMO
from mqtools.constants import cmqc

kept = []

def made(structure, **values):
    return structure.pack({**structure.initial(), **values})

def put(h):
    od, pmo = made(OD, ObjectName=b"DEV.QUEUE.1"), made(PMO, Options=cmqc.MQPMO_SYNCPOINT)
    print(pymqe.MQPUT1(h, od, made(MD), pmo, b"x")[-1])

class Q:
    def __init__(self):
        self.h = pymqe.MQCONN("QM1")[0]

    def __del__(self):
        pymqe.MQDISC(self.h)
"""


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
        pymqe.MQSETMP(h, handle, made(SMPO), name, made(PD), cmqc.MQTYPE_STRING, name.upper(), -1)
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
