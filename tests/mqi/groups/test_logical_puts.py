"""Puts of groups and segments: in logical order, by the application's own fields, cut by the queue manager."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQRO_COA,
)
from mqtools.constants.options import (
    MQGMO_COMPLETE_MSG,
    MQOO_OUTPUT,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import Message

from ..conftest import QM, fails
from .group_story import put

LOGICAL = MQPMO_LOGICAL_ORDER
IN, LAST_IN, SEG, LAST_SEG = MQMF_MSG_IN_GROUP, MQMF_LAST_MSG_IN_GROUP, MQMF_SEGMENT, MQMF_LAST_SEGMENT


@pytest.mark.conformance("BEY-10")
def test_logical_order_numbers_the_messages_of_a_group(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    mds = [put(handle, flags) for flags in (IN, IN, LAST_IN)]
    assert len({md.group_id for md in mds}) == 1
    assert [md.msg_seq_number for md in mds] == [1, 2, 3]


@pytest.mark.conformance("BEY-11")
def test_logical_order_gives_segments_their_offsets(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    mds = [put(handle, flags, b"z" * n) for flags, n in ((SEG, 10), (SEG, 20), (LAST_SEG, 5))]
    assert [md.offset for md in mds] == [0, 10, 30]
    assert qm.open().get(MQGMO_COMPLETE_MSG).message.data == b"z" * 35


@pytest.mark.conformance("BEY-12")
@pytest.mark.conformance("BEY-13")
@pytest.mark.conformance("BEY-14")
def test_leaving_an_open_group_fails_warns_and_warns_again_at_the_close(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN)
    with fails(rc.MQRC_INCOMPLETE_GROUP):
        put(handle, 0)
    result = handle.put(Message(b"plain"))
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_INCOMPLETE_GROUP)
    other = qm.open("Q", MQOO_OUTPUT)
    put(other, IN)
    assert other.close() == rc.MQRC_INCOMPLETE_GROUP


@pytest.mark.conformance("BEY-15")
@pytest.mark.conformance("BEY-16")
def test_a_group_is_put_inside_or_outside_units_of_work_and_with_one_persistence(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN, options=LOGICAL | MQPMO_SYNCPOINT)
    with fails(rc.MQRC_INCONSISTENT_UOW):
        put(handle, IN, options=LOGICAL | MQPMO_NO_SYNCPOINT)
    with fails(rc.MQRC_INCONSISTENT_PERSISTENCE):
        put(handle, IN, options=LOGICAL | MQPMO_SYNCPOINT, persistence=1)


def test_a_backout_takes_the_place_in_the_group_back(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN, options=LOGICAL | MQPMO_SYNCPOINT)
    qm.main.backout()
    assert put(handle, LAST_IN).msg_seq_number == 1


@pytest.mark.conformance("BEY-21")
@pytest.mark.conformance("BEY-22")
@pytest.mark.conformance("BEY-25")
@pytest.mark.conformance("LOGORD-02")
def test_a_message_too_long_for_its_queue_is_cut_and_comes_back_whole(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    body = bytes(range(250))
    md = qm.put(body, msg_flags=MQMF_SEGMENTATION_ALLOWED)
    assert md.msg_flags == MQMF_SEGMENTATION_ALLOWED
    parts = [result.message.md for result in qm.got()]
    assert len(parts) == 3
    assert len({part.group_id for part in parts}) == 1
    assert len({part.msg_id for part in parts}) == 3
    assert [part.offset for part in parts] == [0, 96, 192]
    qm.put(body, msg_flags=MQMF_SEGMENTATION_ALLOWED)
    assert qm.open().get(MQGMO_COMPLETE_MSG).message.data == body


@pytest.mark.conformance("LOGORD-04")
def test_a_message_that_need_not_be_cut_has_a_group_id_all_the_same(qm: QM) -> None:
    md = qm.put(b"short", msg_flags=MQMF_SEGMENTATION_ALLOWED)
    assert any(md.group_id)
    assert (md.offset, md.msg_flags & SEG) == (0, 0)


@pytest.mark.conformance("BEY-24")
def test_cutting_outside_the_unit_of_work_there_is_is_refused(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    qm.put("r", "R", options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_UOW_NOT_AVAILABLE):
        qm.put(b"x" * 250, msg_flags=MQMF_SEGMENTATION_ALLOWED)
    qm.put(b"x" * 250, msg_flags=MQMF_SEGMENTATION_ALLOWED, options=MQPMO_SYNCPOINT)


@pytest.mark.conformance("BEY-26")
def test_the_segments_of_one_message_may_pass_the_depth_limit(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100, max_q_depth=2)
    qm.put(b"x" * 250, msg_flags=MQMF_SEGMENTATION_ALLOWED)
    assert qm.depth() == 3


def test_each_segment_that_asks_for_it_confirms_its_arrival(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    qm.put(b"x" * 250, msg_flags=MQMF_SEGMENTATION_ALLOWED, report=MQRO_COA, reply_to_q="R")
    reports = [result.message.md for result in qm.got("R")]
    assert [(report.offset, report.original_length) for report in reports] == [(0, 96), (96, 96), (192, 58)]


@pytest.mark.conformance("LOGORD-41")
def test_puts_and_gets_keep_separate_places(qm: QM) -> None:
    handle = qm.open()
    put(handle, IN, b"1")
    qm.put("K1", group_id=b"K" * 24, msg_flags=LAST_IN)
    from mqtools.constants.options import MQGMO_LOGICAL_ORDER

    assert handle.get(MQGMO_LOGICAL_ORDER).message.data == b"1"
    assert put(handle, LAST_IN, b"2").msg_seq_number == 2
    assert handle.get(MQGMO_LOGICAL_ORDER).message.data == b"2"
