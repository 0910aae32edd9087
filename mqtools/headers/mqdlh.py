"""MQDLH, the dead-letter header."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQCCSI_UNDEFINED, MQFMT_NONE
from mqtools.constants.reasons import MQRC_DLH_ERROR, MQRC_NONE
from mqtools.constants.structures import MQDLH_STRUC_ID, MQDLH_VERSION_1
from mqtools.headers.layout import CHAR, LONG, Layout
from mqtools.records import Record

#: The fields of an MQDLH.
FIELDS = (
    ("struc_id", CHAR, 0, 4, MQDLH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQDLH_VERSION_1, 1),
    ("reason", LONG, 8, 4, MQRC_NONE, 1),
    ("dest_q_name", CHAR, 12, 48, "", 1),
    ("dest_q_mgr_name", CHAR, 60, 48, "", 1),
    ("encoding", LONG, 108, 4, 0, 1),
    ("coded_char_set_id", LONG, 112, 4, MQCCSI_UNDEFINED, 1),
    ("format", CHAR, 116, 8, MQFMT_NONE, 1),
    ("put_appl_type", LONG, 124, 4, 0, 1),
    ("put_appl_name", CHAR, 128, 28, "", 1),
    ("put_date", CHAR, 156, 8, "", 1),
    ("put_time", CHAR, 164, 8, "", 1),
)
LAYOUT = Layout("MQDLH", MQRC_DLH_ERROR, FIELDS, (MQDLH_VERSION_1,))


@dataclass(slots=True, kw_only=True)
class MQDLH(Record):
    """Dead-letter header.

    reason: an MQRC or MQFB value.  encoding, coded_char_set_id, format: of what follows it.
    put_appl_type to put_time: of the program that dead-lettered the message, date and time in GMT.
    """

    version: int = MQDLH_VERSION_1
    reason: int = MQRC_NONE
    dest_q_name: str = ""
    dest_q_mgr_name: str = ""
    encoding: int = 0
    coded_char_set_id: int = MQCCSI_UNDEFINED
    format: str = MQFMT_NONE
    put_appl_type: int = 0
    put_appl_name: str = ""
    put_date: str = ""
    put_time: str = ""


def pack_mqdlh(record: MQDLH, encoding: int, ccsid: int) -> bytes:
    """Write an MQDLH as 172 bytes, names padded with blanks.

    Raises MQError: MQRC_DLH_ERROR when a value does not fit its field.  Source: BEY-66.
    """
    return LAYOUT.pack(record, encoding, ccsid)


def unpack_mqdlh(data: bytes, encoding: int, ccsid: int, offset: int = 0, *, keep_nulls: bool = False) -> MQDLH:
    """Read an MQDLH.

    keep_nulls: nulls and what follows stay in the texts; else a null ends a text.
    Raises MQError: MQRC_DLH_ERROR when StrucId, Version or the length is wrong.
    """
    record = MQDLH()
    LAYOUT.unpack_into(record, data, encoding, ccsid, offset, keep_nulls=keep_nulls)
    return record
