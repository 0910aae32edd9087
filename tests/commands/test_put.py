"""``mqx put``: where messages come from, how they are framed, and what a failure in the middle leaves."""

from __future__ import annotations

import json
import os

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


@pytest.mark.parametrize("data", [b"a\nb\r\n\0\xff\n", b"", b"\n", bytes(range(256)), b"x" * 700_000])
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
    done = mqx("put", Q, *(word for file in files for word in ("--file", file)))
    assert done.status == 2
    assert "missing" in done.err
    assert "gone" in done.err
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
    done = mqx("put", "SMALL", "--lines", stdin=b"1\n2\n3\n4\n5\n")
    assert done.status == 9
    assert done.err.splitlines()[0] == "mqx: put: queue SMALL is full (3 messages) (MQRC_Q_FULL 2053)"
    assert "put before that: 3 messages" in done.err
    assert bodies("SMALL") == [b"1", b"2", b"3"]


def test_nothing_put_gives_the_status_of_the_reason(qm, mqx, define):
    define("SMALL", max_q_depth=1)
    mqx("put", "SMALL", "x", check=True)
    done = mqx("put", "SMALL", "--lines", stdin=b"1\n2\n")
    assert done.status == 7
    assert "before that" not in done.err


def test_batches_that_were_committed_stay(qm, mqx, bodies, define):
    define("SMALL", max_q_depth=5)
    done = mqx("put", "SMALL", "--lines", "--batch", "2", stdin=b"1\n2\n3\n4\n5\n6\n7\n")
    assert done.status == 9
    assert "put before that: 5 messages" in done.err
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


def forty_lines(broken: bytes) -> bytes:
    lines = [b'{"data":"%d"}' % n for n in range(1, 41)]
    lines[16] = broken
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize(
    "broken",
    [
        b'{"data":"17"',
        b"no JSON",
        b'{"data":"x","md":{"priority":"blue"}}',
        b"[1]",
        b"\xff\xff",
        b'{"md":{"reply_to_q":"\\ud800"}}',
        b'{"data":' + b"[" * 100_000,
        b'{"data":' + b"9" * 5000 + b"}",
        b'{"properties":{"a b":{"type":"int8","value":4000}}}',
    ],
)
def test_a_broken_line_is_named_and_the_lines_before_it_are_put(qm, mqx, bodies, broken):
    done = mqx("put", Q, "--jsonl", stdin=forty_lines(broken))
    assert done.status == 9
    assert "line 17" in done.err
    assert "<stdin>:17:" in done.err
    assert "put before that: 16 messages" in done.err
    assert len(bodies(Q)) == 16


def test_a_broken_line_in_one_unit_of_work_puts_nothing(qm, mqx, bodies):
    done = mqx("put", Q, "--jsonl", "--batch", "all", stdin=forty_lines(b"{"))
    assert done.status == 2
    assert "line 17" in done.err
    assert bodies(Q) == []


def test_a_broken_first_line_is_a_usage_error(qm, mqx):
    done = mqx("put", Q, "--jsonl", stdin=b'{"data": nope}\n')
    assert done.status == 2
    assert "<stdin>:1:10:" in done.err


def test_print_id_prints_an_id_for_each_message_that_get_understands(qm, mqx):
    done = mqx("put", Q, "a", "b", "--print-id", check=True)
    first, second = done.out.decode("ascii").split()
    assert len(first) == 48
    assert mqx("get", Q, "--msg-id", second, check=True).out == b"b"


def test_print_id_tells_of_what_was_put_before_a_failure(qm, mqx, define, lying_on):
    define("SMALL", max_q_depth=2)
    done = mqx("put", "SMALL", "--lines", "--print-id", stdin=b"1\n2\n3\n")
    assert done.status == 9
    assert done.out.decode().split() == [row["msg_id"].hex().upper() for row in lying_on("SMALL")]


