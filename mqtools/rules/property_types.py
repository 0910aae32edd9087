"""Types of message properties: valid values and conversions."""

from __future__ import annotations

from struct import pack, unpack

from mqtools.constants.properties import (
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from mqtools.constants.reasons import (
    MQRC_PROP_CONV_NOT_SUPPORTED,
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.formats.properties import TYPE_NAMES
from mqtools.message import PropertyValue

#: Type to the bytes that a value of it has. A type not listed has as many as its value.
LENGTHS = {
    MQTYPE_NULL: 0,
    MQTYPE_BOOLEAN: 4,
    MQTYPE_INT8: 1,
    MQTYPE_INT16: 2,
    MQTYPE_INT32: 4,
    MQTYPE_INT64: 8,
    MQTYPE_FLOAT32: 4,
    MQTYPE_FLOAT64: 8,
}
_INTEGERS = (MQTYPE_INT8, MQTYPE_INT16, MQTYPE_INT32, MQTYPE_INT64)
_FLOATS = (MQTYPE_FLOAT32, MQTYPE_FLOAT64)

#: Type to the others that its values can be inquired as (MQIMPO_CONVERT_TYPE): no number loses anything by it, and
#: text is parsed. A pair not listed is MQRC_PROP_CONV_NOT_SUPPORTED.
CONVERSIONS: dict[int, tuple[int, ...]] = {
    MQTYPE_BOOLEAN: (MQTYPE_STRING, *_INTEGERS),
    MQTYPE_BYTE_STRING: (MQTYPE_STRING,),
    MQTYPE_INT8: (MQTYPE_STRING, MQTYPE_INT16, MQTYPE_INT32, MQTYPE_INT64),
    MQTYPE_INT16: (MQTYPE_STRING, MQTYPE_INT32, MQTYPE_INT64),
    MQTYPE_INT32: (MQTYPE_STRING, MQTYPE_INT64),
    MQTYPE_INT64: (MQTYPE_STRING,),
    MQTYPE_FLOAT32: (MQTYPE_STRING, MQTYPE_FLOAT64),
    MQTYPE_FLOAT64: (MQTYPE_STRING,),
    MQTYPE_STRING: (MQTYPE_BOOLEAN, *_INTEGERS, *_FLOATS),
    MQTYPE_NULL: (),
}

#: Text to its truth value. Any other text is an error.
_TRUTHS = {"TRUE": True, "1": True, "FALSE": False, "0": False}


def check_type(kind: int) -> None:
    """Check that a property type exists. Raises MQError: MQRC_PROPERTY_TYPE_ERROR."""
    if kind not in TYPE_NAMES:
        raise MQError(f"{kind!r} is not a property type", MQRC_PROPERTY_TYPE_ERROR)


def coerce_value(kind: int, value: object) -> PropertyValue:
    """Return a value as a property of a type holds it: MQTYPE_FLOAT32 rounded, booleans as bool.

    Raises MQError: MQRC_PROPERTY_TYPE_ERROR when the type does not exist or the value is none of it,
    MQRC_PROP_NUMBER_FORMAT_ERROR when a number is out of the type's range.
    """
    check_type(kind)
    if kind in _INTEGERS and isinstance(value, int) and not isinstance(value, bool):
        return _ranged(kind, value)
    if kind in _FLOATS and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _rounded(kind, value)
    if kind == MQTYPE_BOOLEAN and isinstance(value, int) and value in (0, 1):
        return bool(value)
    if kind == MQTYPE_STRING and isinstance(value, str) and _is_text(value):
        return value
    if kind == MQTYPE_BYTE_STRING and isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if kind == MQTYPE_NULL and value is None:
        return None
    raise MQError(f"{value!r} is not of type {TYPE_NAMES[kind]}", MQRC_PROPERTY_TYPE_ERROR)


def _ranged(kind: int, number: int) -> int:
    limit = 1 << (8 * LENGTHS[kind] - 1)
    if not -limit <= number < limit:
        raise _bad_number(f"the number does not fit in an {TYPE_NAMES[kind]}")
    return number


def _rounded(kind: int, number: float) -> float:
    try:
        number = float(number)
        return float(unpack("<f", pack("<f", number))[0]) if kind == MQTYPE_FLOAT32 else number
    except OverflowError as error:
        raise _bad_number(f"the number does not fit in a {TYPE_NAMES[kind]}") from error


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def value_length(kind: int, value: PropertyValue, codec: str = "utf-8") -> int:
    """Return the length of a value in bytes, text in a codec."""
    if isinstance(value, str):
        return len(value.encode(codec, "surrogatepass"))
    return len(value) if isinstance(value, bytes) else LENGTHS[kind]


def convert_value(kind: int, value: PropertyValue, wanted: int) -> PropertyValue:
    """Return a value of one type converted to another.

    Truth values read TRUE and FALSE, bytes as hexadecimal digits, numbers in digits; blanks around a number are
    nothing.
    Raises MQError: MQRC_PROPERTY_TYPE_ERROR when the type wanted does not exist, MQRC_PROP_CONV_NOT_SUPPORTED when
    there is no conversion, MQRC_PROP_NUMBER_FORMAT_ERROR when a text is not what is wanted or out of its range.
    """
    check_type(wanted)
    if wanted == kind:
        return value
    if wanted not in CONVERSIONS[kind]:
        text = f"no conversion from {TYPE_NAMES[kind]} to {TYPE_NAMES[wanted]}"
        raise MQError(text, MQRC_PROP_CONV_NOT_SUPPORTED)
    if wanted == MQTYPE_STRING:
        return _text(value)
    if isinstance(value, str):
        return _read(value, wanted)
    return int(value) if wanted in _INTEGERS else value  # type: ignore[arg-type]


def _text(value: PropertyValue) -> str:
    if isinstance(value, bytes):
        return value.hex().upper()
    return str(value).upper() if isinstance(value, bool) else repr(value)


def _read(text: str, wanted: int) -> PropertyValue:
    word = text.strip(" ")
    if wanted == MQTYPE_BOOLEAN:
        if word.upper() not in _TRUTHS:
            raise _bad_number(f"{text[:40]!r} is neither TRUE nor FALSE")
        return _TRUTHS[word.upper()]
    try:
        # Python alone takes 1_000, digits of other scripts and white space of other kinds.
        if not word.isascii() or "_" in word or word != word.strip():
            raise ValueError(word)
        return coerce_value(wanted, int(word) if wanted in _INTEGERS else float(word))
    except ValueError as error:
        raise _bad_number(f"{text[:40]!r} is not a number") from error


def _bad_number(text: str) -> MQError:
    return MQError(text, MQRC_PROP_NUMBER_FORMAT_ERROR)
