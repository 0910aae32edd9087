"""XA calls of a client: the branches of its transaction manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqtools.clients.server.conversation import Conversation
from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.segments import WireSegment
from mqtools.clients.wire.xa import RECOVERED, REQUESTS, XaHeader, read_xa
from mqtools.errors import MQError
from mqtools.mqi import xa
from mqtools.mqi.xa import Xid

#: Type of a call on a branch to what answers it, with flags and without.
_WITH_FLAGS: dict[int, Callable[..., int]] = {
    SegmentType.XA_START: xa.start,
    SegmentType.XA_END: xa.end,
    SegmentType.XA_COMMIT: xa.commit,
}
_WITHOUT_FLAGS: dict[int, Callable[..., int]] = {
    SegmentType.XA_PREPARE: xa.prepare,
    SegmentType.XA_ROLLBACK: xa.rollback,
    SegmentType.XA_FORGET: xa.forget,
}


def answer(conversation: Conversation, segment: WireSegment) -> None:
    """Answer an XA call. Raises ProtocolError."""
    header, body = read_xa(segment)
    asked = REQUESTS[segment.kind].read(body)
    rest = b""
    if segment.kind == SegmentType.XA_RECOVER:
        value, found = _recover(conversation, header.flags, asked["count"])
        rest = RECOVERED.write([(each.format_id, each.gtrid, each.bqual) for each in found], segment.order)
    else:
        value = _call(conversation, segment.kind, header.flags, asked)
    reply = XaHeader(value, header.flags, header.resource_manager)
    conversation.reply(segment, reply.pack(rest, segment.order))


def _call(conversation: Conversation, kind: int, flags: int, asked: dict[str, Any]) -> int:
    """Make any call but xa_recover, and return its code."""
    if conversation.session is None:
        return xa.XAER_RMFAIL
    connection = conversation.session.connection
    if kind in _WITH_FLAGS:
        return _WITH_FLAGS[kind](connection, Xid(*asked["xid"]), flags)
    if kind in _WITHOUT_FLAGS:
        return _WITHOUT_FLAGS[kind](connection, Xid(*asked["xid"]))
    if kind == SegmentType.XA_OPEN or (kind == SegmentType.XA_CLOSE and connection.branch is None):
        return xa.XA_OK
    return xa.XAER_PROTO  # xa_close in a branch, and xa_complete: no call is asynchronous


def _recover(conversation: Conversation, flags: int, count: int) -> tuple[int, list[Xid]]:
    """xa_recover: return how many XIDs, or an error code, and the next XIDs of the scan."""
    if conversation.session is None:
        return xa.XAER_RMFAIL, []
    try:
        if flags & xa.TMSTARTRSCAN:
            conversation.scan = xa.recover(conversation.session.connection)
    except MQError:
        return xa.XAER_RMERR, []
    if conversation.scan is None or count < 0:
        return xa.XAER_INVAL, []
    found, conversation.scan = conversation.scan[:count], conversation.scan[count:]
    if flags & xa.TMENDRSCAN:
        conversation.scan = None
    return len(found), found
