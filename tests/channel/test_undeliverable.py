"""Messages that a channel cannot deliver: dead-lettered, reported, discarded, or left where they come from."""

from __future__ import annotations

import socket

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.channel.link import Link
from mqtools.channel.receiver import RETRIED
from mqtools.channel.session import ChannelSession
from mqtools.channel.streams import SocketStream
from mqtools.constants import message as c
from mqtools.headers.chain import read_dlh, strip_dlh

from .conftest import CHANNEL, PATIENCE_S, Ends, fails

Q_FULL, UNKNOWN = 2053, 2085


def fill(ends: Ends) -> None:
    """Let the destination take no message more."""
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(0)")


@pytest.mark.conformance("RPT-17", "RPT-18", "RPT-19", "RPT-01", "RPT-14", "RPT-15")
@pytest.mark.parametrize(
    ("report", "is_reported", "is_dead"),
    [
        (0, False, True),
        (c.MQRO_COD, False, True),
        (c.MQRO_EXCEPTION, True, True),
        (c.MQRO_COD | c.MQRO_EXCEPTION, True, True),
        (c.MQRO_EXCEPTION | c.MQRO_DISCARD_MSG, True, False),
        (c.MQRO_DISCARD_MSG, False, False),
    ],
)
def test_the_report_options_decide_what_becomes_of_a_message(
    ends: Ends, report: int, is_reported: bool, is_dead: bool
) -> None:
    fill(ends)
    md = ends.one.put("for a full queue", report=report, reply_to_q="REPLIES")
    ends.drain()
    ends.drain_back()
    assert ends.one.depth("QM2") == 0
    dead = ends.two.got("DLQ")
    assert len(dead) == is_dead
    if is_dead:
        header = read_dlh(dead[0].message.md, dead[0].message.data)
        assert (header.reason, header.dest_q_name, header.dest_q_mgr_name) == (Q_FULL, "ORDERS", "QM2")
        restored, data = strip_dlh(dead[0].message.md, dead[0].message.data)
        assert data == b"for a full queue"
        kept = ("msg_id", "correl_id", "report", "persistence", "expiry", "format", "reply_to_q", "put_appl_name")
        assert [getattr(restored, name) for name in kept] == [getattr(md, name) for name in kept]
    reports = ends.one.got("REPLIES")
    assert len(reports) == is_reported
    if is_reported:
        about = reports[0].message.md
        assert (about.feedback, about.correl_id, about.msg_type) == (Q_FULL, md.msg_id, 4)


@pytest.mark.conformance("BEY-91", "TYPES-14")
def test_an_unknown_queue_leads_to_the_dead_letter_queue_and_an_exception_report(ends: Ends) -> None:
    ends.two.mqsc("DELETE QLOCAL(ORDERS)")
    ends.one.put("nowhere", report=c.MQRO_EXCEPTION_WITH_DATA, reply_to_q="REPLIES")
    ends.one.put("nowhere too")
    ends.drain()
    ends.drain_back()
    assert [read_dlh(dead.message.md, dead.message.data).reason for dead in ends.two.got("DLQ")] == [UNKNOWN, UNKNOWN]
    (report,) = ends.one.got("REPLIES")
    assert (report.message.md.feedback, report.message.data) == (UNKNOWN, b"nowhere")
    assert (report.message.md.put_appl_type, report.message.md.put_appl_name) == (c.MQAT_DQM, CHANNEL)


def test_what_follows_an_undeliverable_message_goes_on(ends: Ends) -> None:
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(2)")
    for number in range(4):
        ends.one.put(f"order {number}")
    ends.drain()
    assert ends.two.data() == [b"order 0", b"order 1"]
    assert ends.two.depth("DLQ") == 2
    assert ends.two.status().messages == 4


def test_a_message_goes_back_to_its_sender_whole(ends: Ends) -> None:
    fill(ends)
    ends.one.put("all of it " * 50, report=c.MQRO_EXCEPTION_WITH_FULL_DATA | c.MQRO_DISCARD_MSG, reply_to_q="REPLIES")
    ends.drain()
    ends.drain_back()
    assert ends.one.data("REPLIES") == [b"all of it " * 50]
    assert ends.two.depth("DLQ") == 0


