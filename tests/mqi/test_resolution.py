"""Where a name leads: local, alias, model and remote queues, other queue managers; and who may open what."""

from __future__ import annotations

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQRO_COA
from mqtools.constants.objects import (
    MQCA_BACKOUT_REQ_Q_NAME,
    MQIA_BACKOUT_THRESHOLD,
    MQIA_CURRENT_Q_DEPTH,
    MQIA_DEFINITION_TYPE,
    MQQA_NOT_SHAREABLE,
    MQQA_PUT_INHIBITED,
    MQQDT_PERMANENT_DYNAMIC,
    MQQDT_TEMPORARY_DYNAMIC,
    MQUS_TRANSMISSION,
)
from mqtools.constants.options import (
    MQCO_DELETE,
    MQCO_DELETE_PURGE,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.headers.chain import strip_xqh, walk
from mqtools.headers.mqmde import MQMDE, pack_mqmde, prefix_mqmde, strip_mqmde
from mqtools.headers.mqrfh import MQRFH, pack_mqrfh
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from .conftest import QM, fails


@pytest.mark.conformance("BEY-51")
def test_an_unknown_queue_cannot_be_opened(qm: QM) -> None:
    with fails(rc.MQRC_UNKNOWN_OBJECT_NAME):
        qm.open("NO.SUCH.Q")


@pytest.mark.conformance("BEY-89")
def test_an_alias_leads_to_its_base(qm: QM) -> None:
    qm.define("A", "QALIAS", base_q_name="Q")
    result = qm.main.put1("A", Message(b"x"))
    assert result.resolved_q_name == "Q"
    got = qm.open("A", MQOO_INPUT_SHARED).get()
    assert (got.message.data, got.resolved_q_name) == (b"x", "Q")


@pytest.mark.conformance("BEY-86")
def test_an_alias_has_inhibits_of_its_own_and_those_of_its_base(qm: QM) -> None:
    qm.define("A", "QALIAS", base_q_name="Q", inhibit_put=MQQA_PUT_INHIBITED)
    with fails(rc.MQRC_PUT_INHIBITED):
        qm.put(q_name="A")
    qm.put(q_name="Q")
    assert qm.depth() == 1
    qm.alter("A", inhibit_put=0)
    qm.alter("Q", inhibit_put=MQQA_PUT_INHIBITED)
    with fails(rc.MQRC_PUT_INHIBITED):
        qm.put(q_name="A")


@pytest.mark.conformance("BEY-87", "BEY-88")
def test_an_alias_needs_a_base_that_is_no_alias(qm: QM) -> None:
    qm.define("NOWHERE", "QALIAS", base_q_name="NOPE")
    qm.define("A", "QALIAS", base_q_name="Q")
    qm.define("TWICE", "QALIAS", base_q_name="A")
    qm.define("M", "QMODEL")
    qm.define("MODEL", "QALIAS", base_q_name="M")
    of_type = rc.MQRC_ALIAS_BASE_Q_TYPE_ERROR
    for name, reason in (("NOWHERE", rc.MQRC_UNKNOWN_ALIAS_BASE_Q), ("TWICE", of_type), ("MODEL", of_type)):
        with fails(reason):
            qm.open(name, MQOO_INPUT_SHARED)
        with fails(reason):
            qm.put(q_name=name)


@pytest.mark.conformance("BEY-90")
def test_a_put_to_a_remote_queue_lies_on_the_transmission_queue_behind_an_mqxqh(qm: QM) -> None:
    qm.define("QM2", usage=MQUS_TRANSMISSION)
    qm.define("FAR", "QREMOTE", remote_q_name="ORDERS", remote_q_mgr_name="QM2", xmit_q_name="QM2")
    result = qm.main.put1("FAR", Message(b"hello", MQMD(format="MQSTR", report=MQRO_COA, reply_to_q="R", priority=3)))
    assert (result.resolved_q_name, result.resolved_q_mgr_name) == ("ORDERS", "QM2")
    sent = qm.got("QM2")[0].message
    assert (sent.md.format, len(sent.data)) == ("MQXMIT", 428 + 5)
    (header,) = walk(sent.data, sent.md.format, sent.md.encoding, sent.md.coded_char_set_id).headers
    assert (header.record.remote_q_name, header.record.remote_q_mgr_name) == ("ORDERS", "QM2")
    md, data = strip_xqh(sent.md, sent.data)
    assert (data, md.format, md.priority, md.report) == (b"hello", "MQSTR", 3, MQRO_COA)
    assert qm.depth("R") == 0, "arrival is confirmed at the destination, not on the transmission queue (RPT-37)"


def test_a_queue_on_a_named_queue_manager_takes_the_way_there(qm: QM) -> None:
    with fails(rc.MQRC_UNKNOWN_REMOTE_Q_MGR):
        qm.main.put1("ORDERS", Message(), q_mgr_name="QM2")
    qm.define("TO.ALL", usage=MQUS_TRANSMISSION)
    qm.alter_qmgr(def_xmit_q_name="TO.ALL")
    qm.main.put1("ORDERS", Message(), q_mgr_name="QM2")
    qm.define("QM2", usage=MQUS_TRANSMISSION)
    qm.main.put1("ORDERS", Message(), q_mgr_name="QM2")
    qm.main.put1("Q", Message(), q_mgr_name="QM1")
    assert [qm.depth(name) for name in ("TO.ALL", "QM2", "Q")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("xmit_q_name", "reason"),
    [
        ("NOPE", rc.MQRC_UNKNOWN_XMIT_Q),
        ("Q", rc.MQRC_XMIT_Q_USAGE_ERROR),
        ("A", rc.MQRC_XMIT_Q_TYPE_ERROR),
        ("", rc.MQRC_UNKNOWN_REMOTE_Q_MGR),
    ],
)
def test_a_remote_definition_without_a_way_is_refused(qm: QM, xmit_q_name: str, reason: int) -> None:
    qm.define("A", "QALIAS", base_q_name="Q")
    qm.define("FAR", "QREMOTE", remote_q_name="O", remote_q_mgr_name="QM9", xmit_q_name=xmit_q_name)
    with fails(reason):
        qm.put(q_name="FAR")
    with fails(rc.MQRC_OPTION_NOT_VALID_FOR_TYPE):
        qm.open("FAR", MQOO_INPUT_SHARED)


@pytest.mark.parametrize("xmit_q_name", ["", "QM2"])
def test_a_remote_definition_that_names_no_queue_manager_says_so(qm: QM, xmit_q_name: str) -> None:
    qm.define("QM2", usage=MQUS_TRANSMISSION)
    qm.define("FAR", "QREMOTE", remote_q_name="O", xmit_q_name=xmit_q_name)
    with fails(rc.MQRC_UNKNOWN_REMOTE_Q_MGR, "FAR"):
        qm.put(q_name="FAR")


def test_a_temporary_dynamic_queue_goes_with_its_connection(qm: QM) -> None:
    qm.define("MODEL", "QMODEL", definition_type=MQQDT_TEMPORARY_DYNAMIC)
    other = qm.connect()
    handle = other.open("MODEL", MQOO_OUTPUT | MQOO_INQUIRE, dynamic_q_name="REPLY.*")
    assert handle.q_name.startswith("REPLY.")
    assert handle.inquire([MQIA_DEFINITION_TYPE, MQIA_CURRENT_Q_DEPTH]) == [MQQDT_TEMPORARY_DYNAMIC, 0]
    with fails(rc.MQRC_PERSISTENT_NOT_ALLOWED):
        qm.put(q_name=handle.q_name, persistence=1)
    qm.put(q_name=handle.q_name)
    other.disconnect()
    with fails(rc.MQRC_UNKNOWN_OBJECT_NAME):
        qm.open(handle.q_name)


def test_a_temporary_dynamic_queue_goes_with_the_handle_that_made_it(qm: QM) -> None:
    qm.define("MODEL", "QMODEL", definition_type=MQQDT_TEMPORARY_DYNAMIC)
    maker = qm.open("MODEL", MQOO_INPUT_SHARED)
    with qm.open(maker.q_name, MQOO_OUTPUT) as other:
        other.put(Message(b"x"))
    assert qm.depth(maker.q_name) == 1  # the other handle did not make it
    other = qm.open(maker.q_name, MQOO_OUTPUT)
    maker.close()
    with fails(rc.MQRC_Q_DELETED):
        other.put(Message(b"y"))


def test_a_permanent_dynamic_queue_stays_until_a_close_deletes_it(qm: QM) -> None:
    qm.define("MODEL", "QMODEL", definition_type=MQQDT_PERMANENT_DYNAMIC)
    with qm.main.open("MODEL", MQOO_OUTPUT, dynamic_q_name="KEPT") as handle:
        handle.put(Message(b"x"))
    handle = qm.open("KEPT", MQOO_OUTPUT)
    with fails(rc.MQRC_Q_NOT_EMPTY):
        handle.close(MQCO_DELETE)
    handle.close(MQCO_DELETE_PURGE)
    with fails(rc.MQRC_UNKNOWN_OBJECT_NAME):
        qm.open("KEPT")


@pytest.mark.conformance("BEY-47", "BEY-48")
def test_exclusive_input_excludes_other_input_but_no_browse(qm: QM) -> None:
    other = qm.connect()
    shared = qm.open("Q", MQOO_INPUT_SHARED)
    with fails(rc.MQRC_OBJECT_IN_USE):
        qm.open("Q", MQOO_INPUT_EXCLUSIVE, other)
    shared.close()
    qm.open("Q", MQOO_INPUT_EXCLUSIVE, other)
    with fails(rc.MQRC_OBJECT_IN_USE):
        qm.open("Q", MQOO_INPUT_SHARED)
    qm.open("Q", MQOO_BROWSE)


def test_a_queue_that_cannot_be_shared_is_opened_by_one(qm: QM) -> None:
    qm.define("ONE", shareability=MQQA_NOT_SHAREABLE, def_input_open_option=MQOO_INPUT_EXCLUSIVE)
    qm.open("ONE", MQOO_INPUT_AS_Q_DEF)
    with fails(rc.MQRC_OBJECT_IN_USE):
        qm.open("ONE", MQOO_INPUT_SHARED)


@pytest.mark.conformance("BEY-37", "BEY-38")
def test_a_full_queue_refuses_and_uncommitted_puts_fill_it(qm: QM) -> None:
    qm.alter("Q", max_q_depth=2)
    qm.put(options=MQPMO_SYNCPOINT)
    qm.put(options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_Q_FULL):
        qm.connect().put1("Q", Message())
    qm.main.backout()
    qm.put()


@pytest.mark.conformance("BEY-23", "BEY-42", "BEY-43")
def test_a_message_longer_than_queue_or_queue_manager_allow_is_refused(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    qm.put(b"x" * 100)
    with fails(rc.MQRC_MSG_TOO_BIG_FOR_Q):
        qm.put(b"x" * 101)
    qm.alter("Q", max_msg_length=100_000)
    qm.alter_qmgr(max_msg_length=40_000)
    with fails(rc.MQRC_MSG_TOO_BIG_FOR_Q_MGR):
        qm.put(b"x" * 40_001)


@pytest.mark.conformance("BEY-40", "BEY-85", "BEY-92")
def test_inhibiting_puts_takes_effect_for_handles_already_open(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    qm.alter("Q", inhibit_put=MQQA_PUT_INHIBITED)
    with fails(rc.MQRC_PUT_INHIBITED):
        handle.put(Message())
    with fails(rc.MQRC_PUT_INHIBITED):
        qm.put()
    with fails(rc.MQRC_UNKNOWN_OBJECT_NAME):
        qm.put(q_name="NO.SUCH.Q")


@pytest.mark.conformance("BEY-46")
def test_a_start_after_an_end_discards_nonpersistent_messages_but_those_of_class_high(qm: QM) -> None:
    qm.define("HIGH", npm_class=10)
    qm.put("gone", persistence=0)
    qm.put("kept", persistence=1)
    qm.put("high", "HIGH", persistence=0)
    qm.main.disconnect()
    assert queue_managers.end(qm.path) == "ended"
    with fails(rc.MQRC_Q_MGR_NOT_AVAILABLE):
        connect(qm.path)
    assert queue_managers.start(qm.path) == 1
    qm.main = qm.connect()
    assert (qm.data(), qm.data("HIGH"), qm.depth()) == ([b"kept"], [b"high"], 1)


def test_a_process_that_comes_and_goes_ends_nothing(qm: QM) -> None:
    qm.put("nonpersistent", persistence=0)
    qm.main.disconnect()
    qm.main = qm.connect()
    assert qm.data() == [b"nonpersistent"]


def test_quiescing_lets_those_there_finish_and_nobody_in(qm: QM) -> None:
    handle = qm.open()
    assert queue_managers.end(qm.path) == "quiescing"
    with fails(rc.MQRC_Q_MGR_QUIESCING):
        connect(qm.path)
    handle.put(Message(b"still"))
    with fails(rc.MQRC_Q_MGR_QUIESCING):
        qm.open("Q", MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
    qm.main.disconnect()
    assert queue_managers.end(qm.path) == "ended"


def test_an_immediate_end_breaks_the_connections_there_are(qm: QM) -> None:
    handle = qm.open()
    assert queue_managers.end(qm.path, immediate=True) == "ended"
    with fails(rc.MQRC_CONNECTION_BROKEN):
        handle.put(Message())
    queue_managers.start(qm.path)
    with fails(rc.MQRC_CONNECTION_BROKEN):
        handle.put(Message())


@pytest.mark.conformance("BEY-54")
def test_a_disconnect_commits_the_unit_of_work(qm: QM) -> None:
    other = qm.connect()
    other.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
    other.disconnect()
    assert qm.data() == [b"x"]
    with fails(rc.MQRC_HCONN_ERROR):
        other.put1("Q", Message())


@pytest.mark.conformance("BEY-34")
def test_the_backout_threshold_is_kept_and_does_nothing_by_itself(qm: QM) -> None:
    qm.alter("Q", backout_threshold=2, backout_req_q_name="R")
    qm.put("poison")
    handle = qm.open()
    for _ in range(5):
        handle.get(MQGMO_SYNCPOINT)
        qm.main.backout()
    assert handle.inquire([MQIA_BACKOUT_THRESHOLD, MQCA_BACKOUT_REQ_Q_NAME]) == [2, "R"]
    assert (qm.depth(), qm.depth("R")) == (1, 0)


@pytest.mark.conformance("BEY-93")
def test_an_mqmde_behind_a_version_1_descriptor_becomes_part_of_it(qm: QM) -> None:
    grouped = MQMD(group_id=b"G" * 24, msg_seq_number=4, msg_flags=8, format="MQSTR", coded_char_set_id=1208)
    md, data = prefix_mqmde(grouped, b"body")
    qm.main.put1("Q", Message(data, md))
    found = qm.got()[0].message
    assert (found.data, found.md.format) == (b"body", "MQSTR")
    assert (found.md.group_id, found.md.msg_seq_number, found.md.msg_flags) == (b"G" * 24, 4, 8)
    broken = data[:8] + b"\x01" + data[9:]
    with fails(rc.MQRC_MDE_ERROR):
        qm.main.put1("Q", Message(broken, md.replace(msg_id=bytes(24))))


@pytest.mark.parametrize(("encoding", "ccsid"), [(273, 1208), (546, 819)])
def test_an_mqmde_that_is_not_written_as_the_queue_manager_does_is_data(qm: QM, encoding: int, ccsid: int) -> None:
    md, data = prefix_mqmde(MQMD(group_id=b"G" * 24, msg_flags=8, coded_char_set_id=1208), b"body", encoding, ccsid)
    qm.main.put1("Q", Message(data, md))
    found = qm.got()[0].message
    assert (found.data, found.md.format, found.md.group_id) == (data, "MQHMDE", bytes(24))


@pytest.mark.conformance("REF-30")
@pytest.mark.parametrize("ccsid", [0, -1, -7])
def test_a_header_must_say_in_which_character_set_its_successor_is(qm: QM, ccsid: int) -> None:
    for format, header, reason in (
        ("MQHMDE", pack_mqmde(MQMDE(coded_char_set_id=ccsid), 546, 1208), rc.MQRC_MDE_ERROR),
        ("MQHRF", pack_mqrfh(MQRFH(coded_char_set_id=ccsid), 546, 1208), rc.MQRC_RFH_ERROR),
        ("MQHRF2", pack_mqrfh2(MQRFH2(coded_char_set_id=ccsid), 546, 1208), rc.MQRC_RFH_ERROR),
        ("MQHREF", pack_mqrmh(MQRMH(coded_char_set_id=ccsid), 546, 1208), rc.MQRC_RMH_ERROR),
    ):
        with fails(reason, "coded_char_set_id"):
            qm.put(header, format=format, version=1)
    assert qm.depth() == 0


@pytest.mark.conformance("BEY-94")
def test_a_get_with_a_version_1_descriptor_returns_an_mqmde_where_it_is_needed(qm: QM) -> None:
    qm.put("plain", format="MQSTR")
    qm.put("grouped", format="MQSTR", group_id=b"G" * 24, msg_seq_number=2, msg_flags=8)
    handle = qm.open()
    plain = handle.get(md=MQMD(version=1)).message
    assert (plain.data, plain.md.format) == (b"plain", "MQSTR")
    result = handle.get(md=MQMD(version=1))
    assert (result.message.md.format, result.data_length) == ("MQHMDE", 72 + 7)
    md, data = strip_mqmde(result.message.md, result.message.data)
    assert (data, md.group_id, md.msg_seq_number, md.format) == (b"grouped", b"G" * 24, 2, "MQSTR")


@pytest.mark.conformance("BEY-67")
@pytest.mark.parametrize(
    ("format", "reason"),
    [
        ("MQDEAD", rc.MQRC_DLH_ERROR),
        ("MQXMIT", rc.MQRC_XQH_ERROR),
        ("MQHRF2", rc.MQRC_RFH_ERROR),
        ("MQHREF", rc.MQRC_RMH_ERROR),
    ],
)
def test_a_message_whose_header_is_not_what_its_format_says_is_refused(qm: QM, format: str, reason: int) -> None:
    with fails(reason):
        qm.put(b"no header at all", format=format)
    assert qm.depth() == 0
