"""Message properties as JSON and as ``NAME:TYPE=VALUE``, both directions."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from mqtools.constants.properties import (
    MQCOPY_DEFAULT,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
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
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.formats.descriptor import mqlong
from mqtools.formats.jsontext import dumps
from mqtools.message import Property

if TYPE_CHECKING:
    from mqtools.message import PropertyValue

#: Name of a property type to its MQTYPE value. A type that is not here does not exist.
TYPES = {
    "string": MQTYPE_STRING,
    "bool": MQTYPE_BOOLEAN,
    "int8": MQTYPE_INT8,
    "int16": MQTYPE_INT16,
    "int32": MQTYPE_INT32,
    "int64": MQTYPE_INT64,
    "float32": MQTYPE_FLOAT32,
    "float64": MQTYPE_FLOAT64,
    "bytes": MQTYPE_BYTE_STRING,
    "null": MQTYPE_NULL,
}
#: Other names that MQ has for property types: of JMS, of the MQRFH2 folders.
_OTHER_NAMES = {
    "boolean": MQTYPE_BOOLEAN,
    "byte": MQTYPE_INT8,
    "short": MQTYPE_INT16,
    "int": MQTYPE_INT32,
    "integer": MQTYPE_INT32,
    "long": MQTYPE_INT64,
    "float": MQTYPE_FLOAT32,
    "double": MQTYPE_FLOAT64,
    "i1": MQTYPE_INT8,
    "i2": MQTYPE_INT16,
    "i4": MQTYPE_INT32,
    "i8": MQTYPE_INT64,
    "r4": MQTYPE_FLOAT32,
    "r8": MQTYPE_FLOAT64,
    "bin.hex": MQTYPE_BYTE_STRING,
    "byte_string": MQTYPE_BYTE_STRING,
    "str": MQTYPE_STRING,
}
TYPE_NAMES = {number: name for name, number in TYPES.items()}

#: Python type to the property type of its values; bool precedes int, its base class.
_EVIDENT: tuple[tuple[type, int], ...] = (
    (bool, MQTYPE_BOOLEAN),
    (int, MQTYPE_INT64),
    (float, MQTYPE_FLOAT64),
    (str, MQTYPE_STRING),
    (bytes, MQTYPE_BYTE_STRING),
    (type(None), MQTYPE_NULL),
)

#: Integer type to its width in bits.
_INTEGER_BITS = {MQTYPE_INT8: 8, MQTYPE_INT16: 16, MQTYPE_INT32: 32, MQTYPE_INT64: 64}

_FLOATS = (MQTYPE_FLOAT32, MQTYPE_FLOAT64)

#: The biggest finite 32-bit float.
_FLOAT32_MAX = 3.4028234663852886e38

#: Numbers without a literal in JSON, by their texts.
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

#: Field of the property descriptor to its usual value, which is not written.
_USUAL = {"support": MQPD_SUPPORT_OPTIONAL, "context": MQPD_NO_CONTEXT, "copy_options": MQCOPY_DEFAULT}

#: SQL keywords of selectors: no property can be called so, in any case, nor with ``usr.`` in front.
_KEYWORDS = frozenset(("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"))

#: Beginnings of names that belong to MQ and JMS.
_RESERVED = ("JMS", "usr.JMS", "Body", "Root")

#: The longest property name, in characters.
_MAX_NAME = 4095


def property_to_dict(prop: Property) -> dict[str, object]:
    """Return a property as JSON values: type, value, and of its descriptor what is not the default.

    Raises MQError: MQRC_PROPERTY_TYPE_ERROR when the type is no MQTYPE value.
    """
    if prop.type not in TYPE_NAMES:
        raise MQError(f"{prop.type!r} is not a property type", MQRC_PROPERTY_TYPE_ERROR)
    shown: dict[str, object] = {"type": TYPE_NAMES[prop.type], "value": _value_to_json(prop.value)}
    for field, usual in _USUAL.items():
        value = getattr(prop, field)
        if value != usual:
            shown[field] = value
    return shown


def _value_to_json(value: PropertyValue) -> object:
    if isinstance(value, (bytes, bytearray)):
        return value.hex().upper()
    if isinstance(value, float):
        return json_float(value)
    return value


def json_float(value: float) -> float | str:
    """Return a float as JSON can hold it: NaN and the infinities as texts, the rest as it is."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def property_from_dict(obj: object, path: str) -> Property:
    """Read a property from ``{"type": …, "value": …}``, or from a plain JSON value whose type is evident.

    path: of obj in the document, for the message.
    Raises MQError naming the key path: MQRC_PROPERTY_TYPE_ERROR when the type is unknown or does not fit the
    value, MQRC_PROP_NUMBER_FORMAT_ERROR when a number is out of the type's range.
    """
    if not isinstance(obj, dict):
        obj = {"value": obj}
    value = obj.get("value")
    kind = _type_from_json(obj["type"], f"{path}.type") if "type" in obj else evident_type(value, f"{path}: ")
    return Property(
        kind,
        _value_from_json(kind, value, f"{path}.value"),
        **{field: _descriptor_number(obj, field, path) if field in obj else usual for field, usual in _USUAL.items()},
    )


