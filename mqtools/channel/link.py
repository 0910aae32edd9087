"""One end of a channel's stream: frames out, frames in, messages in pieces."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mqtools.channel import frames, protocol
from mqtools.channel.errors import LinkError, RefusedError
from mqtools.channel.streams import deadline_after

if TYPE_CHECKING:
    from mqtools.channel.peer import Peer
    from mqtools.channel.protocol import Head, Said, T
    from mqtools.channel.streams import Stream

_READ = 65_536
_FLUSH_AT = 65_536
_TEXT_LENGTH = 1_000
#: Bytes of headers (MQXQH, MQMDE) that a message may have beside what the negotiated length counts.
HEADERS_LENGTH = 512
#: Bytes of properties that any message may have, and that a longer one may have for each byte of the length.
_PROPERTIES_LENGTH = 65_536


def most_properties(max_message_length: int) -> int:
    """Give how many bytes of properties (JSON) may come with a message."""
    return max(_PROPERTIES_LENGTH, max_message_length)


class Link:
    """Sends and receives frames over a stream.

    timeout_s: of a read or a write that does not get on; None without limit.  peer: of the certificate, or None.
    """

    def __init__(self, stream: Stream, timeout_s: float | None = None) -> None:
        self.timeout_s = timeout_s
        self._stream = stream
        self._decoder = frames.Decoder()
        self._next: tuple[int, bytes] | None = None
        self._out = bytearray()

    @property
    def peer(self) -> Peer | None:
        """What the other end's certificate says, None without one."""
        return self._stream.peer

    def fileno(self) -> int:
        """Give the descriptor that shows whether something has come."""
        return self._stream.fileno()

    def has_frame(self) -> bool:
        """Tell whether something can be received without waiting for the descriptor."""
        return self._is_decoded() or self._stream.has_pending()

    def send(self, kind: int, said: Said | None = None, *, flush: bool = True) -> None:
        """Send a control frame. Raises LinkError."""
        self._out += frames.encode(kind, b"" if said is None else protocol.encode(said))
        if flush:
            self.flush()

    def flush(self) -> None:
        """Send what has been gathered. Raises LinkError, RefusedError."""
        if self._out:
            data = bytes(self._out)
            self._out.clear()
            try:
                self._stream.write(data, self.timeout_s)
            except LinkError:
                self._hear_refusal()
                raise

    def _hear_refusal(self) -> None:
        """See whether an end that hears no more has said why. Raises RefusedError."""
        try:
            while self.receive_now() is not None:
                pass
        except LinkError:
            return

    def drop_unsent(self) -> None:
        """Forget what has been gathered and not been sent; nothing more can be sent after it."""
        self._out.clear()

    def send_message(self, head: Head, properties: bytes, data: bytes) -> None:
        """Send a message in as many frames as it needs; several short ones go together. Raises LinkError."""
        kind, body = frames.MESSAGE, memoryview(protocol.encode_head(head) + properties + data)
        for at in range(0, len(body), frames.MOST_DATA):
            self._put(kind, body[at : at + frames.MOST_DATA])
            kind = frames.DATA

    def _put(self, kind: int, payload: memoryview) -> None:
        self._out += frames.encode(kind, payload)
        if len(self._out) >= _FLUSH_AT:
            self.flush()

    def receive(self, deadline: float | None = None) -> tuple[int, bytes]:
        """Give kind and payload of the next frame.

        deadline: by ``time.monotonic``; without one only silence ends the wait.
        Raises LinkError; RefusedError when the other end refuses to go on.
        """
        while not self._is_decoded():
            self._fill(deadline)
        assert self._next is not None
        (kind, payload), self._next = self._next, None
        if kind == frames.REFUSE:
            raise _refused(protocol.decode(protocol.Refusal, payload))
        return kind, payload

    def receive_now(self) -> tuple[int, bytes] | None:
        """Give kind and payload of the next frame, None when it is not all there yet. Raises as ``receive``."""
        while not self._is_decoded():
            data = self._stream.read_now(_READ)
            if data is None:
                return None
            self._take(data)
        return self.receive()

    def _is_decoded(self) -> bool:
        if self._next is None:
            self._next = self._decoder.next()
        return self._next is not None

    def _fill(self, deadline: float | None) -> None:
        timeout_s = self.timeout_s
        if deadline is not None:
            left = max(0.001, deadline - time.monotonic())
            timeout_s = left if timeout_s is None else min(left, timeout_s)
            if time.monotonic() >= deadline:
                raise LinkError("the other end takes too long to say what it wants")
        self._take(self._stream.read(_READ, timeout_s))

    def _take(self, data: bytes) -> None:
        if not data:
            raise LinkError("the other end has closed the connection")
        self._decoder.feed(data)

    def expect(self, kind: int, what: type[T], *, timeout_s: float | None = None) -> T:
        """Receive a control frame of a kind, passing over heartbeats.

        timeout_s: for the whole of it.  Raises LinkError, RefusedError.
        """
        deadline = deadline_after(timeout_s)
        while True:
            found, payload = self.receive(deadline)
            if found == kind:
                return protocol.decode(what, payload)
            if found != frames.HEARTBEAT:
                raise LinkError(f"the other end sent a frame of kind {found}, {kind} was expected")

    def receive_message(self, payload: bytes, max_message_length: int) -> tuple[Head, bytes, bytes]:
        """Receive the rest of the message that a frame has begun; give head, properties and data.

        max_message_length: as negotiated. No more is kept than that and the headers.  Raises LinkError.
        """
        head = protocol.decode_head(payload)
        if head.data_length > max_message_length + HEADERS_LENGTH:
            raise LinkError(f"the other end sends a message of {head.data_length} bytes, too long for the channel")
        if head.properties_length > most_properties(max_message_length):
            raise LinkError(f"the other end sends {head.properties_length} bytes of properties, too many")
        whole = head.properties_length + head.data_length
        body = bytearray(memoryview(payload)[protocol.HEAD_LENGTH :])
        while len(body) < whole:
            kind, more = self.receive()
            if kind != frames.DATA or not more:
                raise LinkError("the other end has broken a message off")
            body += more
        if len(body) != whole:
            raise LinkError("the other end sent more of a message than it said")
        view = memoryview(body)
        return head, bytes(view[: head.properties_length]), bytes(view[head.properties_length :])

    def refuse(self, reason: int, text: str, sequence: int = -1, batch_id: bytes = b"") -> None:
        """Say why this end does not go on, if the other end still hears it."""
        said = protocol.Refusal(reason=reason, text=text[:_TEXT_LENGTH], sequence=sequence, batch_id=batch_id)
        try:
            self.drop_unsent()
            self.send(frames.REFUSE, said)
        except LinkError:
            return

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


def _refused(said: protocol.Refusal) -> RefusedError:
    sequence = None if said.sequence < 0 else said.sequence
    return RefusedError(said.text, said.reason, sequence, said.batch_id)
