"""Frames: framing of a channel's byte stream, with a kind and a bounded length.

A frame is eight bytes (``MX``, kind, zero, length of the payload as four bytes, the highest first) and its payload.
"""

from __future__ import annotations

from struct import Struct

from mqtools.channel.errors import LinkError

HELLO, ACCEPT, REFUSE, MESSAGE, DATA, END_OF_BATCH, CONFIRM, HEARTBEAT, BYE = range(1, 10)

#: Longest payload (bytes) of a frame with a part of a message, and of any other.
MOST_DATA = 65_536
MOST_CONTROL = 8_192

#: Kind of frame to its longest payload. A kind that is not here is none.
LIMITS = {
    **dict.fromkeys((HELLO, ACCEPT, REFUSE, END_OF_BATCH, CONFIRM), MOST_CONTROL),
    **dict.fromkeys((MESSAGE, DATA), MOST_DATA),
    **dict.fromkeys((HEARTBEAT, BYE), 0),
}

_MAGIC = b"MX"
_HEADER = Struct(">2sBBI")
HEADER_LENGTH = _HEADER.size


def encode(kind: int, payload: bytes = b"") -> bytes:
    """Return a frame as bytes; the payload must fit the limit of its kind."""
    return header(kind, len(payload)) + payload


def header(kind: int, length: int) -> bytes:
    """Return what comes in front of the payload of a frame. length: of that, in bytes; it must fit the limit."""
    assert length <= LIMITS[kind]
    return _HEADER.pack(_MAGIC, kind, 0, length)


class Decoder:
    """Incremental decoder of frames. It holds at most one frame and one read."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> tuple[int, bytes] | None:
        """Return kind and payload of the next frame, None while it is incomplete.

        Raises LinkError for bytes that are not a frame, or a frame longer than its kind allows.
        """
        if len(self._buffer) < HEADER_LENGTH:
            if not _MAGIC.startswith(bytes(self._buffer[:2])):  # such as the banner of a login shell
                raise LinkError(f"the other end does not speak the channel protocol: {bytes(self._buffer)!r}")
            return None
        magic, kind, zero, length = _HEADER.unpack_from(self._buffer)
        if magic != _MAGIC or kind not in LIMITS or zero:
            raise LinkError(f"the other end does not speak the channel protocol: {bytes(self._buffer[:40])!r}")
        if length > LIMITS[kind]:
            raise LinkError(f"the other end sent a frame of {length} bytes, {LIMITS[kind]} are allowed")
        if len(self._buffer) < HEADER_LENGTH + length:
            return None
        with memoryview(self._buffer) as view:
            payload = bytes(view[HEADER_LENGTH : HEADER_LENGTH + length])
        del self._buffer[: HEADER_LENGTH + length]
        return kind, payload
