"""Message properties as JSON and on the command line."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.constants.reasons import (
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.formats.properties import (
    check_property_name,
    parse_property,
    properties_from_dict,
    properties_from_json,
    properties_to_json,
    property_to_dict,
)
from mqtools.message import Property

from ..errors import fails


def values_of(kind: int, values: st.SearchStrategy[object]) -> st.SearchStrategy[Property]:
    mqlongs = st.integers(-(2**31), 2**31 - 1)
    return st.builds(Property, st.just(kind), values, st.just(1) | mqlongs, st.just(0) | mqlongs, st.just(22) | mqlongs)


def integers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


any_property = st.one_of(
    values_of(p.MQTYPE_STRING, st.text()),
    values_of(p.MQTYPE_BOOLEAN, st.booleans()),
    values_of(p.MQTYPE_INT8, integers(8)),
    values_of(p.MQTYPE_INT16, integers(16)),
    values_of(p.MQTYPE_INT32, integers(32)),
    values_of(p.MQTYPE_INT64, integers(64)),
    values_of(p.MQTYPE_FLOAT32, st.floats(width=32, allow_nan=False)),
    values_of(p.MQTYPE_FLOAT64, st.floats(allow_nan=False)),
    values_of(p.MQTYPE_BYTE_STRING, st.binary()),
    values_of(p.MQTYPE_NULL, st.none()),
)


@given(st.dictionaries(st.text(), any_property))
def test_properties_read_back_as_they_were_stored(props: dict[str, Property]) -> None:
    back = properties_from_json(properties_to_json(props))
    assert back == props
    assert list(back) == list(props)
    assert [type(prop.value) for prop in back.values()] == [type(prop.value) for prop in props.values()]


def test_the_stored_form_is_compact_and_leaves_the_usual_out() -> None:
    props = {
        "colour": Property(p.MQTYPE_STRING, "red"),
        "n": Property(p.MQTYPE_INT8, 1, support=0x100000, context=1, copy_options=0),
    }
    assert properties_to_json(props) == (
        '{"colour":{"type":"string","value":"red"},'
        '"n":{"type":"int8","value":1,"support":1048576,"context":1,"copy_options":0}}'
    )


@pytest.mark.parametrize("text", [None, ""])
def test_no_properties_are_no_text(text: str | None) -> None:
    assert properties_to_json({}) is None
    assert properties_from_json(text) == {}


@pytest.mark.parametrize("kind", [p.MQTYPE_FLOAT32, p.MQTYPE_FLOAT64])
def test_numbers_that_json_has_not_survive(kind: int) -> None:
    text = properties_to_json({name: Property(kind, float(name)) for name in ("NaN", "Infinity", "-Infinity")})
    assert text is not None
    json.loads(text, parse_constant=pytest.fail)
    back = properties_from_json(text)
    assert math.isnan(back["NaN"].value)  # type: ignore[arg-type]
    assert [back["Infinity"].value, back["-Infinity"].value] == [math.inf, -math.inf]


@pytest.mark.parametrize("text", ["{", "[]", "1", '"x"', "[" * 100_000])
def test_a_damaged_store_column_is_an_error_with_a_reason(text: str) -> None:
    with fails(MQRC_PROPERTY_TYPE_ERROR):
        properties_from_json(text)


def test_a_type_that_does_not_exist_cannot_be_written() -> None:
    with pytest.raises(MQError):
        property_to_dict(Property(0x999, 1))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("red", p.MQTYPE_STRING),
        (True, p.MQTYPE_BOOLEAN),
        (5, p.MQTYPE_INT64),
        (1.5, p.MQTYPE_FLOAT64),
        (None, p.MQTYPE_NULL),
    ],
)
def test_a_plain_value_has_its_evident_type(value: object, kind: int) -> None:
    expected = Property(kind, value)  # type: ignore[arg-type]
    assert properties_from_dict({"p": value, "q": {"value": value}}) == {"p": expected, "q": expected}


def test_a_whole_number_can_be_a_float_and_a_type_its_number() -> None:
    assert properties_from_dict({"p": {"type": 512, "value": 5}})["p"] == Property(p.MQTYPE_FLOAT64, 5.0)


@pytest.mark.parametrize(
    ("obj", "path", "reason"),
    [
        ({"p": {"type": "int", "value": 1}}, "properties.p.type", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": [], "value": 1}}, "properties.p.type", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "int8", "value": 128}}, "properties.p.value", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ({"p": {"type": "int64", "value": 1 << 63}}, "properties.p.value", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ({"p": 1 << 63}, "properties.p.value", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ({"p": {"type": "int8", "value": "1"}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "int8", "value": True}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "int8", "value": 1.5}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "float32", "value": 1e39}}, "properties.p.value", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ({"p": {"type": "float64", "value": 10**400}}, "properties.p.value", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ({"p": {"type": "float64", "value": True}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "float64", "value": "1.5"}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "bytes", "value": "xy"}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "bool", "value": 1}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "string"}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "null", "value": ""}}, "properties.p.value", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": {"type": "int8", "value": 1, "support": "x"}}, "properties.p.support", MQRC_PROPERTY_TYPE_ERROR),
        ({"p": [1]}, "properties.p", MQRC_PROPERTY_TYPE_ERROR),
        ("x", "properties", MQRC_PROPERTY_TYPE_ERROR),
    ],
)
def test_a_bad_property_is_named_by_its_path(obj: object, path: str, reason: int) -> None:
    with pytest.raises(MQError) as caught:
        properties_from_dict(obj)
    assert caught.value.text.startswith(f"{path}: ")
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "name", "kind", "value"),
    [
        ("colour=red", "colour", p.MQTYPE_STRING, "red"), ("a=", "a", p.MQTYPE_STRING, ""),
        ("a=b=c:d", "a", p.MQTYPE_STRING, "b=c:d"), ("a:string= x ", "a", p.MQTYPE_STRING, " x "),
        ("a:bool=TRUE", "a", p.MQTYPE_BOOLEAN, True), ("a:bool=0", "a", p.MQTYPE_BOOLEAN, False),
        ("a:int8=-128", "a", p.MQTYPE_INT8, -128), ("a:int16=+7", "a", p.MQTYPE_INT16, 7),
        ("a:INT32=2147483647", "a", p.MQTYPE_INT32, 2**31 - 1), ("a:int64=007", "a", p.MQTYPE_INT64, 7),
        ("a:float32=0.1", "a", p.MQTYPE_FLOAT32, 0.1), ("a:float64=1e3", "a", p.MQTYPE_FLOAT64, 1000.0),
        ("a:float64=-inf", "a", p.MQTYPE_FLOAT64, -math.inf), ("a:bytes=00ff", "a", p.MQTYPE_BYTE_STRING, b"\0\xff"),
        ("a:bytes=X'00FF'", "a", p.MQTYPE_BYTE_STRING, b"\0\xff"), ("a:bytes=", "a", p.MQTYPE_BYTE_STRING, b""),
        ("a:null=", "a", p.MQTYPE_NULL, None),
    ],
)  # fmt: skip
def test_a_property_is_read_from_the_command_line(text: str, name: str, kind: int, value: object) -> None:
    assert parse_property(text) == (name, Property(kind, value))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("colour", MQRC_PROPERTY_NAME_ERROR), ("=x", MQRC_PROPERTY_NAME_ERROR), ("a b=x", MQRC_PROPERTY_NAME_ERROR),
        ("a:integers=1", MQRC_PROPERTY_TYPE_ERROR), ("a:=1", MQRC_PROPERTY_TYPE_ERROR),
        ("a:b:int8=1", MQRC_PROPERTY_TYPE_ERROR), ("a:bool=yes", MQRC_PROPERTY_TYPE_ERROR),
        ("a:bytes=0", MQRC_PROPERTY_TYPE_ERROR), ("a:null=x", MQRC_PROPERTY_TYPE_ERROR),
        ("a:int8=128", MQRC_PROP_NUMBER_FORMAT_ERROR), ("a:int8=", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ("a:int8=1.0", MQRC_PROP_NUMBER_FORMAT_ERROR), ("a:int32=1_0", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ("a:int32=+-1", MQRC_PROP_NUMBER_FORMAT_ERROR), ("a:int64=" + "9" * 5000, MQRC_PROP_NUMBER_FORMAT_ERROR),
        ("a:float32=1e39", MQRC_PROP_NUMBER_FORMAT_ERROR), ("a:float64=1_0", MQRC_PROP_NUMBER_FORMAT_ERROR),
        ("a:float64=x", MQRC_PROP_NUMBER_FORMAT_ERROR),
    ],
)  # fmt: skip
def test_a_bad_property_of_the_command_line_is_refused(text: str, reason: int) -> None:
    with fails(reason):
        parse_property(text)


@pytest.mark.parametrize(
    "name",
    ["a", "colour", "_x", "$x", "a1", "a.b.c", "usr.colour", "mqext.x", "mcd.x", "jms.Dst", "mq_usr.a.b", "größe",
     "ORDER", "inside", "a.in.b", "x" * 4095],
)  # fmt: skip
def test_a_good_property_name_is_accepted(name: str) -> None:
    check_property_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "1a", "a b", "a-b", "a..b", ".a", "a.", "a.1", "NULL", "true", "Between", "usr.in", "JMSPriority", "usr.JMSx",
     "Root.MQMD.Priority", "Body", "mqext.a.b", "MQ.a.b", "x" * 4096, "a\x1b", "\U0001d400", "a\ud800"],
)  # fmt: skip
def test_a_bad_property_name_is_refused(name: str) -> None:
    with fails(MQRC_PROPERTY_NAME_ERROR):
        check_property_name(name)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_a_property_or_an_mq_error(text: str) -> None:
    try:
        name, _ = parse_property(text)
    except MQError:
        return
    assert text.startswith(name)
