"""Checks of a put whose message has MQ headers or properties."""

from __future__ import annotations

from mqtools.constants.message import (
    MQFMT_MD_EXTENSION,
    MQFMT_REF_MSG_HEADER,
    MQFMT_RF_HEADER_2,
    MQMF_LAST_SEGMENT,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPORT,
)
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.formats.properties import properties_to_json
from mqtools.headers.chain import is_header_format, replace_inherited, walk
from mqtools.headers.mqmde import strip_mqmde
from mqtools.message import MQMD, Message, Property
from mqtools.rules.descriptor import actual_ccsid, check_descriptor
from mqtools.rules.logical_put import supports_segments
from mqtools.rules.properties import check_properties, merge_properties, rfh2_properties
from mqtools.rules.reference import check_put
from mqtools.store.definition_cache import QueueManager

_SEGMENT_FLAGS = MQMF_SEGMENT | MQMF_LAST_SEGMENT | MQMF_SEGMENTATION_ALLOWED


def check_message(message: Message, qmgr: QueueManager) -> None:
    """Check a message for several queues or none, as each put will.

    Raises MQError with the reason that the put of it gives, whatever its queue is.
    """
    md, data = check_beginning(message.md, message.data, qmgr)
    check_descriptor(md, data_length=len(data))
    properties_text(md, data, message.properties)


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
    if md.format == MQFMT_MD_EXTENSION:
        if md.version != MQMD_VERSION_1:
            return md, data  # plain data then
        if not data and md.msg_type == MQMT_REPORT:
            return md, data  # made where an MQMDE is data; the report lacks it (RSEG-31)
        whole, rest = strip_mqmde(md, data)
        is_data = whole.msg_flags & _SEGMENT_FLAGS and not supports_segments(qmgr.profile)
        return (md, data) if is_data else (whole, rest)
    chain = walk(data, md.format, md.encoding, actual_ccsid(md.coded_char_set_id, qmgr.coded_char_set_id))
    if chain.error is not None and not chain.headers:
        raise chain.error
    return md, replace_inherited(data, chain)
