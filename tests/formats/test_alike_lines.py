"""Lines that are like one before are read as any other line is, to the same message and the same mistakes."""

from __future__ import annotations

import json
import random

import pytest

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.formats import jsonl_input
from mqtools.formats.alike_lines import AlikeLines
from mqtools.formats.envelope.text import EnvelopeText
from mqtools.formats.jsonl_input import read_jsonl
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message, Property


def lines_of(choose: random.Random) -> list[bytes]:
    kinds = [
        MQMD(put_appl_name="prög", format="MQSTR", coded_char_set_id=1208, put_date="20261127", put_time="19100201"),
        MQMD(put_date="20261127", put_time="19100201", expiry=77, coded_char_set_id=850),
        MQMD(put_date="2026", reply_to_q="data"),
    ]
    text, lines = EnvelopeText("QM1"), []
    for _ in range(60):
        md = choose.choice(kinds).replace(msg_id=choose.randbytes(24), put_time=f"{choose.randrange(10**8):08}")
        data = choose.choice((b"", b"text", 'zwölf "\\\n'.encode(), choose.randbytes(9), b'","md":{"msg_id":"'))
        properties = {"data": Property(MQTYPE_STRING, "x")} if choose.random() < 0.1 else {}
        line = text.text(Message(data, md, properties), "Q", 1)
        if choose.random() < 0.2:
            line = json.dumps(json.loads(line))
        lines.append(line.encode() + choose.choice((b"\n", b"\r\n", b" \n")))
    return lines


def damaged(choose: random.Random, line: bytes) -> bytes:
    at = choose.randrange(len(line))
    with_it = choose.choice(
        (b"", b'"', b"\\", b"\0", b"\xff", b"0", b"a", b"1,", b'","data":"', b"}", b" ", b"\xc3\xa4")
    )
    return line[:at].replace(b"\n", b"") + with_it + line[at + choose.randrange(2) :].replace(b"\n", b"") + b"\n"


def outcome(lines: list[bytes]) -> tuple[object, ...]:
    findings = Findings("f")
    read = [(each.first_line, each.message) for each in read_jsonl(enumerate(lines, 1), findings)]
    return read, list(map(str, findings.mistakes))


@pytest.mark.parametrize("seed", range(30))
def test_a_line_says_the_same_whatever_was_before_it(seed, monkeypatch):
    choose = random.Random(seed)
    lines = [damaged(choose, line) if choose.random() < 0.4 else line for line in lines_of(choose)]
    found = outcome(lines)
    monkeypatch.setattr(AlikeLines, "read", lambda alike, line: None)
    assert found == outcome(lines)


def test_only_the_first_line_of_a_kind_is_parsed(monkeypatch):
    parsed: list[bytes] = []
    parse_line = jsonl_input.parse_line
    monkeypatch.setattr(jsonl_input, "parse_line", lambda line, ccsid: parsed.append(line) or parse_line(line, ccsid))
    text, md = EnvelopeText("QM1"), MQMD(put_date="20261127", put_time="19100201")
    for data in (b"text", b"\xff"):  # data and data_b64
        lines = [text.text(Message(data * n, md.replace(msg_id=b"%024d" % n)), "Q", 1).encode() for n in range(1, 9)]
        assert [each.data for _, each in outcome(lines)[0]] == [data * n for n in range(1, 9)]
    assert len(parsed) == 2


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("envelope", [{"data": "a"}, {"md": {"put_date": "20261127"}, "data": "b", "queue": "Q"}])
def test_lines_of_other_programs_are_alike_too(envelope, separators):
    lines = [json.dumps({**envelope, "data": str(n)}, separators=separators).encode() for n in range(3)]
    alike = AlikeLines()
    alike.learn(lines[0], json.loads(lines[0]), jsonl_input.read_message(lines[0]))
    assert [alike.read(line) for line in lines] == [jsonl_input.read_message(line) for line in lines]
    assert alike.read(lines[1]) is not None


def test_kinds_are_not_looked_for_where_no_line_is_like_another():
    alike, lines = AlikeLines(), [json.dumps({"md": {"expiry": n}, "data": "a"}).encode() for n in range(1, 22)]
    for line in lines:
        assert alike.read(line) is None
        alike.learn(line, json.loads(line), jsonl_input.read_message(line))
    assert [alike.read(line) is not None for line in lines] == [False] * 12 + [True] * 8 + [False]
