"""``mqx put``: where messages come from, how they are framed, and what a failure in the middle leaves."""

from __future__ import annotations

import json
import os
import resource

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

Q = "DEV.QUEUE.1"


def test_each_argument_is_one_message(qm, mqx, bodies):
    mqx("put", Q, "first", "second one", "", check=True)
    assert bodies(Q) == [b"first", b"second one", b""]


def test_arguments_that_are_no_text_are_put_as_their_bytes(qm, mqx, bodies):
    mqx("put", Q, os.fsdecode(b"\xff\xfe"), check=True)
    assert bodies(Q) == [b"\xff\xfe"]


@pytest.mark.parametrize(
    "data", [b"a\nb\r\n\0\xff\n", b"", b"\n", bytes(range(256)), b"x" * 700_000], ids=lambda data: str(len(data))
)
def test_without_arguments_stdin_is_one_message_byte_for_byte(qm, mqx, data):
    mqx("put", Q, stdin=data, check=True)
    assert mqx("get", Q, check=True).out == data


def test_a_dash_is_stdin(qm, mqx, bodies):
    mqx("put", Q, "before", "-", "after", stdin=b"from\nstdin\n", check=True)
    assert bodies(Q) == [b"before", b"from\nstdin\n", b"after"]


@pytest.mark.parametrize(
    ("options", "stdin", "expected"),
    [
        pytest.param(["--lines"], b"a\nb\n", [b"a", b"b"], id="lines"),
        pytest.param(["--lines"], b"a\r\nb\r\n", [b"a", b"b"], id="lines of CRLF"),
        pytest.param(["--lines"], b"a\nb", [b"a", b"b"], id="last line without LF"),
        pytest.param(["--lines"], b"a\n\nb\n", [b"a", b"", b"b"], id="an empty line is an empty message"),
        pytest.param(["--lines"], b"\n", [b""], id="one empty line"),
        pytest.param(["--lines"], b"a\rb\0\n", [b"a\rb\0"], id="only the CR before a LF goes"),
        pytest.param(["--lines"], b"", [], id="no lines"),
        pytest.param(["--lines"], b"x" * 200_000 + b"\ny", [b"x" * 200_000, b"y"], id="a line longer than a read"),
        pytest.param(["-0"], b"a\nb\0c\r\0", [b"a\nb", b"c\r"], id="NUL"),
        pytest.param(["--null"], b"a\0\0b", [b"a", b"", b"b"], id="NUL, last without one"),
        pytest.param(["--delimiter", "||"], b"a|b||c|||", [b"a|b", b"c", b"|"], id="a delimiter of two characters"),
        pytest.param(["--delimiter", "é—"], "aé—bé—".encode(), [b"a", b"b"], id="a delimiter of several bytes"),
        pytest.param(["--delimiter", "\n--\n"], b"a\nb\n--\nc\n", [b"a\nb", b"c\n"], id="a delimiter of lines"),
        pytest.param(["--jsonl"], b'{"data":"a"}\n\n{"data_b64":"AP8="}\n', [b"a", b"\0\xff"], id="JSON lines"),
    ],
)
def test_framing(qm, mqx, bodies, options, stdin, expected):
    mqx("put", Q, *options, stdin=stdin, check=True)
    assert bodies(Q) == expected


def test_each_file_is_one_message_and_a_dash_is_stdin(qm, mqx, bodies, tmp_path):
    (tmp_path / "one").write_bytes(b"1\n2\n")
    (tmp_path / "two").write_bytes(b"\0")
    files = ["--file", str(tmp_path / "one"), "--file", "-", "--file", str(tmp_path / "two")]
    mqx("put", Q, *files, stdin=b"in\n", check=True)
    assert bodies(Q) == [b"1\n2\n", b"in\n", b"\0"]


def test_files_that_cannot_be_read_are_all_named_and_nothing_is_put(qm, mqx, bodies, tmp_path):
    (tmp_path / "there").write_bytes(b"x")
    files = [str(tmp_path / name) for name in ("there", "missing", "gone")]
    mqx("put", Q, *(word for file in files for word in ("--file", file))).ended(2, "missing", "gone")
    assert bodies(Q) == []


