"""The 32 bytes that every header with a format name ``MQH...`` begins with: enough to walk past an unknown one."""

from __future__ import annotations

from dataclasses import dataclass
from struct import unpack_from

from mqtools.constants.message import MQCCSI_UNDEFINED, MQFMT_NONE
from mqtools.constants.reasons import MQRC_HEADER_ERROR
from mqtools.errors import MQError
from mqtools.headers.characters import decode_field
from mqtools.headers.charsets import byte_order, field_codec
from mqtools.records import Record

#: Length in bytes of what all these headers have in common.
COMMON_LENGTH = 32


@dataclass(slots=True, kw_only=True)
class MQHeader(Record):
    """A header with only the common fields."""

    coded_char_set_id: int = MQCCSI_UNDEFINED
    encoding: int = 0
    flags: int = 0
    format: str = MQFMT_NONE
    struc_id: str = ""
    version: int = 1


def unpack_mqheader(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQHeader:
    """Read the common fields of a header.

    Raises MQError: MQRC_HEADER_ERROR when the data is shorter than 32 bytes or StrucLength is impossible.
    """
    available = max(len(data) - offset, 0)
    if available < COMMON_LENGTH:
        raise _error(f"{available} bytes, {COMMON_LENGTH} needed")
    order = byte_order(encoding)
    try:
        codec = field_codec(ccsid)
    except MQError as error:
        raise _error(error.text) from error
    struc_id, version, length, follows_encoding, follows_ccsid, follows, flags = unpack_from(
        order + "4siiii8si", data, offset
    )
    if not COMMON_LENGTH <= length <= available:
        raise _error(f"StrucLength is {length}, {COMMON_LENGTH} to {available} possible")
    return MQHeader(
        struc_id=_text(struc_id, codec),
        version=version,
        encoding=follows_encoding,
        coded_char_set_id=follows_ccsid,
        format=_text(follows, codec),
        flags=flags,
    )


def _text(raw: bytes, codec: str) -> str:
    return decode_field(raw.partition(b"\0")[0], codec).rstrip(" ")


def _error(text: str) -> MQError:
    return MQError(f"header: {text}", MQRC_HEADER_ERROR)
