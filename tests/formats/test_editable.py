"""A message as people edit it: text stays text, bytes stay bytes, and what is not touched stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.properties import MQTYPE_BYTE_STRING, MQTYPE_STRING
from mqtools.errors import MQError
from mqtools.formats.editable import difference, from_text, to_text
from mqtools.formats.terminal import visible
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message, Property


def text_message(data: bytes = b"hello", **fields: object) -> Message:
    return Message(data, MQMD(format="MQSTR", coded_char_set_id=1208, **fields))  # type: ignore[arg-type]


def dead_letter(body: bytes) -> Message:
    md, data = prefix_dlh(text_message().md, body, reason=2053, dest_q_name="Q", dest_q_mgr_name="QM1")
    return Message(data, md)


def obj(message: Message) -> dict[str, object]:
    shown = json.loads(to_text(message))
    assert isinstance(shown, dict)
    return shown


@given(
    st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(["", "MQSTR", "MQDEAD", "MQHRF2"]),
    st.sampled_from([1208, 37, 1200, 0, 99]),
)
def test_what_is_not_edited_comes_back_as_it_was(data, format_name, ccsid):
    message = Message(
        data, MQMD(format=format_name, coded_char_set_id=ccsid), {"p": Property(MQTYPE_BYTE_STRING, b"\0")}
    )
    assert from_text(to_text(message), message) == message
    blank = Message(b"other", message.md, {})
    assert from_text(to_text(message), blank) == message


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_text_is_text_and_safe_to_look_at(text):
    shown = to_text(text_message(text.encode()))
    assert visible(shown, keep="\n") == shown
    data = json.loads(shown)["data"]
    assert (data if isinstance(data, str) else "".join(data)) == text


@pytest.mark.parametrize(
    ("data", "shown"),
    [(b"one", "one"), (b"", ""), (b"a\nb", ["a\n", "b"]), (b"a\nb\n", ["a\n", "b\n"]), (b"a\r\n\n", ["a\r\n", "\n"])],
)
def test_lines_are_lines(data, shown):
    assert obj(text_message(data))["data"] == shown


def test_what_is_no_text_is_hex():
    assert obj(text_message(b"\xff\x00" * 17))["data_hex"] == [" ".join(["FF00FF00"] * 8), "FF00"]


def test_the_body_behind_headers_is_text_of_its_own():
    message = dead_letter(b"broken")
    shown = obj(message)
    assert (shown["body"], "data" in shown, "data_hex" in shown) == ("broken", False, False)
    shown["body"] = "mended!"
    after = from_text(json.dumps(shown), message)
    assert after.data == message.data[:-6] + b"mended!"
    assert after.md == message.md


def test_text_is_written_in_the_character_set_that_is_given():
    shown = obj(text_message(b"abc"))
    shown["md"] = {"coded_char_set_id": 37}
    assert from_text(json.dumps(shown), text_message(b"abc")).data == "abc".encode("cp037")


def test_what_is_left_out_stays():
    message = Message(b"x", MQMD(priority=7, msg_id=b"M" * 24), {"c": Property(MQTYPE_STRING, "red")})
    after = from_text('{"md": {"priority": 3, "msg_id": null}}', message)
    assert after == message.replace(md=message.md.replace(priority=3))
    assert from_text('{"properties": {}}', message).properties == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"md": {\n  "priority": }}', "draft:2:15: "),
        ("[]", "draft:1:1: "),
        ('{"datta": "x"}', "datta: a message has no such part"),
        ('{"md": 3}', "md: not an object"),
        ('{"md": {"prio": 3}}', "md.prio: "),
        ('{"md": {"priority": "high"}}', "md.priority: "),
        ('{"data": "x", "data_hex": "00"}', "data: there is data_hex too"),
        ('{"data": 3}', "data: neither text"),
        ('{"data": ["a", 3]}', "data: neither text"),
        ('{"data_hex": "0"}', "data_hex: not pairs"),
        ('{"data": "\\ud800"}', "data: "),
        ('{"properties": {"a": {"type": "int8", "value": 300}}}', "properties.a"),
    ],
)
def test_a_mistake_says_where_it_is(text, words):
    with pytest.raises(MQError) as raised:
        from_text(text, text_message(), "draft")
    assert raised.value.text.startswith(words)


def test_a_difference_shows_what_changed_and_nothing_hidden():
    lines = list(difference(text_message(b"a\nb\n"), text_message(b"a\n\x1b[31m\xe2\x80\xae\n", priority=5), "ID"))
    assert lines[:2] == ["--- ID", "+++ ID edited"]
    assert [line for line in lines if line[0] == "-"][1:] == ['-    "priority": -1,', '-    "b\\n"']
    assert [line for line in lines if line[0] == "+"][1:] == ['+    "priority": 5,', '+    "\\u001b[31m\\u202e\\n"']
    assert list(difference(text_message(), text_message(), "ID")) == []