@pytest.mark.parametrize(
    "line",
    [
        ["--lines", "--null"],
        ["--jsonl", "--delimiter", "x"],
        ["data", "--lines"],
        ["data", "--file", "f"],
        ["--delimiter", ""],
        ["--keep-context", "--lines"],
    ],
)
def test_sources_that_contradict_each_other_are_a_usage_error(qm, mqx, bodies, line):
    assert mqx("put", Q, *line, stdin=b"x").status == 2
    assert bodies(Q) == []


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=3000))
@example(data=b"\r\n\0\n")
@example(data=b"\n")
def test_what_is_put_comes_back_the_same_bytes(qm, mqx, data):
    mqx("put", Q, stdin=data, check=True)
    assert mqx("get", Q, check=True).out == data


@pytest.mark.parametrize(
    ("data", "format_name"), [(b"text \xc3\xa9", "MQSTR"), (b"", "MQSTR"), (b"\xff", ""), (b"\xc3", "")]
)
def test_text_is_mqstr_in_utf_8_and_other_bytes_have_no_format(qm, mqx, lying_on, data, format_name):
    mqx("put", Q, stdin=data, check=True)
    (row,) = lying_on(Q)
    assert (row["format"], row["coded_char_set_id"]) == (format_name, 1208)


def test_a_failure_in_the_middle_keeps_and_counts_what_came_before(qm, mqx, bodies, define):
    define("SMALL", max_q_depth=3)
    done = mqx("put", "SMALL", "--lines", stdin=b"1\n2\n3\n4\n5\n").ended(9, "put so far: 3 messages")
    assert done.err.splitlines()[0] == "mqx: put: queue SMALL is full (MQRC_Q_FULL 2053)"
    assert bodies("SMALL") == [b"1", b"2", b"3"]


def test_nothing_put_gives_the_status_of_the_reason(qm, mqx, define):
    define("SMALL", max_q_depth=1)
    mqx("put", "SMALL", "x", check=True)
    done = mqx("put", "SMALL", "--lines", stdin=b"1\n2\n").ended(7)
    assert "so far" not in done.err


def test_batches_that_were_committed_stay(qm, mqx, bodies, define):
    define("SMALL", max_q_depth=5)
    mqx("put", "SMALL", "--lines", "--batch", "2", stdin=b"1\n2\n3\n4\n5\n6\n7\n").ended(9, "put so far: 5 messages")
    assert bodies("SMALL") == [b"1", b"2", b"3", b"4", b"5"]


def test_batch_all_is_all_or_nothing(qm, mqx, bodies, define, count_rows):
    define("SMALL", max_q_depth=3)
    done = mqx("put", "SMALL", "--lines", "--batch", "all", "--print-id", stdin=b"1\n2\n3\n4\n5\n")
    assert (done.status, done.out) == (7, b"")
    assert bodies("SMALL") == []
    assert mqx("put", "SMALL", "--lines", "--batch", "all", stdin=b"1\n2\n3\n").status == 0
    assert bodies("SMALL") == [b"1", b"2", b"3"]
    assert count_rows("holders") == 0


def test_batch_all_is_committed_at_once_however_long(qm, mqx, lying_on):
    lines = b"".join(b"%d\n" % n for n in range(250))
    mqx("put", Q, "--lines", "--batch", "all", stdin=lines, check=True)
    rows = lying_on(Q)
    assert len(rows) == 250
    assert {row["state"] for row in rows} == {1}


def test_print_id_prints_an_id_for_each_message_that_get_understands(qm, mqx):
    done = mqx("put", Q, "a", "b", "--print-id", check=True)
    first, second = done.out.decode("ascii").split()
    assert len(first) == 48
    assert mqx("get", Q, "--msg-id", second, check=True).out == b"b"


def test_print_id_tells_of_what_was_put_before_a_failure(qm, mqx, define, lying_on):
    define("SMALL", max_q_depth=2)
    done = mqx("put", "SMALL", "--lines", "--print-id", stdin=b"1\n2\n3\n").ended(9)
    assert done.out.decode().split() == [row["msg_id"].hex().upper() for row in lying_on("SMALL")]


def test_input_that_pauses_is_put_at_once(qm, start, bodies, eventually):
    process = start("put", Q, "--lines")
    process.stdin.write(b"one\ntwo\nthr")
    process.stdin.flush()
    eventually(lambda: bodies(Q) == [b"one", b"two"])
    process.stdin.write(b"ee\n")
    process.stdin.flush()
    eventually(lambda: len(bodies(Q)) == 3)
    process.stdin.close()
    assert process.wait(60) == 0


