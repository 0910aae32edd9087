"""MQXQH, the transmission-queue header: where a message goes, and its own descriptor in version 1."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqtools.constants.reasons import MQRC_XQH_ERROR
from mqtools.constants.structures import (
    MQMD_LENGTH_1,
    MQMD_VERSION_1,
    MQXQH_LENGTH_1,
    MQXQH_STRUC_ID,
    MQXQH_VERSION_1,
)
from mqtools.errors import MQError
from mqtools.headers.layout import MQCHAR48, MQLONG, Layout
from mqtools.headers.mqmd import pack_mqmd, unpack_mqmd
from mqtools.message import MQMD
from mqtools.records import Record

_MSG_DESC_OFFSET = MQXQH_LENGTH_1 - MQMD_LENGTH_1


@dataclass(slots=True, kw_only=True)
class MQXQH(Record):
    """Transmission-queue header; msg_desc is the application's descriptor. The message has another one."""

    version: MQLONG = MQXQH_VERSION_1
    remote_q_name: MQCHAR48 = ""
    remote_q_mgr_name: MQCHAR48 = ""
    msg_desc: MQMD = field(default_factory=lambda: MQMD(version=MQMD_VERSION_1))


LAYOUT = Layout(MQXQH, MQXQH_STRUC_ID, MQRC_XQH_ERROR, {MQXQH_VERSION_1: _MSG_DESC_OFFSET}, has_length=False)


def pack_mqxqh(record: MQXQH, encoding: int, ccsid: int) -> bytes:
    """Write an MQXQH as 428 bytes; of its descriptor only the version-1 fields.

    Raises MQError: MQRC_XQH_ERROR when a value does not fit its field.  Source: BEY-90.
    """
    fixed = LAYOUT.pack(record, encoding, ccsid)
    try:
        return fixed + pack_mqmd(record.msg_desc, MQMD_VERSION_1, encoding, ccsid)
    except MQError as error:
        raise LAYOUT.error(error.text) from error


def unpack_mqxqh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQXQH:
    """Read an MQXQH.

    Raises MQError: MQRC_XQH_ERROR when StrucId, Version or the length is wrong, here or in the descriptor, which
    must be version 1.
    """
    values, _ = LAYOUT.unpack_values(data, encoding, ccsid, offset)
    embedded = data[offset + _MSG_DESC_OFFSET : offset + MQXQH_LENGTH_1]
    if len(embedded) < MQMD_LENGTH_1:
        raise LAYOUT.error(f"{len(data) - offset} bytes, {MQXQH_LENGTH_1} needed")
    try:
        return MQXQH(**values, msg_desc=unpack_mqmd(embedded, encoding, ccsid, keep_nulls=True))
    except MQError as error:
        raise LAYOUT.error(error.text) from error
