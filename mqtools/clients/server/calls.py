"""Calls of a client: which function answers a segment."""

from __future__ import annotations

from collections.abc import Callable

from mqtools.clients.server import connections, messages, objects, spi, streams, xa
from mqtools.clients.server.conversation import Conversation
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import SegmentType, StatusCode
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import ProtocolError, WireSegment
from mqtools.clients.wire.xa import REQUESTS

#: Type of a call to what answers it: the body of the reply, None for a call without one.
_ANSWERS: dict[int, Callable[[Conversation, ApiHeader, Cursor], bytes | None]] = {
    SegmentType.MQCONN: connections.connect,
    SegmentType.MQDISC: connections.disconnect,
    SegmentType.MQOPEN: objects.open_object,
    SegmentType.MQCLOSE: objects.close_object,
    SegmentType.MQPUT: messages.put,
    SegmentType.MQPUT1: messages.put1,
    SegmentType.MQSET: objects.set_attributes,
    SegmentType.MQINQ: objects.inquire,
    SegmentType.MQCMIT: messages.commit,
    SegmentType.MQBACK: messages.back_out,
    SegmentType.SPI: spi.call,
    SegmentType.MQSTAT: messages.status,
    SegmentType.MQSUB: objects.subscribe,
    SegmentType.MQSUBRQ: objects.request_publications,
}
#: Type of a segment to what takes it, and answers it now, later or not at all.
_TAKERS: dict[int, Callable[[Conversation, WireSegment], None]] = {
    SegmentType.MQGET: messages.get,
    SegmentType.REQUEST_MSGS: streams.request_messages,
    SegmentType.NOTIFICATION: streams.take_notification,
    **dict.fromkeys(REQUESTS, xa.answer),
}


def answer(conversation: Conversation, segment: WireSegment) -> None:
    """Take a segment of a conversation. Raises ProtocolError."""
    answered = _ANSWERS.get(segment.kind)
    if answered is not None:
        api, body = read_api(segment)
        reply = answered(conversation, api, body)
        if reply is not None:
            conversation.reply(segment, reply)
    elif segment.kind in _TAKERS:
        _TAKERS[segment.kind](conversation, segment)
    else:
        raise ProtocolError(f"a segment of type {segment.name}", StatusCode.PROTOCOL_SEGMENT_TYPE)
    conversation.cancel_gets()
