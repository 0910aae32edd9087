"""The chain of headers in front of a message's body: walking it, and putting a header on or taking it off.

A header's own Encoding, CodedCharSetId and Format describe what follows it. The header itself is described by what
is in front of it: another header, or the message descriptor.
"""

from __future__ import annotations

from typing import Any

from mqtools.constants.message import (
    MQAT_QMGR,
    MQCCSI_INHERIT,
    MQENC_NATIVE,
    MQFMT_CICS,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_IMS,
    MQFMT_MD_EXTENSION,
    MQFMT_XMIT_Q_HEADER,
    MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,
)
from mqtools.constants.reasons import MQRC_DLH_ERROR, MQRC_XQH_ERROR
from mqtools.constants.structures import MQDLH_LENGTH_1, MQMD_LENGTH_1, MQMD_VERSION_1, MQMD_VERSION_2, MQXQH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers.charsets import DEFAULT_CCSID, inherited, integer_order, known_ccsid
from mqtools.headers.formats import STRUC_IDS, is_header_format
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh, unpack_mqdlh
from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde, strip_mqmde
from mqtools.headers.mqxqh import MQXQH, pack_mqxqh, unpack_mqxqh
from mqtools.message import MQMD
from mqtools.records import OptionRecord, Record

#: Lengths of the headers without StrucLength.
_FIXED_LENGTHS = {"DLH": MQDLH_LENGTH_1, "XQH": MQXQH_LENGTH_1}
#: Formats of headers whose Encoding and CodedCharSetId are reserved: what follows is in the form of the header itself.
RESERVED = frozenset({MQFMT_IMS, MQFMT_CICS})

#: Where CodedCharSetId is in a header; in any other at the same place as in the common first 32 bytes.
_CCSID_OFFSETS = {"DLH": 112, "XQH": MQXQH_LENGTH_1 - MQMD_LENGTH_1 + 28}
_COMMON_CCSID_OFFSET = 16

#: Fields that the descriptor of a message on a transmission queue has in common with the one in its MQXQH.
_IN_BOTH = (
    *("msg_type", "expiry", "feedback", "priority", "persistence", "reply_to_q", "reply_to_q_mgr"),
    *("user_identifier", "accounting_token", "appl_identity_data"),
)


class Header(OptionRecord):
    """One header of a message.

    struc_id: as in ``DLH``; the two versions of the RFH are ``RFH`` and ``RFH2``.  format: the name that announced it.
    offset, length: bytes.  encoding, ccsid: what it was read with, not what it says of its successor.
    """

    struc_id: str
    format: str
    record: Record
    offset: int
    length: int
    encoding: int
    ccsid: int


class Chain(OptionRecord):
    """The headers of a message, and where and what the body is.

    error: what is wrong with the header at body_offset, which with all that follows counts as body; or None.
    """

    headers: list[Header]
    body_offset: int
    body_format: str
    body_encoding: int
    body_ccsid: int
    error: MQError | None = None


def walk(data: bytes, format: str, encoding: int, ccsid: int) -> Chain:
    """Walk from header to header to the body.

    format, encoding, ccsid: of the first byte of the data, as the descriptor says. A CCSID of 0 or below is the
    queue manager's (1208) for a header. A damaged header ends the walk.
    """
    chain = Chain([], 0, format, encoding, ccsid)
    while is_header_format(chain.body_format):
        try:
            header = _read(data, chain)
        except MQError as error:
            chain.error = error
            break
        chain.headers.append(header)
        chain.body_offset += header.length
        chain.body_format, chain.body_encoding, chain.body_ccsid = _successor(header)
    return chain


def replace_inherited(data: bytes, chain: Chain) -> bytes:
    """Replace MQCCSI_INHERIT in the headers of a message by the CCSID of the structure before, as a put does."""
    for header in chain.headers:
        if _describing(header).coded_char_set_id == MQCCSI_INHERIT and header.format not in RESERVED:
            at = header.offset + _CCSID_OFFSETS.get(header.struc_id, _COMMON_CCSID_OFFSET)
            data = data[:at] + header.ccsid.to_bytes(4, integer_order(header.encoding)) + data[at + 4 :]
    return data


