"""MQRFH, the rules and formatting header of version 1: names and values in one string."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQCCSI_UNDEFINED, MQENC_NATIVE, MQFMT_NONE
from mqtools.constants.reasons import MQRC_RFH_ERROR
from mqtools.constants.structures import MQRFH_NONE, MQRFH_STRUC_ID, MQRFH_STRUC_LENGTH_FIXED, MQRFH_VERSION_1
from mqtools.headers.characters import decode_field, encode_field
from mqtools.headers.layout import CHAR, LONG, Layout
from mqtools.records import Record

#: The fields of an MQRFH.
FIELDS = (
    ("struc_id", CHAR, 0, 4, MQRFH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQRFH_VERSION_1, 1),
    ("struc_length", LONG, 8, 4, MQRFH_STRUC_LENGTH_FIXED, 1),
    ("encoding", LONG, 12, 4, MQENC_NATIVE, 1),
    ("coded_char_set_id", LONG, 16, 4, MQCCSI_UNDEFINED, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQRFH_NONE, 1),
)
LAYOUT = Layout("MQRFH", MQRC_RFH_ERROR, FIELDS, (MQRFH_VERSION_1,))


@dataclass(slots=True, kw_only=True)
class MQRFH(Record):
    """Rules and formatting header, version 1."""

    version: int = MQRFH_VERSION_1
    encoding: int = MQENC_NATIVE
    coded_char_set_id: int = MQCCSI_UNDEFINED
    format: str = MQFMT_NONE
    flags: int = MQRFH_NONE
    name_value_string: str = ""


def pack_mqrfh(record: MQRFH, encoding: int, ccsid: int) -> bytes:
    """Write an MQRFH, padded with blanks to a multiple of 4 bytes.

    Raises MQError: MQRC_RFH_ERROR when a value does not fit its field.
    """
    codec = LAYOUT.codec(ccsid)
    try:
        tail = encode_field(record.name_value_string, codec)
    except UnicodeError as error:
        raise LAYOUT.error(f"name_value_string cannot be written in {codec}: {error}") from error
    tail += " ".encode(codec) * (-len(tail) % 4)
    return LAYOUT.pack(record, encoding, ccsid, tail)


def unpack_mqrfh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQRFH:
    """Read an MQRFH; trailing blanks and nulls of its string are padding.

    Raises MQError: MQRC_RFH_ERROR when StrucId, Version or a length is wrong.
    """
    record = MQRFH()
    tail = LAYOUT.unpack_into(record, data, encoding, ccsid, offset)
    record.name_value_string = decode_field(tail, LAYOUT.codec(ccsid)).rstrip(" \0")
    return record
