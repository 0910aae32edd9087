"""Headers, from one character set and encoding to another, and what they say of the data behind them."""

from __future__ import annotations

from typing import Any

from mqtools.constants.message import (
    MQFMT_CICS,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_IMS,
    MQFMT_MD_EXTENSION,
    MQFMT_REF_MSG_HEADER,
    MQFMT_RF_HEADER_1,
    MQFMT_RF_HEADER_2,
    MQFMT_WORK_INFO_HEADER,
    MQFMT_XMIT_Q_HEADER,
)
from mqtools.constants.reasons import MQRC_FORMAT_ERROR, MQRC_SOURCE_CCSID_ERROR
from mqtools.constants.structures import MQMD_LENGTH_1, MQMD_VERSION_1, MQXQH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers import bridges, mqdlh, mqmd, mqmde, mqrfh, mqrfh2, mqrmh, mqxqh
from mqtools.headers.chain import RESERVED, Header
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.conversion_fields import Fields, Form, Numbers
from mqtools.headers.layout import Field, Layout

_MSG_DESC_OFFSET = MQXQH_LENGTH_1 - MQMD_LENGTH_1
#: The fields of an MQXQH, those of its descriptor included, which are the ones that describe what follows.
_XQH_FIELDS = (
    *mqxqh.LAYOUT.fields,
    *(field._replace(offset=_MSG_DESC_OFFSET + field.offset) for field in mqmd.LAYOUT.fields_in(MQMD_VERSION_1)),
)
#: Format name to the header. One that is not here is not converted: MQHDIST, whose records are of the queue manager
#: that writes it, and any unknown MQH header.
_LAYOUTS: dict[str, Layout[Any]] = {
    MQFMT_MD_EXTENSION: mqmde.LAYOUT,
    MQFMT_DEAD_LETTER_HEADER: mqdlh.LAYOUT,
    MQFMT_XMIT_Q_HEADER: mqxqh.LAYOUT,
    MQFMT_RF_HEADER_1: mqrfh.LAYOUT,
    MQFMT_RF_HEADER_2: mqrfh2.LAYOUT,
    MQFMT_REF_MSG_HEADER: mqrmh.LAYOUT,
    MQFMT_IMS: bridges.IIH_LAYOUT,
    MQFMT_CICS: bridges.CIH_LAYOUT,
    MQFMT_WORK_INFO_HEADER: bridges.WIH_LAYOUT,
}
#: Character sets of folders. A folder has its own, which stays.
_FOLDER_CCSIDS = frozenset({1200, 1208, 13488, 17584})
_STRUC_LENGTH = slice(8, 12)


def convert_header(header: Header, data: bytes, target: Form) -> bytearray:
    """Convert a header: numbers, character fields, strings, folders. Its description of its successor stays.

    Folders keep the character set of NameValueCCSID and take the byte order of the target.
    Raises MQError: MQRC_FORMAT_ERROR when the header is not a convertible one or has data that is not its own,
    MQRC_SOURCE_CCSID_ERROR when its folders are not in a Unicode set, and all that Fields and its methods raise.
    """
    if header.format not in _LAYOUTS:
        raise MQError(f"header {header.format} has no conversion", MQRC_FORMAT_ERROR)
    raw = data[header.offset : header.offset + header.length]
    fields = Fields(Form(header.ccsid, header.encoding), target)
    out = fields.convert_fields(_fields_in(header), raw)
    if header.format == MQFMT_RF_HEADER_1:
        return _with_name_values(out, raw, fields)
    if header.format == MQFMT_RF_HEADER_2:
        return _with_folders(out, raw, fields)
    if header.format == MQFMT_REF_MSG_HEADER:
        return _with_strings(out, raw, fields)
    if len(out) < len(raw):
        raise MQError(f"header {header.format} is {len(raw)} bytes long, not {len(out)}", MQRC_FORMAT_ERROR)
    return out


def describe_successor(header: Header, converted: bytearray, own: Form, successor: Form) -> None:
    """Set the fields of a converted header that describe what follows it; an IIH or CIH lacks them.

    own: what the header is written in.  Source: TRUNC-22.
    """
    if header.format in RESERVED:
        return
    numbers = Numbers(own, own)
    offsets = {field.name: field.offset for field in _fields_in(header)}
    for name, value in (("encoding", successor.encoding), ("coded_char_set_id", successor.ccsid)):
        converted[offsets[name] : offsets[name] + 4] = numbers.write(value)


def _fields_in(header: Header) -> tuple[Field, ...]:
    if header.format == MQFMT_XMIT_Q_HEADER:
        return _XQH_FIELDS
    return _LAYOUTS[header.format].fields_in(header.record.version)  # type: ignore[attr-defined]


def _with_name_values(out: bytearray, raw: bytes, fields: Fields) -> bytearray:
    """Convert the string of an MQRFH, padded with blanks to a multiple of 4 bytes when its length changes."""
    blank = fields.text(" ".encode(fields.source))
    string = raw[len(out) :]
    converted = fields.text(string)
    if len(converted) != len(string):
        converted = converted.rstrip(blank)
        converted += blank * (-len(converted) % 4)
    out += converted
    out[_STRUC_LENGTH] = fields.numbers.write(len(out))
    return out


def _with_folders(out: bytearray, raw: bytes, fields: Fields) -> bytearray:
    """Convert the folders of an MQRFH2; their lengths were checked when the header was read."""
    position = len(out)
    # 0 is what the language bindings start with; everybody who leaves it so writes UTF-8.
    ccsid = fields.numbers.read(raw, position - 4) or DEFAULT_CCSID
    if position < len(raw) and ccsid not in _FOLDER_CCSIDS:
        raise MQError(f"MQRFH2: NameValueCCSID {ccsid} is not Unicode", MQRC_SOURCE_CCSID_ERROR)
    width = 1 if ccsid == DEFAULT_CCSID else 2
    while position < len(raw):
        start = position + 4
        end = start + fields.numbers.read(raw, position)
        out += fields.numbers.swap(raw[position:start]) + fields.numbers.swap(raw[start:end], width)
        position = end
    return out


def _with_strings(out: bytearray, raw: bytes, fields: Fields) -> bytearray:
    """Convert the strings of an MQRMH and update their offsets."""
    for name in mqrmh.STRINGS:
        place = mqrmh.OFFSETS[f"{name}_length"]
        length, offset = fields.numbers.read(raw, place), fields.numbers.read(raw, place + 4)
        string = fields.text(raw[offset : offset + length]) if length else b""
        out[place : place + 4] = fields.numbers.write(len(string))
        out[place + 4 : place + 8] = fields.numbers.write(len(out) if string else 0)
        out += string
    out[_STRUC_LENGTH] = fields.numbers.write(len(out))
    return out