def test_jsonl_keeps_the_ids_that_are_given(qm, mqx, lying_on):
    line = {"md": {"msg_id": "AB" * 24, "correl_id": "CD" * 24, "user_identifier": "somebody"}, "data": "x"}
    mqx("put", Q, "--jsonl", stdin=json.dumps(line).encode(), check=True)
    (row,) = lying_on(Q)
    assert row["msg_id"] == b"\xab" * 24
    assert row["correl_id"] == b"\xcd" * 24
    assert row["user_identifier"] != "somebody"


def test_options_fill_what_a_json_line_leaves_out(qm, mqx, browse):
    lines = b'{"md":{"priority":2},"data":"x"}\n{"data":"y","properties":{"kind":"own"}}\n'
    mqx("put", Q, "--jsonl", "--priority", "7", "--property", "kind=given", stdin=lines, check=True)
    second, first = browse(Q)
    assert [first["md"]["priority"], second["md"]["priority"]] == [2, 7]
    assert first["properties"]["kind"]["value"] == "given"
    assert second["properties"]["kind"]["value"] == "own"


MOVED = {
    "md": {
        "report": ["MQRO_PASS_MSG_ID", "MQRO_EXCEPTION_WITH_DATA"],
        "msg_type": "MQMT_REQUEST",
        "expiry": 6000,
        "feedback": "MQFB_NONE",
        "encoding": 273,
        "coded_char_set_id": 500,
        "format": "OWNFMT",
        "priority": 6,
        "persistence": "MQPER_PERSISTENT",
        "msg_id": "0102" * 12,
        "correl_id": "0304" * 12,
        "backout_count": 3,
        "reply_to_q": "ORDERS.REPLY",
        "reply_to_q_mgr": "QM7",
        "user_identifier": "ana",
        "accounting_token": "AB" * 32,
        "appl_identity_data": "identity",
        "put_appl_type": "MQAT_CICS",
        "put_appl_name": "payroll",
        "put_date": "20240229",
        "put_time": "23595999",
        "appl_origin_data": "orig",
        "group_id": "0506" * 12,
        "msg_seq_number": 3,
        "offset": 0,
        "msg_flags": ["MQMF_MSG_IN_GROUP", "MQMF_LAST_MSG_IN_GROUP"],
        "original_length": -1,
    },
    "properties": {
        "colour": {"type": "string", "value": "red"},
        "count": {"type": "int64", "value": -(2**60)},
        "ratio": {"type": "float64", "value": 0.1},
        "flag": {"type": "bool", "value": True},
        "blob": {"type": "bytes", "value": "00FF"},
        "nothing": {"type": "null", "value": None},
    },
    "data_b64": "wP8AAQ==",
}


@pytest.mark.conformance("BEY-95")
def test_browse_into_put_with_context_is_the_identity(qm, mqx, browse):
    lines = [MOVED, {"data": "plain"}, {"data": "größer\u202e\0", "md": {"coded_char_set_id": 1208}}]
    mqx("put", Q, "--jsonl", "--keep-context", stdin="\n".join(map(json.dumps, lines)).encode(), check=True)
    before = mqx("browse", Q, "-o", "jsonl", check=True).out
    mqx("put", "DEV.QUEUE.2", "--jsonl", "--keep-context", stdin=before, check=True)
    for old, new in zip(browse(Q), browse("DEV.QUEUE.2"), strict=True):
        remaining = old["md"].pop("expiry"), new["md"].pop("expiry")
        assert remaining == (-1, -1) or 5000 < min(remaining) <= 6000
        for part in ("md", "properties", "headers", "data_length"):
            assert new[part] == old[part]
        assert (new.get("data"), new.get("data_b64")) == (old.get("data"), old.get("data_b64"))


def test_every_field_of_the_descriptor_survives_put_with_context(qm, mqx, browse, bodies):
    mqx("put", Q, "--jsonl", "--keep-context", stdin=json.dumps(MOVED).encode(), check=True)
    (shown,) = browse(Q)
    assert shown["md"].pop("expiry") in range(5900, 6001)
    assert {**shown["md"], "expiry": 6000} == {"version": 2, **MOVED["md"]}
    assert shown["properties"] == MOVED["properties"]
    assert bodies(Q) == [b"\xc0\xff\0\1"]