def test_ids_of_input_that_pauses_are_told_at_once(qm, start):
    process = start("put", Q, "--lines", "--print-id")
    process.stdin.write(b"one\n")
    process.stdin.flush()
    assert len(process.stdout.readline()) == 49


def test_an_unknown_queue_is_5_with_a_suggestion(qm, mqx):
    mqx("put", "DEV.QUEUE.11", "x").ended(5, "did you mean DEV.QUEUE.1?")


@pytest.mark.parametrize("framing", ["--lines", "--null", "--jsonl"])
def test_an_unknown_queue_is_told_before_anything_is_read(qm, start, framing):
    process = start("put", "NOWHERE", framing)
    assert process.wait(60) == 5


def test_an_inhibited_queue_is_8(qm, mqx, define):
    define("SHUT", inhibit_put=1)
    assert mqx("put", "SHUT", "x").status == 8


def test_a_message_too_long_for_the_queue_is_7(qm, mqx, define):
    define("SHORT", max_msg_length=3)
    mqx("put", "SHORT", "long").ended(7, "MQRC_MSG_TOO_BIG_FOR_Q 2030")


@pytest.mark.parametrize("options", [[], ["-"], ["--delimiter", "x"], ["--file", "/dev/zero"]], ids=" ".join)
def test_input_without_end_is_7_once_no_message_is_so_long(qm, start, options):
    def with_little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    with open("/dev/zero", "rb") as endless:
        process = start("put", Q, *options, stdin=endless, preexec_fn=with_little_memory)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 7
    assert b"MQRC_MSG_TOO_BIG_FOR_Q_MGR 2031" in err


def test_what_came_before_a_line_without_end_is_put(qm, mqx, bodies):
    mqx("put", Q, "--lines", stdin=b"first\n" + bytes(104_857_601)).ended(9, "put so far: 1 message")
    assert bodies(Q) == [b"first"]


def test_a_warning_is_4_and_the_message_is_there(qm, mqx, lying_on):
    mqx("put", Q, "x", "--priority", "12").ended(4, "MQRC_PRIORITY_EXCEEDS_MAXIMUM")
    assert len(lying_on(Q)) == 1


def test_with_a_confirm_id_the_message_waits(qm, mqx, lying_on):
    mqx("put", Q, "x", "--confirm-id", "7", check=True)
    assert [row["state"] for row in lying_on(Q)] == [0]
    assert mqx("get", Q).status == 3


def test_a_dry_run_says_what_it_would_do_and_does_nothing(qm, mqx, bodies):
    done = mqx("put", Q, "--lines", "--dry-run", "--print-id", stdin=b"1\n2\n", check=True)
    assert done.out == b""
    assert "would put 2 messages" in done.err
    assert bodies(Q) == []


def test_a_dry_run_fails_as_the_put_would(qm, mqx, bodies, define):
    define("SMALL", max_q_depth=150)
    lines = b"x\n" * 151
    mqx("put", "SMALL", "--lines", "--dry-run", stdin=lines).ended(9, "would be put so far: 150 messages")
    assert bodies("SMALL") == []
    assert mqx("put", "SMALL", "--lines", stdin=lines).status == 9


def test_what_the_queue_refuses_goes_to_the_dead_letter_queue_if_asked(qm, mqx, define, browse):
    define("SMALL", max_q_depth=1)
    mqx("put", "SMALL", "1", "2", "--dead-letter").ended(4)
    done = mqx("put", "DEV.QUEUE.1", "1", "--dead-letter", "--priority", "12")
    assert done.err.startswith("1 message put with a warning: MQRC_PRIORITY_EXCEEDS_MAXIMUM 2049")
    (dead,) = browse("DEV.DEAD.LETTER.QUEUE")
    assert dead["headers"][0]["reason"] == "MQRC_Q_FULL"
    assert dead["body"] == "2"