def header_length(md: MQMD, data: bytes) -> int:
    """Return the number of bytes of headers in front of the body; a damaged header counts as body."""
    if not is_header_format(md.format):
        return 0
    return walk(data, md.format, md.encoding, md.coded_char_set_id).body_offset


def read_dlh(md: MQMD, data: bytes, *, keep_nulls: bool = False) -> MQDLH:
    """Read the MQDLH at the front of a dead letter.

    keep_nulls: nulls and what follows stay in the names, for who compares fields as they stand.
    Raises MQError: MQRC_DLH_ERROR when the format is another or the header is bad.  Source: BEY-67.
    """
    if md.format != MQFMT_DEAD_LETTER_HEADER:
        raise MQError(f"MQDLH: format is {md.format!r}, not {MQFMT_DEAD_LETTER_HEADER!r}", MQRC_DLH_ERROR)
    return unpack_mqdlh(data, md.encoding, known_ccsid(md.coded_char_set_id), keep_nulls=keep_nulls)


def prefix_dlh(
    md: MQMD,
    data: bytes,
    *,
    encoding: int = MQENC_NATIVE,
    ccsid: int = DEFAULT_CCSID,
    **fields: Any,
) -> tuple[MQMD, bytes]:
    """Prefix a message with an MQDLH; of the descriptor only Format, Encoding and CodedCharSetId change.

    encoding, ccsid: what the MQDLH is written in.  fields: the other fields of the MQDLH, except those that describe
    the data.  Raises MQError: MQRC_DLH_ERROR when a value does not fit its field.  Source: BEY-65, BEY-66.
    """
    dlh = MQDLH(encoding=md.encoding, coded_char_set_id=md.coded_char_set_id, format=md.format, **fields)
    dead = md.replace(format=MQFMT_DEAD_LETTER_HEADER, encoding=encoding, coded_char_set_id=ccsid)
    return dead, pack_mqdlh(dlh, encoding, ccsid) + data


def strip_dlh(md: MQMD, data: bytes, dlh: MQDLH | None = None) -> tuple[MQMD, bytes]:
    """Strip the MQDLH off a dead letter and restore Format, Encoding and CodedCharSetId from it.

    dlh: where it has been read already, also with its nulls.
    Raises MQError: MQRC_DLH_ERROR when there is no valid MQDLH.  Source: BEY-65, BEY-74.
    """
    dlh = dlh or read_dlh(md, data)
    encoding, ccsid = inherited(dlh, md.encoding, known_ccsid(md.coded_char_set_id))
    format = dlh.format.partition("\0")[0].rstrip(" ")
    alive = md.replace(format=format, encoding=encoding, coded_char_set_id=ccsid)
    return alive, data[MQDLH_LENGTH_1:]


def prefix_xqh(
    md: MQMD,
    data: bytes,
    *,
    remote_q_name: str,
    remote_q_mgr_name: str,
    q_mgr_name: str,
    encoding: int = MQENC_NATIVE,
    ccsid: int = DEFAULT_CCSID,
    **fields: Any,
) -> tuple[MQMD, bytes]:
    """Build a message for a transmission queue: an MQXQH in front with the descriptor in it, and a new descriptor.

    The embedded descriptor is version 1; an MQMDE follows when the version-2 fields say anything.
    q_mgr_name, encoding, ccsid: of the queue manager that puts it there.  fields: msg_id, put_date, put_time of the new
    descriptor.
    Raises MQError: MQRC_XQH_ERROR or MQRC_MDE_ERROR when a value does not fit its field.  Source: BEY-90.
    """
    # An MQMDE in the data of a version-2 descriptor is plain data; one of our own in front keeps it so.
    is_plain_mde = md.version == MQMD_VERSION_2 and md.format == MQFMT_MD_EXTENSION
    embedded = md
    if needs_mqmde(md) or is_plain_mde:
        embedded, data = prefix_mqmde(md, data, encoding, ccsid)
    xqh = MQXQH(
        remote_q_name=remote_q_name,
        remote_q_mgr_name=remote_q_mgr_name,
        msg_desc=embedded.replace(version=MQMD_VERSION_1),
    )
    separate = MQMD(
        **{name: getattr(md, name) for name in _IN_BOTH},
        report=md.report & ~MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,  # no arrival report from that queue
        encoding=encoding,
        coded_char_set_id=ccsid,
        format=MQFMT_XMIT_Q_HEADER,
        correl_id=md.msg_id,
        put_appl_type=MQAT_QMGR,
        put_appl_name=q_mgr_name[:28],
        **fields,
    )
    return separate, pack_mqxqh(xqh, encoding, ccsid) + data


