"""MQMDE, the message descriptor extension: the version-2 fields in front of the data of a version-1 descriptor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.constants.message import (
    MQCCSI_INHERIT,
    MQCCSI_UNDEFINED,
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQFMT_NONE,
    MQMF_NONE,
    MQOL_UNDEFINED,
)
from mqtools.constants.reasons import MQRC_MDE_ERROR
from mqtools.constants.structures import (
    MQGI_NONE,
    MQMD_VERSION_1,
    MQMD_VERSION_2,
    MQMDE_LENGTH_2,
    MQMDE_STRUC_ID,
    MQMDE_VERSION_2,
    MQMDEF_NONE,
)
from mqtools.headers.charsets import DEFAULT_CCSID, inherited, known_ccsid
from mqtools.headers.layout import MQBYTE24, MQCHAR8, MQLONG, Layout
from mqtools.headers.mqheader import COMMON_LENGTH
from mqtools.message import MQMD
from mqtools.records import Record


@dataclass(slots=True, kw_only=True)
class MQMDE(Record):
    """Message descriptor extension; encoding, coded_char_set_id and format are of what follows it."""

    version: MQLONG = MQMDE_VERSION_2
    encoding: MQLONG = MQENC_NATIVE
    coded_char_set_id: MQLONG = MQCCSI_UNDEFINED
    format: MQCHAR8 = MQFMT_NONE
    flags: MQLONG = MQMDEF_NONE
    group_id: MQBYTE24 = MQGI_NONE
    msg_seq_number: MQLONG = 1
    offset: MQLONG = 0
    msg_flags: MQLONG = MQMF_NONE
    original_length: MQLONG = MQOL_UNDEFINED


LAYOUT = Layout(MQMDE, MQMDE_STRUC_ID, MQRC_MDE_ERROR, {MQMDE_VERSION_2: MQMDE_LENGTH_2})
#: The descriptor fields that an MQMDE carries, with their initial values.
EXTENSION: dict[str, Any] = {field.name: field.initial for field in LAYOUT.fields if field.offset >= COMMON_LENGTH}
pack_mqmde = LAYOUT.pack


def unpack_mqmde(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQMDE:
    """Read an MQMDE.

    Raises MQError: MQRC_MDE_ERROR when StrucId, Version (not 2), StrucLength (not 72) or the length of the data is
    wrong.  Source: BEY-93.
    """
    values, tail = LAYOUT.unpack_values(data, encoding, ccsid, offset)
    if tail:
        raise LAYOUT.error(f"StrucLength is not {MQMDE_LENGTH_2}")
    return MQMDE(**values)


def needs_mqmde(md: MQMD) -> bool:
    """Return whether a version-2 descriptor says more than a version-1 one can: a field is not initial.

    Source: BEY-94.
    """
    return md.version >= MQMD_VERSION_2 and any(getattr(md, name) != initial for name, initial in EXTENSION.items())


def prefix_mqmde(md: MQMD, data: bytes, encoding: int = MQENC_NATIVE, ccsid: int = DEFAULT_CCSID) -> tuple[MQMD, bytes]:
    """Make a version-1 descriptor of a message, the version-2 fields in an MQMDE in front of the data.

    encoding, ccsid: what the MQMDE is written in. Whether it is needed is for the caller to say.
    Source: BEY-94.
    """
    fields = {name: getattr(md, name) for name in EXTENSION}
    follows = md.coded_char_set_id or MQCCSI_INHERIT
    extension = MQMDE(encoding=md.encoding, coded_char_set_id=follows, format=md.format, **fields)
    first = md.replace(
        version=MQMD_VERSION_1,
        encoding=encoding,
        coded_char_set_id=ccsid,
        format=MQFMT_MD_EXTENSION,
        **EXTENSION,
    )
    return first, pack_mqmde(extension, encoding, ccsid) + data


def strip_mqmde(md: MQMD, data: bytes) -> tuple[MQMD, bytes]:
    """Make a version-2 descriptor of a version-1 one whose data begins with an MQMDE.

    Raises MQError: MQRC_MDE_ERROR when the MQMDE is invalid.  Source: BEY-93.
    """
    ccsid = known_ccsid(md.coded_char_set_id)
    extension = unpack_mqmde(data, md.encoding, ccsid)
    encoding, ccsid = inherited(extension, md.encoding, ccsid)
    second = md.replace(
        version=MQMD_VERSION_2,
        encoding=encoding,
        coded_char_set_id=ccsid,
        format=extension.format,
        **{name: getattr(extension, name) for name in EXTENSION},
    )
    return second, data[MQMDE_LENGTH_2:]
