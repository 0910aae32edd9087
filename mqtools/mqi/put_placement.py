"""Position of a put in its group and logical message, and segmentation of a message too long for its queue."""

from __future__ import annotations

from functools import partial

from mqtools.constants.options import MQPMO_LOGICAL_ORDER
from mqtools.headers.chain import header_length
from mqtools.message import MQMD
from mqtools.mqi import delivery
from mqtools.mqi.identity import new_id
from mqtools.mqi.report_messages import report_arrival
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.rules.groups import NO_POSITION, GroupPosition
from mqtools.rules.logical_put import check_segments, place_logically, place_physically
from mqtools.rules.reassembly import check_segmentation, segment, segment_fields
from mqtools.store.messages.stored_message import StoredMessage


def take_place(
    work: Work, md: MQMD, data: bytes, position: GroupPosition | None, options: int, *, held: bool
) -> tuple[GroupPosition, int]:
    """Set the position fields of a message; return the position to retain, and the reason of a warning.

    md: changed in place; persistence settled.  position: None without a handle.  held: whether the put belongs
    to a unit of work.
    Raises MQError with what MQPMO_LOGICAL_ORDER refuses (rules/logical_put.py), and MQRC_SEGMENTS_NOT_SUPPORTED.
    """
    check_segments(md.msg_flags, work.qmgr.profile)
    length = len(data) - header_length(md, data)
    position, new_group_id = position or NO_POSITION, partial(new_id, work.qmgr.name)
    warning = 0
    if options & MQPMO_LOGICAL_ORDER:
        fields, after = place_logically(position, md, length, held, new_group_id)
    else:
        fields, after, warning = place_physically(position, md, length, held, new_group_id)
    for name, value in fields.items():
        setattr(md, name, value)
    return after, warning


def longest_part(work: Work, target: Target) -> int:
    """Return the bytes of the longest message that a queue takes; a longer one has to be segmented (BEY-21)."""
    return min(target.queue.max_msg_length, work.qmgr.max_msg_length)


def deliver_segments(
    work: Work, target: Target, md: MQMD, data: bytes, properties: str | None, holder_id: int | None
) -> StoredMessage:
    """Segment a message and place the segments; return the first. Together they may exceed MAXDEPTH (BEY-26).

    Raises MQError: MQRC_UOW_NOT_AVAILABLE, MQRC_MSG_TOO_BIG_FOR_Q, and as ``delivery.deliver``.
    Source: BEY-21 to BEY-26.
    """
    header = header_length(md, data)
    most = longest_part(work, target)
    pieces = segment(len(data) - header, most, header)
    check_segmentation(len(pieces), holder_id is not None, work.connection.in_unit_of_work)
    delivery.check_limits(work, target, md, most)
    first: StoredMessage | None = None
    for (offset, length), fields in zip(pieces, segment_fields(md, pieces), strict=True):
        begin = 0 if first is None else header + offset
        own = md.replace(**fields)
        if first is not None:
            own.msg_id = new_id(work.qmgr.name)
        body = data[begin : header + offset + length]
        stored = delivery.place_on_the_way(work, target, own, body, properties, holder_id)
        report_arrival(work, target, own, body, holder_id)
        first = first or stored
    assert first is not None
    return first
