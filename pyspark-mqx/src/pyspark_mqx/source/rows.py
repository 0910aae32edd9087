"""Rows of a frame as messages: from named columns, from our JSON lines, from CSV where all values are text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mqtools.constants.message import MQFMT_STRING
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_MD_ERROR, MQRC_PRIORITY_EXCEEDS_MAXIMUM
from mqtools.constants.structures import MQMD_VERSION_2
from mqtools.errors import MQError
from mqtools.formats.descriptor import characters_to_json, field_from_json, md_from_dict
from mqtools.formats.envelope.envelope import data_from_json
from mqtools.formats.jsonl_input import read_message
from mqtools.formats.properties import check_property_name, properties_from_json
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD, Message, Property
from mqtools.operations.load import check_message

#: The column of a row that is a line of JSON.
LINE = "line"

#: Forms of the data of a message in a row.
BYTES, TEXT, BASE64 = "bytes", "text", "base64"

#: Every column that is read; any other is ignored or rejected.
KNOWN = frozenset((*MQMD.__slots__, "data", "data_b64", "properties", "properties_json", LINE))

_INITIAL = MQMD()

#: Columns with the origin of a row.
PLACE = ("file", "row")

#: The column with the reason why a row could not be read; null for all others.
UNREADABLE = "_unreadable"

#: Columns about a row, whatever its message is.
ABOUT_ROW = (*PLACE, UNREADABLE)


def read_message_row(row: Mapping[str, Any]) -> Message:
    """Return the message of a row. Raises MQError with the reason if it cannot be one."""
    if row.get(UNREADABLE):
        raise MQError(f"unreadable: {row[UNREADABLE]}", MQRC_MD_ERROR)
    try:
        message = read_message((row[LINE] or "").encode("utf-8")) if LINE in row else _of_columns(row)
    except (ValueError, RecursionError) as error:
        raise MQError(f"unreadable: {error}", MQRC_MD_ERROR) from error
    check(message)
    return message


def check(message: Message) -> None:
    """Check that a queue can hold a message as it is. Raises MQError."""
    if check_message(message) == MQRC_PRIORITY_EXCEEDS_MAXIMUM:
        raise MQError(f"no message has priority {message.md.priority}", MQRC_PRIORITY_EXCEEDS_MAXIMUM)


def _of_columns(row: Mapping[str, Any]) -> Message:
    data, base64 = row.get("data"), row.get("data_b64")
    given = {name: _value(name, row[name]) for name in MQMD.__slots__ if not _is_missing(row.get(name))}
    md = complete_text(md_from_dict(given), data_form(data, base64))
    return Message(read_data(data, base64, md), md, read_properties(row.get("properties_json"), row.get("properties")))


def field(name: str, value: Any) -> Any:
    """Read a field of the descriptor from its column; the default if it is missing. Raises ValueError."""
    return getattr(_INITIAL, name) if _is_missing(value) else field_from_json(name, _value(name, value))


def _is_missing(value: object) -> bool:
    return value is None or value == ""


def _value(name: str, value: Any) -> Any:
    """Return the value of a column as in JSON; in a CSV file numbers are text."""
    if not isinstance(value, str) or name in BYTE_FIELDS:
        return value
    if name in CHARACTER_FIELDS:
        return characters_to_json(value)  # a column of an archive has the escape characters of what is no text
    return int(value) if value.lstrip("-").isdigit() else value


def data_form(data: object, base64: object) -> str:
    """Return the form in which a row has the data of its message: BYTES, TEXT or BASE64."""
    if base64:
        return BASE64
    return TEXT if isinstance(data, str) else BYTES


def complete_text(md: MQMD, form: str) -> MQMD:
    """Complete the format and CCSID of data that came as text. md: changed in place."""
    if form != BYTES:
        md.version = MQMD_VERSION_2
    if form == TEXT:
        md.format = md.format or MQFMT_STRING
        md.coded_char_set_id = md.coded_char_set_id or DEFAULT_CCSID
    return md


def read_data(data: object, base64: object, md: MQMD) -> bytes:
    """Return the data of a message: bytes, text in the CCSID of the descriptor, or decoded base64.

    Raises MQError: MQRC_BUFFER_ERROR.
    """
    if base64:
        return data_from_json({"data_b64": base64}, md)
    if data is None or isinstance(data, (bytes, bytearray)):
        return bytes(data or b"")
    return data_from_json({"data": data}, md)


def read_properties(exact: str | None, given: Any) -> dict[str, Property]:
    """Return the properties: with types if the row has them, else as strings. Raises MQError, ValueError."""
    if exact:
        return properties_from_json(exact)
    given = given or {}
    if isinstance(given, str):
        given = json.loads(given)
    made = {}
    for name, value in dict(given).items():
        check_property_name(name)
        made[name] = Property(MQTYPE_STRING, value)
    return made
