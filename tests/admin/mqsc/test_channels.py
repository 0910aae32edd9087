"""MQSC on channels: definitions, status, STOP, RESET and RESOLVE."""

from __future__ import annotations

import pytest

from mqtools.admin import channel_status, channels
from mqtools.admin.mqsc.report import CommandReport
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.channel.session import ChannelSession
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED

from ...channel.in_doubt import leave_in_doubt
from ...mqi.conftest import QM

SENDER = "DEFINE CHANNEL(A.TO.B) CHLTYPE(SDR) XMITQ(B) CONNAME('b(1414)')"


def run(qm: QM, *commands: str) -> list[CommandReport]:
    return run_mqsc(qm.main, "\n".join(commands)).commands


def shown(qm: QM, command: str) -> dict[str, str | None]:
    (report,) = run(qm, command)
    assert report.outcome == "ok", report.messages
    return report.objects[0].attributes


def test_a_channel_is_defined_with_the_defaults_of_mq_and_shown(qm: QM) -> None:
    (defined,) = run(qm, SENDER)
    assert defined.messages == ["AMQ8014I: mqx channel created."]
    values = shown(qm, "DISPLAY CHANNEL(A.TO.B)")
    expected = {
        "CHLTYPE": "SDR",
        "XMITQ": "B",
        "CONNAME": "b(1414)",
        "BATCHSZ": "50",
        "MAXMSGL": "4194304",
        "NPMSPEED": "FAST",
        "HBINT": "300",
        "SHORTRTY": "10",
        "SHORTTMR": "60",
        "LONGRTY": "999999999",
        "LONGTMR": "1200",
        "MSGEXIT": "",
    }
    assert {keyword: values[keyword] for keyword in expected} == expected
    assert "MRRTY" not in values


@pytest.mark.parametrize("channel_type", ["SDR", "SVR", "RCVR", "RQSTR"])
def test_every_type_can_be_defined_altered_and_deleted(qm: QM, channel_type: str) -> None:
    xmit_q = "XMITQ(B)" if channel_type in ("SDR", "SVR") else ""
    reports = run(
        qm,
        f"DEFINE CHANNEL(C) CHLTYPE({channel_type}) {xmit_q} MSGEXIT('REFERENCE') MSGDATA('/a')",
        f"ALTER CHANNEL(C) CHLTYPE({channel_type}) BATCHSZ(7)",
        "DISPLAY CHANNEL(C) BATCHSZ MSGDATA",
        "DELETE CHANNEL(C)",
        "DISPLAY CHANNEL(C)",
    )
    assert [report.outcome for report in reports] == ["ok", "ok", "ok", "ok", "failed"]
    assert reports[2].objects[0].attributes == {
        "CHANNEL": "C",
        "CHLTYPE": channel_type,
        "BATCHSZ": "7",
        "MSGDATA": "/a",
    }
    assert "not found" in reports[4].messages[0]


def test_a_receiver_has_the_retries_of_messages(qm: QM) -> None:
    run(qm, "DEFINE CHANNEL(C) CHLTYPE(RCVR)")
    values = shown(qm, "DIS CHL(C)")
    assert (values["MRRTY"], values["MRTMR"]) == ("10", "1000")
    assert "XMITQ" not in values


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("DEFINE CHANNEL(C)", "needs CHLTYPE"),
        ("DEFINE CHANNEL(C) CHLTYPE(CLUSSDR)", "mqx does not have CHLTYPE(CLUSSDR)"),
        ("DEFINE CHANNEL(C) CHLTYPE(SENDER)", "CHLTYPE must be one of"),
        ("DEFINE CHANNEL(C) CHLTYPE(RCVR) XMITQ(B)", "XMITQ is not an attribute of RCVR"),
        ("DEFINE CHANNEL(C) CHLTYPE(RCVR) BATCHSZ(0)", "BATCHSZ must be 1 to 9999"),
        ("RESOLVE CHANNEL(C)", "needs ACTION"),
        ("RESET CHANNEL(C) SEQNUM(0)", "SEQNUM must be"),
    ],
)
def test_what_makes_no_channel_is_a_mistake(qm: QM, command: str, words: str) -> None:
    (report,) = run(qm, command)
    assert report.outcome == "syntax"
    assert words in report.mistakes[0].text


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("DEFINE CHANNEL(C) CHLTYPE(SDR)", 2539),
        ("DEFINE CHANNEL(A.NAME.THAT.IS.TOO.LONG) CHLTYPE(RCVR)", 2152),
        ("DEFINE CHANNEL(A.TO.B) CHLTYPE(SDR) XMITQ(B)", 2100),
        ("ALTER CHANNEL(A.TO.B) CHLTYPE(RCVR) BATCHSZ(3)", 2043),
        ("ALTER CHANNEL(NONE) BATCHSZ(3)", 2540),
        ("DELETE CHANNEL(NONE)", 2540),
        ("STOP CHANNEL(NONE)", 2540),
        ("RESOLVE CHANNEL(A.TO.B) ACTION(COMMIT)", 2033),
    ],
)
def test_what_cannot_be_done_fails_with_its_reason(qm: QM, command: str, reason: int) -> None:
    run(qm, SENDER)
    (report,) = run(qm, command)
    assert (report.outcome, report.reason) == ("failed", reason)


