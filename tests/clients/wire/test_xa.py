"""Bytes of XA calls that IBM's Java client sends and accepts."""

from __future__ import annotations

import pytest

from mqtools.clients.wire import xa
from mqtools.clients.wire.codes import PLAIN, SegmentType
from mqtools.clients.wire.segments import WireSegment


def called(kind: SegmentType, body: str):
    """Return the header of a call, what follows it, and both written again."""
    segment = WireSegment(eyecatcher=PLAIN, kind=kind, body=bytes.fromhex(body))
    header, rest = xa.read_xa(segment)
    values = xa.REQUESTS[kind].read(rest)
    return header, values, header.pack(xa.REQUESTS[kind].write(values, "<"), "<")


@pytest.mark.parametrize(
    ("kind", "body", "flags", "xid"),
    [
        (SegmentType.XA_START, "d20400000802676c6f62616c2d310102", 0x08000000, (1234, b"global-1", b"\1\2")),
        (SegmentType.XA_END, "d204000001006700", 0x02000000, (1234, b"g", b"")),
        (SegmentType.XA_COMMIT, "d20400004040" + "00" * 64 + "01" * 64 + "0000", 0, (1234, bytes(64), b"\1" * 64)),
    ],
)
def test_a_call_on_a_branch(kind, body, flags, xid):
    whole = (28 + 16 + len(body) // 2).to_bytes(4, "big").hex() + "00" * 4 + flags.to_bytes(4, "little").hex()
    header, values, again = called(kind, whole + "07000000" + body)
    assert (header, values) == (xa.XaHeader(0, flags, 7), {"xid": xid})
    assert again.hex() == whole + "07000000" + body


def test_xids_that_are_recovered():
    written = xa.RECOVERED.write([(1234, b"global-1", b"\1\2"), (1234, b"g", b"")], "<")
    assert written.hex() == "02000000" + "d20400000802676c6f62616c2d310102" + "d204000001006700"
