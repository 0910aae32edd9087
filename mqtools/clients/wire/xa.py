"""Messages of XA calls: the XA header, and what follows it in each request and reply."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TypeAlias

from mqtools.clients.wire.codes import HEADER_LENGTHS, PLAIN, SegmentType
from mqtools.clients.wire.pieces import INTEGER, Cursor, MessagePart, Sequence
from mqtools.clients.wire.segments import API_LENGTH, WireSegment

#: An XID: format id, global transaction id, branch qualifier.
WireXid: TypeAlias = tuple[int, bytes, bytes]

_HEADER = {order: Struct(order + "3i") for order in "<>"}
_LENGTH = Struct(">I")


@dataclass(frozen=True, slots=True)
class XaHeader:
    """XA header, which an XA call has instead of an API header. value: returned by the call.  flags: TM*."""

    value: int = 0
    flags: int = 0
    resource_manager: int = 0

    def pack(self, rest: bytes, order: str) -> bytes:
        """Return the body of a segment: the header, which counts the rest, and the rest."""
        length = _LENGTH.pack(HEADER_LENGTHS[PLAIN] + API_LENGTH + len(rest))
        return b"".join((length, _HEADER[order].pack(self.value, self.flags, self.resource_manager), rest))


def read_xa(segment: WireSegment) -> tuple[XaHeader, Cursor]:
    """Return the XA header of a call, and a cursor behind it. Raises ProtocolError."""
    body = Cursor(segment.body, segment.order)
    raw = body.take(API_LENGTH)
    return XaHeader(*_HEADER[segment.order].unpack_from(raw, 4)), body


class _Xid:
    """XID, padded to 4 bytes."""

    def read(self, body: Cursor) -> WireXid:
        format_id = body.integer()
        gtrid_length, bqual_length = body.take(2)
        xid = format_id, body.take(gtrid_length), body.take(bqual_length)
        body.take(min(body.left, (2 - gtrid_length - bqual_length) % 4))
        return xid

    def write(self, value: WireXid, order: str) -> bytes:
        format_id, gtrid, bqual = value
        lengths = bytes((len(gtrid), len(bqual)))
        padding = bytes((2 - len(gtrid) - len(bqual)) % 4)
        return b"".join((INTEGER.write(format_id, order), lengths, gtrid, bqual, padding))


class _Xids:
    """XIDs with their number in front."""

    def read(self, body: Cursor) -> list[WireXid]:
        return [XID.read(body) for _ in range(body.integer())]

    def write(self, value: list[WireXid], order: str) -> bytes:
        return INTEGER.write(len(value), order) + b"".join(XID.write(xid, order) for xid in value)


XID = _Xid()
BRANCH = Sequence(xid=XID)
#: The name of the resource manager follows, which nothing reads.
RESOURCE_MANAGER = Sequence()
RECOVER = Sequence(count=INTEGER)

#: Type of a call to what follows the header in its request.
REQUESTS: dict[int, Sequence] = {
    SegmentType.XA_START: BRANCH,
    SegmentType.XA_END: BRANCH,
    SegmentType.XA_OPEN: RESOURCE_MANAGER,
    SegmentType.XA_CLOSE: RESOURCE_MANAGER,
    SegmentType.XA_PREPARE: BRANCH,
    SegmentType.XA_COMMIT: BRANCH,
    SegmentType.XA_ROLLBACK: BRANCH,
    SegmentType.XA_FORGET: BRANCH,
    SegmentType.XA_RECOVER: RECOVER,
    SegmentType.XA_COMPLETE: BRANCH,
}
#: Body of the reply of XA_RECOVER. All other replies are a header alone.
RECOVERED: MessagePart = _Xids()
