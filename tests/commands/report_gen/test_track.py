"""``mqx report-gen --track``: what has become of an original, in every format, and its orphans taken away."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.usefixtures("qm")

Q, REPORTS, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"
ID = "0102030405060708090A0B0C0D0E0F101112131415161718"


@pytest.fixture
def sent(mqx):
    """Put a message of three segments that asks for reports; give its id."""

    def put(report="cod,exception", data=b"aaaabbbbcc"):
        words = ("--segment", "4", "--report", report, "--reply-to", REPORTS, "--print-id")
        return mqx("put", Q, *words, stdin=data, check=True).out.decode().strip()

    return put


@pytest.fixture
def failed(mqx, sent, browse):
    """A message whose second segment could not be worked with; its id, and the ids of its segments."""
    msg_id = sent()
    segments = [message["md"]["msg_id"] for message in browse(Q)]
    mqx("report-gen", Q, "--msg-id", segments[1], "--feedback", "MQRC_FORMAT_ERROR", "--consume", check=True)
    return msg_id, segments


@pytest.mark.conformance("RSEG-27")
def test_delivered_is_status_0(mqx, sent):
    msg_id = sent()
    mqx("get", Q, "--complete", check=True)
    done = mqx("report-gen", Q, "--track", msg_id, "--reports", REPORTS)
    assert (done.status, done.err) == (0, "delivered: 1 part, 1 delivered\n")
    assert done.out == b"1\t1\t0\t10\tdelivered\tMQFB_COD\t\tfalse\t1\t\n"


@pytest.mark.conformance("RSEG-27")
def test_pending_is_status_3(mqx, sent):
    msg_id = sent("coa,cod")
    mqx("get", Q, check=True)
    done = mqx("report-gen", Q, "--track", msg_id, "--reports", REPORTS)
    assert (done.status, done.err) == (3, "pending: 3 parts, 1 delivered, 2 arrived\n")


@pytest.mark.conformance("RSEG-27")
def test_failed_is_status_9_and_names_reason_and_orphans(mqx, failed, browse):
    msg_id, segments = failed
    done = mqx("report-gen", Q, "--track", msg_id, "-o", "jsonl").ended(9)
    [picture] = done.rows
    parts = picture.pop("parts")
    assert picture == {
        "id": msg_id,
        "is_group": False,
        "group_id": browse(REPORTS)[0]["md"]["group_id"],
        "queue": Q,
        "reports_queue": REPORTS,
        "outcome": "failed",
        "orphans": [segments[0], segments[2]],
    }
    assert [(part["offset"], part["length"], part["outcome"], part["reason"]) for part in parts] == [
        (0, 4, "silent", None),
        (4, 4, "failed", "MQRC_FORMAT_ERROR"),
        (8, 2, "silent", None),
    ]
    assert [(part["state"], part["orphan"], part["msg_id"]) for part in parts] == [
        ("unlocked", True, segments[0]),
        (None, False, None),
        ("unlocked", True, segments[2]),
    ]
    assert "failed: 3 parts, 2 silent, 1 failed (MQRC_FORMAT_ERROR), 2 orphans" in done.err
    assert "hint: --consume" in done.err


@pytest.mark.parametrize("output", ["table", "plain", "csv", "json"])
def test_every_format(mqx, failed, output):
    done = mqx("report-gen", Q, "--track", failed[0], "-o", output, "-q")
    assert (done.status, done.err) == (9, "")
    if output == "json":
        assert [picture["outcome"] for picture in json.loads(done.out)] == ["failed"]
        return
    lines = done.out.decode().splitlines()
    assert len(lines) == (3 if output == "plain" else 4)
    assert output == "plain" or lines[0].lower().startswith("msg_seq_number")
    assert "MQRC_FORMAT_ERROR" in lines[-2]


@pytest.mark.conformance("RSEG-28")
def test_consume_takes_the_orphans_off_and_a_dry_run_does_not(mqx, failed, bodies):
    mqx("put", Q, "another", check=True)
    words = ("report-gen", Q, "--track", failed[0], "--reports", REPORTS, "--consume")
    trial = mqx(*words, "--dry-run")
    assert (trial.status, trial.err, len(bodies(Q))) == (0, "2 orphan segments would be removed\n", 3)
    done = mqx(*words)
    assert (done.status, done.err, done.out, bodies(Q)) == (0, "2 orphan segments removed\n", trial.out, [b"another"])
    again = mqx(*words)
    assert (again.status, again.out, again.err) == (3, b"", "0 orphan segments removed\n")


def test_a_queue_manager_that_has_ended_tells_it_too(mqx, failed):
    words = ("report-gen", Q, "--track", failed[0], "--reports", REPORTS)
    shown, trial = mqx(*words), mqx(*words, "--consume", "--dry-run")
    assert (shown.status, trial.status) == (9, 0)
    mqx("qmgr", "end", check=True)
    assert (mqx(*words), mqx(*words, "--consume", "--dry-run")) == (shown, trial)


def test_an_original_that_nobody_has_heard_of(mqx):
    done = mqx("report-gen", Q, "--track", ID, "--reports", REPORTS)
    assert (done.status, done.out, done.err) == (3, b"", f"unknown original: {ID}\n")


def test_the_queue_of_the_reports_is_needed_when_no_original_tells_it(mqx):
    done = mqx("report-gen", Q, "--track", ID)
    assert (done.status, done.out) == (1, b"")
    assert "MQRC_MISSING_REPLY_TO_Q" in done.err
    assert "hint: name their queue with --reports QUEUE" in done.err
    assert mqx("report-gen", Q, "--track", ID, "--reports", "NOWHERE").status == 5
    assert mqx("report-gen", "NOWHERE", "--track", ID, "--reports", REPORTS).status == 5


@pytest.mark.parametrize(
    "words",
    [
        (Q, "--track", ID, "--feedback", "pan"),
        (Q, "--track", ID, "--action", "reply"),
        (Q, "--track", ID, "--msg-id", ID),
        (Q, "--track", ID, "-n", "1"),
        (Q, "--track", ID, "--to", OTHER),
        (Q, "--track", ID, "--data", ""),
        (Q, "--track", ID, "--md-version", "1"),
        (Q, "--track", ID, "--reports", ""),
        (Q, "--track", ID, "-o", "raw"),
        (Q, "--track", "xyz"),
        (Q, "--track", ""),
        ("-", "--track", ID),
        (Q, "--reports", REPORTS, "--feedback", "pan"),
    ],
)
def test_words_that_make_no_sense(mqx, words):
    done = mqx("report-gen", *words)
    assert (done.status, done.out) == (2, b"")
