"""Messages of streaming gets, notifications, socket actions and status codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct

from mqtools.clients.wire.calls import MD
from mqtools.clients.wire.codes import Flags, SegmentType, StatusCode
from mqtools.clients.wire.pieces import INTEGER, Cursor, FixedStructure, Values
from mqtools.clients.wire.segments import NATIVE_ENCODING, ProtocolError, WireSegment
from mqtools.constants.options import (
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
)
from mqtools.headers.structures_message import GMO
from mqtools.message import MQMD

NOTIFICATION = FixedStructure("NOTIFICATION", ("Version", "i", 1), ("Handle", "I"), ("Code", "i"), ("Value", "i"))
SOCKET_ACTION = FixedStructure(
    "SOCKET_ACTION", ("Conversation", "I"), ("Request", "I"), ("Type", "i"), ("Parm1", "i"), ("Parm2", "i")
)

#: Flags of a request.
CONSUMER, SELECTION = 0x01, 0x10

_REQUEST = FixedStructure(
    "REQUEST_MSGS",
    ("Version", "i", 1),
    ("Handle", "I"),
    ("ReceivedBytes", "i"),
    ("RequestedBytes", "i"),
    ("MaxMsgLength", "i"),
    ("Options", "i"),
    ("WaitInterval", "i"),
    ("QueueStatus", "i"),
    ("RequestFlags", "i"),
    ("GlobalMessageIndex", "I"),
)
_SELECTION = FixedStructure(
    "SELECTION",
    ("SelectionIndex", "H"),
    ("MdVersion", "H", 2),
    ("CodedCharSetId", "i"),
    ("Encoding", "i"),
    ("MsgSeqNumber", "i"),
    ("Offset", "i"),
    ("MatchOptions", "i"),
)
#: Identifiers of a selection: name, option that has it there, length.
_IDENTIFIERS = (
    ("MsgId", MQMO_MATCH_MSG_ID, 24),
    ("CorrelId", MQMO_MATCH_CORREL_ID, 24),
    ("GroupId", MQMO_MATCH_GROUP_ID, 24),
    ("MsgToken", MQMO_MATCH_MSG_TOKEN, 16),
)
#: Field of a selection to that of the descriptor.
_MD_FIELDS = {
    "MdVersion": "version",
    "MsgId": "msg_id",
    "CorrelId": "correl_id",
    "GroupId": "group_id",
    "MsgSeqNumber": "msg_seq_number",
    "Offset": "offset",
    "CodedCharSetId": "coded_char_set_id",
    "Encoding": "encoding",
}


class MessageRequest:
    """REQUEST_MSGS: values by name; under ``selection`` those of the selection, or None for the one before."""

    def read(self, body: Cursor) -> Values:
        values = _REQUEST.read(body)
        values["selection"] = None
        if values["RequestFlags"] & SELECTION:
            selection = values["selection"] = _SELECTION.read(body)
            for name, option, length in _IDENTIFIERS:
                selection[name] = body.take(length) if selection["MatchOptions"] & option else bytes(length)
        return values

    def write(self, value: Values, order: str) -> bytes:
        selection = value["selection"]
        fixed = _REQUEST.write(value, order)
        if selection is None:
            return fixed
        present = (selection[name] for name, option, _ in _IDENTIFIERS if selection["MatchOptions"] & option)
        return b"".join((fixed, _SELECTION.write(selection, order), *present))


REQUEST_MSGS = MessageRequest()


def selected_md(selection: Values) -> MQMD:
    """Return the descriptor of a get with a selection."""
    return MQMD(**{own: selection[name] for name, own in _MD_FIELDS.items()})


def selection_of(md: MQMD, match_options: int, msg_token: bytes) -> Values:
    """Return the selection of a get by a descriptor, options and a token."""
    fields = {name: getattr(md, own) for name, own in _MD_FIELDS.items()}
    return {**fields, "MatchOptions": match_options, "MsgToken": msg_token.ljust(16, b"\0")}


def selected_gmo(selection: Values, options: int, wait_ms: int) -> Values:
    """Return the options of a get with a selection: of the version that has a message token."""
    chosen = {name: selection[name] for name in ("MatchOptions", "MsgToken")}
    return {**GMO.initial(), "Version": 3, "Options": options, "WaitInterval": wait_ms, **chosen}


_HEAD = {order: Struct(order + "iIIIIHH") for order in "<>"}
_FIRST = {order: Struct(order + "iii16sHB") for order in "<>"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncMessage:
    """A message for a handle: ASYNC_MESSAGE, in one or more segments.

    handle: of the client.  index, global_index: number of the message for the handle and in the conversation.
    selection_index: of the request.  reason: 0 or a warning.  total_length: of the whole message in bytes, data may
    be less.  status: bits of group and segment.  q_name: of the queue; empty when unchanged.  md: as ``MD``.
    order, ccsid: of its integers and characters, in a message that was read.
    """

    handle: int
    index: int
    global_index: int
    selection_index: int
    md: bytes
    data: bytes
    total_length: int
    reason: int = 0
    token: bytes = bytes(16)
    status: int = 0
    q_name: bytes = b""
    order: str = "<"
    ccsid: int = 1208

    def segments(self, like: WireSegment, transmission_size: int) -> Iterator[WireSegment]:
        """Yield the segments. like: with the fields of their headers.  transmission_size: as negotiated."""
        order, data = like.order, self.data
        name = self.q_name[:247]
        name += b" " * (-(3 + len(name)) % 4) if name else b""
        fixed = _FIRST[order].pack(self.reason, len(data), self.total_length, self.token, self.status, len(name))
        first = b"".join((fixed, name or b"\0", self.md))
        most = transmission_size - 28 - _HEAD[order].size
        at = number = 0
        while number == 0 or at < len(data):
            part = data[at : at + most - (len(first) if number == 0 else 0)]
            at += len(part)
            head = _HEAD[order].pack(
                1, self.handle, self.index, self.global_index, len(part), number & 0xFFFF, self.selection_index
            )
            flags = (Flags.FIRST if number == 0 else 0) | (Flags.LAST if at >= len(data) else 0)
            body = b"".join((head, first if number == 0 else b"", part))
            yield replace(
                like,
                kind=SegmentType.ASYNC_MESSAGE,
                flags=flags,
                body=body,
                request=1,  # whatever the number of the request is, else the client takes it for a confirmation
                encoding=NATIVE_ENCODING,
            )
            number += 1


def read_message(segment: WireSegment) -> AsyncMessage:
    """Read the first segment of a message, with the data that it has. Raises ProtocolError."""
    order = segment.order
    body = Cursor(segment.body, order)
    head, first = _HEAD[order], _FIRST[order]
    _, handle, index, global_index, size, _, selection_index = head.unpack(body.take(head.size))
    reason, _, total, token, status, named = first.unpack(body.take(first.size))
    name = body.take(named)
    body.take(-(3 + named) % 4)
    return AsyncMessage(
        handle=handle,
        index=index,
        global_index=global_index,
        selection_index=selection_index,
        md=MD.read(body),
        data=body.take(size),
        total_length=total,
        reason=reason,
        token=token,
        status=status,
        q_name=name,
        order=order,
        ccsid=segment.ccsid,
    )


class MessageParts:
    """Assembly of a message of several segments. most: bytes of data that a message may have."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._first: AsyncMessage | None = None
        self._data = bytearray()

    def add(self, segment: WireSegment) -> AsyncMessage | None:
        """Return the message once its last segment is there. Raises ProtocolError."""
        if segment.flags & Flags.FIRST:
            first = read_message(segment)
            if segment.flags & Flags.LAST:
                return first
            self._first = first
            self._data += first.data
        else:
            if self._first is None:
                raise ProtocolError("a later segment without the first one of its message")
            head, body = _HEAD[segment.order], Cursor(segment.body, segment.order)
            size = head.unpack(body.take(head.size))[4]
            self._data += body.take(size)
        if len(self._data) > self._most:
            raise ProtocolError(f"a message of more than {self._most} bytes", StatusCode.MESSAGE_LENGTH_ERROR)
        if not segment.flags & Flags.LAST:
            return None
        assert self._first is not None
        return replace(self._first, data=bytes(self._data))


def handle_of(segment: WireSegment) -> int:
    """Return the handle that a message is for. Raises ProtocolError."""
    head = _HEAD[segment.order]
    return int(head.unpack(Cursor(segment.body, segment.order).take(head.size))[1])


def write_status(status: StatusCode, order: str) -> bytes:
    """Return the body of a STATUS_DATA segment."""
    return INTEGER.write(8, order) + INTEGER.write(status, order)


def read_status(segment: WireSegment) -> int:
    """Return the code of a STATUS_DATA segment, 0 if there is none."""
    body = Cursor(segment.body, segment.order)
    if body.left < 8:
        return 0
    body.integer()
    return body.integer()
