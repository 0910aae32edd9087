"""MQDLH, the dead-letter header."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQCCSI_UNDEFINED, MQFMT_NONE
from mqtools.constants.reasons import MQRC_DLH_ERROR, MQRC_NONE
from mqtools.constants.structures import MQDLH_LENGTH_1, MQDLH_STRUC_ID, MQDLH_VERSION_1
from mqtools.headers.layout import MQCHAR8, MQCHAR28, MQCHAR48, MQLONG, Layout
from mqtools.records import Record


@dataclass(slots=True, kw_only=True)
class MQDLH(Record):
    """Dead-letter header.

    reason: an MQRC or MQFB value.  encoding, coded_char_set_id, format: of what follows it.
    put_appl_type to put_time: of the program that dead-lettered the message, date and time in GMT.
    """

    version: MQLONG = MQDLH_VERSION_1
    reason: MQLONG = MQRC_NONE
    dest_q_name: MQCHAR48 = ""
    dest_q_mgr_name: MQCHAR48 = ""
    encoding: MQLONG = 0
    coded_char_set_id: MQLONG = MQCCSI_UNDEFINED
    format: MQCHAR8 = MQFMT_NONE
    put_appl_type: MQLONG = 0
    put_appl_name: MQCHAR28 = ""
    put_date: MQCHAR8 = ""
    put_time: MQCHAR8 = ""


LAYOUT = Layout(MQDLH, MQDLH_STRUC_ID, MQRC_DLH_ERROR, {MQDLH_VERSION_1: MQDLH_LENGTH_1}, has_length=False)
#: An MQDLH as 172 bytes, names padded with blanks, and back. Source: BEY-66.
pack_mqdlh, unpack_mqdlh = LAYOUT.pack, LAYOUT.unpack
