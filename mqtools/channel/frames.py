"""Frames: how the bytes of a channel's stream are cut into pieces of known kind and bounded length.

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
    HELLO: MOST_CONTROL,
    ACCEPT: MOST_CONTROL,
    REFUSE: MOST_CONTROL,
    MESSAGE: MOST_DATA,
    DATA: MOST_DATA,
    END_OF_BATCH: MOST_CONTROL,
    CONFIRM: MOST_CONTROL,
    HEARTBEAT: 0,
    BYE: 0,
}

_MAGIC = b"MX"
_HEADER = Struct(">2sBBI")
HEADER_LENGTH = _HEADER.size


def encode(kind: int, payload: bytes | bytearray | memoryview = b"") -> bytes:
    """Write a frame; what does not fit its kind is an error of the caller."""
    assert len(payload) <= LIMITS[kind]
    return _HEADER.pack(_MAGIC, kind, 0, len(payload)) + payload


class Decoder:
    """Takes bytes as they come and gives frames. It holds one frame and one read at most."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take what was read."""
        self._buffer += data

    def next(self) -> tuple[int, bytes] | None:
        """Give kind and payload of the next frame, None when it is not all there.

        Raises LinkError: this is no frame, or one that is longer than its kind may be.
        """
        if len(self._buffer) < HEADER_LENGTH:
            self._check_beginning()
            return None
        magic, kind, zero, length = _HEADER.unpack_from(self._buffer)
        if magic != _MAGIC or kind not in LIMITS or zero:
            raise LinkError(f"the other end does not speak the channel protocol: {bytes(self._buffer[:40])!r}")
        if length > LIMITS[kind]:
            raise LinkError(f"the other end sent a frame of {length} bytes, {LIMITS[kind]} are allowed")
        if len(self._buffer) < HEADER_LENGTH + length:
            return None
        payload = bytes(self._buffer[HEADER_LENGTH : HEADER_LENGTH + length])
        del self._buffer[: HEADER_LENGTH + length]
        return kind, payload

    def _check_beginning(self) -> None:
        """Refuse words that somebody says before the protocol begins, however few."""
        if not _MAGIC.startswith(bytes(self._buffer[:2])):
            raise LinkError(f"the other end does not speak the channel protocol: {bytes(self._buffer)!r}")
