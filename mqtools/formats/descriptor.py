"""A message descriptor as JSON shows it: enumerations and flags by their MQ names, identifiers in hex."""

from __future__ import annotations

from mqtools.constants.names import family, flags_to_names, name_of, names_to_flags, value_of
from mqtools.constants.reasons import MQRC_MD_ERROR
from mqtools.errors import MQError
from mqtools.message import MQMD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: What turns one JSON value into a field's value. Unreadable: ValueError with words.
    Reader: TypeAlias = Callable[[object], object]

#: Field to the families of its names, the first preferred. Feedback also carries reason codes, in exception
#: reports. A field that is in none of these tables is a plain number.
ENUMERATIONS: dict[str, tuple[str, ...]] = {
    "msg_type": ("MQMT",),
    "feedback": ("MQFB", "MQRC"),
    "persistence": ("MQPER",),
    "put_appl_type": ("MQAT",),
}

#: Field to the family of its flags, and the masks of the bits that are read together.
FLAGS: dict[str, tuple[str, tuple[int, ...]]] = {
    "report": ("MQRO", (0x700, 0x3800, 0x07000000, 0x00E00000)),
    "msg_flags": ("MQMF", ()),
}

#: Numbers whose names are read although the number is written.
_NAMED_ON_INPUT = {"encoding": "MQENC", "expiry": "MQEI"}

#: Byte field to its length in bytes.
BYTE_FIELDS = {"msg_id": 24, "correl_id": 24, "accounting_token": 32, "group_id": 24}

#: Character field to its length in characters.
CHARACTER_FIELDS = {
    "format": 8,
    "reply_to_q": 48,
    "reply_to_q_mgr": 48,
    "user_identifier": 12,
    "appl_identity_data": 32,
    "put_appl_name": 28,
    "put_date": 8,
    "put_time": 8,
    "appl_origin_data": 4,
}


def md_to_dict(md: MQMD) -> dict[str, object]:
    """Give the descriptor's fields by name, in the order of MQMD, as values of JSON."""
    return {field: _field_to_json(field, getattr(md, field)) for field in md.__slots__}


def _field_to_json(field: str, value: Any) -> object:
    if field in ENUMERATIONS:
        return enumeration_name(field, value)
    if field in FLAGS:
        prefix, groups = FLAGS[field]
        return flags_to_names(prefix, value, groups)
    if field in BYTE_FIELDS:
        return bytes(value).hex().upper()
    return value


def enumeration_name(field: str, value: int) -> str | int:
    """Give the MQ name of an enumeration field's value, or the value where it has none."""
    for prefix in ENUMERATIONS[field]:
        name = name_of(prefix, value)
        if name is not None:
            return name
    return value


def md_from_dict(obj: object, path: str = "md") -> MQMD:
    """Read a descriptor from JSON values: names or numbers, flags also as lists; what is missing is the default.

    Null counts as missing, short identifiers are padded with zero bytes.
    path: where obj stands in the document, for the message.
    Raises MQError: MQRC_MD_ERROR naming the key path when there is no such field or a value cannot be the field's.
    """
    if not isinstance(obj, dict):
        raise MQError(f"{path}: not an object", MQRC_MD_ERROR)
    for key in obj:
        if key not in MQMD.__slots__:
            raise MQError(f"{path}.{key}: the message descriptor has no such field", MQRC_MD_ERROR)
    fields: dict[str, Any] = {}
    for field in MQMD.__slots__:
        if obj.get(field) is None:
            continue
        try:
            fields[field] = field_from_json(field, obj[field])
        except ValueError as error:
            raise MQError(f"{path}.{field}: {error}", MQRC_MD_ERROR) from error
    return MQMD(**fields)


def field_from_json(field: str, value: object) -> object:
    """Read the value of one field, which is not null; as ``md_from_dict``. Raises ValueError."""
    if field in BYTE_FIELDS:
        return _identifier(value, BYTE_FIELDS[field])
    if field in CHARACTER_FIELDS:
        return _characters(field, value)
    if field in FLAGS:
        return _flags(FLAGS[field][0], value)
    if field in ENUMERATIONS:
        return mqlong(value, ENUMERATIONS[field])
    prefix = _NAMED_ON_INPUT.get(field)
    return mqlong(value, (prefix,) if prefix else ())


def _identifier(value: object, length: int) -> bytes:
    from mqtools.formats.units import parse_id

    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not an identifier in hex")
    return parse_id(value, length)


def _characters(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    if field == "format" and value.startswith("MQFMT_"):
        value = str(family("MQFMT").get(value, value))
    text = value.rstrip(" ")
    if len(text) > CHARACTER_FIELDS[field]:
        raise ValueError(f"{text!r} is longer than {CHARACTER_FIELDS[field]} characters")
    return text


def _flags(prefix: str, value: object) -> int:
    items = value if isinstance(value, list) else [value]
    word = 0
    for item in items:
        if isinstance(item, str):
            word |= names_to_flags(prefix, [item])
        else:
            word |= integer(item)
    if not -(1 << 31) <= word < 1 << 32:
        raise ValueError(f"{word} does not fit in 32 bits")
    # The wire has a signed number: bit 31 makes it negative.
    return word - (1 << 32) if word >= 1 << 31 else word


def integer(value: object) -> int:
    """Take a JSON number that is whole. Anything else, booleans included: ValueError."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a number")
    return value


def mqlong(value: object, prefixes: tuple[str, ...] = ()) -> int:
    """Take a number or a name of one of the families, within MQLONG. Otherwise: ValueError."""
    number = _named(value, prefixes) if isinstance(value, str) else integer(value)
    if not -(1 << 31) <= number < 1 << 31:
        raise ValueError(f"{number} does not fit in an MQLONG")
    return number


def _named(text: str, prefixes: tuple[str, ...]) -> int:
    for prefix in prefixes:
        try:
            return value_of(prefix, text)
        except ValueError:
            continue
    digits = text.strip()
    if digits.isascii() and digits.removeprefix("-").isdigit():
        return int(digits)
    also = "".join(f" and no {prefix}_ name" for prefix in prefixes[:1])
    raise ValueError(f"{text!r} is not a number{also}")
