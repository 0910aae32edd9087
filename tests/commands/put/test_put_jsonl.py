"""``mqx put --jsonl``: what a line keeps, what the options add, and what a broken line leaves."""

from __future__ import annotations

import json
import re

import pytest

Q = "DEV.QUEUE.1"


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
    done = mqx("put", Q, "--jsonl", stdin=forty_lines(broken)).ended(9, "put so far: 16 messages")
    assert re.search(r"<stdin>:17:\d+: ", done.err)
    assert len(bodies(Q)) == 16


REFUSED = b'{"data":"a"}\n{"data":"b","md":{"priority":-5}}\n{"data":"c"}\n{"data":"d","md":{"expiry":0}}\n{"data":\n'


def test_descriptors_that_no_queue_accepts_are_named_with_the_other_mistakes(qm, mqx, bodies):
    done = mqx("put", Q, "--jsonl", stdin=REFUSED).ended(9)
    assert done.err.splitlines() == [
        "<stdin>:2:1: Priority -5 is neither -1 nor between 0 and 9 (MQRC_PRIORITY_ERROR 2050)",
        "<stdin>:4:1: Expiry 0 is neither -1 nor between 1 and 2147483647 (MQRC_EXPIRY_ERROR 2013)",
        "<stdin>:5:9: this is not JSON: Expecting value",
        "mqx: put: 3 mistakes in the input",
        "put so far: 1 message",
    ]
    assert bodies(Q) == [b"a"]


def test_a_single_descriptor_that_no_queue_accepts_keeps_its_reason_and_is_named_with_its_line(qm, mqx):
    done = mqx("put", Q, "--jsonl", "-o", "json", stdin=b'\n{"data":"b","md":{"priority":-5}}\n').ended(1)
    error = json.loads(done.err)["error"]
    assert error["reason"] == 2050
    assert error["message"] == "<stdin>:2:1: Priority -5 is neither -1 nor between 0 and 9"


def test_bytes_that_are_not_text_are_named_with_their_place(qm, mqx):
    done = mqx("put", Q, "--jsonl", stdin=b'{"data":"\xff"}\n')
    assert (done.status, done.err) == (2, "mqx: put: <stdin>:1:10: byte 0xFF is not text in UTF-8\n")


def test_a_broken_line_in_one_unit_of_work_puts_nothing(qm, mqx, bodies):
    mqx("put", Q, "--jsonl", "--batch", "all", stdin=forty_lines(b"{")).ended(2, "<stdin>:17")
    assert bodies(Q) == []


def test_a_broken_first_line_is_a_usage_error(qm, mqx):
    mqx("put", Q, "--jsonl", stdin=b'{"data": nope}\n').ended(2, "<stdin>:1:10:")


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
    assert shown["md"].pop("expiry") in range(5000, 6001)
    assert {**shown["md"], "expiry": 6000} == {"version": 2, **MOVED["md"]}
    assert shown["properties"] == MOVED["properties"]
    assert bodies(Q) == [b"\xc0\xff\0\1"]


@pytest.mark.conformance("BEY-33")
def test_without_context_a_put_begins_to_count_back_outs_anew(qm, mqx, browse):
    mqx("put", Q, "--jsonl", stdin=json.dumps(MOVED).encode(), check=True)
    (shown,) = browse(Q)
    assert shown["md"]["backout_count"] == 0
    assert shown["md"]["user_identifier"] != "ana"


UNKNOWN = (
    b'{"dta":"important"}\n'
    b'{"data":"a", "md":{"prioriti":3, "priority":"x"}, "properties":{"p":{"typ":"int8","value":1}}}\n'
    b'{"data":"ok"}\nnot\n'
)
UNKNOWN_PLACES = [
    ":1:2: dta: a message has no such key; did you mean data?",
    ":2:20: md.prioriti: the message descriptor has no such field; did you mean priority?",
    ":2:34: md.priority: 'x' is not a number",
    ":2:70: properties.p.typ: a property has no such key; did you mean type?",
    ":4:1: this is not JSON: Expecting value",
]


@pytest.mark.parametrize(("ccsid", "text", "character"), [(1208, r"a\ud800", "U+D800"), (819, r"a\u20ac", "U+20AC")])
def test_a_character_that_the_ccsid_lacks_is_named_with_its_line_and_nothing_is_lost(
    qm, mqx, bodies, ccsid, text, character
):
    lines = f'{{"data":"1"}}\n{{"data":"{text}","md":{{"coded_char_set_id":{ccsid}}}}}\n{{"data":"3"}}\n'
    done = mqx("put", Q, "--jsonl", stdin=lines.encode())
    assert (done.status, bodies(Q)) == (9, [b"1"])
    words = f"CCSID {ccsid}: it has no character {character} (character 2 of the text)"
    assert f"<stdin>:2:2: data: text cannot be written in {words}" in done.err
    assert "put so far: 1 message" in done.err
    again = mqx("put", Q, "--jsonl", "--batch", "all", stdin=lines.encode())
    assert (again.status, bodies(Q)) == (2, [b"1"])


def test_unknown_keys_are_refused_all_of_them_with_their_places(qm, mqx, bodies):
    done = mqx("put", Q, "--jsonl", stdin=UNKNOWN).ended(2)
    assert done.err.splitlines() == [
        *(f"<stdin>{place}" for place in UNKNOWN_PLACES),
        "mqx: put: 5 mistakes in the input",
    ]
    done = mqx("put", Q, "--jsonl", stdin=b'{"dta":"important"}')
    assert (done.status, done.err) == (2, f"mqx: put: <stdin>{UNKNOWN_PLACES[0]}\n")
    assert bodies(Q) == []


def test_what_came_before_the_first_mistake_is_put_and_nothing_behind_it(qm, mqx, bodies):
    done = mqx("put", Q, "--jsonl", "-o", "json", stdin=b'{"data":"first"}\n' + UNKNOWN).ended(9)
    error = json.loads(done.err)["error"]
    assert error["done"] == "put so far: 1 message"
    assert error["message"].startswith(f"<stdin>{UNKNOWN_PLACES[0].replace('1', '2', 1)}; <stdin>:3:20: ")
    assert bodies(Q) == [b"first"]


def test_a_mistake_in_a_stream_that_goes_on_is_reported_when_it_pauses(qm, start):
    process = start("put", Q, "--jsonl")
    process.stdin.write(b'{"dta":1}\n')
    process.stdin.flush()
    assert process.wait(60) == 2
    assert b"<stdin>:1:2: dta" in process.stderr.read()


def test_the_views_of_other_commands_are_no_unknown_keys(qm, mqx, bodies):
    mqx("put", Q, "x", check=True)
    for line in ("browse", "get"):
        out = mqx(line, Q, "-o", "jsonl", check=True).out
        mqx("put", "DEV.QUEUE.2", "--jsonl", stdin=out, check=True)
    mqx("put", Q, "y", check=True)
    mqx("delete", Q, "--pos", "1", "--yes", check=True)
    mqx("put", "DEV.QUEUE.2", "--jsonl", stdin=mqx("trash", "list", "-o", "jsonl", check=True).out)
    assert bodies("DEV.QUEUE.2")[:2] == [b"x", b"x"]
