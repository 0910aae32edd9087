"""A message descriptor as JSON shows it: enumerations and flags by their MQ names, identifiers in hex."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64, unhexlify
from typing import Any

from mqtools.constants.names import family, flags_to_names, name_of, names_to_flags, value_of
from mqtools.constants.reasons import MQRC_MD_ERROR
from mqtools.errors import MQError
from mqtools.formats.units import parse_id
from mqtools.headers.characters import decode_field, field_as_text, field_bytes
from mqtools.headers.charsets import DEFAULT_CCSID, field_codec
from mqtools.message import (
    BYTE_FIELDS,
    CHARACTER_FIELDS,
    ENUMERATION,
    FIELDS,
    FLAG_WORD,
    MQMD,
    NUMBER,
)

#: Field to the families of its names, the first preferred. A field that is in none of these tables is a plain number.
ENUMERATIONS = {name: families for name, kind, _, _, families in FIELDS if kind == ENUMERATION}
#: Field to the family of its flags.
FLAGS = {name: families[0] for name, kind, _, _, families in FIELDS if kind == FLAG_WORD}
_NAMES = frozenset(MQMD.__slots__)
#: Number to the families of the names that are read for it, also where the number is written.
_NUMBER_NAMES = {name: families for name, kind, _, _, families in FIELDS if kind in (ENUMERATION, NUMBER)}


def md_to_dict(md: MQMD, ccsid: int = DEFAULT_CCSID) -> dict[str, object]:
    """Return the descriptor's fields by name, in the order of MQMD, as values of JSON.

    ccsid: of the character fields: the queue manager's.
    """
    return {field: _field_to_json(field, getattr(md, field), ccsid) for field in md.__slots__}


def _field_to_json(field: str, value: Any, ccsid: int) -> object:
    if field in BYTE_FIELDS:
        return bytes(value).hex().upper()
    return characters_to_json(value, ccsid) if field in CHARACTER_FIELDS else number_to_json(field, value)


def number_to_json(field: str, value: int) -> object:
    """Return an enumeration as its name, flags as a list of names, any other number as it is."""
    if field in ENUMERATIONS:
        return enumeration_name(field, value)
    return flags_to_names(FLAGS[field], value) if field in FLAGS else value


def characters_to_json(text: str, ccsid: int = DEFAULT_CCSID) -> str | dict[str, str]:
    """Return a character field as a value of JSON: its text, or ``{"b64": ...}`` with its bytes."""
    if text.isascii():
        return text
    codec = field_codec(ccsid)
    shown = field_as_text(text, codec)
    return {"b64": b2a_base64(field_bytes(text, codec), newline=False).decode("ascii")} if shown is None else shown


def characters_from_json(value: object, ccsid: int = DEFAULT_CCSID) -> str:
    """Read a character field from text or from ``{"b64": ...}``. Raises ValueError."""
    if isinstance(value, str):
        try:
            return value if value.isascii() else decode_field(value.encode("utf-8"), "utf_8")
        except UnicodeEncodeError as error:
            raise ValueError(f"{value!r} is not text") from error
    if isinstance(value, dict) and value.keys() == {"b64"} and isinstance(value["b64"], str):
        try:
            raw = a2b_base64(value["b64"].strip(), strict_mode=True)
        except ValueError as error:
            raise ValueError(f"b64: not base64: {error}") from error
        return decode_field(raw, field_codec(ccsid))
    raise ValueError(f'{value!r} is neither text nor {{"b64": "..."}}')


def enumeration_name(field: str, value: int) -> str | int:
    """Return the MQ name of an enumeration field's value, or a value without a name itself."""
    for prefix in ENUMERATIONS[field]:
        name = name_of(prefix, value)
        if name is not None:
            return name
    return value


def md_from_dict(obj: object, ccsid: int = DEFAULT_CCSID) -> MQMD:
    """Read a descriptor from JSON values: names or numbers, flags also as lists; what is missing is the default.

    Null counts as missing, short identifiers are padded with zero bytes.
    ccsid: of the character fields.
    Raises MQError: MQRC_MD_ERROR naming the key path when there is no such field or a value cannot be the field's.
    """
    if not isinstance(obj, dict):
        raise MQError("md: not an object", MQRC_MD_ERROR)
    if not _NAMES.issuperset(obj):
        unknown = next(key for key in obj if key not in _NAMES)
        raise MQError(f"md.{unknown}: the message descriptor has no such field", MQRC_MD_ERROR)
    md = MQMD()
    for field, value in obj.items():
        if value is not None:
            try:
                setattr(md, field, field_from_json(field, value, ccsid))
            except ValueError as error:
                raise MQError(f"md.{field}: {error}", MQRC_MD_ERROR) from error
    return md


def field_from_json(field: str, value: object, ccsid: int = DEFAULT_CCSID) -> object:
    """Read the value of one field, which is not null; as ``md_from_dict``. Raises ValueError."""
    if field in BYTE_FIELDS:
        return _identifier(value, BYTE_FIELDS[field])
    if field in CHARACTER_FIELDS:
        return _characters(field, value, ccsid)
    if field in FLAGS:
        return _flags(FLAGS[field], value)
    return mqlong(value, _NUMBER_NAMES[field])


def _identifier(value: object, length: int) -> bytes:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not an identifier in hex")
    try:
        raw = unhexlify(value)
    except ValueError:
        raw = b""
    return raw if len(raw) == length else parse_id(value, length)


def _characters(field: str, value: object, ccsid: int) -> str:
    if field == "format" and isinstance(value, str) and value.startswith("MQFMT_"):
        value = str(family("MQFMT").get(value, value))
    text = characters_from_json(value, ccsid).rstrip(" ")
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
    """Return a JSON number that is whole. Anything else, booleans included: ValueError."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError(f"{value!r} is not a number")


def mqlong(value: object, prefixes: tuple[str, ...] = ()) -> int:
    """Return the MQLONG of a number, or of a name of one of the families. Otherwise: ValueError."""
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
    raise ValueError(
        f"{text!r} is neither a number nor a name of {prefixes[0]}_" if prefixes else f"{text!r} is not a number"
    )
