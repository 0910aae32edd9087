"""``mqx report-gen``: which originals, what goes where, what it says, how it ends."""

from __future__ import annotations

import json
import os

import pytest

pytestmark = pytest.mark.usefixtures("qm")

Q, ANSWERS, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"


@pytest.fixture
def ask(mqx):
    """Put a request that asks for reports; give its id."""

    def put(data="hello", *options, report="pan,nan"):
        words = ["--type", "request", "--reply-to", ANSWERS, "--report", report, *options]
        return mqx("put", Q, data, *words, "--print-id", check=True).out.decode().strip()

    return put


@pytest.fixture
def on(mqx):
    def browse(queue):
        done = mqx("browse", queue, "-o", "jsonl")
        return done.rows

    return browse


@pytest.mark.conformance("RPT-06", "RPT-07", "RPT-29", "RPT-30")
@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("pan", "MQFB_PAN"),
        ("nan", "MQFB_NAN"),
        ("coa", "MQFB_COA"),
        ("COD", "MQFB_COD"),
        ("expiration", "MQFB_EXPIRATION"),
        ("MQRC_Q_FULL", "MQRC_Q_FULL"),
        ("2053", "MQRC_Q_FULL"),
        ("MQFB_PAN", "MQFB_PAN"),
        ("65600", 65600),
    ],
)
def test_feedback_is_a_word_a_name_or_a_number(mqx, ask, on, word, name):
    msg_id = ask()
    done = mqx("report-gen", Q, "--feedback", word, check=True)
    assert done.out == b""
    [report] = on(ANSWERS)
    assert (report["md"]["feedback"], report["md"]["msg_type"]) == (name, "MQMT_REPORT")
    assert report["md"]["correl_id"] == msg_id


def test_jsonl_has_one_object_a_report(mqx, ask, on):
    ids = [ask("one"), ask("two")]
    done = mqx("report-gen", Q, "--feedback", "pan", "-o", "jsonl", check=True)
    reports = on(ANSWERS)
    assert done.rows == [
        {
            "original": msg_id,
            "msg_id": report["md"]["msg_id"],
            "correl_id": msg_id,
            "to": ANSWERS,
            "to_q_mgr": "QM1",
            "feedback": "MQFB_PAN",
            "msg_type": "MQMT_REPORT",
        }
        for msg_id, report in zip(ids, reports, strict=True)
    ]


def test_selection_and_number_choose_the_originals(mqx, ask):
    first, second, third = ask("a"), ask("b"), ask("c")

    def originals(*words):
        done = mqx("report-gen", Q, "--feedback", "pan", "-o", "jsonl", *words, check=True)
        return [row["original"] for row in done.rows]

    assert originals("--msg-id", second) == [second]
    assert originals("--grep", "c") == [third]
    assert originals("--pos", "2..3") == [second, third]
    assert originals("-n", "2") == [first, second]


def test_nothing_there_is_status_3(mqx):
    done = mqx("report-gen", Q, "--feedback", "pan")
    assert (done.status, done.out, done.err) == (3, b"", "0 reports put\n")
    done = mqx("report-gen", Q, "--feedback", "pan", "--dry-run")
    assert (done.status, done.out, done.err) == (3, b"", "0 reports would be put\n")


@pytest.mark.parametrize("output", ["jsonl", None])
def test_dry_run_shows_and_changes_nothing(mqx, ask, on, output):
    msg_id = ask(report="pan,pass-correl-id")
    words = ["-o", output] if output else []
    done = mqx("report-gen", Q, "--feedback", "pan", "--data", "four", "--consume", "--dry-run", *words, check=True)
    if output:
        [row] = done.rows
        assert (row["original"], row["msg_id"], row["to"], row["data_length"]) == (msg_id, None, ANSWERS, 4)
        message = row["message"]
        assert (message["queue"], message["data"], message["md"]["feedback"]) == (ANSWERS, "four", "MQFB_PAN")
    else:
        assert done.out.decode().split("\t")[0] == msg_id
    assert "1 report would be put" in done.err
    assert (len(on(Q)), len(on(ANSWERS))) == (1, 0)


