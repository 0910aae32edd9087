"""Tracking of originals by their reports at a real queue manager, and removal of orphans."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import message as c
from mqtools.constants import reasons as rc
from mqtools.constants.options import MQGMO_SYNCPOINT
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.message import MQMD
from mqtools.mqi.resolution import find_queue
from mqtools.operations.reports.generation import Order, generate_from_queue
from mqtools.operations.reports.outcomes import Track, remove_orphans, track_message
from mqtools.operations.selection import Selection, select
from mqtools.rules.report_outcomes import ARRIVED, DELIVERED, EXPIRED, FAILED, PENDING, SILENT, UNASKED

from ..mqi.conftest import QM, fails
from ..mqi.groups.group_story import COMPLETE, G, members, parts, take

ASKED = c.MQRO_COD | c.MQRO_EXCEPTION


def three(qm: QM, report: int = ASKED, **fields: object) -> list[MQMD]:
    return parts(qm, G, "aaaa", "bbb", "cc", report=report, reply_to_q="R", **fields)


def fail(qm: QM, md: MQMD, feedback: int = rc.MQRC_Q_FULL) -> None:
    """Get a message from Q and report the failure, as an application that cannot deliver it."""
    db = qm.main.db
    keys = [stored.seq for stored in select(db, find_queue(db, "Q").id, Selection(msg_ids=(md.msg_id,)))]
    [outcome] = generate_from_queue(qm.main, Order(feedback=feedback), "Q", keys, consume=True)
    assert outcome.error is None


def outcomes(track: Track) -> list[str]:
    return [part.outcome for part in track.parts]


@pytest.mark.conformance("RSEG-27")
def test_one_silent(qm: QM) -> None:
    three(qm)
    take(qm.open())
    track = track_message(qm.main, G, "Q")
    assert (track.outcome, outcomes(track)) == (PENDING, [DELIVERED, SILENT, SILENT])
    assert [part.state for part in track.parts] == [None, 1, 1]
    assert remove_orphans(qm.main, G, "Q") == []
    assert qm.depth() == 2


@pytest.mark.conformance("RSEG-26")
def test_any_segment_leads_to_its_message_even_when_it_is_gone(qm: QM) -> None:
    sent = three(qm)
    take(qm.open(), COMPLETE)
    for md in (sent[0], sent[0].replace(msg_id=sent[0].msg_id[:23])):
        assert track_message(qm.main, md.msg_id, "Q", "R").outcome == DELIVERED
    # One report confirms the whole: it is about the first segment's id.
    assert track_message(qm.main, sent[1].msg_id, "Q", "R").parts == []


def test_a_message_of_a_group_is_followed_alone_and_the_group_as_a_whole(qm: QM) -> None:
    sent = members(qm, G, report=ASKED, reply_to_q="R")
    take(qm.open())
    alone, group = track_message(qm.main, sent[0].msg_id, "Q", "R"), track_message(qm.main, G, "Q", "R")
    assert (alone.outcome, alone.is_group, len(alone.parts)) == (DELIVERED, False, 1)
    assert (group.outcome, group.is_group, outcomes(group)) == (PENDING, True, [DELIVERED, SILENT, SILENT])


@pytest.mark.parametrize(
    "report", [0, c.MQRO_PASS_MSG_ID, c.MQRO_PASS_CORREL_ID, c.MQRO_PASS_MSG_ID | c.MQRO_PASS_CORREL_ID]
)
def test_reports_are_found_by_the_identifiers_that_the_original_asks_for(qm: QM, report: int) -> None:
    md = qm.put(report=c.MQRO_COA | report, reply_to_q="R", correl_id=b"C" * 24)
    qm.put(report=c.MQRO_COA | report, reply_to_q="R", correl_id=b"D" * 24)
    [part] = track_message(qm.main, md.msg_id, "Q").parts
    assert (part.outcome, part.reports) == (ARRIVED, 1)
    qm.put(q_name="R", msg_type=2, correl_id=md.msg_id)  # a reply is no report
    assert track_message(qm.main, md.msg_id, "Q").parts == [part]


@pytest.mark.conformance("RPT-27")
def test_reports_by_a_correl_id_that_originals_share_are_taken_only_where_they_are_about_each(qm: QM) -> None:
    fields = {"report": c.MQRO_COA | c.MQRO_COD | c.MQRO_PASS_CORREL_ID, "reply_to_q": "R", "correl_id": b"C" * 24}
    sent = [qm.put(**fields) for _ in range(2)]
    assert [outcomes(track_message(qm.main, md.msg_id, "Q")) for md in sent] == [[ARRIVED], [ARRIVED]]
    take(qm.open())
    [part] = track_message(qm.main, sent[1].msg_id, "Q").parts
    assert (part.outcome, part.reports, part.state) == (SILENT, 0, 1)


def test_a_report_that_is_not_committed_proves_nothing_yet(qm: QM) -> None:
    three(qm)
    take(qm.open(), MQGMO_SYNCPOINT)
    assert outcomes(track_message(qm.connect(), G, "Q")) == [SILENT] * 3
    qm.main.commit()
    assert outcomes(track_message(qm.connect(), G, "Q")) == [DELIVERED, SILENT, SILENT]


def test_what_has_expired_is_seen_before_its_report_is_there(qm: QM, advance: Callable[[float], None]) -> None:
    three(qm, c.MQRO_EXPIRATION, expiry=5)
    advance(1)
    track = track_message(qm.main, G, "Q")
    assert (track.outcome, outcomes(track), track.orphans) == (FAILED, [EXPIRED] * 3, [])
    assert qm.depth("R") == 0


def test_a_locked_orphan_stays(qm: QM) -> None:
    first, second, third = three(qm)
    browse_messages_and_lock(qm.main, "Q", filter={"msg_id": third.msg_id})
    fail(qm, second)
    assert [part.is_orphan for part in track_message(qm.main, G, "Q").parts] == [True, False, True]
    assert [part.msg_id for part in remove_orphans(qm.main, G, "Q")] == [first.msg_id]
    assert qm.depth() == 1


def test_an_original_that_asks_for_nothing_needs_no_queue_for_reports(qm: QM) -> None:
    md = qm.put()
    track = track_message(qm.main, md.msg_id, "Q")
    assert (outcomes(track), track.reports_q_name) == ([UNASKED], "")


def test_where_the_reports_lie_has_to_be_known(qm: QM) -> None:
    with fails(rc.MQRC_MISSING_REPLY_TO_Q):
        track_message(qm.main, G, "Q")
    assert track_message(qm.main, G, "Q", "R").parts == []
    qm.define("QM2", usage=1)
    three(qm, reply_to_q_mgr="QM2")
    with fails(rc.MQRC_MISSING_REPLY_TO_Q):
        track_message(qm.main, G, "Q")
    with fails(rc.MQRC_UNKNOWN_OBJECT_NAME):
        track_message(qm.main, G, "Q", "NOWHERE")


def test_originals_at_another_queue_manager_are_followed_by_their_reports_alone(qm: QM) -> None:
    qm.define("QM2", usage=1)
    qm.define("FAR", "QREMOTE", remote_q_name="Q", remote_q_mgr_name="QM2", xmit_q_name="QM2")
    md = qm.put(q_name="FAR", report=c.MQRO_COD, reply_to_q="R")
    assert track_message(qm.main, md.msg_id, "FAR", "R").parts == []
    qm.put(b"", "R", msg_type=c.MQMT_REPORT, feedback=c.MQFB_COD, correl_id=md.msg_id)
    assert track_message(qm.main, md.msg_id, "FAR", "R").outcome == DELIVERED


def test_the_beginning_of_an_identifier_is_enough_unless_several_have_it(qm: QM) -> None:
    three(qm)
    assert track_message(qm.main, b"GG", "Q").identifier == G
    three_more = parts(qm, b"H" * 24, "x", "y", report=ASKED, reply_to_q="R")
    with fails(rc.MQRC_MSG_ID_ERROR):
        track_message(qm.main, three_more[0].msg_id[:4], "Q")
    assert track_message(qm.main, b"none", "Q", "R").parts == []


def test_a_positive_answer_counts_as_delivery(qm: QM) -> None:
    md = qm.put(report=c.MQRO_COA, reply_to_q="R")
    qm.put(b"", "R", msg_type=c.MQMT_REPORT, feedback=c.MQFB_PAN, correl_id=md.msg_id)
    assert track_message(qm.main, md.msg_id, "Q").outcome == DELIVERED
