"""MQRFH2, the rules and formatting header of version 2: a sequence of folders.

``mqtools.headers.folders`` parses the content of folders.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mqtools.constants.message import MQCCSI_INHERIT, MQENC_NATIVE, MQFMT_NONE
from mqtools.constants.reasons import MQRC_RFH_ERROR, MQRC_RFH_FORMAT_ERROR
from mqtools.constants.structures import MQRFH_NONE, MQRFH_STRUC_ID, MQRFH_STRUC_LENGTH_FIXED_2, MQRFH_VERSION_2
from mqtools.errors import MQError
from mqtools.headers.charsets import DEFAULT_CCSID, codec_of, integer_order
from mqtools.headers.layout import MQCHAR8, MQLONG, Layout
from mqtools.records import Record


@dataclass(slots=True, kw_only=True)
class MQRFH2(Record):
    """Rules and formatting header, version 2: the carrier of message properties."""

    version: MQLONG = MQRFH_VERSION_2
    encoding: MQLONG = MQENC_NATIVE
    coded_char_set_id: MQLONG = MQCCSI_INHERIT
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQRFH_NONE
    name_value_ccsid: MQLONG = DEFAULT_CCSID
    folders: list[str] = field(default_factory=list)


LAYOUT = Layout(MQRFH2, MQRFH_STRUC_ID, MQRC_RFH_ERROR, {MQRFH_VERSION_2: MQRFH_STRUC_LENGTH_FIXED_2})


def pack_mqrfh2(record: MQRFH2, encoding: int, ccsid: int) -> bytes:
    """Write an MQRFH2, each folder padded with blanks to a multiple of 4 bytes.

    Raises MQError: MQRC_RFH_ERROR when a value does not fit its field or name_value_ccsid is not convertible.
    """
    codec = _name_value_codec(record, encoding)
    order = integer_order(encoding, LAYOUT.name, LAYOUT.reason)
    tail = bytearray()
    for folder in record.folders:
        raw = _padded(folder, codec)
        tail += len(raw).to_bytes(4, order) + raw
    return LAYOUT.pack(record, encoding, ccsid, bytes(tail))


def unpack_mqrfh2(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQRFH2:
    """Read an MQRFH2, its folders as text without padding; they are not looked into.

    Raises MQError: MQRC_RFH_ERROR when StrucId, Version or a length is wrong, MQRC_RFH_FORMAT_ERROR when a folder is
    no text in name_value_ccsid.
    """
    values, tail = LAYOUT.unpack_values(data, encoding, ccsid, offset)
    record = MQRFH2(**values)
    if len(tail) % 4:
        raise LAYOUT.error(f"StrucLength is {len(tail) + MQRFH_STRUC_LENGTH_FIXED_2}, no multiple of 4")
    if tail:
        codec = _name_value_codec(record, encoding)
        record.folders = [_text(raw, codec) for raw in _split(tail, encoding)]
    return record


def _name_value_codec(record: MQRFH2, encoding: int) -> str:
    # 0 is what the language bindings start with; everybody who leaves it so writes UTF-8.
    codec = codec_of(record.name_value_ccsid or DEFAULT_CCSID, encoding)
    if codec is None:
        raise LAYOUT.error(f"NameValueCCSID {record.name_value_ccsid} is not convertible")
    return codec


def _padded(folder: str, codec: str) -> bytes:
    try:
        raw = folder.encode(codec)
    except UnicodeError as error:
        raise LAYOUT.error(f"a folder cannot be written in {codec}: {error}") from error
    blank = " ".encode(codec)
    return raw + blank * (-len(raw) % 4 // len(blank))


def _split(tail: bytes, encoding: int) -> list[bytes]:
    order = integer_order(encoding, LAYOUT.name, LAYOUT.reason)
    pieces = []
    position = 0
    while position < len(tail):
        start = position + 4
        length = int.from_bytes(tail[position:start], order, signed=True)
        if length < 0 or start + length > len(tail):
            raise LAYOUT.error(f"NameValueLength is {length}, {max(len(tail) - start, 0)} bytes are left")
        pieces.append(tail[start : start + length])
        position = start + length
    return pieces


def _text(raw: bytes, codec: str) -> str:
    try:
        return raw.decode(codec).rstrip(" \0")
    except UnicodeError as error:
        raise MQError(f"MQRFH2: a folder is not text in {codec}: {error}", MQRC_RFH_FORMAT_ERROR) from error