@pytest.mark.conformance("BEY-33")
def test_without_context_a_put_begins_to_count_back_outs_anew(qm, mqx, browse):
    mqx("put", Q, "--jsonl", stdin=json.dumps(MOVED).encode(), check=True)
    (shown,) = browse(Q)
    assert shown["md"]["backout_count"] == 0
    assert shown["md"]["user_identifier"] != "ana"


def test_input_that_pauses_is_put_at_once(qm, start, bodies, eventually):
    process = start("put", Q, "--lines")
    process.stdin.write(b"one\ntwo\nthr")
    process.stdin.flush()
    eventually(lambda: bodies(Q) == [b"one", b"two"])
    process.stdin.write(b"ee\n")
    process.stdin.flush()
    eventually(lambda: len(bodies(Q)) == 3)
    process.stdin.close()
    assert process.wait(30) == 0


def test_ids_of_input_that_pauses_are_told_at_once(qm, start):
    process = start("put", Q, "--lines", "--print-id")
    process.stdin.write(b"one\n")
    process.stdin.flush()
    assert len(process.stdout.readline()) == 49


@pytest.mark.parametrize(
    ("options", "field", "expected"),
    [
        (["--priority", "7"], "priority", 7),
        (["--persistent"], "persistence", "MQPER_PERSISTENT"),
        (["--not-persistent"], "persistence", "MQPER_NOT_PERSISTENT"),
        (["--type", "request", "--reply-to", "R@QM9"], "msg_type", "MQMT_REQUEST"),
        (["--type", "reply"], "msg_type", "MQMT_REPLY"),
        (["--type", "66000"], "msg_type", 66000),
        (["--msg-id", "AB"], "msg_id", "AB" + "00" * 23),
        (["--correl-id", "0xAB01"], "correl_id", "AB01" + "00" * 22),
        (["--group-id", "CD"], "group_id", "CD" + "00" * 23),
        (["--group-id", "CD", "--seq", "4"], "msg_seq_number", 4),
        (["--group-id", "CD"], "msg_flags", ["MQMF_MSG_IN_GROUP"]),
        (["--group-id", "CD", "--last"], "msg_flags", ["MQMF_MSG_IN_GROUP", "MQMF_LAST_MSG_IN_GROUP"]),
        (["--format", "MYFMT"], "format", "MYFMT"),
        (["--ccsid", "819"], "coded_char_set_id", 819),
        (["--encoding", "273"], "encoding", 273),
        (["--reply-to", "R@QM9"], "reply_to_q_mgr", "QM9"),
        (["--reply-to", "R"], "reply_to_q_mgr", "QM1"),
        (["--type", "report", "--feedback", "cod"], "feedback", "MQFB_COD"),
        (["--type", "report", "--feedback", "MQRC_Q_FULL"], "feedback", "MQRC_Q_FULL"),
        (["--type", "report", "--feedback", "70000"], "feedback", 70000),
    ],
)
def test_options_are_fields_of_the_descriptor(qm, mqx, browse, options, field, expected):
    mqx("put", Q, "x", *options, check=True)
    assert browse(Q)[0]["md"][field] == expected


def test_expiry_is_a_time_to_live(qm, mqx, browse):
    mqx("put", Q, "x", "--expiry", "30s", check=True)
    assert 250 < browse(Q)[0]["md"]["expiry"] <= 300


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("cod", ["MQRO_COD"]),
        ("cod-data", ["MQRO_COD_WITH_DATA"]),
        ("coa-full", ["MQRO_COA_WITH_FULL_DATA"]),
        ("exception,expiration-data", ["MQRO_EXPIRATION_WITH_DATA", "MQRO_EXCEPTION"]),
        ("pan,nan", ["MQRO_PAN", "MQRO_NAN"]),
        ("discard", ["MQRO_DISCARD_MSG"]),
        ("pass-msg-id,pass-correl-id", ["MQRO_PASS_CORREL_ID", "MQRO_PASS_MSG_ID"]),
        ("pass-discard-and-expiry", ["MQRO_PASS_DISCARD_AND_EXPIRY"]),
        ("activity", ["MQRO_ACTIVITY"]),
        ("MQRO_COD_WITH_FULL_DATA", ["MQRO_COD_WITH_FULL_DATA"]),
    ],
)
def test_report_options_have_short_names(qm, mqx, browse, words, names):
    mqx("put", Q, "x", "--report", words, "--reply-to", "DEV.QUEUE.2", check=True)
    shown = browse(Q)[0]["md"]["report"]
    assert sorted(shown) == sorted(names)


