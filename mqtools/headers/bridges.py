"""The headers of bridges and of z/OS: MQIIH (IMS), MQCIH (CICS), MQDH (distribution lists), MQWIH (work loads)."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQCCSI_UNDEFINED, MQFMT_NONE
from mqtools.constants.options import MQPMRF_NONE
from mqtools.constants.reasons import MQCC_OK, MQRC_HEADER_ERROR, MQRC_IIH_ERROR, MQRC_NONE
from mqtools.constants.structures import (
    MQCFAC_NONE,
    MQCIH_LENGTH_1,
    MQCIH_LENGTH_2,
    MQCIH_NONE,
    MQCIH_STRUC_ID,
    MQCIH_VERSION_1,
    MQCIH_VERSION_2,
    MQDH_LENGTH_1,
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
from mqtools.headers.layout import MQBYTE8, MQBYTE16, MQCHAR1, MQCHAR4, MQCHAR8, MQCHAR32, MQLONG, Layout
from mqtools.records import Record


@dataclass(slots=True, kw_only=True)
class MQIIH(Record):
    """IMS bridge header."""

    version: MQLONG = MQIIH_VERSION_1
    encoding: MQLONG = 0
    coded_char_set_id: MQLONG = 0
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQIIH_NONE
    l_term_override: MQCHAR8 = ""
    mfs_map_name: MQCHAR8 = ""
    reply_to_format: MQCHAR8 = MQFMT_NONE
    authenticator: MQCHAR8 = ""
    tran_instance_id: MQBYTE16 = MQITII_NONE
    tran_state: MQCHAR1 = ""
    commit_mode: MQCHAR1 = "0"
    security_scope: MQCHAR1 = "C"
    reserved: MQCHAR1 = ""


IIH_LAYOUT = Layout(MQIIH, MQIIH_STRUC_ID, MQRC_IIH_ERROR, {MQIIH_VERSION_1: MQIIH_LENGTH_1})
pack_mqiih, unpack_mqiih = IIH_LAYOUT.pack, IIH_LAYOUT.unpack


@dataclass(slots=True, kw_only=True)
class MQCIH(Record):
    """CICS bridge header."""

    version: MQLONG = MQCIH_VERSION_2
    encoding: MQLONG = 0
    coded_char_set_id: MQLONG = 0
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQCIH_NONE
    return_code: MQLONG = 0
    comp_code: MQLONG = MQCC_OK
    reason: MQLONG = MQRC_NONE
    uow_control: MQLONG = 273
    get_wait_interval: MQLONG = -2
    link_type: MQLONG = 1
    output_data_length: MQLONG = -1
    facility_keep_time: MQLONG = 0
    ads_descriptor: MQLONG = 0
    conversational_task: MQLONG = 0
    task_end_status: MQLONG = 0
    facility: MQBYTE8 = MQCFAC_NONE
    function: MQCHAR4 = ""
    abend_code: MQCHAR4 = ""
    authenticator: MQCHAR8 = ""
    reserved1: MQCHAR8 = ""
    reply_to_format: MQCHAR8 = MQFMT_NONE
    remote_sys_id: MQCHAR4 = ""
    remote_trans_id: MQCHAR4 = ""
    transaction_id: MQCHAR4 = ""
    facility_like: MQCHAR4 = ""
    attention_id: MQCHAR4 = ""
    start_code: MQCHAR4 = ""
    cancel_code: MQCHAR4 = ""
    next_transaction_id: MQCHAR4 = ""
    reserved2: MQCHAR8 = ""
    reserved3: MQCHAR8 = ""
    cursor_position: MQLONG = 0
    error_offset: MQLONG = 0
    input_item: MQLONG = 0
    reserved4: MQLONG = 0


CIH_LAYOUT = Layout(
    MQCIH, MQCIH_STRUC_ID, MQRC_HEADER_ERROR, {MQCIH_VERSION_1: MQCIH_LENGTH_1, MQCIH_VERSION_2: MQCIH_LENGTH_2}
)
pack_mqcih, unpack_mqcih = CIH_LAYOUT.pack, CIH_LAYOUT.unpack


@dataclass(slots=True, kw_only=True)
class MQDH(Record):
    """Distribution header."""

    version: MQLONG = MQDH_VERSION_1
    encoding: MQLONG = 0
    coded_char_set_id: MQLONG = MQCCSI_UNDEFINED
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQDHF_NONE
    put_msg_rec_fields: MQLONG = MQPMRF_NONE
    recs_present: MQLONG = 0
    object_rec_offset: MQLONG = 0
    put_msg_rec_offset: MQLONG = 0
    records: bytes = b""


DH_LAYOUT = Layout(MQDH, MQDH_STRUC_ID, MQRC_HEADER_ERROR, {MQDH_VERSION_1: MQDH_LENGTH_1})


def pack_mqdh(record: MQDH, encoding: int, ccsid: int) -> bytes:
    """Write an MQDH and its records as they are.

    Raises MQError: MQRC_HEADER_ERROR when a value does not fit its field.
    """
    return DH_LAYOUT.pack(record, encoding, ccsid, record.records)


def unpack_mqdh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQDH:
    """Read an MQDH. Raises MQError: MQRC_HEADER_ERROR when StrucId, Version or a length is wrong."""
    values, records = DH_LAYOUT.unpack_values(data, encoding, ccsid, offset)
    return MQDH(**values, records=records)


@dataclass(slots=True, kw_only=True)
class MQWIH(Record):
    """Work-information header (z/OS workload manager)."""

    version: MQLONG = MQWIH_VERSION_1
    encoding: MQLONG = 0
    coded_char_set_id: MQLONG = MQCCSI_UNDEFINED
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQWIH_NONE
    service_name: MQCHAR32 = ""
    service_step: MQCHAR8 = ""
    msg_token: MQBYTE16 = MQMTOK_NONE
    reserved: MQCHAR32 = ""


WIH_LAYOUT = Layout(MQWIH, MQWIH_STRUC_ID, MQRC_HEADER_ERROR, {MQWIH_VERSION_1: MQWIH_LENGTH_1})
pack_mqwih, unpack_mqwih = WIH_LAYOUT.pack, WIH_LAYOUT.unpack
