"""Checks of a put whose message has MQ headers or properties."""

from __future__ import annotations

from mqtools.constants.message import (
    MQCCSI_INHERIT,
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQFMT_REF_MSG_HEADER,
    MQFMT_RF_HEADER_2,
    MQMT_REPORT,
)
from mqtools.constants.reasons import MQRC_MDE_ERROR, MQRC_RFH_ERROR, MQRC_RMH_ERROR
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MQError
from mqtools.formats.properties import properties_to_json
from mqtools.headers.chain import replace_inherited, walk
from mqtools.headers.formats import is_header_format
from mqtools.headers.mqmde import strip_mqmde
from mqtools.message import MQMD, Message, Property
from mqtools.rules.descriptor import INHERITED_CCSIDS, SEGMENTATION_FLAGS, check_descriptor
from mqtools.rules.logical_put import supports_segments
from mqtools.rules.properties import check_properties, merge_properties, rfh2_properties
from mqtools.rules.reference import check_put
from mqtools.store.definition_cache import QueueManager

#: Reasons of the headers that must say in which character set the data behind them is (REF-30, AMB-30).
_CCSID_REASONS = {"MDE": MQRC_MDE_ERROR, "RFH": MQRC_RFH_ERROR, "RFH2": MQRC_RFH_ERROR, "RMH": MQRC_RMH_ERROR}


def check_message(message: Message, qmgr: QueueManager) -> int:
    """Check a message for several queues or none, as each put will; return the reason of a warning, or MQRC_NONE.

    Raises MQError with the reason that the put of it gives, whatever its queue is.
    """
    md, data = check_beginning(message.md, message.data, qmgr)
    warning = check_descriptor(md, data_length=len(data))
    properties_text(md, data, message.properties)
    return warning


def check_beginning(md: MQMD, data: bytes, qmgr: QueueManager) -> tuple[MQMD, bytes]:
    """Check the MQ headers of a message that is put as ``check_headers``, and a reference message."""
    md, data = check_headers(md, data, qmgr)
    if md.format == MQFMT_REF_MSG_HEADER:
        check_put(md, data)
    return md, data


def properties_text(md: MQMD, data: bytes, given: dict[str, Property]) -> str | None:
    """Return the properties of a message as stored text: those given, and those of an MQRFH2 in front.

    Raises MQError: MQRC_RFH_FORMAT_ERROR for a folder that cannot be read, MQRC_PROPERTY_NAME_ERROR.
    """
    if md.format == MQFMT_RF_HEADER_2:
        given = merge_properties(rfh2_properties(md, data), given)
    if not given:
        return None
    check_properties(given)

    return properties_to_json(given)


def check_headers(md: MQMD, data: bytes, qmgr: QueueManager) -> tuple[MQMD, bytes]:
    """Check the MQ header that a message begins with; an MQMDE behind a version-1 descriptor becomes part of it.

    MQCCSI_INHERIT in a header becomes the CCSID of the structure before. The MQMDE of a segment stays data where there
    are no segments.
    Raises MQError with the reason of the header: MQRC_DLH_ERROR, MQRC_RFH_ERROR, MQRC_MDE_ERROR, …
    Source: BEY-67, BEY-93, RSEG-30, RSEG-31.
    """
    if not is_header_format(md.format):
        return md, data
    ccsid = qmgr.coded_char_set_id if md.coded_char_set_id in INHERITED_CCSIDS else md.coded_char_set_id
    if md.format == MQFMT_MD_EXTENSION:
        if md.version != MQMD_VERSION_1 or (md.encoding, ccsid) != (MQENC_NATIVE, qmgr.coded_char_set_id):
            return md, data  # plain data then
        if not data and md.msg_type == MQMT_REPORT:
            return md, data  # made where an MQMDE is data; the report lacks it (RSEG-31)
    chain = walk(data, md.format, md.encoding, ccsid)
    if chain.error is not None and not chain.headers:
        raise chain.error
    first = chain.headers[0]
    reason, says = _CCSID_REASONS.get(first.struc_id), getattr(first.record, "coded_char_set_id", MQCCSI_INHERIT)
    if reason and says <= 0 and says != MQCCSI_INHERIT:
        raise MQError(f"MQ{first.struc_id}: coded_char_set_id is {says}", reason)
    if md.format == MQFMT_MD_EXTENSION:
        whole, rest = strip_mqmde(md, data)
        is_data = whole.msg_flags & SEGMENTATION_FLAGS and not supports_segments(qmgr.profile)
        return (md, data) if is_data else (whole, rest)
    return md, replace_inherited(data, chain)
