"""Files of messages whose form the first line tells, and JSON lines among them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqtools.formats.delimiters import TooLong
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.jsontext import dumps
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message


def read(text: bytes, form: str | None = None) -> tuple[list[Message], list[tuple[int, int, str]]]:
    findings = Findings("f")
    messages = [each.message for each in read_messages(text.splitlines(keepends=True), findings, form)]
    return messages, [(each.line, each.column, each.text) for each in findings.mistakes]


def test_json_lines_are_known_by_their_brace() -> None:
    message = Message(b"\xff\0", MQMD(priority=3, msg_id=b"m" * 24))
    line = dumps(to_envelope(message, qmgr="QM1", queue="Q", state=1)).encode()
    assert read(b"\n" + line + b"\n\n" + line) == ([message, message], [])


def test_text_in_json_that_says_nothing_more_is_a_string_in_utf_8() -> None:
    (message,), _ = read('{"data":"é"}'.encode())
    assert (message.data, message.md.format, message.md.coded_char_set_id) == ("é".encode(), "MQSTR", 1208)
    (message,), _ = read(b'{"md":{"format":"","coded_char_set_id":819},"data":"x"}')
    assert (message.md.format, message.md.coded_char_set_id) == ("", 819)


def test_mistakes_in_json_lines_have_their_places_and_the_rest_is_read() -> None:
    messages, mistakes = read(
        b'{"data":"a"}\n{"data":\n{"data":"b","md":{"prio":1}}\n[1]\n{"data":"c","md":{"reply_to_q":"\\ud800"}}\n'
        b'{"data":"d"}'
    )
    assert [message.data for message in messages] == [b"a", b"d"]
    assert [(line, column) for line, column, _ in mistakes] == [(2, 9), (3, 19), (4, 1), (5, 19)]
    assert "md.prio" in mistakes[1][2]


def test_a_form_that_is_given_is_not_guessed() -> None:
    assert read(b"N\nX 41\n", "json")[1][0][:2] == (1, 1)


def test_warnings_are_kept_up_to_a_hundred_and_counted() -> None:
    findings = Findings("f")
    messages = list(read_messages([b"* QLOAD\n", *[b"A PRI x\n", b"X 41\n"] * 150], findings))
    assert (len(messages), len(findings.warnings), findings.unsaid) == (150, 100, 50)


@pytest.mark.parametrize(
    ("before", "given"),
    [
        ([], []),
        ([b'{"data":"a"}\n'], [b"a"]),
        ([b"* QLOAD\n", b"A VER 2\n", b"X 41\n", b"\n", b"A VER 2\n", b"X 42\n"], [b"A"]),
    ],
    ids=["first line", "json lines", "inside a message of a dump"],
)
def test_a_line_that_is_too_long_is_a_mistake_and_the_end(before: list[bytes], given: list[bytes]) -> None:
    def lines() -> Iterator[bytes]:
        yield from before
        raise TooLong(len(before) + 1)

    findings = Findings("f")
    assert [each.message.data for each in read_messages(lines(), findings)] == given
    assert [(each.line, each.text) for each in findings.mistakes] == [
        (len(before) + 1, "this line is longer than that of any message")
    ]
