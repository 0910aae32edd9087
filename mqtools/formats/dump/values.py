"""The values of a dump's attribute lines, read as dmpmqmsg reads them; what it would guess at is warned of."""

from __future__ import annotations

import json
import re
from binascii import unhexlify
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeAlias

from mqtools.errors import MQError
from mqtools.formats.descriptor import characters_from_json, mqlong
from mqtools.formats.dump.fields import BYTES, CHARACTERS, CODES, EXTRA, NUMBER, BadValue, field_text
from mqtools.formats.mistakes import without_end
from mqtools.formats.properties import properties_from_dict
from mqtools.headers.charsets import field_codec
from mqtools.message import CHARACTER_FIELDS, Message

#: Parser of one value. Raises BadValue.
Reader: TypeAlias = Callable[[bytes], object]

#: Bytes in the shortest attribute line, and where the value begins.
SHORTEST_ATTRIBUTE, VALUE_AT = 5, 6

_NUMBER = re.compile(rb"[ \t]*([+-]?[0-9]+)")
_DIGITS = re.compile(rb"[0-9A-Fa-f]*")


def _read_number(value: bytes) -> int:
    if value.isdigit() and len(value) < 10:
        return int(value)
    found = _NUMBER.match(value)
    if found is None:
        raise BadValue(0, "a number is missing; it is taken as 0", 0)
    if found.end(1) - found.start(1) > 11 or not -(1 << 31) <= int(found[1]) < 1 << 31:
        raise BadValue(found.start(1), "the number does not fit in an MQLONG")
    number = int(found[1])
    if value[found.end() :].strip(b" "):
        raise BadValue(found.end(), f"what follows the number is left out; it is taken as {number}", number)
    return number


def _characters(length: int, codec: str) -> Reader:
    def read(value: bytes) -> str:
        raw = value.partition(b"\0")[0]
        text = field_text(raw[:length], codec)
        if raw[length:].strip(b" "):
            raise BadValue(length, f"the field has {length} bytes; what is longer is cut", text)
        return text

    return read


def _in_hex(length: int, made: Callable[[bytes], object]) -> Reader:
    """Return what reads pairs of digits, as many as the field has bytes. made: makes the value of the bytes."""

    def read(value: bytes) -> object:
        if len(value) == 2 * length:
            with suppress(ValueError):
                return made(unhexlify(value))
        found = _DIGITS.match(value)
        digits = value[: min(0 if found is None else found.end(), 2 * length)]
        odd = len(digits) % 2
        if odd and value[len(digits) : len(digits) + 1].strip(b" "):
            raise BadValue(len(digits), "not a hexadecimal digit")
        end = len(digits) - odd
        whole = made(unhexlify(digits[:end]))
        if value[end:].strip(b" "):
            raise BadValue(end, f"the field is {length} bytes in hex; the rest is left out", whole)
        return whole

    return read


def _reader(kind: str, length: int, codec: str) -> Reader:
    if kind == NUMBER:
        return _read_number
    if kind == CHARACTERS:
        return _characters(length, codec)
    if kind == BYTES:
        return _in_hex(length, lambda raw: raw.ljust(length, b"\0"))
    return _in_hex(length, lambda raw: field_text(raw, codec))


@lru_cache
def _readers(ccsid: int) -> dict[bytes, tuple[str, Reader]]:
    """Return for each code of an attribute line its field and what reads its value. ccsid: the queue manager's."""
    codec = field_codec(ccsid)
    return {code.encode("ascii"): (field, _reader(kind, length, codec)) for code, field, kind, length in CODES}


def attribute_field(line: bytes) -> str:
    """Return the field of an attribute line with a known code."""
    return next(field for code, field, _, _ in CODES if code.encode("ascii") == line[2:5])


@lru_cache(maxsize=4096)  # most lines of a dump come again: without it a load is slower than the floor
def read_attribute(line: bytes, ccsid: int) -> tuple[str, object] | tuple[()] | None:
    """Return the field and value of an attribute line, neither without a value, None for an unknown code.

    Raises BadValue. ccsid: of the character fields.
    """
    line = without_end(line)
    known = _readers(ccsid).get(line[2:5])
    if known is None or len(line) < SHORTEST_ATTRIBUTE:
        return None
    field, read = known
    value = line[VALUE_AT:]
    return (field, read(value)) if value else ()


def read_extra(line: bytes) -> dict[str, object]:
    """Read the JSON of a comment of ours. Raises BadValue, its offset in the line."""
    begin = len(EXTRA) - 1
    try:
        read = json.loads(line[begin:])
    except json.JSONDecodeError as error:
        raise BadValue(begin + error.colno - 1, f"the comment of mqx is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise BadValue(begin, f"the comment of mqx is not JSON: {error}") from error
    return dict(read)


def apply_extra(message: Message, extra: dict[str, Any], ccsid: int) -> None:
    """Apply a comment of mqx to a message. ccsid: of the character fields. Raises BadValue."""
    try:
        length = extra.get("rfh2", 0)
        if not isinstance(length, int) or not 0 <= length <= len(message.data):
            raise ValueError(f"rfh2 is {length!r}, and the message has {len(message.data)} bytes")
        message.data = message.data[length:]
        _set_fields(message, extra.get("md", {}), ccsid)
        if "properties" in extra:
            message.properties = properties_from_dict(extra["properties"])
    except (MQError, ValueError) as error:
        raise BadValue(0, f"the comment of mqx: {error}") from error


def _set_fields(message: Message, fields: object, ccsid: int) -> None:
    """Set the fields that the lines cannot hold, texts as they are. Raises ValueError, MQError."""
    if not isinstance(fields, dict):
        raise ValueError("md is not an object")
    for name, value in fields.items():
        if name in CHARACTER_FIELDS:
            text = characters_from_json(value, ccsid)
            text.encode("utf-8")  # JSON can hold lone surrogates
            setattr(message.md, name, text)
        elif name in ("encoding", "coded_char_set_id"):
            setattr(message.md, name, mqlong(value))
        else:
            raise ValueError(f"md.{name} has its own attribute line")
