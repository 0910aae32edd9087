"""Reports about the segments of a logical message: how many, how they come together, what is left behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import message as c
from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_COMPLETE_MSG,
    MQMO_MATCH_GROUP_ID,
)
from mqtools.message import MQMD, Message

from .conftest import QM, fails

G = b"G" * 24
SEGMENTS = (b"a" * 500, b"b" * 500, b"c" * 500)


def put_segment(qm: QM, number: int, report: int, **fields: object) -> MQMD:
    flags = c.MQMF_SEGMENT | (c.MQMF_LAST_SEGMENT if number == len(SEGMENTS) - 1 else 0)
    data = SEGMENTS[number]
    return qm.put(
        data, report=report, reply_to_q="R", group_id=G, offset=500 * number, msg_flags=flags, **fields
    )  # fmt: skip


def put_segments(qm: QM, report: int, **fields: object) -> None:
    for number in range(len(SEGMENTS)):
        put_segment(qm, number, report, **fields)


def feedbacks(qm: QM) -> list[int]:
    return sorted(result.message.md.feedback for result in qm.got("R"))


@pytest.mark.conformance("RSEG-02")
def test_every_segment_that_arrives_is_reported(qm: QM) -> None:
    put_segments(qm, c.MQRO_COA)
    reports = [result.message.md for result in qm.got("R")]
    assert [md.feedback for md in reports] == [c.MQFB_COA] * 3
    assert [(md.group_id, md.offset, md.original_length) for md in reports] == [(G, at, 500) for at in (0, 500, 1000)]


@pytest.mark.conformance("RSEG-05")
def test_a_whole_message_got_has_one_delivery_report_and_an_arrival_report_of_each_segment(qm: QM) -> None:
    put_segments(qm, c.MQRO_COA | c.MQRO_COD)
    with qm.open() as queue:
        assert queue.get(MQGMO_COMPLETE_MSG).message.data == b"".join(SEGMENTS)
    assert feedbacks(qm) == [c.MQFB_COA] * 3 + [c.MQFB_COD]


@pytest.mark.conformance("RSEG-09")
def test_reports_with_data_need_room_for_the_whole_message_or_are_cut(qm: QM) -> None:
    put_segments(qm, c.MQRO_COA_WITH_DATA)
    with qm.open("R") as replies:
        assert replies.get(MQGMO_COMPLETE_MSG, max_length=200).reason == rc.MQRC_TRUNCATED_MSG_FAILED
        assert qm.depth("R") == 3
        result = replies.get(MQGMO_COMPLETE_MSG | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=200)
    assert (result.reason, len(result.message.data), result.data_length) == (rc.MQRC_TRUNCATED_MSG_ACCEPTED, 200, 1500)
    assert qm.depth("R") == 0


@pytest.mark.conformance("RSEG-23")
def test_a_whole_set_of_arrival_reports_says_that_the_whole_message_has_arrived(qm: QM) -> None:
    for number in (2, 0):
        put_segment(qm, number, c.MQRO_COA)
    with qm.open("R") as replies:
        with fails(rc.MQRC_NO_MSG_AVAILABLE):
            replies.get(MQGMO_COMPLETE_MSG, match_options=MQMO_MATCH_GROUP_ID, md=MQMD(group_id=G, feedback=c.MQFB_COA))
        put_segment(qm, 1, c.MQRO_COA)
        result = replies.get(MQGMO_COMPLETE_MSG, match_options=MQMO_MATCH_GROUP_ID, md=MQMD(group_id=G, feedback=c.MQFB_COA))
    assert (result.message.md.feedback, result.message.md.msg_type) == (c.MQFB_COA, c.MQMT_REPORT)
    assert qm.depth("R") == 0


@pytest.mark.conformance("RSEG-29")
def test_segments_left_behind_expire(qm: QM, advance: Callable[[float], None]) -> None:
    for number in (0, 2):
        put_segment(qm, number, c.MQRO_EXPIRATION, expiry=20)
    advance(3)
    with qm.open() as queue, fails(rc.MQRC_NO_MSG_AVAILABLE):
        queue.get()
    assert qm.depth() == 0
    assert feedbacks(qm) == [c.MQFB_EXPIRATION] * 2


@pytest.mark.conformance("TYPES-07")
def test_a_reply_may_be_related_by_its_data_alone(qm: QM) -> None:
    """The queue manager does not interfere: the descriptor is delivered as the responder wrote it."""
    qm.put("key=17", msg_type=c.MQMT_REQUEST, reply_to_q="R", report=c.MQRO_PASS_CORREL_ID, correl_id=b"Q" * 24)
    (request,) = qm.got()
    answer = MQMD(msg_type=c.MQMT_REPLY, msg_id=b"M" * 24, correl_id=b"K" * 24)
    qm.main.put1(request.message.md.reply_to_q, Message(b"answer to " + request.message.data, answer))
    (reply,) = qm.got("R")
    md = reply.message.md
    assert (md.msg_type, md.msg_id, md.correl_id) == (c.MQMT_REPLY, b"M" * 24, b"K" * 24)
    assert reply.message.data == b"answer to key=17"