def test_one_channel_is_defined_like_another_and_replaced(qm: QM) -> None:
    run(qm, SENDER, "ALTER CHANNEL(A.TO.B) BATCHSZ(9)", "DEFINE CHANNEL(D) CHLTYPE(SDR) LIKE(A.TO.B) DESCR('copy')")
    values = shown(qm, "DISPLAY CHANNEL(D)")
    assert (values["CHANNEL"], values["BATCHSZ"], values["CONNAME"]) == ("D", "9", "b(1414)")
    (replaced,) = run(qm, "DEFINE CHANNEL(D) CHLTYPE(SDR) XMITQ(C) REPLACE")
    assert replaced.outcome == "ok"
    assert shown(qm, "DISPLAY CHANNEL(D)")["BATCHSZ"] == "50"


def test_channels_are_displayed_by_pattern_type_and_filter(qm: QM) -> None:
    run(qm, SENDER, "DEFINE CHANNEL(B.TO.A) CHLTYPE(RCVR)", "DEFINE CHANNEL(X) CHLTYPE(RCVR) BATCHSZ(5)")

    def names(command: str) -> list[str]:
        found = [str(item.attributes["CHANNEL"]) for item in run(qm, command)[0].objects]
        return [name for name in found if not name.startswith("SYSTEM.DEF.")]

    assert names("DISPLAY CHANNEL(*)") == ["A.TO.B", "B.TO.A", "X"]
    assert names("DISPLAY CHANNEL(*.TO.*)") == ["A.TO.B", "B.TO.A"]
    assert names("DISPLAY CHANNEL(*) CHLTYPE(RCVR)") == ["B.TO.A", "X"]
    assert names("DISPLAY CHANNEL(*) WHERE(BATCHSZ LT 50)") == ["X"]


def test_a_channel_that_has_run_is_inactive_stopped_or_in_doubt_and_one_that_has_not_has_no_status(qm: QM) -> None:
    run(qm, SENDER)
    (report,) = run(qm, "DIS CHS(A.TO.B)")
    assert report.messages == ["AMQ8420I: Channel Status not found."]
    run(qm, "STOP CHANNEL(A.TO.B)")
    assert shown(qm, "DIS CHS(A.TO.B)")["STATUS"] == "STOPPED"
    with qm.main.work() as work:
        channels.start_channel(work, "A.TO.B")
    gone = qm.connect()
    session = ChannelSession(gone, "A.TO.B")
    session.begin()
    session.note("running", "QM2")
    assert gone.presence is not None
    gone.presence.close()
    assert shown(qm, "DIS CHS(A.TO.B)")["STATUS"] == "INACTIVE"
    leave_in_doubt(qm.main, "A.TO.B", sequence=3)
    values = shown(qm, "DIS CHS(A.TO.B)")
    assert (values["STATUS"], values["INDOUBT"], values["INDSEQNO"]) == ("INDOUBT", "YES", "3")


def test_a_start_does_not_undo_a_stop_that_is_being_carried_out(qm: QM) -> None:
    run(qm, SENDER)
    session = ChannelSession(qm.connect(), "A.TO.B")
    session.begin()
    run(qm, "STOP CHANNEL(A.TO.B)")
    (report,) = run(qm, "START CHANNEL(A.TO.B)")
    assert report.messages[1] == "mqx: channel A.TO.B is stopping (MQRC_OBJECT_IN_USE 2042)"
    assert session.is_stopped
    with session:
        pass
    run(qm, "START CHANNEL(A.TO.B)")
    assert not session.is_stopped


def test_no_status_of_a_channel_that_is_not_there(qm: QM) -> None:
    (report,) = run(qm, "DIS CHS(X*)")
    assert report.messages == ["AMQ8420I: Channel Status not found."]


@pytest.mark.parametrize(
    ("action", "left", "sequence"), [("COMMIT", [], 3), ("BACKOUT", [b"in doubt"], 0)], ids=["commit", "backout"]
)
def test_a_batch_in_doubt_is_resolved_by_hand(qm: QM, action: str, left: list[bytes], sequence: int) -> None:
    run(qm, SENDER, "DEFINE QLOCAL(B) USAGE(XMITQ)")
    qm.put("in doubt", "B")
    with qm.open("B", MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_SYNCPOINT)
        leave_in_doubt(qm.main, "A.TO.B", sequence=3)
    assert qm.got("B") == []
    (refused,) = run(qm, "DELETE CHANNEL(A.TO.B)")
    assert refused.reason == 2042
    (refused,) = run(qm, "RESET CHANNEL(A.TO.B) SEQNUM(1)")
    assert refused.reason == 2042
    (resolved,) = run(qm, f"RESOLVE CHANNEL(A.TO.B) ACTION({action})")
    assert resolved.messages == ["AMQ8025I: mqx channel resolved."]
    assert [result.message.data for result in qm.got("B")] == left
    (status,) = channel_status.statuses(qm.main.db, "A.TO.B")
    assert (status.sequence, status.indoubt_sequence, status.state) == (sequence, None, "inactive")
    assert qm.depth("B") == 0


def test_a_reset_sets_the_number_of_the_next_message(qm: QM) -> None:
    run(qm, SENDER, "RESET CHANNEL(A.TO.B) SEQNUM(100)")
    assert shown(qm, "DIS CHS(A.TO.B)")["CURSEQNO"] == "99"
