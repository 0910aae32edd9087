"""Hostile messages: nothing in one controls the terminal of a command that shows it."""

from __future__ import annotations

import json
import os
import unicodedata

import pytest

Q = "DEV.QUEUE.1"

#: Bodies that attack a terminal, a table, a spreadsheet or the program: name to bytes.
CORPUS = {
    "markup": b"[/] [bold [@click=app.quit]x[/] [link=http://x]y[/link]",
    "clipboard (OSC 52)": b"\x1b]52;c;ZXZpbA==\x07",
    "hyperlink (OSC 8)": b"\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\",
    "title (OSC 0)": b"\x1b]0;owned\x07",
    "reset": b"\x1bc",
    "clear and home": b"\x1b[2J\x1b[H",
    "answer back": b"\x1b[6n\x05\x1bZ",
    "C1 as UTF-8": "\x9b31m\x9d0;x\x9c\x85".encode(),
    "C1 as bytes": b"\x9b31m\x85",
    "all of C0 and DEL": bytes(range(32)) + b"\x7f",
    "carriage return": b"good\rEVIL",
    "backspaces": b"good\b\b\b\bEVIL",
    "bidi override": "abc\u202egnp.exe\u2066x\u2069".encode(),
    "zero width": "a\u200bb\u200dc\ufeffd\u2060".encode(),
    "tags": "x\U000e0041\U000e007f".encode(),
    "line separators": "a\u2028b\u2029c\x85d".encode(),
    "NUL": b"a\0b",
    "lone surrogate": b"\xed\xa0\x80",
    "invalid UTF-8": b"\xc3\x28\xff\xfe",
    "overlong": b"\xc0\x9b",
    "a long line": b"x" * 1_000_000,
    "EBCDIC": "Größe\n".encode("cp273"),
    "a fake row": b"x\nFAKE\tROW\n",
    "a spreadsheet formula": b"=cmd|' /C calc'!A0",
    "private use": "\ue000\U0010fffd".encode(),
    "variation selectors": "a\ufe0f\U000e0100".encode(),
}

#: Categories of characters that steer or hide: controls, formats, surrogates, private use, unassigned, and the
#: separators of lines and paragraphs.
STEERING = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def assert_tame(shown: bytes, allowed: str = "\n\t") -> None:
    """Check that output is UTF-8 text in which nothing steers or hides."""
    text = shown.decode("utf-8")
    steering = {char for char in text if unicodedata.category(char) in STEERING and char not in allowed}
    assert steering == set()


@pytest.mark.parametrize("data", CORPUS.values(), ids=CORPUS)
def test_browse_shows_every_body_tame(qm, mqx, data):
    mqx("put", Q, stdin=data, check=True)
    for output in ("table", "plain", "csv", "listing", "hex"):
        done = mqx("browse", Q, "-o", output, check=True)
        assert_tame(done.out)
        assert_tame(done.err.encode())
    assert mqx("browse", Q, "-o", "plain").out.count(b"\n") == 1


@pytest.mark.parametrize("data", CORPUS.values(), ids=CORPUS)
def test_json_is_tame_and_exact(qm, mqx, data):
    mqx("put", Q, stdin=data, check=True)
    shown = mqx("browse", Q, "-o", "jsonl", check=True).out
    assert_tame(shown)
    assert shown.count(b"\n") == 1
    mqx("put", "DEV.QUEUE.2", "--jsonl", stdin=shown, check=True)
    assert mqx("get", "DEV.QUEUE.2", check=True).out == data


@pytest.mark.parametrize("ccsid", ["37", "500", "1047", "819", "1200", "1208", "932", "99999"])
def test_no_character_set_makes_a_body_wild(qm, mqx, ccsid):
    mqx("put", Q, "--ccsid", ccsid, "--format", "MQSTR", stdin=bytes(range(256)), check=True)
    for output in ("table", "plain", "listing"):
        assert_tame(mqx("browse", Q, "-o", output, check=True).out)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202eevil\x9b\r\nmqx: done"


def test_fields_and_properties_of_a_message_are_tame_too(qm, mqx):
    line = {
        "md": {
            "format": "\x1b[2J\x07",
            "reply_to_q": HOSTILE,
            "put_appl_name": "\x1bc\x9b\u202e",
            "user_identifier": "\x1b[31m",
            "appl_identity_data": "\x1b]0;x\x07",
        },
        "properties": {"colour": {"type": "string", "value": HOSTILE}},
        "data": "x",
    }
    mqx("put", Q, "--jsonl", "--keep-context", stdin=json.dumps(line).encode(), check=True)
    for output in ("table", "plain", "csv", "listing", "jsonl", "json"):
        assert_tame(mqx("browse", Q, "-o", output, check=True).out)


@pytest.mark.parametrize(
    "line",
    [
        ["put", HOSTILE, "x"],
        ["put", Q, "x", HOSTILE, "--priority", HOSTILE],
        ["get", HOSTILE],
        ["get", Q, "--msg-id", HOSTILE],
        ["get", Q, "--where", HOSTILE],
        ["get", Q, "--where", f"a = '{HOSTILE}"],
        ["get", Q, "--pos", HOSTILE],
        ["get", Q, "--reason", HOSTILE],
        ["get", Q, "--ids", HOSTILE],
        ["get", Q, "-o", HOSTILE],
        ["browse", HOSTILE, "-o", "plain"],
        ["browse", Q, f"--{HOSTILE}"],
        ["qdepth", HOSTILE],
        ["qdepth", "-m", HOSTILE],
        ["put", Q, "--file", HOSTILE],
        ["put", Q, "x", "--property", HOSTILE],
        ["put", Q, "x", "--report", HOSTILE],
        [HOSTILE],
        ["qmgr", HOSTILE],
    ],
)
def test_errors_about_hostile_words_are_tame(qm, mqx, line):
    for options in ([], ["-o", "json"]) if "-o" not in line else ([],):
        done = mqx(*line, *options)
        assert done.status != 0
        assert_tame(done.out)
        assert_tame(done.err.encode())
        assert not any(text.startswith("mqx: done") for text in done.err.splitlines())


@pytest.mark.parametrize("broken", [HOSTILE, f'{{"md":{{"{HOSTILE}":1,"priority":"{HOSTILE}"}}}}'])
def test_errors_about_hostile_input_are_tame(qm, mqx, broken):
    done = mqx("put", Q, "--jsonl", stdin=broken.encode("utf-8", "surrogateescape")).ended(2)
    assert_tame(done.err.encode())


def test_bytes_of_an_argument_that_are_no_text_do_no_harm(qm, mqx):
    wild = os.fsdecode(b"\xff\x9b31m\xed\xa0\x80")
    for line in (["get", wild], ["get", Q, "--grep", wild], ["qdepth", wild], ["-m", wild, "qdepth"], [wild]):
        done = mqx(*line)
        assert done.status in (2, 3, 5)
        assert_tame(done.err.encode())
        assert "Traceback" not in done.err
