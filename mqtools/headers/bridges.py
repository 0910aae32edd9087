"""The headers of bridges and of z/OS: MQIIH (IMS), MQCIH (CICS), MQDH (distribution lists), MQWIH (work loads)."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQCCSI_UNDEFINED, MQFMT_NONE
from mqtools.constants.options import MQPMRF_NONE
from mqtools.constants.reasons import MQCC_OK, MQRC_HEADER_ERROR, MQRC_IIH_ERROR, MQRC_NONE
from mqtools.constants.structures import (
    MQCFAC_NONE,
    MQCIH_LENGTH_2,
    MQCIH_NONE,
    MQCIH_STRUC_ID,
    MQCIH_VERSION_1,
    MQCIH_VERSION_2,
    MQDH_STRUC_ID,
    MQDH_VERSION_1,
    MQDHF_NONE,
    MQIIH_LENGTH_1,
    MQIIH_NONE,
    MQIIH_STRUC_ID,
    MQIIH_VERSION_1,
    MQITII_NONE,
    MQMTOK_NONE,
    MQWIH_LENGTH_1,
    MQWIH_NONE,
    MQWIH_STRUC_ID,
    MQWIH_VERSION_1,
)
from mqtools.headers.layout import BYTE, CHAR, LONG, Layout
from mqtools.records import Record

#: The fields of an MQIIH.
IIH_FIELDS = (
    ("struc_id", CHAR, 0, 4, MQIIH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQIIH_VERSION_1, 1),
    ("struc_length", LONG, 8, 4, MQIIH_LENGTH_1, 1),
    ("encoding", LONG, 12, 4, 0, 1),
    ("coded_char_set_id", LONG, 16, 4, 0, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQIIH_NONE, 1),
    ("l_term_override", CHAR, 32, 8, "", 1),
    ("mfs_map_name", CHAR, 40, 8, "", 1),
    ("reply_to_format", CHAR, 48, 8, MQFMT_NONE, 1),
    ("authenticator", CHAR, 56, 8, "", 1),
    ("tran_instance_id", BYTE, 64, 16, MQITII_NONE, 1),
    ("tran_state", CHAR, 80, 1, "", 1),
    ("commit_mode", CHAR, 81, 1, "0", 1),
    ("security_scope", CHAR, 82, 1, "C", 1),
    ("reserved", CHAR, 83, 1, "", 1),
)
IIH_LAYOUT = Layout("MQIIH", MQRC_IIH_ERROR, IIH_FIELDS, (MQIIH_VERSION_1,))


@dataclass(slots=True, kw_only=True)
class MQIIH(Record):
    """IMS bridge header."""

    version: int = MQIIH_VERSION_1
    encoding: int = 0
    coded_char_set_id: int = 0
    format: str = MQFMT_NONE
    flags: int = MQIIH_NONE
    l_term_override: str = ""
    mfs_map_name: str = ""
    reply_to_format: str = MQFMT_NONE
    authenticator: str = ""
    tran_instance_id: bytes = MQITII_NONE
    tran_state: str = ""
    commit_mode: str = "0"
    security_scope: str = "C"
    reserved: str = ""


def pack_mqiih(record: MQIIH, encoding: int, ccsid: int) -> bytes:
    """Write an MQIIH as 84 bytes. Raises MQError: MQRC_IIH_ERROR when a value does not fit its field."""
    return IIH_LAYOUT.pack(record, encoding, ccsid)


def unpack_mqiih(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQIIH:
    """Read an MQIIH. Raises MQError: MQRC_IIH_ERROR when StrucId, Version or a length is wrong."""
    record = MQIIH()
    IIH_LAYOUT.unpack_into(record, data, encoding, ccsid, offset)
    return record


#: The fields of an MQCIH.
CIH_FIELDS = (
    ("struc_id", CHAR, 0, 4, MQCIH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQCIH_VERSION_2, 1),
    ("struc_length", LONG, 8, 4, MQCIH_LENGTH_2, 1),
    ("encoding", LONG, 12, 4, 0, 1),
    ("coded_char_set_id", LONG, 16, 4, 0, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQCIH_NONE, 1),
    ("return_code", LONG, 32, 4, 0, 1),
    ("comp_code", LONG, 36, 4, MQCC_OK, 1),
    ("reason", LONG, 40, 4, MQRC_NONE, 1),
    ("uow_control", LONG, 44, 4, 273, 1),
    ("get_wait_interval", LONG, 48, 4, -2, 1),
    ("link_type", LONG, 52, 4, 1, 1),
    ("output_data_length", LONG, 56, 4, -1, 1),
    ("facility_keep_time", LONG, 60, 4, 0, 1),
    ("ads_descriptor", LONG, 64, 4, 0, 1),
    ("conversational_task", LONG, 68, 4, 0, 1),
    ("task_end_status", LONG, 72, 4, 0, 1),
    ("facility", BYTE, 76, 8, MQCFAC_NONE, 1),
    ("function", CHAR, 84, 4, "", 1),
    ("abend_code", CHAR, 88, 4, "", 1),
    ("authenticator", CHAR, 92, 8, "", 1),
    ("reserved1", CHAR, 100, 8, "", 1),
    ("reply_to_format", CHAR, 108, 8, MQFMT_NONE, 1),
    ("remote_sys_id", CHAR, 116, 4, "", 1),
    ("remote_trans_id", CHAR, 120, 4, "", 1),
    ("transaction_id", CHAR, 124, 4, "", 1),
    ("facility_like", CHAR, 128, 4, "", 1),
    ("attention_id", CHAR, 132, 4, "", 1),
    ("start_code", CHAR, 136, 4, "", 1),
    ("cancel_code", CHAR, 140, 4, "", 1),
    ("next_transaction_id", CHAR, 144, 4, "", 1),
    ("reserved2", CHAR, 148, 8, "", 1),
    ("reserved3", CHAR, 156, 8, "", 1),
    ("cursor_position", LONG, 164, 4, 0, 2),
    ("error_offset", LONG, 168, 4, 0, 2),
    ("input_item", LONG, 172, 4, 0, 2),
    ("reserved4", LONG, 176, 4, 0, 2),
)
CIH_LAYOUT = Layout("MQCIH", MQRC_HEADER_ERROR, CIH_FIELDS, (MQCIH_VERSION_1, MQCIH_VERSION_2))


@dataclass(slots=True, kw_only=True)
class MQCIH(Record):
    """CICS bridge header."""

    version: int = MQCIH_VERSION_2
    encoding: int = 0
    coded_char_set_id: int = 0
    format: str = MQFMT_NONE
    flags: int = MQCIH_NONE
    return_code: int = 0
    comp_code: int = MQCC_OK
    reason: int = MQRC_NONE
    uow_control: int = 273
    get_wait_interval: int = -2
    link_type: int = 1
    output_data_length: int = -1
    facility_keep_time: int = 0
    ads_descriptor: int = 0
    conversational_task: int = 0
    task_end_status: int = 0
    facility: bytes = MQCFAC_NONE
    function: str = ""
    abend_code: str = ""
    authenticator: str = ""
    reserved1: str = ""
    reply_to_format: str = MQFMT_NONE
    remote_sys_id: str = ""
    remote_trans_id: str = ""
    transaction_id: str = ""
    facility_like: str = ""
    attention_id: str = ""
    start_code: str = ""
    cancel_code: str = ""
    next_transaction_id: str = ""
    reserved2: str = ""
    reserved3: str = ""
    cursor_position: int = 0
    error_offset: int = 0
    input_item: int = 0
    reserved4: int = 0


def pack_mqcih(record: MQCIH, encoding: int, ccsid: int) -> bytes:
    """Write an MQCIH: 164 bytes in version 1, 180 in version 2.

    Raises MQError: MQRC_HEADER_ERROR when a value does not fit its field.
    """
    return CIH_LAYOUT.pack(record, encoding, ccsid)


def unpack_mqcih(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQCIH:
    """Read an MQCIH. Raises MQError: MQRC_HEADER_ERROR when StrucId, Version or a length is wrong."""
    record = MQCIH()
    CIH_LAYOUT.unpack_into(record, data, encoding, ccsid, offset)
    return record


#: The fields of an MQDH.
DH_FIELDS = (
    ("struc_id", CHAR, 0, 4, MQDH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQDH_VERSION_1, 1),
    ("struc_length", LONG, 8, 4, 0, 1),
    ("encoding", LONG, 12, 4, 0, 1),
    ("coded_char_set_id", LONG, 16, 4, MQCCSI_UNDEFINED, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQDHF_NONE, 1),
    ("put_msg_rec_fields", LONG, 32, 4, MQPMRF_NONE, 1),
    ("recs_present", LONG, 36, 4, 0, 1),
    ("object_rec_offset", LONG, 40, 4, 0, 1),
    ("put_msg_rec_offset", LONG, 44, 4, 0, 1),
)
DH_LAYOUT = Layout("MQDH", MQRC_HEADER_ERROR, DH_FIELDS, (MQDH_VERSION_1,))


@dataclass(slots=True, kw_only=True)
class MQDH(Record):
    """Distribution header."""

    version: int = MQDH_VERSION_1
    encoding: int = 0
    coded_char_set_id: int = MQCCSI_UNDEFINED
    format: str = MQFMT_NONE
    flags: int = MQDHF_NONE
    put_msg_rec_fields: int = MQPMRF_NONE
    recs_present: int = 0
    object_rec_offset: int = 0
    put_msg_rec_offset: int = 0
    records: bytes = b""


def pack_mqdh(record: MQDH, encoding: int, ccsid: int) -> bytes:
    """Write an MQDH and its records as they are.

    Raises MQError: MQRC_HEADER_ERROR when a value does not fit its field.
    """
    return DH_LAYOUT.pack(record, encoding, ccsid, record.records)


def unpack_mqdh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQDH:
    """Read an MQDH. Raises MQError: MQRC_HEADER_ERROR when StrucId, Version or a length is wrong."""
    record = MQDH()
    record.records = DH_LAYOUT.unpack_into(record, data, encoding, ccsid, offset)
    return record


#: The fields of an MQWIH.
WIH_FIELDS = (
    ("struc_id", CHAR, 0, 4, MQWIH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQWIH_VERSION_1, 1),
    ("struc_length", LONG, 8, 4, MQWIH_LENGTH_1, 1),
    ("encoding", LONG, 12, 4, 0, 1),
    ("coded_char_set_id", LONG, 16, 4, MQCCSI_UNDEFINED, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQWIH_NONE, 1),
    ("service_name", CHAR, 32, 32, "", 1),
    ("service_step", CHAR, 64, 8, "", 1),
    ("msg_token", BYTE, 72, 16, MQMTOK_NONE, 1),
    ("reserved", CHAR, 88, 32, "", 1),
)
WIH_LAYOUT = Layout("MQWIH", MQRC_HEADER_ERROR, WIH_FIELDS, (MQWIH_VERSION_1,))


@dataclass(slots=True, kw_only=True)
class MQWIH(Record):
    """Work-information header (z/OS workload manager)."""

    version: int = MQWIH_VERSION_1
    encoding: int = 0
    coded_char_set_id: int = MQCCSI_UNDEFINED
    format: str = MQFMT_NONE
    flags: int = MQWIH_NONE
    service_name: str = ""
    service_step: str = ""
    msg_token: bytes = MQMTOK_NONE
    reserved: str = ""


def pack_mqwih(record: MQWIH, encoding: int, ccsid: int) -> bytes:
    """Write an MQWIH as 120 bytes. Raises MQError: MQRC_HEADER_ERROR when a value does not fit its field."""
    return WIH_LAYOUT.pack(record, encoding, ccsid)


def unpack_mqwih(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQWIH:
    """Read an MQWIH. Raises MQError: MQRC_HEADER_ERROR when StrucId, Version or a length is wrong."""
    record = MQWIH()
    WIH_LAYOUT.unpack_into(record, data, encoding, ccsid, offset)
    return record
