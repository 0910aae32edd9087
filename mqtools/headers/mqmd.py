"""MQMD, the message descriptor, as bytes."""

from __future__ import annotations

from mqtools.constants.message import (
    MQAT_NO_CONTEXT,
    MQCCSI_Q_MGR,
    MQEI_UNLIMITED,
    MQENC_NATIVE,
    MQFB_NONE,
    MQFMT_NONE,
    MQMF_NONE,
    MQMT_DATAGRAM,
    MQOL_UNDEFINED,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPRI_PRIORITY_AS_Q_DEF,
    MQRO_NONE,
)
from mqtools.constants.reasons import MQRC_MD_ERROR
from mqtools.constants.structures import (
    MQACT_NONE,
    MQCI_NONE,
    MQGI_NONE,
    MQMD_STRUC_ID,
    MQMD_VERSION_1,
    MQMD_VERSION_2,
    MQMI_NONE,
)
from mqtools.headers.layout import BYTE, CHAR, LONG, Layout
from mqtools.message import MQMD

#: The fields of an MQMD; those since version 2 are absent from a version-1 descriptor.
FIELDS = (
    ("struc_id", CHAR, 0, 4, MQMD_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQMD_VERSION_1, 1),
    ("report", LONG, 8, 4, MQRO_NONE, 1),
    ("msg_type", LONG, 12, 4, MQMT_DATAGRAM, 1),
    ("expiry", LONG, 16, 4, MQEI_UNLIMITED, 1),
    ("feedback", LONG, 20, 4, MQFB_NONE, 1),
    ("encoding", LONG, 24, 4, MQENC_NATIVE, 1),
    ("coded_char_set_id", LONG, 28, 4, MQCCSI_Q_MGR, 1),
    ("format", CHAR, 32, 8, MQFMT_NONE, 1),
    ("priority", LONG, 40, 4, MQPRI_PRIORITY_AS_Q_DEF, 1),
    ("persistence", LONG, 44, 4, MQPER_PERSISTENCE_AS_Q_DEF, 1),
    ("msg_id", BYTE, 48, 24, MQMI_NONE, 1),
    ("correl_id", BYTE, 72, 24, MQCI_NONE, 1),
    ("backout_count", LONG, 96, 4, 0, 1),
    ("reply_to_q", CHAR, 100, 48, "", 1),
    ("reply_to_q_mgr", CHAR, 148, 48, "", 1),
    ("user_identifier", CHAR, 196, 12, "", 1),
    ("accounting_token", BYTE, 208, 32, MQACT_NONE, 1),
    ("appl_identity_data", CHAR, 240, 32, "", 1),
    ("put_appl_type", LONG, 272, 4, MQAT_NO_CONTEXT, 1),
    ("put_appl_name", CHAR, 276, 28, "", 1),
    ("put_date", CHAR, 304, 8, "", 1),
    ("put_time", CHAR, 312, 8, "", 1),
    ("appl_origin_data", CHAR, 320, 4, "", 1),
    ("group_id", BYTE, 324, 24, MQGI_NONE, 2),
    ("msg_seq_number", LONG, 348, 4, 1, 2),
    ("offset", LONG, 352, 4, 0, 2),
    ("msg_flags", LONG, 356, 4, MQMF_NONE, 2),
    ("original_length", LONG, 360, 4, MQOL_UNDEFINED, 2),
)
LAYOUT = Layout("MQMD", MQRC_MD_ERROR, FIELDS, (MQMD_VERSION_1, MQMD_VERSION_2))


def pack_mqmd(md: MQMD, version: int | None = None, encoding: int = MQENC_NATIVE, ccsid: int = 1208) -> bytes:
    """Write a descriptor as bytes: 324 in version 1, 364 in version 2.

    version: 1 leaves the version-2 fields out; None is the descriptor's own. encoding, ccsid: of the descriptor
    itself, not of the data it describes. Raises MQError: MQRC_MD_ERROR when a value does not fit its field.
    """
    return LAYOUT.pack(md, encoding, ccsid, version=version, keep_nulls=True)


def unpack_mqmd(data: bytes, encoding: int, ccsid: int, offset: int = 0, *, keep_nulls: bool = False) -> MQMD:
    """Read a descriptor; a version-1 one has the initial values in its version-2 fields.

    keep_nulls: for one that a queue manager wrote. In a program's own a null ends a character field, as MQPUT says.
    Raises MQError: MQRC_MD_ERROR when StrucId, Version or the length is wrong.
    """
    md = MQMD()
    LAYOUT.unpack_into(md, data, encoding, ccsid, offset, keep_nulls=keep_nulls)
    return md
