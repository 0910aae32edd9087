"""``mqx dlq-handle --summary`` and ``--redrive``: what is said, written and returned."""

from __future__ import annotations

import json

import pytest

from mqtools.constants.reasons import MQRC_PUT_INHIBITED, MQRC_UNKNOWN_OBJECT_NAME

from ..burial import DLQ, OTHER, TO, bury

pytestmark = pytest.mark.usefixtures("qm")


# --summary


def test_summary_groups_by_reason_and_says_what_to_do(mqx):
    bury(b"12345")
    bury(b"1")
    bury(b"1", to="NOPE", reason=MQRC_UNKNOWN_OBJECT_NAME)
    mqx("put", DLQ, "plain", check=True)
    done = mqx("dlq-handle", "--summary", "-o", "jsonl")
    rows = done.rows
    assert done.status == 0
    assert [(row["reason"], row["count"], row["bytes"]) for row in rows] == [
        ("MQRC_Q_FULL", 2, 350),
        ("MQRC_UNKNOWN_OBJECT_NAME", 1, 173),
        (None, 1, 5),
    ]
    assert rows[0]["oldest"] <= rows[0]["newest"]
    assert "maximum depth" in rows[0]["meaning"]
    assert "redrive" in rows[0]["what_to_do"]
    assert rows[2]["meaning"] is None


def test_summary_for_people_has_ages_and_the_words_beside_it(mqx):
    bury()
    mqx("put", DLQ, "plain", check=True)
    done = mqx("dlq-handle", DLQ, "--summary", "-o", "table")
    heading, *rows = done.out.decode().splitlines()
    assert heading.lower().split() == ["reason", "count", "bytes", "oldest", "newest", "came_back"]
    assert [row.split()[0] for row in rows] == ["MQRC_Q_FULL", "(no"]
    assert "What to do: " in done.err
    assert mqx("dlq-handle", "--summary", "-q", "-o", "table").err == ""


def test_summary_by_several_fields_of_what_is_selected(mqx):
    bury(to=TO)
    bury(to=OTHER, reason=MQRC_PUT_INHIBITED)
    done = mqx("dlq-handle", "--summary", "--by", "destq, reason", "--reason", "MQRC_PUT_INHIBITED", "-o", "json")
    [row] = json.loads(done.out)
    assert list(row)[:3] == ["destq", "reason", "count"]
    assert (row["destq"], row["reason"], row["count"]) == (OTHER, "MQRC_PUT_INHIBITED", 1)


def test_summary_of_nothing_is_status_3(mqx):
    done = mqx("dlq-handle", "--summary", "-o", "json")
    assert (done.status, json.loads(done.out)) == (3, [])


def test_a_header_cannot_speak_to_the_terminal(mqx):
    bury(to="A\x1b[31mB")
    done = mqx("dlq-handle", "--summary", "--by", "destq", "-o", "table")
    assert b"\x1b" not in done.out
    done = mqx("dlq-handle", "--redrive")
    assert "\x1b" not in done.err


# --redrive


def test_redrive_says_what_goes_where_first_and_the_balance_last(mqx):
    bury(b"one")
    bury(b"two")
    done = mqx("dlq-handle", "--redrive")
    assert (done.status, done.out) == (0, b"")
    assert done.err.splitlines() == [f"to {TO}@QM1: 2 messages", "2 messages redriven, 0 left"]
    assert mqx("get", TO, "--all").out == b"one\ntwo\n"
    assert mqx("dlq-handle", "--redrive").status == 3


def test_redrive_leaves_what_fails_and_ends_with_9(mqx):
    bury(b"one")
    bury(b"two", to="NOPE", reason=MQRC_UNKNOWN_OBJECT_NAME)
    mqx("put", DLQ, "plain", check=True)
    done = mqx("dlq-handle", "--redrive", "-o", "json").ended(9)
    balance = done.totals
    assert (balance["redriven"], balance["gone"]) == (1, 0)
    assert balance["failed"] == [
        {"target": "NOPE", "target_q_mgr": "QM1", "fails": "MQRC_UNKNOWN_OBJECT_NAME", "count": 1}
    ]
    assert balance["left"] == {"no_dlh": 1, "loop": 0, "max_redrives": 0}
    assert mqx("qdepth", DLQ, "--count").out == b"2\n"


def test_the_rehearsal_of_a_redrive_is_what_the_redrive_does(mqx):
    ids = [bury(b"one"), bury(b"two", to="NOPE")]
    mqx("put", DLQ, "plain", check=True)
    done = mqx("dlq-handle", "--redrive", "--dry-run", "-o", "jsonl").ended(9)
    assert [(row["msg_id"], row["action"], row["line"], row["target"], row["fails"]) for row in done.rows] == [
        (ids[0], "RETRY", None, TO, None),
        (ids[1], "RETRY", None, "NOPE", "MQRC_UNKNOWN_OBJECT_NAME"),
    ]
    assert mqx("qdepth", DLQ, "--count").out == b"3\n"
    assert mqx("dlq-handle", "--redrive").status == 9
    assert mqx("get", TO, "--all").out == b"one\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--by", "reason"],
        ["--to", TO],
        ["--max-redrives", "2"],
        ["--summary", "--redrive"],
        ["--summary", "--dry-run"],
        ["--summary", "--by", "colour"],
        ["--summary", "--by", ","],
        ["--redrive", "--once"],
        ["--redrive", "--explain"],
        ["--redrive", "--rules", "x"],
        ["--redrive", "--to", "@QM"],
        ["--redrive", "-o", "table"],
        ["--redrive", "--max-redrives", "0"],
    ],
    ids=" ".join,
)
def test_words_that_make_no_sense_are_refused_before_anything(mqx, words):
    bury()
    done = mqx("dlq-handle", *words)
    assert (done.status, done.out) == (2, b"")
    assert mqx("qdepth", DLQ, "--count").out == b"1\n"


def test_redrive_with_a_delay_puts_messages_for_later(mqx):
    bury(to=TO)
    mqx("dlq-handle", "--redrive", "--delay", "1s", check=True)
    assert mqx("get", TO).status == 3
    assert mqx("qdepth", TO, "--count", check=True).out == b"1\n"
    assert mqx("get", TO, "--wait", "10s").status == 0
    assert mqx("dlq-handle", "--delay", "1s").status == 2