def _descriptor_number(obj: dict[str, object], field: str, path: str) -> int:
    value = obj.get(field)
    if value is None:
        return _USUAL[field]
    try:
        return mqlong(value)
    except ValueError as error:
        raise MQError(f"{path}.{field}: {error}", MQRC_PROPERTY_TYPE_ERROR) from error


def _type_from_json(value: object, path: str) -> int:
    if isinstance(value, str) and value in TYPES:
        return TYPES[value]
    if isinstance(value, int) and value in TYPE_NAMES:
        return value
    raise MQError(f"{path}: {value!r} is not one of {' '.join(TYPES)}", MQRC_PROPERTY_TYPE_ERROR)


def evident_type(value: object, place: str = "") -> int:
    """Return the property type of a Python value: integers are MQTYPE_INT64. place: for the error.

    Raises MQError: MQRC_PROPERTY_TYPE_ERROR.
    """
    for python_type, kind in _EVIDENT:
        if isinstance(value, python_type):
            return kind
    raise MQError(f"{place}{value!r} cannot be the value of a property", MQRC_PROPERTY_TYPE_ERROR)


def _value_from_json(kind: int, value: object, path: str) -> PropertyValue:
    if kind in _INTEGER_BITS and isinstance(value, int) and not isinstance(value, bool):
        return _ranged_integer(kind, value, path)
    if kind in _FLOATS and not isinstance(value, bool):
        if isinstance(value, str) and value in _NOT_FINITE:
            return _NOT_FINITE[value]
        if isinstance(value, (int, float)):
            return _ranged_float(kind, value, path)
    if kind == MQTYPE_BYTE_STRING and isinstance(value, str):
        return _hex(value, path)
    if (kind, type(value)) in ((MQTYPE_STRING, str), (MQTYPE_BOOLEAN, bool), (MQTYPE_NULL, type(None))):
        return value  # type: ignore[return-value]
    raise MQError(f"{path}: {value!r} is not a {TYPE_NAMES[kind]}", MQRC_PROPERTY_TYPE_ERROR)


def _ranged_integer(kind: int, value: int, path: str) -> int:
    bits = _INTEGER_BITS[kind]
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise MQError(f"{path}: {value} does not fit in an int{bits}", MQRC_PROP_NUMBER_FORMAT_ERROR)
    return value


def _ranged_float(kind: int, value: float, path: str) -> float:
    try:
        number = float(value)
    except OverflowError as error:
        raise MQError(f"{path}: the number does not fit in a float64", MQRC_PROP_NUMBER_FORMAT_ERROR) from error
    if kind == MQTYPE_FLOAT32 and _FLOAT32_MAX < abs(number) < float("inf"):
        raise MQError(f"{path}: {number!r} does not fit in a float32", MQRC_PROP_NUMBER_FORMAT_ERROR)
    return number


