"""MQRFH, the rules and formatting header of version 1: names and values in one string."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQCCSI_UNDEFINED, MQENC_NATIVE, MQFMT_NONE
from mqtools.constants.reasons import MQRC_RFH_ERROR
from mqtools.constants.structures import MQRFH_NONE, MQRFH_STRUC_ID, MQRFH_STRUC_LENGTH_FIXED, MQRFH_VERSION_1
from mqtools.headers.characters import decode_field
from mqtools.headers.layout import MQCHAR8, MQLONG, Layout
from mqtools.records import Record


@dataclass(slots=True, kw_only=True)
class MQRFH(Record):
    """Rules and formatting header, version 1."""

    version: MQLONG = MQRFH_VERSION_1
    encoding: MQLONG = MQENC_NATIVE
    coded_char_set_id: MQLONG = MQCCSI_UNDEFINED
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQRFH_NONE
    name_value_string: str = ""


LAYOUT = Layout(MQRFH, MQRFH_STRUC_ID, MQRC_RFH_ERROR, {MQRFH_VERSION_1: MQRFH_STRUC_LENGTH_FIXED})


def pack_mqrfh(record: MQRFH, encoding: int, ccsid: int) -> bytes:
    """Write an MQRFH, padded with blanks to a multiple of 4 bytes.

    Raises MQError: MQRC_RFH_ERROR when a value does not fit its field.
    """
    codec = LAYOUT.codec(ccsid)
    tail = LAYOUT.encode("name_value_string", record.name_value_string, codec)
    tail += " ".encode(codec) * (-len(tail) % 4)
    return LAYOUT.pack(record, encoding, ccsid, tail)


def unpack_mqrfh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQRFH:
    """Read an MQRFH; trailing blanks and nulls of its string are padding.

    Raises MQError: MQRC_RFH_ERROR when StrucId, Version or a length is wrong.
    """
    values, tail = LAYOUT.unpack_values(data, encoding, ccsid, offset)
    return MQRFH(**values, name_value_string=decode_field(tail, LAYOUT.codec(ccsid)).rstrip(" \0"))