def test_a_report_needs_feedback(mqx, ask):
    ask()
    assert mqx("report-gen", Q).status == 2
    assert mqx("report-gen", Q, "--feedback", "nonsense").status == 2


def test_feedback_none_is_an_error_of_mq(mqx, ask):
    ask()
    for word in ("MQFB_NONE", "0"):
        mqx("report-gen", Q, "--feedback", word).ended(1, "MQRC_FEEDBACK_ERROR 2014")


def test_an_unasked_report_is_made_with_a_warning(mqx, ask, on):
    ask(report="pan")
    done = mqx("report-gen", Q, "--feedback", "coa", check=True)
    assert "warning" in done.err
    assert len(on(ANSWERS)) == 1
    assert "warning" not in mqx("report-gen", Q, "--feedback", "pan", check=True).err


def test_data_from_the_line_or_a_file(mqx, ask, on, tmp_path):
    ask()
    (tmp_path / "answer").write_bytes(b"\xff\0")
    mqx("report-gen", Q, "--feedback", "nan", "--data", "bad número", check=True)
    mqx("report-gen", Q, "--action", "reply", "--file", str(tmp_path / "answer"), check=True)
    mqx("report-gen", Q, "--action", "reply", "--file", "-", stdin=b"piped", check=True)
    found = [(m["md"]["msg_type"], m["md"]["format"], m.get("data") or m["data_b64"]) for m in on(ANSWERS)]
    assert found == [
        ("MQMT_REPORT", "MQSTR", "bad número"),
        ("MQMT_REPLY", "", "/wA="),
        ("MQMT_REPLY", "MQSTR", "piped"),
    ]


def test_properties_are_set(mqx, ask, on):
    ask()
    mqx("report-gen", Q, "--action", "reply", "--property", "size:int32=7", check=True)
    assert on(ANSWERS)[0]["properties"] == {"size": {"type": "int32", "value": 7}}


@pytest.mark.conformance("TYPES-16")
def test_forward_and_reply_bring_the_answer_to_the_requester(mqx, ask, on):
    msg_id = ask("question", report="none")
    mqx("report-gen", Q, "--action", "forward", "--to", OTHER, "--consume", check=True)
    [forwarded] = on(OTHER)
    assert (forwarded["md"]["msg_id"], forwarded["md"]["msg_type"], forwarded["data"]) == (
        msg_id,
        "MQMT_REQUEST",
        "question",
    )
    mqx("report-gen", OTHER, "--action", "reply", "--data", "answer", "--consume", check=True)
    [reply] = on(ANSWERS)
    assert (reply["md"]["correl_id"], reply["md"]["msg_type"], reply["data"]) == (msg_id, "MQMT_REPLY", "answer")


def test_no_reply_to_queue_is_the_reason_of_mq_with_a_hint(mqx):
    mqx("put", Q, "datagram", check=True)
    mqx("report-gen", Q, "--feedback", "pan").ended(1, "MQRC_MISSING_REPLY_TO_Q 2027", "hint: name a target with --to")


def test_some_made_and_some_failed_is_status_9_with_the_balance(mqx, ask, on):
    mqx("put", Q, "datagram", check=True)
    ask()
    mqx("report-gen", Q, "--feedback", "pan", "--consume").ended(9, "1 report put, 1 failed")
    assert [message["data"] for message in on(Q)] == ["datagram"]


def test_envelopes_from_stdin_are_originals_too(mqx, ask, on):
    ids = [ask("one"), ask("two")]
    envelopes = mqx("browse", Q, "-o", "jsonl", check=True).out
    done = mqx("report-gen", "-", "--feedback", "pan", "-o", "jsonl", stdin=envelopes, check=True)
    assert [row["original"] for row in done.rows] == ids
    assert [report["md"]["correl_id"] for report in on(ANSWERS)] == ids
    assert len(mqx("report-gen", "-", "--feedback", "pan", "-n", "1", "-o", "jsonl", stdin=envelopes).rows) == 1
    assert mqx("report-gen", "-", "--feedback", "pan", stdin=b"").status == 3