def _hex(digits: str, path: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError as error:
        raise MQError(f"{path}: {digits!r} is not hex", MQRC_PROPERTY_TYPE_ERROR) from error


def properties_to_dict(props: dict[str, Property]) -> dict[str, object]:
    """Return properties by name as JSON values. Raises MQError as ``property_to_dict``."""
    return {name: property_to_dict(prop) for name, prop in props.items()}


def properties_from_dict(obj: object) -> dict[str, Property]:
    """Read properties by name from JSON values; names are taken as they are.

    Raises MQError as ``property_from_dict``, and MQRC_PROPERTY_TYPE_ERROR when obj is not an object.
    """
    if not isinstance(obj, dict):
        raise MQError("properties: not an object", MQRC_PROPERTY_TYPE_ERROR)
    return {str(name): property_from_dict(value, f"properties.{name}") for name, value in obj.items()}


def properties_to_json(props: dict[str, Property]) -> str | None:
    """Return properties as the compact JSON text that is stored with a message; None without properties."""
    if not props:
        return None
    return dumps(properties_to_dict(props))


def properties_from_json(text: str | None, names: Collection[str] | None = None) -> dict[str, Property]:
    """Read what ``properties_to_json`` wrote; None and an empty text are no properties. names: no others.

    Raises MQError: MQRC_PROPERTY_TYPE_ERROR when the text is not such JSON.
    """
    if not text:
        return {}
    try:
        obj = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MQError(f"the properties are not JSON: {error}", MQRC_PROPERTY_TYPE_ERROR) from error
    if names is not None and isinstance(obj, dict):
        obj = {name: obj[name] for name in names if name in obj}
    return properties_from_dict(obj)


def parse_property(text: str) -> tuple[str, Property]:
    """Read ``NAME=VALUE`` (a string) or ``NAME:TYPE=VALUE``; bytes are hex, a null has no value.

    Raises MQError: MQRC_PROPERTY_NAME_ERROR for a bad name or no ``=``, MQRC_PROPERTY_TYPE_ERROR for an unknown
    type or a value of another type, MQRC_PROP_NUMBER_FORMAT_ERROR for a bad number or one out of range.
    """
    left, equals, value = text.partition("=")
    if not equals:
        raise MQError(f"{text!r}: a property is NAME=VALUE or NAME:TYPE=VALUE", MQRC_PROPERTY_NAME_ERROR)
    name, colon, type_name = left.partition(":")
    check_property_name(name)
    if not colon:
        return name, Property(MQTYPE_STRING, value)
    word = type_name.lower().removeprefix("mqtype_")
    kind = _OTHER_NAMES[word] if word in _OTHER_NAMES else _type_from_json(word, name)
    return name, Property(kind, _value_from_text(kind, value, name))


def _value_from_text(kind: int, text: str, name: str) -> PropertyValue:
    if kind == MQTYPE_BOOLEAN:
        return _boolean(text, name)
    if kind == MQTYPE_NULL:
        return _value_from_json(kind, text or None, name)
    if kind == MQTYPE_BYTE_STRING:
        return _byte_string(text, name)
    if kind in _INTEGER_BITS:
        return _ranged_integer(kind, _whole(text, name), name)
    if kind in _FLOATS:
        return _ranged_float(kind, _real(text, name), name)
    return text


def _boolean(text: str, name: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "false", "1", "0"):
        raise MQError(f"{name}: {text!r} is not true or false", MQRC_PROPERTY_TYPE_ERROR)
    return word in ("true", "1")


def _byte_string(text: str, name: str) -> bytes:
    digits = text.strip()
    if digits[:2] in ("X'", "x'") and digits.endswith("'"):
        digits = digits[2:-1]
    return _hex(digits.removeprefix("0x"), name)


def _whole(text: str, name: str) -> int:
    word = text.strip()
    if len(word) >= 24 or not re.fullmatch("[+-]?[0-9]+", word):
        raise MQError(f"{name}: {text!r} is not a whole number", MQRC_PROP_NUMBER_FORMAT_ERROR)
    return int(word)


def _real(text: str, name: str) -> float:
    try:
        # Python alone allows 1_000.
        return float("" if "_" in text else text)
    except ValueError as error:
        raise MQError(f"{name}: {text!r} is not a number", MQRC_PROP_NUMBER_FORMAT_ERROR) from error


def check_property_name(name: str) -> None:
    """Raise MQError for a name that a property cannot have.

    A name is made of parts joined by single full stops; letters, digits, ``_`` and ``$``, none beginning with a
    digit; no selector keyword, nothing reserved for MQ or JMS, at most 4095 characters.
    Raises MQError: MQRC_PROPERTY_NAME_ERROR.
    """
    wrong = _wrong_with_name(name)
    if wrong is not None:
        raise MQError(f"{name[:60]!r} cannot be the name of a property: {wrong}", MQRC_PROPERTY_NAME_ERROR)


def _wrong_with_name(name: str) -> str | None:
    if not 0 < len(name) <= _MAX_NAME:
        return f"it has {len(name)} characters, not 1 to {_MAX_NAME}"
    if not all(_is_identifier(part) for part in name.split(".")):
        return "it is not letters, digits, _ and $, in parts joined by single full stops"
    if name.removeprefix("usr.").upper() in _KEYWORDS:
        return "it is a keyword of selectors"
    if name.startswith(_RESERVED):
        return "names beginning with JMS, Body and Root are reserved"
    folded = name.lower()
    if folded.startswith("mq") and not folded.startswith("mq_usr") and name.count(".") > 1:
        return "a name beginning with mq has at most one full stop"
    return None


def _is_identifier(part: str) -> bool:
    # Python's identifiers are Java's but for the dollar sign; MQ stops at the Basic Multilingual Plane.
    return part.replace("$", "_").isidentifier() and max(part) < "\U00010000"
