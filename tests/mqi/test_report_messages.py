"""Reports that the queue manager makes by itself, and where they go when nobody takes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFMT_DEAD_LETTER_HEADER,
    MQMT_REPORT,
    MQRO_COA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD,
    MQRO_COD_WITH_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION,
    MQRO_EXPIRATION,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_NAN,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
)
from mqtools.constants.objects import MQQA_PUT_INHIBITED
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_ID,
    MQPMO_SYNCPOINT,
)
from mqtools.headers.chain import prefix_dlh, read_dlh
from mqtools.message import MQMD, Message

from .conftest import QM, fails

ID, CORREL = b"A" * 24, b"B" * 24


def reports(qm: QM, q_name: str = "R") -> list[int]:
    return [result.message.md.feedback for result in qm.got(q_name)]


@pytest.mark.conformance("RPT-03", "RPT-38")
def test_arrival_is_confirmed_at_once_with_the_priority_and_persistence_of_the_original(qm: QM) -> None:
    qm.put(report=MQRO_COA, reply_to_q="R", priority=7, persistence=1)
    (result,) = qm.got("R")
    md = result.message.md
    assert (md.msg_type, md.feedback, md.report, md.expiry) == (MQMT_REPORT, MQFB_COA, 0, -1)
    assert (md.priority, md.persistence, md.reply_to_q) == (7, 1, "")


@pytest.mark.conformance("RPT-04", "RPT-05")
def test_delivery_is_confirmed_by_a_get_and_not_by_a_browse(qm: QM) -> None:
    qm.put(report=MQRO_COD, reply_to_q="R")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    handle.get(MQGMO_BROWSE_MSG_UNDER_CURSOR)
    assert reports(qm) == []
    handle.get()
    assert reports(qm) == [MQFB_COD]


@pytest.mark.conformance("RPT-02")
@pytest.mark.parametrize("options", [0, MQGMO_BROWSE_FIRST])
def test_expiration_is_reported_when_somebody_looks_for_the_message(
    qm: QM, advance: Callable[[float], None], options: int
) -> None:
    qm.put(b"late", expiry=5, report=MQRO_EXPIRATION_WITH_FULL_DATA, reply_to_q="R")
    advance(1)
    with fails(rc.MQRC_NO_MSG_AVAILABLE):
        qm.open().get(options)
    (result,) = qm.got("R")
    assert (result.message.md.feedback, result.message.data) == (MQFB_EXPIRATION, b"late")
    assert qm.depth() == 0


@pytest.mark.conformance("RPT-08")
def test_pan_and_nan_are_never_made_by_the_queue_manager(qm: QM) -> None:
    qm.put(report=MQRO_PAN | MQRO_NAN, reply_to_q="R")
    qm.open().get()
    assert reports(qm) == []


@pytest.mark.conformance("RPT-13", "RPT-16")
def test_only_what_was_asked_for_is_reported(qm: QM) -> None:
    qm.put(report=MQRO_COA | MQRO_COD | MQRO_EXPIRATION, reply_to_q="R")
    qm.open().get()
    assert reports(qm) == [MQFB_COA, MQFB_COD]


@pytest.mark.conformance("RPT-09", "RPT-10")
def test_a_report_carries_as_much_data_as_asked_for(qm: QM) -> None:
    body = bytes(range(250))
    qm.put(body, report=MQRO_COA_WITH_FULL_DATA | MQRO_COD_WITH_DATA, reply_to_q="R")
    qm.open().get()
    assert [result.message.data for result in qm.got("R")] == [body, body[:100]]


@pytest.mark.conformance("RPT-21")
def test_a_report_that_its_queue_does_not_take_goes_to_the_dead_letter_queue(qm: QM) -> None:
    qm.alter("R", max_q_depth=0)
    qm.put(report=MQRO_COA, reply_to_q="R")
    assert qm.depth() == 1
    dead = qm.got("DLQ")[0].message
    dlh = read_dlh(dead.md, dead.data)
    assert (dlh.reason, dlh.dest_q_name) == (rc.MQRC_Q_FULL, "R")
    assert (dead.md.msg_type, dead.md.feedback) == (MQMT_REPORT, MQFB_COA)


def test_without_a_dead_letter_queue_the_put_stands_and_the_report_is_dropped(qm: QM) -> None:
    qm.alter_qmgr(dead_letter_q_name="")
    qm.put(report=MQRO_COA, reply_to_q="NO.SUCH.Q")
    assert (qm.depth(), qm.depth("DLQ")) == (1, 0)


@pytest.mark.conformance("RPT-22", "RPT-23", "TYPES-05")
@pytest.mark.parametrize("report", [MQRO_COA, MQRO_COD, MQRO_EXCEPTION, MQRO_EXPIRATION, MQRO_PAN, MQRO_NAN])
def test_asking_for_a_report_without_a_reply_queue_is_refused(qm: QM, report: int) -> None:
    with fails(rc.MQRC_MISSING_REPLY_TO_Q):
        qm.put(report=report)
    with fails(rc.MQRC_MISSING_REPLY_TO_Q):
        qm.open().put(Message(b"", MQMD(report=report)))
    assert qm.depth() == 0


@pytest.mark.conformance("RPT-24", "RPT-25", "RPT-26", "RPT-27", "TYPES-12")
@pytest.mark.parametrize("pass_msg_id", [0, MQRO_PASS_MSG_ID])
@pytest.mark.parametrize("pass_correl_id", [0, MQRO_PASS_CORREL_ID])
def test_the_identifiers_of_a_report_follow_the_options(qm: QM, pass_msg_id: int, pass_correl_id: int) -> None:
    qm.put(msg_id=ID, correl_id=CORREL, report=MQRO_COA | pass_msg_id | pass_correl_id, reply_to_q="R")
    md = qm.got("R")[0].message.md
    assert (md.msg_id == ID) is bool(pass_msg_id)
    assert md.correl_id == (CORREL if pass_correl_id else ID)


@pytest.mark.conformance("RPT-28")
def test_several_reports_with_one_message_id_are_read_one_after_the_other(qm: QM) -> None:
    qm.put(msg_id=ID, report=MQRO_COA | MQRO_COD | MQRO_PASS_MSG_ID, reply_to_q="R")
    qm.open().get()
    handle = qm.open("R")
    found = [handle.get(md=MQMD(msg_id=ID), match_options=MQMO_MATCH_MSG_ID).message.md.feedback for _ in range(2)]
    assert found == [MQFB_COA, MQFB_COD]


@pytest.mark.conformance("RPT-33")
def test_a_blank_reply_queue_manager_is_filled_in(qm: QM) -> None:
    qm.put(report=MQRO_COA, reply_to_q="R")
    assert qm.got()[0].message.md.reply_to_q_mgr == "QM1"
    assert qm.depth("R") == 1


@pytest.mark.conformance("RPT-34")
def test_a_refused_put_is_told_by_its_reason_and_not_by_a_report(qm: QM) -> None:
    qm.alter("Q", max_q_depth=0)
    with fails(rc.MQRC_Q_FULL):
        qm.put(report=MQRO_EXCEPTION, reply_to_q="R")
    assert qm.depth("R") == 0


@pytest.mark.conformance("RPT-35")
def test_an_arrival_report_belongs_to_the_unit_of_work_of_the_put(qm: QM) -> None:
    qm.put(report=MQRO_COA, reply_to_q="R", options=MQPMO_SYNCPOINT)
    assert qm.data("R") == []
    qm.main.commit()
    assert reports(qm) == [MQFB_COA]
    qm.put(report=MQRO_COA, reply_to_q="R", options=MQPMO_SYNCPOINT)
    qm.main.backout()
    assert reports(qm) == []


@pytest.mark.conformance("RPT-36")
def test_a_delivery_report_belongs_to_the_unit_of_work_of_the_get(qm: QM) -> None:
    qm.put(report=MQRO_COD, reply_to_q="R")
    handle = qm.open()
    handle.get(MQGMO_SYNCPOINT)
    assert qm.data("R") == []
    qm.main.backout()
    assert reports(qm) == []
    handle.get(MQGMO_SYNCPOINT)
    qm.main.commit()
    assert reports(qm) == [MQFB_COD]


@pytest.mark.conformance("RPT-37")
def test_a_dead_letter_confirms_neither_arrival_nor_delivery(qm: QM) -> None:
    md, data = prefix_dlh(MQMD(report=MQRO_COA | MQRO_COD, reply_to_q="R"), b"x", reason=2053, dest_q_name="Q")
    assert md.format == MQFMT_DEAD_LETTER_HEADER
    qm.main.put1("DLQ", Message(data, md))
    qm.open("DLQ").get()
    assert reports(qm) == []


@pytest.mark.conformance("RPT-39")
def test_discard_and_the_remaining_time_are_passed_on_when_asked(qm: QM, advance: Callable[[float], None]) -> None:
    qm.put(report=MQRO_COD | MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG, reply_to_q="R", expiry=600)
    advance(2)
    qm.open().get()
    md = qm.got("R")[0].message.md
    assert md.report == MQRO_DISCARD_MSG
    assert 570 <= md.expiry <= 580


def test_an_inherited_discard_drops_a_report_that_nobody_takes(qm: QM) -> None:
    qm.alter("R", inhibit_put=MQQA_PUT_INHIBITED)
    qm.put(report=MQRO_COA | MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG, reply_to_q="R")
    assert (qm.depth(), qm.depth("DLQ")) == (1, 0)


@pytest.mark.conformance("RPT-41")
def test_no_report_is_made_about_a_report(qm: QM) -> None:
    qm.put(report=MQRO_COA | MQRO_COD, reply_to_q="R")
    qm.open("R").get()
    assert reports(qm) == []


@pytest.mark.conformance("TYPES-15")
def test_a_report_comes_before_the_reply_and_is_told_by_its_type(qm: QM) -> None:
    md = qm.put(msg_type=1, report=MQRO_COA, reply_to_q="R")
    qm.put("reply", "R", msg_type=2, correl_id=md.msg_id)
    assert [result.message.md.msg_type for result in qm.got("R")] == [MQMT_REPORT, 2]
