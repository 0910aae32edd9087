"""Link: sends and receives frames over a stream, and messages in several frames."""

from __future__ import annotations

import time
from contextlib import suppress

from mqtools.channel import frames, protocol
from mqtools.channel.errors import LinkError, RefusedError
from mqtools.channel.protocol import ControlMessage, Head, T
from mqtools.channel.streams import PipeStream, SocketStream, deadline_after
from mqtools.rules.security.peer_certificate import PeerCertificate
from mqtools.store.channels import ChannelTraffic

_READ = 65_536
_FLUSH_AT = 65_536
_TEXT_LENGTH = 1_000
#: Bytes of headers (MQXQH, MQMDE) that a message may have in addition to the negotiated length.
HEADERS_LENGTH = 512
#: Bytes of properties that any message may have, and that a longer one may have for each byte of the length.
_PROPERTIES_LENGTH = 65_536


def max_properties_length(max_message_length: int) -> int:
    """Return the most bytes of properties (JSON) that a message may have."""
    return max(_PROPERTIES_LENGTH, max_message_length)


class Link:
    """Sends and receives frames over a stream.

    timeout_s: of a read or a write without progress; None without limit.  received: what was read from it already.
    traffic: counts what passes.
    """

    def __init__(
        self, stream: SocketStream | PipeStream, timeout_s: float | None = None, received: bytes = b""
    ) -> None:
        self.timeout_s = timeout_s
        self.traffic = ChannelTraffic()
        self._stream = stream
        self._decoder = frames.Decoder()
        self._decoder.feed(received)
        self._next: tuple[int, bytes] | None = None
        #: Frames that are not sent yet, in pieces, and the bytes of their payloads.
        self._out: list[bytes | memoryview] = []
        self._out_length = 0

    @property
    def peer(self) -> PeerCertificate | None:
        """Certificate of the other end, None without one."""
        return self._stream.peer

    def fileno(self) -> int:
        return self._stream.fileno()

    def has_frame(self) -> bool:
        """Return whether a frame can be received without waiting for the descriptor."""
        return self._is_decoded() or self._stream.has_pending()

    def is_closed(self) -> bool:
        """Return whether the other end has closed; nothing is waited for, and what has arrived can be received."""
        try:
            data = self._stream.read_now(_READ)
        except LinkError:
            return True
        if data:
            self._decoder.feed(data)
        return data == b""

    def is_next(self, kind: int) -> bool:
        """Return whether a frame of a kind is the next one and has arrived.

        What is wrong with the stream is left to the call that receives from it.
        """
        try:
            while not self._is_decoded():
                data = self._stream.read_now(_READ)
                if not data:
                    return False
                self._take(data)
        except LinkError:
            return False
        return self._next is not None and self._next[0] == kind

    def send(self, kind: int, message: ControlMessage | None = None, *, flush: bool = True) -> None:
        """Send a control frame. Raises LinkError."""
        self._out.append(frames.encode(kind, b"" if message is None else protocol.encode(message)))
        if flush:
            self.flush()

    def flush(self) -> None:
        """Send the buffered frames. Raises LinkError, RefusedError."""
        if self._out:
            data = b"".join(self._out)
            self.drop_unsent()
            self.traffic.buffers_sent += 1
            self.traffic.bytes_sent += len(data)
            try:
                self._stream.write(data, self.timeout_s)
            except LinkError:
                self._receive_refusal()
                raise

    def _receive_refusal(self) -> None:
        """Read the refusal that the other end may have sent before it closed. Raises RefusedError."""
        with suppress(LinkError):
            while self.receive_now() is not None:
                pass

    def drop_unsent(self) -> None:
        """Discard the buffered frames; nothing more can be sent after that."""
        self._out.clear()
        self._out_length = 0

    def send_message(self, head: Head, properties: bytes, data: bytes) -> None:
        """Send a message in as many frames as it needs; short messages are buffered together. Raises LinkError."""
        kind, body = frames.MESSAGE, memoryview(protocol.encode_head(head) + properties + data)
        for at in range(0, len(body), frames.MOST_DATA):
            payload = body[at : at + frames.MOST_DATA]
            self._out += (frames.header(kind, len(payload)), payload)
            self._out_length += len(payload)
            if self._out_length >= _FLUSH_AT:
                self.flush()
            kind = frames.DATA

    def receive(self, deadline: float | None = None) -> tuple[int, bytes]:
        """Return kind and payload of the next frame.

        deadline: by ``time.monotonic``; without one only the timeout of a read ends the wait.
        Raises LinkError; RefusedError when the other end refuses to continue.
        """
        while not self._is_decoded():
            self._fill(deadline)
        assert self._next is not None
        (kind, payload), self._next = self._next, None
        if kind == frames.REFUSE:
            refusal = protocol.decode(protocol.Refusal, payload)
            sequence = None if refusal.sequence < 0 else refusal.sequence
            raise RefusedError(refusal.text, refusal.reason, sequence, refusal.batch_id)
        return kind, payload

    def receive_now(self) -> tuple[int, bytes] | None:
        """Return kind and payload of the next frame, None while it is incomplete. Raises as ``receive``."""
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
                raise LinkError("timeout while waiting for the other end")
        self._take(self._stream.read(_READ, timeout_s))

    def _take(self, data: bytes) -> None:
        if not data:
            raise LinkError("the other end has closed the connection")
        self.traffic.buffers_received += 1
        self.traffic.bytes_received += len(data)
        self._decoder.feed(data)

    def expect(self, kind: int, what: type[T], *, timeout_s: float | None = None) -> T:
        """Receive a control frame of a kind, skipping heartbeats.

        timeout_s: for the whole call.  Raises LinkError, RefusedError.
        """
        deadline = deadline_after(timeout_s)
        while True:
            found, payload = self.receive(deadline)
            if found == kind:
                return protocol.decode(what, payload)
            if found != frames.HEARTBEAT:
                raise LinkError(f"the other end sent a frame of kind {found}, {kind} was expected")

    def receive_message(self, payload: bytes, max_message_length: int) -> tuple[Head, bytes, bytes]:
        """Receive the rest of the message that a frame has begun; return head, properties and data.

        max_message_length: as negotiated. No more than that and the headers is kept in memory.  Raises LinkError.
        """
        head = protocol.decode_head(payload)
        if head.data_length > max_message_length + HEADERS_LENGTH:
            raise LinkError(f"the other end sends a message of {head.data_length} bytes, too long for the channel")
        if head.properties_length > max_properties_length(max_message_length):
            raise LinkError(f"the other end sends {head.properties_length} bytes of properties, too many")
        whole = head.properties_length + head.data_length
        body = bytearray(memoryview(payload)[protocol.HEAD_LENGTH :])
        while len(body) < whole:
            kind, more = self.receive()
            if kind != frames.DATA or not more:
                raise LinkError("the other end interrupted a message")
            body += more
        if len(body) != whole:
            raise LinkError("the other end sent more data than announced")
        view = memoryview(body)
        return head, bytes(view[: head.properties_length]), bytes(view[head.properties_length :])

    def refuse(self, reason: int, text: str, sequence: int = -1, batch_id: bytes = b"") -> None:
        """Send a refusal, if the other end still reads."""
        refusal = protocol.Refusal(reason=reason, text=text[:_TEXT_LENGTH], sequence=sequence, batch_id=batch_id)
        with suppress(LinkError):
            self.drop_unsent()
            self.send(frames.REFUSE, refusal)

    def close(self) -> None:
        self._stream.close()
