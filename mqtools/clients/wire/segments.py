"""Segments: headers, division of a byte stream, and messages of several segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct

from mqtools.clients.wire.codes import (
    CONTROL,
    HEADER_LENGTHS,
    MULTIPLEXED,
    RECEIVED_EYECATCHERS,
    REPLY,
    Flags,
    SegmentType,
    StatusCode,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.errors import MQError

#: MQENC values in headers: of segments of our own, and of the Java client in its requests.
NATIVE_ENCODING = 0x222
#: Longest segment (bytes) that is accepted before the negotiation, and offered in it, as counted with ``TSH ``.
TRANSMISSION_SIZE = 32_748
#: Least transmission size with which a message descriptor fits one segment.
LEAST_TRANSMISSION_SIZE = 1024
#: Bytes that a multiplexed segment may be longer.
MULTIPLEXED_BYTES = 8
#: First type of a call.
FIRST_CALL = 0x81
#: Length of an API header.
API_LENGTH = 16
#: Bytes that structures and strings may add to the data of a message.
_MOST_STRUCTURES = 128 * 1024

_START = Struct(">4sI")
_IDS = Struct(">II")
_REST = {order: Struct(order + "BBBB8sIHH") for order in "<>"}
_ORDERS = {1: ">", 2: "<"}
_ORDER_BYTES = {order: byte for byte, order in _ORDERS.items()}
#: Replies and later parts of calls, among the types of a segment.
_CALLS = range(FIRST_CALL, 0xBB)
#: Calls that may put a message.
_PUTS = (SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.SPI)
#: Most bytes of a put: the longest message with its structures.
_LONGEST_PUT = (100 << 20) + _MOST_STRUCTURES


class ProtocolError(MQError):
    """Raised when the other end breaks the protocol. status: the code to end the channel with."""

    reason = MQRC_CONNECTION_BROKEN

    def __init__(self, text: str, status: StatusCode = StatusCode.PROTOCOL_INVALID_DATA) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class WireSegment:
    """One segment, or a whole message of several.

    eyecatcher: also says whether the ids are written.  kind: a ``SegmentType``, or that of its reply.
    order: of integers, as in ``struct``.  body: what follows the header, in a call from its API header on.
    is_cut: the end of the body was too long to keep.
    """

    eyecatcher: bytes
    kind: int
    flags: int = Flags.WHOLE
    body: bytes = b""
    conversation: int = 0
    request: int = 0
    order: str = "<"
    encoding: int = NATIVE_ENCODING
    ccsid: int = 1208
    is_cut: bool = False

    def pack(self) -> bytes:
        """Return the segment as bytes."""
        length = HEADER_LENGTHS[self.eyecatcher] + len(self.body)
        ids = _IDS.pack(self.conversation, self.request) if self.eyecatcher == MULTIPLEXED else b""
        rest = _REST[self.order].pack(
            _ORDER_BYTES[self.order], self.kind, self.flags, 0, b"", self.encoding, self.ccsid, 0
        )
        return b"".join((_START.pack(self.eyecatcher, length), ids, rest, self.body))

    def reply(self, body: bytes, ccsid: int) -> WireSegment:
        """Return the answer of a call, with the ids of its request."""
        return replace(self, kind=self.kind + REPLY, flags=Flags.WHOLE, body=body, ccsid=ccsid, is_cut=False)

    @property
    def name(self) -> str:
        """Return the name of the type, or its number."""
        return SegmentType(self.kind).name if self.kind in SegmentType.__members__.values() else f"0x{self.kind:02X}"


class Splitter:
    """Division of a byte stream into segments. It holds at most one segment and one read.

    most: longest segment that is accepted, in bytes.
    """

    def __init__(self, most: int = TRANSMISSION_SIZE + MULTIPLEXED_BYTES) -> None:
        self.most = most
        self._held = bytearray()

    def feed(self, received: bytes) -> Iterator[WireSegment]:
        """Yield the segments that are complete. Raises ProtocolError."""
        if not self._held and len(received) >= _START.size:  # mostly a read is one segment
            length = self._length(received)
            if length == len(received):
                yield _parse(received)
                return
        self._held += received
        while len(self._held) >= _START.size:
            length = self._length(self._held)
            if len(self._held) < length:
                return
            whole = bytes(self._held[:length])
            del self._held[:length]
            yield _parse(whole)

    def _length(self, start: bytes | bytearray) -> int:
        eyecatcher, length = _START.unpack_from(start)
        known = RECEIVED_EYECATCHERS.get(eyecatcher)
        if known is None:
            raise ProtocolError(f"a segment begins with {eyecatcher!r}", StatusCode.PROTOCOL_ID_ERROR)
        shortest = HEADER_LENGTHS[known]
        if not shortest <= length <= self.most:
            raise ProtocolError(
                f"a segment of {length} bytes; {shortest} to {self.most} are possible", StatusCode.PROTOCOL_LENGTH_ERROR
            )
        return int(length)


def _parse(whole: bytes) -> WireSegment:
    eyecatcher = RECEIVED_EYECATCHERS[whole[:4]]
    header = HEADER_LENGTHS[eyecatcher]
    conversation, request = _IDS.unpack_from(whole, 8) if eyecatcher == MULTIPLEXED else (0, 0)
    order = _ORDERS.get(whole[header - 20])
    if order is None:
        raise ProtocolError(f"byte order {whole[header - 20]} is neither 1 nor 2")
    _, kind, flags, _, _, encoding, ccsid, _ = _REST[order].unpack_from(whole, header - 20)
    return WireSegment(
        eyecatcher=eyecatcher,
        kind=kind,
        flags=flags,
        body=whole[header:],
        conversation=conversation,
        request=request,
        order=order,
        encoding=encoding,
        ccsid=ccsid,
    )


class Assembler:
    """Assembly of calls that take several segments: structures, then data, in the order of their segments.

    most: of the data of a message, in bytes. A put of more is cut: its data is of no use, but it can be answered.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._parts: dict[int, tuple[WireSegment, bytearray, int]] = {}

    def add(self, segment: WireSegment) -> WireSegment | None:
        """Return the whole message once its last segment is there. Raises ProtocolError."""
        if segment.flags & Flags.WHOLE == Flags.WHOLE or segment.kind not in _CALLS:
            if segment.conversation in self._parts and segment.kind in _CALLS:
                raise ProtocolError("a call begins within another", StatusCode.PROTOCOL_SEGMENT_ERROR)
            return segment
        started = self._parts.get(segment.conversation)
        if segment.flags & Flags.FIRST:
            if started is not None:
                raise ProtocolError("a call begins within another", StatusCode.PROTOCOL_SEGMENT_ERROR)
            started = self._parts[segment.conversation] = segment, bytearray(), 0
        elif started is None or started[0].kind != segment.kind:
            raise ProtocolError("a later segment without the first one of its call", StatusCode.PROTOCOL_SEGMENT_ERROR)
        first, body, length = started
        most, length = self.most + _MOST_STRUCTURES, length + len(segment.body)
        body += segment.body[: most - len(body)]
        is_cut = length > most
        if is_cut and (segment.kind not in _PUTS or length > _LONGEST_PUT):
            raise ProtocolError(f"a message of more than {self.most} bytes", StatusCode.MESSAGE_LENGTH_ERROR)
        if not segment.flags & Flags.LAST:
            self._parts[segment.conversation] = first, body, length
            return None
        del self._parts[segment.conversation]
        return replace(first, flags=Flags.WHOLE, body=bytes(body), is_cut=is_cut)

    def forget(self, conversation: int) -> None:
        """Drop what a conversation has sent of a call."""
        self._parts.pop(conversation, None)


def divide(message: WireSegment, transmission_size: int) -> Iterator[WireSegment]:
    """Yield the segments of a call or reply, none longer than the negotiated transmission size (bytes)."""
    most = transmission_size - HEADER_LENGTHS[CONTROL]
    body = message.body
    if len(body) <= most:
        yield message
        return
    for at in range(0, len(body), most):
        flags = (Flags.FIRST if at == 0 else 0) | (Flags.LAST if at + most >= len(body) else 0)
        yield replace(message, flags=flags, body=body[at : at + most])
