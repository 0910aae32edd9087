"""Reports about segments on their reply queue: put together, held back, or taken one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQFB_COA,
    MQFB_COD,
    MQMF_LAST_SEGMENT,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPORT,
    MQRO_COA,
    MQRO_COA_WITH_DATA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD,
    MQRO_COD_WITH_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_EXPIRATION,
)
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_COMPLETE_MSG,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQOO_INPUT_SHARED,
)
from mqtools.message import MQMD
from mqtools.mqi.connection import Connection

from ..children import start_waiting
from ..conftest import QM, take
from .group_story import ALL_MSGS, ALL_SEGMENTS, COMPLETE, LOGICAL, G, K, nothing, part, parts, take_all, take_by

EXCEPTION = rc.MQRC_Q_FULL


def exception(qm: QM, original: MQMD, length: int, feedback: int = EXCEPTION) -> None:
    """Report what an application could not deliver."""
    qm.put(b"", "R", msg_type=MQMT_REPORT, feedback=feedback, correl_id=original.msg_id, group_id=original.group_id,
           offset=original.offset, msg_flags=original.msg_flags, original_length=length)  # fmt: skip


def mixed(qm: QM) -> None:
    """Leave a COA for the first segment, an exception for the second, a COD for the third."""
    part(qm, G, 0, "aaa", report=MQRO_COA, reply_to_q="R")
    second = part(qm, G, 3, "bb")
    exception(qm, second, 2)
    part(qm, G, 5, "c", last=True, report=MQRO_COD, reply_to_q="R")
    assert take_all(qm.open(), LOGICAL) == [b"aaa", b"bb", b"c"]


@pytest.mark.conformance("COMPL-26", "RSEG-17")
def test_reports_of_one_kind_come_as_one_message(qm: QM) -> None:
    part(qm, G, 3, "bb", report=MQRO_COA_WITH_FULL_DATA, reply_to_q="R")
    part(qm, G, 5, "c", last=True, report=MQRO_COA_WITH_FULL_DATA, reply_to_q="R")
    with nothing():
        qm.open("R").get(COMPLETE)
    part(qm, G, 0, "aaa", report=MQRO_COA_WITH_FULL_DATA, reply_to_q="R")
    result = qm.open("R").get(COMPLETE)
    md = result.message.md
    assert (result.message.data, md.feedback, md.group_id, md.offset) == (b"aaabbc", MQFB_COA, G, 0)
    assert qm.depth("R") == 0


@pytest.mark.conformance("RSEG-02")
def test_each_segment_is_reported_on_and_a_whole_message_once(qm: QM) -> None:
    parts(qm, G, "aaa", "bb", "c", report=MQRO_COA | MQRO_COD, reply_to_q="R")
    qm.put(report=MQRO_COA, reply_to_q="R")
    assert qm.depth("R") == 4
    take_all(qm.open(), LOGICAL)
    found = [(result.message.md.feedback, result.message.md.offset) for result in qm.got("R")]
    assert found == [(MQFB_COA, 0), (MQFB_COA, 3), (MQFB_COA, 5), (MQFB_COA, 0)] + [
        (MQFB_COD, offset) for offset in (0, 3, 5)
    ]


@pytest.mark.conformance("COMPL-27", "RSEG-18")
def test_reports_without_data_go_together_by_what_they_stand_for(qm: QM) -> None:
    parts(qm, G, "a" * 10, "b" * 20, "c" * 5, report=MQRO_COA, reply_to_q="R")
    result = qm.open("R").get(COMPLETE)
    assert result.message.data == bytes(35)
    assert result.segment_status == "L"
    assert qm.depth("R") == 0


@pytest.mark.conformance("COMPL-28", "RPT-12", "RSEG-08", "RSEG-09")
def test_missing_data_of_reports_is_nulls(qm: QM) -> None:
    parts(qm, G, "a" * 300, "b" * 300, "c" * 50, report=MQRO_COA_WITH_DATA, reply_to_q="R")
    handle = qm.open("R")
    short = handle.get(COMPLETE, max_length=200)
    assert (short.reason, short.data_length, qm.depth("R")) == (rc.MQRC_TRUNCATED_MSG_FAILED, 650, 3)
    whole = b"a" * 100 + bytes(200) + b"b" * 100 + bytes(200) + b"c" * 50
    assert take(handle, COMPLETE | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=650) == whole


@pytest.mark.conformance("RSEG-07")
def test_only_the_first_hundred_bytes_may_be_asked_for(qm: QM) -> None:
    for number, report in enumerate((MQRO_COD_WITH_DATA, MQRO_COD, MQRO_COD)):
        part(qm, G, 100 * number, b"%d" % number * 100, last=number == 2, report=report, reply_to_q="R")
    take_all(qm.open())
    assert take(qm.open("R"), COMPLETE) == b"0" * 100 + bytes(200)


@pytest.mark.conformance("RSEG-20")
def test_reports_of_two_kinds_make_two_messages(qm: QM) -> None:
    parts(qm, G, "aa", "bb", "cc", report=MQRO_COA | MQRO_COD, reply_to_q="R")
    take_all(qm.open())
    handle = qm.open("R")
    found = [handle.get(COMPLETE).message.md.feedback for _ in range(2)]
    assert found == [MQFB_COA, MQFB_COD]
    assert qm.depth("R") == 0


@pytest.mark.conformance("RSEG-03", "RSEG-05", "RSEG-06")
def test_a_message_cut_by_the_queue_manager_arrives_in_parts_and_is_delivered_as_one(qm: QM) -> None:
    qm.alter("Q", max_msg_length=16)
    qm.put("z" * 35, msg_flags=MQMF_SEGMENTATION_ALLOWED, report=MQRO_COA | MQRO_COD, reply_to_q="R")
    take(qm.open(), COMPLETE)
    assert qm.depth("R") == 4
    handle = qm.open("R")
    for feedback in (MQFB_COA, MQFB_COD):
        result = handle.get(COMPLETE)
        assert (result.message.md.feedback, result.data_length) == (feedback, 35)
    assert qm.depth("R") == 0


@pytest.mark.conformance("AVAIL-25", "RSEG-24")
@pytest.mark.parametrize("options", [ALL_SEGMENTS, ALL_MSGS, LOGICAL | ALL_SEGMENTS])
def test_a_report_for_each_segment_will_do_whatever_its_kind(qm: QM, options: int) -> None:
    mixed(qm)
    md = qm.open("R").get(options).message.md
    assert (md.offset, md.feedback) == (0, MQFB_COA)


@pytest.mark.conformance("AVAIL-25", "RSEG-25")
def test_two_reports_for_one_segment_do_not_stand_for_another(qm: QM) -> None:
    for offset, data in ((0, "aa"), (2, "bb")):
        part(qm, G, offset, data, report=MQRO_COA | MQRO_COD, reply_to_q="R")
    take_all(qm.open())
    assert qm.depth("R") == 4
    with nothing():
        qm.open("R").get(ALL_SEGMENTS)


@pytest.mark.conformance("AVAIL-26", "RSEG-21")
def test_reports_of_different_kinds_do_not_go_together(qm: QM) -> None:
    mixed(qm)
    with nothing():
        qm.open("R").get(COMPLETE)
    parts(qm, K, "xx", "yy", report=MQRO_COA, reply_to_q="R")
    assert qm.open("R").get(COMPLETE).message.md.group_id == K
    assert qm.depth("R") == 3


@pytest.mark.conformance("AVAIL-27", "RSEG-34")
def test_reports_of_different_kinds_come_one_by_one(qm: QM) -> None:
    mixed(qm)
    handle = qm.open("R")
    found = [handle.get(LOGICAL | ALL_SEGMENTS).message.md for _ in range(3)]
    assert [md.offset for md in found] == [0, 3, 5]
    assert [md.feedback for md in found] == [MQFB_COA, EXCEPTION, MQFB_COD]
    assert handle.close() == rc.MQRC_NONE


@pytest.mark.conformance("RSEG-22")
def test_exceptions_that_happen_to_be_alike_go_together(qm: QM) -> None:
    for original in parts(qm, G, "aa", "bb", "cc"):
        exception(qm, original, 2)
    assert qm.open("R").get(COMPLETE).message.md.feedback == EXCEPTION


@pytest.mark.conformance("RSEG-19")
def test_a_missing_report_leaves_the_set_incomplete(qm: QM) -> None:
    for offset, last in ((0, False), (4, True)):
        part(qm, G, offset, "xx", last=last, report=MQRO_COA, reply_to_q="R")
    for options in (COMPLETE, ALL_SEGMENTS):
        with nothing():
            qm.open("R").get(options)


@pytest.mark.conformance("RSEG-21")
def test_a_set_behind_one_that_is_mixed_is_found_by_its_own_first_report(qm: QM) -> None:
    first, second = parts(qm, G, "aa", "bb", report=MQRO_COD, reply_to_q="R")
    exception(qm, first, 2)
    take_all(qm.open())
    result = qm.open("R").get(COMPLETE)
    assert (result.message.md.feedback, result.message.data) == (MQFB_COD, bytes(4))
    assert qm.depth("R") == 1
    assert second.offset == 2


@pytest.mark.conformance("RSEG-21")
def test_a_set_is_not_given_for_a_report_that_is_not_of_it(qm: QM) -> None:
    first, _ = parts(qm, G, "aa", "bb", report=MQRO_COD, reply_to_q="R")
    exception(qm, first.replace(msg_id=b"i" * 24), 2)
    take_all(qm.open())
    with nothing():
        take_by(qm.open("R"), COMPLETE, MQMO_MATCH_CORREL_ID, correl_id=b"i" * 24)


@pytest.mark.conformance("COMPL-09")
def test_a_waiting_get_is_satisfied_by_the_last_report(qm: QM) -> None:
    def wait(connection: Connection) -> int:
        handle = connection.open("R", MQOO_INPUT_SHARED)
        return handle.get(MQGMO_COMPLETE_MSG | MQGMO_WAIT, wait_ms=-1).message.md.feedback

    parts(qm, G, "aa", "bb", report=MQRO_COD, reply_to_q="R")
    (waiting,) = start_waiting(qm.path, qm.main, wait)
    handle = qm.open()
    handle.get(LOGICAL)
    waiting.is_still_waiting()
    handle.get(LOGICAL)
    assert waiting.finish() == MQFB_COD


@pytest.mark.conformance("RSEG-29")
def test_orphans_expire_each_with_its_report(qm: QM, advance: Callable[[float], None]) -> None:
    fields = {"expiry": 5, "report": MQRO_EXPIRATION, "reply_to_q": "R"}
    part(qm, G, 0, "aa", **fields)
    part(qm, G, 4, "cc", last=True, **fields)
    advance(1)
    with nothing():
        qm.open().get(LOGICAL)
    while qm.depth():
        with nothing():
            qm.open().get()
    mds = [result.message.md for result in qm.got("R")]
    assert [(md.offset, md.msg_flags & (MQMF_SEGMENT | MQMF_LAST_SEGMENT)) for md in mds] == [(0, 2), (4, 6)]


# -- the delivery of a whole message


@pytest.mark.conformance("RSEG-03")
def test_one_report_confirms_the_delivery_of_a_whole_message(qm: QM) -> None:
    parts(qm, G, "ab", "cd", report=MQRO_COD_WITH_FULL_DATA, reply_to_q="R")
    assert take(qm.open(), COMPLETE | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=1) == b"a"
    assert qm.depth("R") == 1
    result = qm.open("R").get(COMPLETE)
    md = result.message.md
    assert (result.message.data, md.group_id, md.offset, md.original_length) == (b"abcd", G, 0, 4)
    assert result.segment_status == "L"


@pytest.mark.conformance("RSEG-03")
def test_the_report_of_a_message_cut_by_the_queue_manager_is_one_too(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    qm.put(b"z" * 250, msg_flags=MQMF_SEGMENTATION_ALLOWED, report=MQRO_COD, reply_to_q="R")
    handle = qm.open()
    handle.get(COMPLETE | MQGMO_SYNCPOINT)
    assert qm.depth("R") == 1
    with nothing():
        qm.open("R").get()
    qm.main.backout()
    assert qm.depth("R") == 0
    handle.get(COMPLETE)
    assert [result.message.md.original_length for result in qm.got("R")] == [250]


@pytest.mark.conformance("RSEG-04")
def test_segments_got_singly_are_confirmed_singly(qm: QM) -> None:
    parts(qm, G, "ab", "cd", report=MQRO_COD, reply_to_q="R")
    assert take_all(qm.open(), LOGICAL) == [b"ab", b"cd"]
    assert [result.message.md.offset for result in qm.got("R")] == [0, 2]