@pytest.mark.conformance("BEY-68")
@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("ALTER QMGR DEADQ(' ')", "queue manager QM2 has no dead-letter queue"),
        ("ALTER QMGR DEADQ('NOWHERE')", "NOWHERE: queue NOWHERE does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)"),
        ("ALTER QLOCAL(DLQ) PUT(DISABLED)", "DLQ: puts are inhibited on queue DLQ (MQRC_PUT_INHIBITED 2051)"),
        (f"ALTER CHANNEL({CHANNEL}) USEDLQ(NO)", f"channel {CHANNEL} uses no dead-letter queue, USEDLQ(NO)"),
    ],
    ids=["none", "unknown", "one that refuses", "not to be used"],
)
def test_without_a_usable_dead_letter_queue_the_batch_is_backed_out_and_the_channel_ends(
    ends: Ends, command: str, why: str
) -> None:
    fill(ends)
    ends.two.mqsc(command)
    ends.one.put("first", report=c.MQRO_EXCEPTION, reply_to_q="REPLIES")
    ends.one.put("second")
    with fails(2283) as refused:
        ends.drain()
    assert refused.value.text.endswith(f"(MQRC_Q_FULL 2053), nor dead-lettered at QM2: {why}")
    assert (ends.one.depth("QM2"), ends.two.depth(), ends.two.depth("DLQ"), ends.two.depth("QM1")) == (2, 0, 0, 0)
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(10)")
    ends.drain()
    assert ends.two.data() == [b"first", b"second"]


def test_a_batch_with_one_message_that_cannot_be_delivered_is_backed_out_whole(ends: Ends) -> None:
    ends.two.mqsc("ALTER QMGR DEADQ(' ')", "ALTER QLOCAL(ORDERS) MAXDEPTH(1)")
    ends.one.put("first")
    ends.one.put("second")
    with fails(2283):
        ends.drain()
    assert (ends.two.data(), ends.one.depth("QM2")) == ([], 2)
    assert (ends.one.status().sequence, ends.two.status().sequence) == (0, 0)


def test_a_fast_message_is_not_waited_for_where_it_cannot_be_delivered(ends: Ends) -> None:
    ends.two.mqsc("ALTER QMGR DEADQ(' ')")
    fill(ends)
    ends.one.put("lost", persistence=0)
    ends.one.put("lost too", persistence=0)
    ends.drain()
    assert (ends.one.depth("QM2"), ends.two.depth()) == (0, 0)
    assert ends.notes[0] == (
        f"channel {CHANNEL}: 2 nonpersistent messages lost: queue ORDERS (MQRC_Q_FULL 2053), "
        "dead-letter queue: queue manager QM2 has no dead-letter queue"
    )


@pytest.mark.parametrize("report", [0, c.MQRO_DISCARD_MSG])
def test_a_fast_message_that_goes_where_it_should_is_not_said_to_be_lost(ends: Ends, report: int) -> None:
    fill(ends)
    ends.one.put("dead", persistence=0, report=report)
    ends.drain()
    assert ends.notes == []


def test_a_put_is_tried_again_as_the_receiver_says(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """MRRTY and MRTMR count where the ends are processes of their own; in one process nothing is tried again."""
    pauses, pause = [], ChannelSession.pause

    def pause_and_make_room(session: ChannelSession, timeout_s: float) -> bool:
        pauses.append(timeout_s)
        if len(pauses) == 2:
            with ends.two.connect_apart() as other:
                run_mqsc(other, "ALTER QLOCAL(ORDERS) MAXDEPTH(10)")
        return pause(session, timeout_s)

    monkeypatch.setattr(ChannelSession, "pause", pause_and_make_room)
    assert {2051, 2053, 2192} == RETRIED
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MRRTY(100) MRTMR(20)")
    fill(ends)
    ends.one.put("patient")
    ours, theirs = socket.socketpair()
    ends.send_over(Link(SocketStream(ours), PATIENCE_S), theirs, retries=True)
    assert pauses == [0.02, 0.02]
    assert ends.two.data() == [b"patient"]
    assert ends.two.depth("DLQ") == 0


def test_a_put_is_not_tried_again_in_one_process(ends: Ends) -> None:
    fill(ends)
    ends.one.put("not patient")
    ends.drain()
    assert ends.two.depth("DLQ") == 1


@pytest.mark.conformance("RSEG-23")
def test_arrival_is_reported_where_the_message_arrives(ends: Ends) -> None:
    ends.one.put("report to me", report=c.MQRO_COA, reply_to_q="REPLIES")
    assert ends.one.depth("REPLIES") == 0
    ends.drain()
    ends.drain_back()
    (report,) = ends.one.got("REPLIES")
    assert (report.message.md.feedback, report.message.md.put_appl_name) == (259, "QM2")