def test_a_report_option_nobody_knows_is_a_usage_error(qm, mqx):
    assert mqx("put", Q, "x", "--report", "coa,postcard").status == 2


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("colour=red", "string", "red"),
        ("a=b=c", "string", "b=c"),
        ("n:int32=-5", "int32", -5),
        ("n:int64=9007199254740993", "int64", 9007199254740993),
        ("f:float64=0.5", "float64", 0.5),
        ("b:bool=true", "bool", True),
        ("x:bytes=00ff", "bytes", "00FF"),
        ("z:null=", "null", None),
    ],
)
def test_properties_have_types(qm, mqx, browse, text, kind, value):
    mqx("put", Q, "x", "--property", text, check=True)
    assert browse(Q)[0]["properties"] == {text.partition(":")[0].partition("=")[0]: {"type": kind, "value": value}}


@pytest.mark.parametrize("text", ["nothing", "n:int8=300", "n:colour=1", "NOT=1", "n:int32=five"])
def test_a_property_that_is_none_puts_nothing(qm, mqx, bodies, text):
    done = mqx("put", Q, "x", "--property", text)
    assert done.status != 0
    assert bodies(Q) == []


def test_an_unknown_queue_is_5_with_a_suggestion(qm, mqx):
    done = mqx("put", "DEV.QUEUE.11", "x")
    assert done.status == 5
    assert "did you mean DEV.QUEUE.1?" in done.err


@pytest.mark.parametrize("framing", ["--lines", "--null", "--jsonl"])
def test_an_unknown_queue_is_told_before_anything_is_read(qm, start, framing):
    process = start("put", "NOWHERE", framing)
    assert process.wait(30) == 5


def test_an_inhibited_queue_is_8(qm, mqx, define):
    define("SHUT", inhibit_put=1)
    assert mqx("put", "SHUT", "x").status == 8


def test_a_message_too_long_for_the_queue_is_7(qm, mqx, define):
    define("SHORT", max_msg_length=3)
    done = mqx("put", "SHORT", "long")
    assert done.status == 7
    assert "MQRC_MSG_TOO_BIG_FOR_Q 2030" in done.err


def test_a_warning_is_4_and_the_message_is_there(qm, mqx, lying_on):
    done = mqx("put", Q, "x", "--priority", "12")
    assert done.status == 4
    assert "MQRC_PRIORITY_EXCEEDS_MAXIMUM" in done.err
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
    done = mqx("put", "SMALL", "--lines", "--dry-run", stdin=lines)
    assert done.status == 7
    assert bodies("SMALL") == []


def test_what_the_queue_refuses_goes_to_the_dead_letter_queue_if_asked(qm, mqx, define, browse):
    define("SMALL", max_q_depth=1)
    done = mqx("put", "SMALL", "1", "2", "--dead-letter")
    assert done.status == 4
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
    done = mqx("put", "SMALL", "1", "2", "-o", "json")
    assert done.status == 9
    error = json.loads(done.err)["error"]
    assert (error["reason"], error["queue"]) == (2053, "SMALL")
    assert "1 message" in error["done"]


@pytest.mark.parametrize(
    "line", [["put"], ["put", Q, "x", "--priority", "high"], ["put", Q, "x", "--nonsense"], ["pot"]]
)
def test_usage_errors_are_2_with_a_hint_and_no_traceback(qm, mqx, line):
    done = mqx(*line)
    assert done.status == 2
    assert done.err.startswith("mqx: ")
    assert "hint: " in done.err
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
