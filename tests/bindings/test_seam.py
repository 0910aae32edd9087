"""The verbs with packed structures in and out: connections, threads and objects, as the bindings call them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from mqtools.admin import queue_managers
from mqtools.bindings import ibmmqc, pymqe
from mqtools.constants import cmqc
from mqtools.headers.structures_connection import CNO
from mqtools.headers.structures_message import MD, OD, PMO
from mqtools.message import Message
from mqtools.mqi.connection import connect as connect_otherwise

from .conftest import made
from .verbs import OUTPUT, get, opened, put

PATIENCE_S = 60


@pytest.fixture
def shared():
    cno = made(CNO, Options=cmqc.MQCNO_HANDLE_SHARE_BLOCK)
    handle, *_ = ibmmqc.MQCONNX("QM1", cno)
    yield handle
    pymqe.MQDISC(handle)


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
from mqtools.headers.structures_message import MD, OD, PMO
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
