"""Types of properties: ranges, and which value can be asked for as which type."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.formats.properties import TYPE_NAMES, evident_type
from mqtools.rules.property_types import CONVERSIONS, coerce_value, convert_value, value_length

from ..errors import fails

SAMPLES: dict[int, Any] = {
    p.MQTYPE_BOOLEAN: True,
    p.MQTYPE_BYTE_STRING: b"\x0f\xff",
    p.MQTYPE_INT8: -7,
    p.MQTYPE_INT16: 300,
    p.MQTYPE_INT32: 70000,
    p.MQTYPE_INT64: 1 << 40,
    p.MQTYPE_FLOAT32: 1.5,
    p.MQTYPE_FLOAT64: -1e300,
    p.MQTYPE_STRING: "1",
    p.MQTYPE_NULL: None,
}


@pytest.mark.parametrize(("kind", "bits"), [(p.MQTYPE_INT8, 8), (p.MQTYPE_INT16, 16), (p.MQTYPE_INT32, 32), (p.MQTYPE_INT64, 64)])  # fmt: skip  # noqa: E501
def test_integers_have_the_range_of_their_type(kind: int, bits: int) -> None:
    limit = 1 << (bits - 1)
    assert coerce_value(kind, limit - 1) == limit - 1
    assert coerce_value(kind, -limit) == -limit
    for number in (limit, -limit - 1):
        with fails(r.MQRC_PROP_NUMBER_FORMAT_ERROR):
            coerce_value(kind, number)


def test_float32_is_rounded_and_has_an_end() -> None:
    assert coerce_value(p.MQTYPE_FLOAT32, 0.1) == 0.10000000149011612
    assert coerce_value(p.MQTYPE_FLOAT64, 1) == 1.0
    for kind, number in ((p.MQTYPE_FLOAT32, 1e39), (p.MQTYPE_FLOAT64, 10**400)):
        with fails(r.MQRC_PROP_NUMBER_FORMAT_ERROR):
            coerce_value(kind, number)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (p.MQTYPE_INT32, "1"),
        (p.MQTYPE_INT32, True),
        (p.MQTYPE_INT32, 1.0),
        (p.MQTYPE_FLOAT64, "1"),
        (p.MQTYPE_FLOAT64, True),
        (p.MQTYPE_BOOLEAN, 2),
        (p.MQTYPE_BOOLEAN, "TRUE"),
        (p.MQTYPE_STRING, b"x"),
        (p.MQTYPE_STRING, "\ud800"),
        (p.MQTYPE_BYTE_STRING, "x"),
        (p.MQTYPE_NULL, ""),
        (p.MQTYPE_AS_SET, "x"),
        (0x1000, "x"),
    ],
)
def test_a_value_of_another_type_is_refused(kind: int, value: object) -> None:
    with fails(r.MQRC_PROPERTY_TYPE_ERROR):
        coerce_value(kind, value)


@pytest.mark.parametrize(("kind", "value"), list(SAMPLES.items()))
def test_what_a_property_holds_fits(kind: int, value: Any) -> None:
    assert coerce_value(kind, value) == value
    assert coerce_value(p.MQTYPE_BOOLEAN, 0) is False


def test_the_type_of_a_value_is_evident() -> None:
    kinds = [evident_type(value) for value in (True, 1, 1.0, "", b"", None)]
    assert [TYPE_NAMES[kind] for kind in kinds] == ["bool", "int64", "float64", "string", "bytes", "null"]
    with fails(r.MQRC_PROPERTY_TYPE_ERROR):
        evident_type([])


@pytest.mark.parametrize(
    ("kind", "value", "length"),
    [
        *((kind, SAMPLES[kind], length) for kind, length in zip(SAMPLES, (4, 2, 1, 2, 4, 8, 4, 8, 1, 0), strict=True)),
        (p.MQTYPE_STRING, "é", 2),
    ],
)
def test_values_have_the_length_of_their_type(kind: int, value: Any, length: int) -> None:
    assert value_length(kind, value) == length


@pytest.mark.parametrize(("kind", "wanted"), list(product(SAMPLES, SAMPLES)))
def test_only_what_the_table_says_is_converted(kind: int, wanted: int) -> None:
    if wanted == kind or wanted in CONVERSIONS[kind]:
        value = convert_value(kind, SAMPLES[kind], wanted)
        assert coerce_value(wanted, value) == value
        return
    with fails(r.MQRC_PROP_CONV_NOT_SUPPORTED):
        convert_value(kind, SAMPLES[kind], wanted)


def test_numbers_widen_and_never_narrow() -> None:
    integers = (p.MQTYPE_INT8, p.MQTYPE_INT16, p.MQTYPE_INT32, p.MQTYPE_INT64)
    for kind, wanted in product(integers, integers):
        assert (wanted in CONVERSIONS[kind]) == (wanted > kind)
    assert all(p.MQTYPE_STRING in CONVERSIONS[kind] for kind in SAMPLES if kind not in (p.MQTYPE_STRING, p.MQTYPE_NULL))
    assert CONVERSIONS[p.MQTYPE_NULL] == ()


@pytest.mark.parametrize(
    ("kind", "value", "wanted", "result"),
    [
        (p.MQTYPE_BOOLEAN, True, p.MQTYPE_STRING, "TRUE"),
        (p.MQTYPE_BOOLEAN, False, p.MQTYPE_STRING, "FALSE"),
        (p.MQTYPE_BOOLEAN, True, p.MQTYPE_INT8, 1),
        (p.MQTYPE_BYTE_STRING, b"\x0f\xff", p.MQTYPE_STRING, "0FFF"),
        (p.MQTYPE_INT16, -300, p.MQTYPE_STRING, "-300"),
        (p.MQTYPE_FLOAT64, 1.5, p.MQTYPE_STRING, "1.5"),
        (p.MQTYPE_STRING, " +42 ", p.MQTYPE_INT8, 42),
        (p.MQTYPE_STRING, "1e3", p.MQTYPE_FLOAT64, 1000.0),
        (p.MQTYPE_STRING, "0.1", p.MQTYPE_FLOAT32, 0.10000000149011612),
        (p.MQTYPE_STRING, "True", p.MQTYPE_BOOLEAN, True),
        (p.MQTYPE_STRING, "0", p.MQTYPE_BOOLEAN, False),
    ],
)
def test_converted_values_read_so(kind: int, value: Any, wanted: int, result: object) -> None:
    assert convert_value(kind, value, wanted) == result
    assert type(convert_value(kind, value, wanted)) is type(result)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", p.MQTYPE_INT32),
        ("one", p.MQTYPE_INT32),
        ("1.0", p.MQTYPE_INT32),
        ("128", p.MQTYPE_INT8),
        ("1_000", p.MQTYPE_INT32),
        ("\u0661", p.MQTYPE_INT32),
        ("1\n", p.MQTYPE_INT32),
        ("9" * 5000, p.MQTYPE_INT64),
        ("1,5", p.MQTYPE_FLOAT64),
        ("1e39", p.MQTYPE_FLOAT32),
        ("yes", p.MQTYPE_BOOLEAN),
    ],
)
def test_a_text_that_is_no_such_value_is_a_number_format_error(text: str, wanted: int) -> None:
    with fails(r.MQRC_PROP_NUMBER_FORMAT_ERROR):
        convert_value(p.MQTYPE_STRING, text, wanted)


def test_a_type_that_does_not_exist_is_refused() -> None:
    with fails(r.MQRC_PROPERTY_TYPE_ERROR):
        convert_value(p.MQTYPE_STRING, "1", 3)


@given(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))
def test_numbers_survive_their_text(whole: int, real: float) -> None:
    for kind, number in ((p.MQTYPE_INT64, whole), (p.MQTYPE_FLOAT64, real)):
        assert convert_value(p.MQTYPE_STRING, convert_value(kind, number, p.MQTYPE_STRING), kind) == number
