"""MQRMH, the reference-message header: an object's names, and which portion of it a message stands for."""

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
from mqtools.headers.characters import decode_field, encode_field
from mqtools.headers.layout import BYTE, CHAR, LONG, Layout, byte_order
from mqtools.records import Record

#: What one unit of DataLogicalOffset2 stands for, in bytes.
OFFSET_UNIT = 1_000_000_000
#: The strings, in the order in which they are written behind the fixed part.
STRINGS = ("src_env", "src_name", "dest_env", "dest_name")

#: The fields of an MQRMH.
FIELDS = (
    ("struc_id", CHAR, 0, 4, MQRMH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQRMH_VERSION_1, 1),
    ("struc_length", LONG, 8, 4, 0, 1),
    ("encoding", LONG, 12, 4, MQENC_NATIVE, 1),
    ("coded_char_set_id", LONG, 16, 4, MQCCSI_UNDEFINED, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQRMHF_NOT_LAST, 1),
    ("object_type", CHAR, 32, 8, "", 1),
    ("object_instance_id", BYTE, 40, 24, MQOII_NONE, 1),
    ("src_env_length", LONG, 64, 4, 0, 1),
    ("src_env_offset", LONG, 68, 4, 0, 1),
    ("src_name_length", LONG, 72, 4, 0, 1),
    ("src_name_offset", LONG, 76, 4, 0, 1),
    ("dest_env_length", LONG, 80, 4, 0, 1),
    ("dest_env_offset", LONG, 84, 4, 0, 1),
    ("dest_name_length", LONG, 88, 4, 0, 1),
    ("dest_name_offset", LONG, 92, 4, 0, 1),
    ("data_logical_length", LONG, 96, 4, 0, 1),
    ("data_logical_offset", LONG, 100, 4, 0, 1),
    ("data_logical_offset2", LONG, 104, 4, 0, 1),
)
LAYOUT = Layout("MQRMH", MQRC_RMH_ERROR, FIELDS, (MQRMH_VERSION_1,))
_OFFSETS = {row[0]: row[2] for row in FIELDS}
#: The fixed fields that are attributes of a record; those that say where a string is follow from the strings.
_KEPT = tuple(name for name in LAYOUT.names if name.removesuffix("_length").removesuffix("_offset") not in STRINGS)


@dataclass(slots=True, kw_only=True)
class MQRMH(Record):
    """Reference-message header."""

    version: int = MQRMH_VERSION_1
    encoding: int = MQENC_NATIVE
    coded_char_set_id: int = MQCCSI_UNDEFINED
    format: str = MQFMT_NONE
    flags: int = MQRMHF_NOT_LAST
    object_type: str = ""
    object_instance_id: bytes = MQOII_NONE
    data_logical_length: int = 0
    data_logical_offset: int = 0
    data_logical_offset2: int = 0
    src_env: str = ""
    src_name: str = ""
    dest_env: str = ""
    dest_name: str = ""

    @property
    def logical_offset(self) -> int:
        """Return the offset in bytes of the portion in its object.  Source: REF-32."""
        return self.data_logical_offset2 * OFFSET_UNIT + self.data_logical_offset


class _FixedPart:
    """The fixed part of an MQRMH, with the lengths and offsets of the strings that follow it."""

    __slots__ = LAYOUT.names

    version: int


def pack_mqrmh(record: MQRMH, encoding: int, ccsid: int) -> bytes:
    """Write an MQRMH, its strings one after the other behind the 108 bytes of the fixed part.

    Raises MQError: MQRC_RMH_ERROR when a value does not fit its field.  Source: REF-29.
    """
    codec = LAYOUT.codec(ccsid)
    fixed = _FixedPart()
    for name in _KEPT:
        setattr(fixed, name, getattr(record, name))
    tail = b""
    for name in STRINGS:
        try:
            raw = encode_field(getattr(record, name), codec)
        except UnicodeError as error:
            raise LAYOUT.error(f"{name} cannot be written in {codec}: {error}") from error
        setattr(fixed, f"{name}_length", len(raw))
        setattr(fixed, f"{name}_offset", MQRMH_LENGTH_1 + len(tail) if raw else 0)
        tail += raw
    return LAYOUT.pack(fixed, encoding, ccsid, tail)


def unpack_mqrmh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQRMH:
    """Read an MQRMH, its strings wherever they are inside StrucLength.

    Raises MQError: MQRC_RMH_ERROR when StrucId, Version or a length is wrong or a string is not inside StrucLength.
    Source: REF-29, REF-30.
    """
    fixed = _FixedPart()
    tail = LAYOUT.unpack_into(fixed, data, encoding, ccsid, offset)
    whole = data[offset : offset + MQRMH_LENGTH_1 + len(tail)]
    codec = LAYOUT.codec(ccsid)
    record = MQRMH()
    for name in _KEPT:
        setattr(record, name, getattr(fixed, name))
    for name in STRINGS:
        raw = _string(whole, name, getattr(fixed, f"{name}_offset"), getattr(fixed, f"{name}_length"))
        setattr(record, name, decode_field(raw, codec))
    return record


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
        pack_into(order + "i", changed, _OFFSETS["flags"], flags)
        pack_into(
            order + "iii", changed, _OFFSETS["data_logical_length"], length, *split_logical_offset(logical_offset)
        )
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