def test_errors_are_one_json_line_where_the_output_is_json(qm, mqx):
    for line in (["-o", "json", "put", "NOWHERE", "x"], ["put", "NOWHERE", "x", "-o", "jsonl"]):
        done = mqx(*line)
        assert (done.status, done.out) == (5, b"")
        error = json.loads(done.err)["error"]
        assert {key: error[key] for key in ("comp_code", "reason", "name", "queue")} == {
            "comp_code": 2,
            "reason": 2085,
            "name": "MQRC_UNKNOWN_OBJECT_NAME",
            "queue": "NOWHERE",
        }
        assert "NOWHERE" in error["message"]


def test_a_failure_in_the_middle_is_one_json_line_too(qm, mqx, define):
    define("SMALL", max_q_depth=1)
    done = mqx("put", "SMALL", "1", "2", "-o", "json").ended(9)
    error = json.loads(done.err)["error"]
    assert (error["reason"], error["queue"]) == (2053, "SMALL")
    assert "1 message" in error["done"]


@pytest.mark.parametrize(
    "line", [["put"], ["put", Q, "x", "--priority", "high"], ["put", Q, "x", "--nonsense"], ["pot"]]
)
def test_usage_errors_are_2_with_a_hint_and_no_traceback(qm, mqx, line):
    done = mqx(*line).ended(2, "hint: ")
    assert done.err.startswith("mqx: ")
    assert "Traceback" not in done.err


def test_names_that_are_no_text_are_an_error_in_words(qm, mqx):
    done = mqx("put", os.fsdecode(b"Q\xff"), "x")
    assert done.status in (2, 5)
    assert done.err.startswith("mqx: put: ")


def test_quiet_silences_all_but_errors(qm, mqx):
    assert mqx("put", Q, "x", "--dry-run", "-q", check=True).err == ""
    assert mqx("-q", "put", "NOWHERE", "x").err != ""


def test_verbose_says_what_was_done(qm, mqx):
    assert mqx("put", Q, "x", "y", "-v", check=True).err == f"put 2 messages on {Q}\n"


# -- totals in JSON -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["json", "jsonl"])
@pytest.mark.parametrize("more", [[], ["--batch", "all"], ["--color", "never"], ["--print-id"]], ids=" ".join)
def test_json_output_is_one_object_with_the_ids(qm, mqx, browse, output, more):
    totals = json.loads(mqx("put", Q, "a", "b", "-o", output, *more, check=True).out)
    ids = [message["md"]["msg_id"] for message in browse(Q)]
    assert {name: totals[name] for name in ("put", "qmgr", "queue", "ids", "warnings")} == {
        "put": 2,
        "qmgr": "QM1",
        "queue": Q,
        "ids": ids,
        "warnings": [],
    }
    assert totals["seq"] == sorted(totals["seq"])
    assert len(set(totals["seq"])) == 2


def test_json_output_names_the_warnings(qm, mqx, define):
    define("SMALL", max_q_depth=1)
    done = mqx("put", "SMALL", "1", "2", "3", "--dead-letter", "-o", "json")
    totals = json.loads(done.out)
    assert (done.status, totals["put"], len(totals["ids"])) == (4, 3, 3)
    assert totals["warnings"] == [{"reason": 2053, "name": "MQRC_Q_FULL", "messages": 2}]


def test_json_output_of_a_failure_in_the_middle_says_what_was_put(qm, mqx, define, browse):
    define("SMALL", max_q_depth=1)
    done = mqx("put", "SMALL", "1", "2", "-o", "json")
    totals = json.loads(done.out)
    (message,) = browse("SMALL")
    assert (done.status, totals["put"], totals["ids"]) == (9, 1, [message["md"]["msg_id"]])
    assert json.loads(done.err)["error"]["reason"] == 2053


def test_json_output_of_a_dry_run_has_no_ids(qm, mqx):
    totals = json.loads(mqx("put", Q, "a", "--dry-run", "-o", "json", check=True).out)
    assert (totals["put"], totals["would_put"], totals["ids"], totals["seq"]) == (0, 1, [], [])


@pytest.mark.parametrize("framing", [["--confirm-id", "5"], ["--segment", "2"]], ids=" ".join)
def test_json_output_has_one_id_a_message_however_it_is_put(qm, mqx, framing):
    totals = json.loads(mqx("put", Q, "abc", "def", "-o", "json", *framing, check=True).out)
    assert (totals["put"], len(totals["ids"]), len(totals["seq"])) == (2, 2, 2)
