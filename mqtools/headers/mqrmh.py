"""MQRMH, the reference-message header: an object's names, and the portion that a message covers."""

from __future__ import annotations

from dataclasses import dataclass
from struct import error as StructError
from struct import pack_into, unpack_from

from mqtools.constants.message import MQCCSI_UNDEFINED, MQENC_NATIVE, MQFMT_NONE
from mqtools.constants.reasons import MQRC_RMH_ERROR
from mqtools.constants.structures import (
    MQOII_NONE,
    MQRMH_LENGTH_1,
    MQRMH_STRUC_ID,
    MQRMH_VERSION_1,
    MQRMHF_NOT_LAST,
)
from mqtools.headers.characters import decode_field
from mqtools.headers.charsets import byte_order
from mqtools.headers.layout import MQBYTE24, MQCHAR8, MQLONG, Layout, rows_of
from mqtools.records import Record

#: Bytes of one unit of DataLogicalOffset2.
OFFSET_UNIT = 1_000_000_000
#: The strings, in the order in which they are written behind the fixed part.
STRINGS = ("src_env", "src_name", "dest_env", "dest_name")


@dataclass(slots=True, kw_only=True)
class MQRMH(Record):
    """Reference-message header."""

    version: MQLONG = MQRMH_VERSION_1
    encoding: MQLONG = MQENC_NATIVE
    coded_char_set_id: MQLONG = MQCCSI_UNDEFINED
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQRMHF_NOT_LAST
    object_type: MQCHAR8 = ""
    object_instance_id: MQBYTE24 = MQOII_NONE
    data_logical_length: MQLONG = 0
    data_logical_offset: MQLONG = 0
    data_logical_offset2: MQLONG = 0
    src_env: str = ""
    src_name: str = ""
    dest_env: str = ""
    dest_name: str = ""

    @property
    def logical_offset(self) -> int:
        """Return the offset in bytes of the portion in its object.  Source: REF-32."""
        return self.data_logical_offset2 * OFFSET_UNIT + self.data_logical_offset


_ROWS = rows_of(MQRMH)
_BEHIND = next(place for place, row in enumerate(_ROWS) if row[0] == "data_logical_length")
#: In front of the logical offset are length and offset of each string; they follow from the strings.
LAYOUT = Layout(
    MQRMH,
    MQRMH_STRUC_ID,
    MQRC_RMH_ERROR,
    {MQRMH_VERSION_1: MQRMH_LENGTH_1},
    [
        *_ROWS[:_BEHIND],
        *((f"{name}_{what}", "i", 0) for name in STRINGS for what in ("length", "offset")),
        *_ROWS[_BEHIND:],
    ],
)
OFFSETS = {field.name: field.offset for field in LAYOUT.fields}


def pack_mqrmh(record: MQRMH, encoding: int, ccsid: int) -> bytes:
    """Write an MQRMH, its strings one after the other behind the 108 bytes of the fixed part.

    Raises MQError: MQRC_RMH_ERROR when a value does not fit its field.  Source: REF-29.
    """
    codec = LAYOUT.codec(ccsid)
    places: dict[str, int] = {}
    tail = b""
    for name in STRINGS:
        raw = LAYOUT.encode(name, getattr(record, name), codec)
        places[f"{name}_length"] = len(raw)
        places[f"{name}_offset"] = MQRMH_LENGTH_1 + len(tail) if raw else 0
        tail += raw
    return LAYOUT.pack(record, encoding, ccsid, tail, derived=places)


def unpack_mqrmh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQRMH:
    """Read an MQRMH, its strings wherever they are inside StrucLength.

    Raises MQError: MQRC_RMH_ERROR when StrucId, Version or a length is wrong or a string is not inside StrucLength.
    Source: REF-29, REF-30.
    """
    values, tail = LAYOUT.unpack_values(data, encoding, ccsid, offset)
    whole = data[offset : offset + MQRMH_LENGTH_1 + len(tail)]
    codec = LAYOUT.codec(ccsid)
    for name in STRINGS:
        raw = _string(whole, name, values.pop(f"{name}_offset"), values.pop(f"{name}_length"))
        values[name] = decode_field(raw, codec)
    return MQRMH(**values)


def struc_length(data: bytes, encoding: int) -> int:
    """Return the bytes of an MQRMH that has been read; what follows them is the object's data.  Source: REF-34."""
    (length,) = unpack_from(byte_order(encoding, "MQRMH", MQRC_RMH_ERROR) + "i", data, 8)
    return int(length)


def place_portion(header: bytes, encoding: int, flags: int, length: int, logical_offset: int) -> bytes:
    """Write Flags, DataLogicalLength and the offset over those of an MQRMH; all its other bytes stay.

    length, logical_offset: of the portion, in bytes.  Raises MQError: MQRC_RMH_ERROR when a value does not fit.
    """
    order = byte_order(encoding, "MQRMH", MQRC_RMH_ERROR)
    changed = bytearray(header)
    try:
        pack_into(order + "i", changed, OFFSETS["flags"], flags)
        pack_into(order + "iii", changed, OFFSETS["data_logical_length"], length, *split_logical_offset(logical_offset))
    except StructError as error:
        raise LAYOUT.error(f"a portion of {length} bytes at {logical_offset} does not fit its fields") from error
    return bytes(changed)


def split_logical_offset(logical_offset: int) -> tuple[int, int]:
    """Split an offset in bytes into DataLogicalOffset and DataLogicalOffset2.  Source: REF-32."""
    high, low = divmod(logical_offset, OFFSET_UNIT)
    return low, high


def _string(whole: bytes, name: str, offset: int, length: int) -> bytes:
    if length == 0:
        return b""
    if length < 0 or offset < 0 or offset + length > len(whole):
        raise LAYOUT.error(f"{name}: {length} bytes at {offset} are not inside StrucLength {len(whole)}")
    return whole[offset : offset + length]
