"""``mqx get``: what is got, how it is written, and what stays on the queue."""

from __future__ import annotations

import csv
import io
import json
import subprocess

import pytest

Q = "DEV.QUEUE.1"


@pytest.mark.parametrize(
    ("options", "expected", "left"),
    [
        pytest.param([], b"a", 2, id="one message, nothing added"),
        pytest.param(["-n", "2"], b"a\nb\n", 1, id="each ends with a newline"),
        pytest.param(["-n", "5"], b"a\nb\nc\n", 0, id="fewer than asked for is a success"),
        pytest.param(["--all"], b"a\nb\nc\n", 0, id="all"),
        pytest.param(["--all", "-0"], b"a\0b\0c\0", 0, id="each ends with NUL"),
        pytest.param(["--all", "--separator", ";"], b"a;b;c;", 0, id="each ends with a text"),
        pytest.param(["--all", "-o", "raw"], b"a\nb\nc\n", 0, id="raw by name"),
    ],
)
def test_raw_is_the_data_and_what_ends_each_of_several(abc, mqx, bodies, options, expected, left):
    assert mqx("get", Q, *options, check=True).out == expected
    assert len(bodies(Q)) == left


def test_a_shell_loop_over_get_sees_the_last_message(abc, environment, mqx_path):
    line = f'"{mqx_path}" get {Q} --all | while read -r line; do echo "[$line]"; done'
    done = subprocess.run(["/bin/sh", "-c", line], env=environment, capture_output=True, check=True)
    assert done.stdout == b"[a]\n[b]\n[c]\n"


def test_separators_cannot_be_combined(abc, mqx):
    assert mqx("get", Q, "--all", "-0", "--separator", ";").status == 2


def test_an_empty_queue_is_3_and_silent(qm, mqx):
    assert mqx("get", Q) == (3, b"", "")


@pytest.mark.parametrize(
    ("output", "expected"),
    [("raw", b""), ("json", b"[]\n"), ("jsonl", b""), ("plain", b""), ("hex", b""), ("listing", b"")],
)
def test_an_empty_queue_gives_an_empty_document(qm, mqx, output, expected):
    done = mqx("get", Q, "-o", output)
    assert (done.status, done.out, done.err) == (3, expected, "")


def test_a_loop_over_get_ends_by_itself(abc, environment, mqx_path):
    line = f'while "{mqx_path}" get {Q} > one; do cat one; echo; done; echo "ended"'
    done = subprocess.run(["sh", "-c", line], env=environment, cwd=environment["HOME"], capture_output=True, timeout=60)
    assert done.stdout == b"a\nb\nc\nended\n"


def test_json_is_one_array_and_jsonl_one_object_a_line(abc, mqx):
    (one,) = json.loads(mqx("get", Q, "-o", "json", check=True).out)
    assert (one["data"], one["queue"], one["state"]) == ("a", Q, "unlocked")
    lines = mqx("get", Q, "--all", "-o", "jsonl", check=True).out.splitlines()
    assert [json.loads(line)["data"] for line in lines] == ["b", "c"]


def test_plain_is_tab_separated_without_heading(abc, mqx):
    lines = mqx("get", Q, "--all", "-o", "plain", check=True).out.decode().splitlines()
    cells = [line.split("\t") for line in lines]
    assert [row[-1] for row in cells] == ["a", "b", "c"]
    assert all(len(row) == 7 and len(row[0]) == 48 for row in cells)


def test_csv_has_one_heading(abc, mqx):
    rows = list(csv.DictReader(io.StringIO(mqx("get", Q, "--all", "-o", "csv", check=True).out.decode())))
    assert [(row["data"], row["length"], row["type"]) for row in rows] == [
        ("a", "1", "datagram"),
        ("b", "1", "datagram"),
        ("c", "1", "datagram"),
    ]


def test_hex_and_dump_list_the_bytes(abc, mqx):
    assert b"00000000:  61 " in mqx("get", Q, "-o", "hex", check=True).out
    dump = mqx("get", Q, "-o", "dump", check=True).out
    assert b"MsgType" in dump
    assert b"62" in dump


def test_more_messages_than_a_unit_of_work_holds(qm, mqx, bodies, count_rows):
    lines = b"".join(b"%d\n" % n for n in range(250))
    mqx("put", Q, "--lines", stdin=lines, check=True)
    assert mqx("get", Q, "--all", check=True).out == lines
    assert bodies(Q) == []
    assert count_rows("holders") == 0


@pytest.mark.conformance("BEY-24")
def test_longer_than_max_length_is_7_and_the_message_stays(qm, mqx, bodies):
    mqx("put", Q, "four", check=True)
    done = mqx("get", Q, "--max-length", "3")
    assert (done.status, done.out) == (7, b"")
    assert "MQRC_TRUNCATED_MSG_FAILED 2080" in done.err
    assert bodies(Q) == [b"four"]


def test_what_was_got_before_a_message_too_long_is_counted(qm, mqx, bodies):
    mqx("put", Q, "one", "two", "three", "four", check=True)
    done = mqx("get", Q, "--all", "--max-length", "3")
    assert (done.status, done.out) == (9, b"one\ntwo\n")
    assert "got so far: 2 messages" in done.err
    assert bodies(Q) == [b"three", b"four"]


@pytest.mark.parametrize("output", ["json", "jsonl", "table", "csv", "plain"])
def test_a_document_that_ends_early_is_complete(qm, mqx, bodies, output):
    mqx("put", Q, "one", "two", "three", "four", check=True)
    done = mqx("get", Q, "--all", "--max-length", "3", "-o", output).ended(9)
    assert done.out.count(b"one") == done.out.count(b"two") == 1
    if output == "json":
        assert [one["data"] for one in json.loads(done.out)] == ["one", "two"]
    assert bodies(Q) == [b"three", b"four"]


@pytest.mark.parametrize("selection", [[], ["--grep", "four"]])
def test_accept_truncated_takes_what_fits_and_warns(qm, mqx, bodies, selection):
    mqx("put", Q, "four", check=True)
    done = mqx("get", Q, "--max-length", "3", "--accept-truncated", *selection)
    assert (done.status, done.out) == (4, b"fou")
    assert bodies(Q) == []


@pytest.mark.parametrize("options", [[], ["--grep", "x"], ["--wait", "1s"]])
def test_an_inhibited_queue_is_8(qm, mqx, define, options):
    define("SHUT", inhibit_get=1)
    assert mqx("get", "SHUT", *options).status == 8


def test_a_dry_run_shows_and_leaves(abc, mqx, bodies):
    done = mqx("get", Q, "-n", "2", "--dry-run", "-o", "jsonl", check=True)
    assert [json.loads(line)["data"] for line in done.out.splitlines()] == ["a", "b"]
    assert bodies(Q) == [b"a", b"b", b"c"]


@pytest.mark.parametrize("options", [["-n", "0"], ["-n", "2", "--all"], ["--wait", "soon"], ["--max-length", "big"]])
def test_usage_errors_take_nothing(abc, mqx, bodies, options):
    assert mqx("get", Q, *options).status == 2
    assert len(bodies(Q)) == 3


def test_all_messages_are_got_in_units_of_at_most_maxumsgs(qm, mqx):
    mqx("put", Q, "1", "2", "3", "4", "5", check=True)
    mqx("mqsc", "ALTER QMGR MAXUMSGS(2)", check=True)
    assert mqx("get", Q, "--all", check=True).out == b"1\n2\n3\n4\n5\n"