def strip_xqh(md: MQMD, data: bytes) -> tuple[MQMD, bytes]:
    """Strip the MQXQH off a message from a transmission queue; return its own descriptor, in version 2.

    An MQMDE behind the MQXQH is taken off too; its fields are in the descriptor.
    Raises MQError: MQRC_XQH_ERROR when there is no valid MQXQH, MQRC_MDE_ERROR when the MQMDE is damaged.
    """
    return split_xqh(md, data)[1:]


def split_xqh(md: MQMD, data: bytes) -> tuple[MQXQH, MQMD, bytes]:
    """Return the MQXQH of a message from a transmission queue, and what ``strip_xqh`` returns and raises."""
    if md.format != MQFMT_XMIT_Q_HEADER:
        raise MQError(f"MQXQH: format is {md.format!r}, not {MQFMT_XMIT_Q_HEADER!r}", MQRC_XQH_ERROR)
    ccsid = known_ccsid(md.coded_char_set_id)
    xqh = unpack_mqxqh(data, md.encoding, ccsid)
    own = xqh.msg_desc.replace()
    own.encoding, own.coded_char_set_id = inherited(own, md.encoding, ccsid)
    own.version = MQMD_VERSION_2
    rest = data[MQXQH_LENGTH_1:]
    if own.format == MQFMT_MD_EXTENSION:
        own, rest = strip_mqmde(own, rest)
    return xqh, own, rest


def without_envelope(md: MQMD, data: bytes) -> tuple[MQMD, bytes]:
    """Strip the MQDLH off a message, then the MQXQH. Damaged ones stay, as all other headers do.

    What is left of its time stays what it was; a dead letter keeps its own put context.
    """
    for format_name, strip in ((MQFMT_DEAD_LETTER_HEADER, strip_dlh), (MQFMT_XMIT_Q_HEADER, strip_xqh)):
        if md.format == format_name:
            try:
                own, data = strip(md, data)
            except MQError:
                break
            md = own.replace(expiry=md.expiry)
    return md, data


def _read(data: bytes, chain: Chain) -> Header:
    """Read the header that stands where the body would begin."""
    format, encoding, offset = chain.body_format, chain.body_encoding, chain.body_offset
    ccsid = known_ccsid(chain.body_ccsid)
    from mqtools.headers.structure_readers import READERS, unpack_mqheader  # here: most messages have no header

    struc_id = STRUC_IDS.get(format, "")
    record = READERS.get(struc_id, unpack_mqheader)(data, encoding, ccsid, offset)
    struc_id = struc_id or record.struc_id
    length = _FIXED_LENGTHS.get(struc_id) if format in STRUC_IDS else None
    if length is None:
        length = int.from_bytes(data[offset + 8 : offset + 12], integer_order(encoding), signed=True)
    return Header(struc_id, format, record, offset, length, encoding, ccsid)


def _successor(header: Header) -> tuple[str, int, int]:
    """Return format, encoding and CCSID of what follows a header."""
    source = _describing(header)
    if header.format in RESERVED:
        return source.format, header.encoding, header.ccsid
    return source.format, *inherited(source, header.encoding, header.ccsid)


def _describing(header: Header) -> Any:
    """Return the record whose fields describe what follows a header: itself, or the descriptor in an MQXQH."""
    return getattr(header.record, "msg_desc", header.record)
