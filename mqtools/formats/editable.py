"""A message as text that people edit, both directions, and the difference between two such texts.

The form is that of ``envelope`` without the views: JSON on many lines, where text of several lines is a list of
lines, and what is no text is hex, 32 bytes a line. Headers in front of a text body are hex of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff
from io import StringIO

from mqtools.constants.reasons import MQRC_BUFFER_ERROR
from mqtools.errors import MQError
from mqtools.formats.descriptor import md_from_dict, md_to_dict
from mqtools.formats.envelope.envelope import exact_text
from mqtools.formats.jsontext import pretty
from mqtools.formats.properties import properties_from_dict, properties_to_dict
from mqtools.headers.chain import walk
from mqtools.headers.charsets import encode_text, known_ccsid
from mqtools.message import MQMD, Message

VERSION = 1

#: Keys that hold the data; the first two of one kind, the third needs the fourth.
_TEXT, _HEX, _BODY, _HEADERS = "data", "data_hex", "body", "headers_hex"
_KEYS = ("mqx", "md", "properties", _TEXT, _HEX, _BODY, _HEADERS)

_BYTES_A_LINE = 32
_BYTES_A_WORD = 4


def to_text(message: Message) -> str:
    obj = {
        "mqx": VERSION,
        "md": md_to_dict(message.md),
        "properties": properties_to_dict(message.properties),
        **_data_to_dict(message.md, message.data),
    }
    return pretty(obj) + "\n"


def _data_to_dict(md: MQMD, data: bytes) -> dict[str, object]:
    chain = walk(data, md.format, md.encoding, known_ccsid(md.coded_char_set_id))
    body = None
    if chain.error is None:
        body = exact_text(data[chain.body_offset :], known_ccsid(chain.body_ccsid), chain.body_encoding)
    if body is None or "\0" in body:
        return {_HEX: _hex_lines(data)}
    if not chain.body_offset:
        return {_TEXT: _text_lines(body)}
    return {_HEADERS: _hex_lines(data[: chain.body_offset]), _BODY: _text_lines(body)}


def _text_lines(text: str) -> str | list[str]:
    return list(StringIO(text)) if "\n" in text else text


def _hex_lines(data: bytes) -> list[str]:
    return [data[at : at + _BYTES_A_LINE].hex(" ", -_BYTES_A_WORD).upper() for at in range(0, len(data), _BYTES_A_LINE)]


def from_text(text: str, before: Message, name: str = "") -> Message:
    """Read what an editor has left; a field or part that is missing is as it was before.

    name: of the text, for the words of a mistake.
    Raises MQError: MQRC_BUFFER_ERROR with line and column where it is not JSON, or naming the key; and as
    ``md_from_dict`` and ``properties_from_dict``.
    """
    try:
        obj = json.loads(text)
    except json.JSONDecodeError as error:
        raise MQError(f"{name}:{error.lineno}:{error.colno}: {error.msg}", MQRC_BUFFER_ERROR) from error
    if not isinstance(obj, dict):
        raise MQError(f"{name}:1:1: this is not a JSON object", MQRC_BUFFER_ERROR)
    for key in obj:
        if key not in _KEYS:
            raise MQError(f"{key}: a message has no such part: {', '.join(_KEYS[1:])}", MQRC_BUFFER_ERROR)
    given = obj.get("md") or {}
    if not isinstance(given, dict):
        raise MQError("md: not an object", MQRC_BUFFER_ERROR)
    md = md_from_dict({**md_to_dict(before.md), **{key: value for key, value in given.items() if value is not None}})
    given_properties = obj.get("properties")
    properties = before.properties if given_properties is None else properties_from_dict(given_properties)
    return Message(_data_from_dict(obj, md, before), md, dict(properties))


def _data_from_dict(obj: dict[str, object], md: MQMD, before: Message) -> bytes:
    ways = [key for key in (_TEXT, _HEX, _BODY) if obj.get(key) is not None]
    if len(ways) > 1:
        raise MQError(f"{ways[0]}: there is {ways[1]} too; give one of them", MQRC_BUFFER_ERROR)
    if not ways:
        return before.data
    if ways == [_HEX]:
        return _from_hex(_HEX, obj[_HEX])
    text = _joined(ways[0], obj[ways[0]], "")
    if ways == [_TEXT]:
        return _encoded(_TEXT, text, md.coded_char_set_id, md.encoding)
    headers = _from_hex(_HEADERS, obj.get(_HEADERS) or [])
    chain = walk(headers, md.format, md.encoding, known_ccsid(md.coded_char_set_id))
    return headers + _encoded(_BODY, text, chain.body_ccsid, chain.body_encoding)


def _encoded(key: str, text: str, ccsid: int, encoding: int) -> bytes:
    try:
        return encode_text(text, known_ccsid(ccsid), encoding)
    except MQError as error:
        raise MQError(f"{key}: {error.text}", MQRC_BUFFER_ERROR) from error


def _joined(key: str, value: object, between: str) -> str:
    given = value if isinstance(value, list) else [value]
    lines = [line for line in given if isinstance(line, str)]
    if len(lines) < len(given):
        raise MQError(f"{key}: neither text nor a list of lines", MQRC_BUFFER_ERROR)
    return between.join(lines)


def _from_hex(key: str, value: object) -> bytes:
    try:
        return bytes.fromhex(_joined(key, value, " "))
    except ValueError as error:
        raise MQError(f"{key}: not pairs of hexadecimal digits: {error}", MQRC_BUFFER_ERROR) from error


def difference(before: Message, after: Message, name: str) -> Iterator[str]:
    """Return the lines of a unified diff of two messages; safe for a terminal, as all that ``to_text`` writes.

    name: of the message.
    """
    old, new = to_text(before).splitlines(), to_text(after).splitlines()
    yield from unified_diff(old, new, name, f"{name} edited", lineterm="", n=1)