@pytest.mark.parametrize("form", [["unload", Q], ["browse", Q, "-o", "listing"]], ids=["dump", "listing"])
def test_originals_come_from_dumps_and_listings_as_well(mqx, ask, on, form):
    ids = [ask("one"), ask("two")]
    written = mqx(*form, check=True).out
    mqx("report-gen", "-", "--feedback", "pan", stdin=written, check=True)
    assert [report["md"]["correl_id"] for report in on(ANSWERS)] == ids


def test_every_bad_envelope_is_said_with_its_place_and_the_others_are_dealt_with(mqx, ask, on):
    ask()
    envelope = mqx("browse", Q, "-o", "jsonl", check=True).out
    bad = b'{"md": {"msg_type": "NONSENSE"}}\n'
    done = mqx("report-gen", "-", "--feedback", "pan", stdin=b'{"md":}\n' + envelope + b"\xff\n" + bad).ended(9)
    assert [line.split(" ")[0] for line in done.err.splitlines()[:3]] == [
        "<stdin>:1:7:",
        "<stdin>:3:1:",
        "<stdin>:4:9:",
    ]
    assert len(on(ANSWERS)) == 1
    assert mqx("report-gen", "-", "--feedback", "pan", stdin=bad).status == 2


def test_locked_messages_by_their_lock_id(mqx, ask):
    msg_id = ask()
    locked = json.loads(mqx("lock", Q, "-o", "jsonl", check=True).out.splitlines()[0])
    assert mqx("report-gen", Q, "--feedback", "pan").status == 3
    done = mqx(
        "report-gen", Q, "--feedback", "pan", "--lock-id", locked["lock_id"], "--consume", "-o", "jsonl", check=True
    )
    assert [row["original"] for row in done.rows] == [msg_id]
    assert mqx("report-gen", Q, "--feedback", "pan", "--lock-id", locked["lock_id"]).status == 6


@pytest.mark.parametrize(
    "words",
    [
        (Q, "--action", "forward"),
        (Q, "--feedback", "pan", "--to", "@QM1"),
        (Q, "--feedback", "pan", "--data", "x", "--file", "y"),
        ("-", "--feedback", "pan", "--consume"),
        ("-", "--feedback", "pan", "--grep", "x"),
        ("-", "--feedback", "pan", "--lock-id", "0011223344556677"),
        ("-", "--feedback", "pan", "--file", "-"),
        (Q, "--feedback", "pan", "-o", "raw"),
        (Q, "--feedback", "pan", "--property", "novalue"),
    ],
)
def test_words_that_make_no_sense_together_are_refused(mqx, ask, on, words):
    ask()
    done = mqx("report-gen", *words)
    assert done.status in (1, 2)
    assert done.err.startswith("mqx: report-gen: ")
    assert (len(on(Q)), len(on(ANSWERS))) == (1, 0)


@pytest.mark.conformance("RSEG-15")
def test_a_version_1_descriptor_has_an_mqmde_with_the_place_of_a_segment(mqx, ask, on):
    ask("aaaabb", "--segment", "4")
    words = ("report-gen", Q, "--feedback", "nan", "--md-version", "1")
    first, second = (row["message"] for row in mqx(*words, "--dry-run", "-o", "jsonl", check=True).rows)
    for message, offset in ((first, 0), (second, 4)):
        assert (message["md"]["version"], message["md"]["format"]) == (1, "MQHMDE")
        assert (message["headers"][0]["struc_id"], message["headers"][0]["offset"]) == ("MDE", offset)
    mqx(*words, check=True)
    assert [report["md"]["offset"] for report in on(ANSWERS)] == [0, 4]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_rows_that_found_no_room_are_of_reports_that_were_put(mqx, start, bodies, output):
    mqx("put", Q, "x", "y", check=True)
    words = ("--action", "forward", "--to", OTHER, "-o", output)
    with open("/dev/full", "wb", buffering=0) as full_disk:
        process = start("report-gen", Q, *words, stdout=full_disk)
        assert process.wait(60) == 10
    assert process.stderr.read().startswith(b"2 messages put\n")
    assert bodies(OTHER) == [b"x", b"y"]
