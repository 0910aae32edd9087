"""Rows of a frame as messages: of columns named as everywhere, of our JSON lines, of CSV where all is text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mqtools.constants.message import MQFMT_STRING
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_MD_ERROR, MQRC_PRIORITY_EXCEEDS_MAXIMUM
from mqtools.errors import MQError
from mqtools.formats.descriptor import BYTE_FIELDS, CHARACTER_FIELDS, md_from_dict
from mqtools.formats.envelope import from_envelope
from mqtools.formats.properties import check_property_name, properties_from_json
from mqtools.message import MQMD, Message, Property
from mqtools.qmgr.loading import check_message

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What text without a CCSID is written in.
_UTF_8 = 1208

#: The column of a row that is a line of JSON.
LINE = "line"

#: Columns that say where a row comes from.
PLACE = ("file", "row")


def message_of(row: Mapping[str, Any]) -> Message:
    """Make a message of a row. Raises MQError with the reason where it cannot be one."""
    try:
        message = _of_line(row[LINE]) if LINE in row else _of_columns(row)
    except (ValueError, RecursionError) as error:
        raise MQError(f"this cannot be read: {error}", MQRC_MD_ERROR) from error
    if check_message(message) == MQRC_PRIORITY_EXCEEDS_MAXIMUM:
        raise MQError(f"no message has priority {message.md.priority}", MQRC_PRIORITY_EXCEEDS_MAXIMUM)
    return message


def _of_line(line: str) -> Message:
    from mqtools.formats.jsonl_input import read_message

    return read_message(line.encode("utf-8"))


def _of_columns(row: Mapping[str, Any]) -> Message:
    given = {name: _value(name, row[name]) for name in MQMD.__slots__ if row.get(name) not in (None, "")}
    data = row.get("data")
    if isinstance(data, str) or row.get("data_b64"):
        md = {name: value for name, value in given.items() if name != "version"}
        text = {"data": data} if not row.get("data_b64") else {"data_b64": row["data_b64"]}
        message = from_envelope({"md": md, **text})
        if "data" in text:
            message.md.format = message.md.format or MQFMT_STRING
            message.md.coded_char_set_id = message.md.coded_char_set_id or _UTF_8
    else:
        message = Message(bytes(data or b""), md_from_dict(given))
    message.properties = _properties(row)
    return message


def _value(name: str, value: Any) -> Any:
    """A value of a column; in a CSV file numbers are text."""
    if isinstance(value, str) and name not in CHARACTER_FIELDS and name not in BYTE_FIELDS:
        return int(value) if value.lstrip("-").isdigit() else value
    return value


def _properties(row: Mapping[str, Any]) -> dict[str, Property]:
    """The properties with their types where the row has them, else as texts."""
    exact = row.get("properties_json")
    if exact:
        return properties_from_json(exact)
    given = row.get("properties") or {}
    if isinstance(given, str):
        given = json.loads(given)
    made = {}
    for name, value in dict(given).items():
        check_property_name(name)
        made[name] = Property(MQTYPE_STRING, value)
    return made
