"""The message in JSON, both directions."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_BUFFER_ERROR
from mqtools.constants.states import LOCKED_FOR_BROWSE, STATE_NAMES, UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.envelope.envelope import from_envelope, to_envelope
from mqtools.formats.jsontext import dumps
from mqtools.formats.units import parse_id
from mqtools.headers.characters import decode_field, encode_field
from mqtools.headers.charsets import field_codec
from mqtools.message import MQMD, Message, Property

from ..descriptors import any_md
from ..errors import fails
from .test_properties import any_property

header_formats = st.sampled_from(
    ["MQDEAD", "MQXMIT", "MQHRF2", "MQHRF", "MQHREF", "MQHMDE", "MQCICS", "MQIMS", "MQPCF"]
)
ccsids = st.sampled_from([0, 37, 500, 819, 1200, 1208, 13488, 1047, 943, 930, -1, 99999])


def envelope(message: Message, **options: object) -> dict[str, object]:
    return to_envelope(message, **{"qmgr": "QM1", "queue": "ORDERS", "state": UNLOCKED, **options})  # type: ignore[arg-type]


@given(any_md, st.dictionaries(st.text(), any_property, max_size=4), st.binary() | st.text().map(str.encode))
def test_any_message_reads_back_through_json(md: MQMD, properties: dict[str, Property], data: bytes) -> None:
    message = Message(data, md, properties)
    assert from_envelope(json.loads(dumps(envelope(message)))) == message


@given(
    st.sampled_from(["", "MQSTR"]) | header_formats,
    ccsids,
    st.sampled_from([273, 546, 0]),
    st.binary() | st.text().map(lambda text: text.encode("cp500", "replace")) | st.text().map(str.encode),
)
def test_any_data_reads_back_in_any_format_and_ccsid(format: str, ccsid: int, encoding: int, data: bytes) -> None:
    message = Message(data, MQMD(format=format, coded_char_set_id=ccsid, encoding=encoding))
    assert from_envelope(json.loads(dumps(envelope(message)))) == message


def test_the_keys_are_those_of_the_documented_form_in_its_order() -> None:
    message = Message(b"hello", MQMD(format="MQSTR"), {"colour": Property(MQTYPE_STRING, "red")})
    shown = envelope(message, state=LOCKED_FOR_BROWSE, lock_id=b"\x0a\xbc", extra={"gone": True})
    assert list(shown) == [
        "mqx", "qmgr", "queue", "state", "lock_id", "md", "properties", "headers", "data_length", "data", "gone",
    ]  # fmt: skip
    assert {key: shown[key] for key in shown if key != "md"} == {
        "mqx": 1, "qmgr": "QM1", "queue": "ORDERS", "state": "locked_for_browse", "lock_id": "0ABC",
        "properties": {"colour": {"type": "string", "value": "red"}}, "headers": [], "data_length": 5,
        "data": "hello", "gone": True,
    }  # fmt: skip


@pytest.mark.parametrize("state", range(len(STATE_NAMES)))
def test_every_state_has_its_name(state: int) -> None:
    assert envelope(Message(), state=state)["state"] == STATE_NAMES[state]


def test_bytes_that_are_no_text_are_exact_in_base64() -> None:
    shown = envelope(Message(b"\xff\xfe", MQMD(coded_char_set_id=1208)))
    assert "data" not in shown
    assert (shown["data_b64"], shown["body"]) == ("//4=", None)


def test_text_is_read_and_written_in_its_ccsid() -> None:
    message = Message("Grüße".encode("cp500"), MQMD(format="MQSTR", coded_char_set_id=500))
    assert envelope(message)["data"] == "Grüße"
    assert from_envelope({"md": {"coded_char_set_id": 500}, "data": "Grüße"}).data == message.data


def test_text_of_utf_16_follows_the_encoding() -> None:
    assert from_envelope({"md": {"coded_char_set_id": 1200, "encoding": 273}, "data": "A"}).data == b"\0A"
    assert from_envelope({"md": {"coded_char_set_id": 1200, "encoding": 546}, "data": "A"}).data == b"A\0"


def dead_letter(body: bytes, ccsid: int = 1208) -> bytes:
    """An MQDLH in little-endian integers, field by field, with a body behind it."""
    ints = [(1).to_bytes(4, "little"), (2053).to_bytes(4, "little")]
    names = [b"ORDERS".ljust(48), b"QM1".ljust(48)]
    numbers = [(n).to_bytes(4, "little") for n in (546, ccsid)]
    tail = [b"MQSTR".ljust(8), (6).to_bytes(4, "little"), b"app".ljust(28), b"20261120", b"08154233"]
    return b"".join([b"DLH ", *ints, *names, *numbers, *tail, body])


def test_headers_are_listed_and_the_text_behind_them_is_the_body() -> None:
    message = Message(dead_letter(b"hello"), MQMD(format="MQDEAD", coded_char_set_id=1208))
    shown = json.loads(dumps(envelope(message)))
    assert len(shown["headers"]) == 1
    assert (shown["headers"][0]["reason"], shown["headers"][0]["dest_q_name"]) == ("MQRC_Q_FULL", "ORDERS")
    assert shown["body"] == "hello"
    assert "data" not in shown
    assert base64.b64decode(shown["data_b64"]) == message.data
    assert from_envelope(shown) == message


def test_a_body_that_is_no_text_is_null() -> None:
    shown = envelope(Message(dead_letter(b"\xff"), MQMD(format="MQDEAD", coded_char_set_id=1208)))
    assert shown["body"] is None


def test_a_damaged_header_shows_the_exact_bytes_and_no_body() -> None:
    shown = envelope(Message(b"DLH short", MQMD(format="MQDEAD", coded_char_set_id=1208)))
    assert (shown["headers"], shown["body"]) == ([], None)
    assert shown["data_b64"] == base64.b64encode(b"DLH short").decode()


def test_a_missing_key_takes_the_default() -> None:
    assert from_envelope({}) == Message()
    assert from_envelope({"md": None, "properties": None, "data": None}) == Message()


def test_views_are_ignored() -> None:
    views = {"headers": [{"struc_id": "DLH"}], "body": "x", "data_length": 99, "state": "?", "lock_id": 5}
    assert from_envelope({"data": "a", **views}) == Message(b"a")


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        ([], "the message is not a JSON object"), ("x", "the message is not a JSON object"),
        ({"md": []}, "md: not an object"), ({"md": {"priority": "x"}}, "md.priority: 'x' is not a number"),
        ({"properties": []}, "properties: not an object"), ({"properties": {"a": []}}, "properties.a: "),
        ({"data": 5}, "data: 5 is not text"), ({"data_b64": 5}, "data_b64: 5 is not text"),
        ({"data_b64": "="}, "data_b64: not base64"), ({"data_b64": "YQ"}, "data_b64: not base64"),
        ({"data_b64": "Y Q="}, "data_b64: not base64"), ({"data_b64": "é"}, "data_b64: not base64"),
        ({"data": "", "data_b64": ""}, "data: there is data_b64 too"), ({"data": "\ud800"}, "data: "),
        ({"md": {"coded_char_set_id": 37}, "data": "世"}, "data: "),
        ({"md": {"coded_char_set_id": 99999}, "data": "a"}, "data: "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_path(obj: object, words: str) -> None:
    with pytest.raises(MQError) as caught:
        from_envelope(obj)
    assert caught.value.text.startswith(words)
    assert caught.value.reason > 0


def test_bad_data_has_its_own_reason() -> None:
    with fails(MQRC_BUFFER_ERROR):
        from_envelope({"data_b64": "="})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
odd_objects = st.fixed_dictionaries(
    {},
    optional={
        "md": st.fixed_dictionaries({}, optional=dict.fromkeys(MQMD.__slots__, json_values)) | json_values,
        "properties": st.dictionaries(
            st.text(), json_values | st.fixed_dictionaries({"type": json_values, "value": json_values})
        ),
        "data": json_values,
        "data_b64": json_values,
    },
)


@given(odd_objects | json_values)
def test_any_json_is_a_message_or_an_mq_error(obj: object) -> None:
    try:
        message = from_envelope(obj)
    except MQError:
        return
    assert len(message.md.msg_id) == len(parse_id("00"))


def test_a_form_of_a_later_version_is_refused() -> None:
    with pytest.raises(MQError, match="mqx: 99"):
        from_envelope({"mqx": 99, "data": "x"})


@given(raw=st.binary(max_size=12), ccsid=st.sampled_from((1208, 819, 1252)))
def test_character_fields_keep_their_bytes(raw: bytes, ccsid: int) -> None:
    codec = field_codec(ccsid)
    md = MQMD(user_identifier=decode_field(raw, codec).rstrip(" "))
    shown = json.loads(dumps(to_envelope(Message(md=md), qmgr="Q", queue="Q", state=1, ccsid=ccsid)))
    read = from_envelope(shown, ccsid).md.user_identifier
    assert encode_field(read, codec) == encode_field(md.user_identifier, codec)
    if ccsid == 1208:
        assert isinstance(shown["md"]["user_identifier"], dict) is (raw.decode("utf-8", "ignore").encode() != raw)


@pytest.mark.parametrize(
    "value", [{"b64": "AA"}, {"b64": 1}, {"b64": "QQ==", "x": 1}, {}, 7, {"b64": "QUFBQUFBQUFBQUFBQQ=="}, "\ud800"]
)
def test_a_character_field_that_cannot_be_read_is_refused(value: object) -> None:
    with pytest.raises(MQError, match=r"md\.user_identifier: "):
        from_envelope({"md": {"user_identifier": value}})
