"""MQMD, the message descriptor, as bytes."""

from __future__ import annotations

from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.reasons import MQRC_MD_ERROR
from mqtools.constants.structures import (
    MQMD_LENGTH_1,
    MQMD_LENGTH_2,
    MQMD_STRUC_ID,
    MQMD_VERSION_1,
    MQMD_VERSION_2,
)
from mqtools.headers.layout import Layout
from mqtools.message import BYTES, CHARACTERS, FIELDS, MQMD

#: An MQMD; the fields since version 2 are absent from a version-1 descriptor.
LAYOUT = Layout(
    MQMD,
    MQMD_STRUC_ID,
    MQRC_MD_ERROR,
    {MQMD_VERSION_1: MQMD_LENGTH_1, MQMD_VERSION_2: MQMD_LENGTH_2},
    [
        (name, f"{length}s" if kind in (BYTES, CHARACTERS) else "i", getattr(MQMD(), name))
        for name, kind, length, _, _ in FIELDS
    ],
    has_length=False,
)


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
    return LAYOUT.unpack(data, encoding, ccsid, offset, keep_nulls=keep_nulls)
