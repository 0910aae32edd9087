"""Channel of a client: one socket to a queue manager, its segments out and in, and its heartbeats."""

from __future__ import annotations

import os
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from threading import Event, RLock, Thread
from typing import NoReturn

from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.negotiation import MAX_MSG_LENGTH, Terms
from mqtools.clients.client.record import ExchangeRecord
from mqtools.clients.wire import streaming
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType, SocketAction
from mqtools.clients.wire.segments import (
    MULTIPLEXED_BYTES,
    TRANSMISSION_SIZE,
    Assembler,
    ProtocolError,
    Splitter,
    WireSegment,
    divide,
)
from mqtools.configuration.tls import has_pending
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.fields import WIRE

_READ = 65_536
#: Bytes that are sent at a time.
_CHUNK = 16_384
#: Limit of segments in a second that answer nothing. With more of them the other end counts as hostile.
_MOST_UNASKED = 1000
#: Seconds between two calls of ``idle`` while a get waits.
_IDLE_S = 1.0


class RefusedStatus(ConnectionBroken):
    """Raised for a status code that ends a channel."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the other end closed the channel: status code 0x{code:02X}")
        self.code = code


class ClientSocket:
    """One socket to a server-connection channel. Its calls are made by one thread at a time, which holds ``lock``.

    connected: may be wrapped for TLS.  timeout_s: limit for silence of the other end.
    order, ccsid: of the integers and characters that are sent.
    is_multiplexed: headers have a conversation and a request.
    idle: called every second while a get waits and nothing comes; it may raise.
    """

    def __init__(self, connected: socket.socket, timeout_s: float, record: ExchangeRecord | None = None) -> None:
        self.lock = RLock()
        self.idle: Callable[[], object] | None = None
        self._record = record
        self.order = ">"
        self.ccsid = DEFAULT_CCSID
        self.is_multiplexed = False
        self.terms = Terms(0, 0, MAX_MSG_LENGTH, 0, 0)
        self._connected = connected
        self.timeout_s = timeout_s
        self._splitter = Splitter()
        self._assembler = Assembler(MAX_MSG_LENGTH)
        self._received: deque[WireSegment] = deque()
        self._heard_at = time.monotonic()
        self._asked_at: float | None = None
        self._unasked, self._unasked_since = 0, 0.0
        self._ended = Event()
        self._sleepers = 0
        self._pid = os.getpid()
        connected.settimeout(timeout_s)

    @property
    def is_open(self) -> bool:
        """Return whether calls can be made: nothing has ended it, and this is the process that made it."""
        return not self._ended.is_set() and self._pid == os.getpid()

    def begin(self, terms: Terms) -> None:
        """Use what was agreed, and answer the heartbeats of the other end from now on."""
        self.terms = terms
        self._splitter.most = terms.transmission_size + MULTIPLEXED_BYTES
        self._assembler = Assembler(terms.max_msg_length)
        if terms.heartbeat_s:
            Thread(target=self._answer_heartbeats, args=(terms.heartbeat_s / 2,), daemon=True).start()

    def send(self, kind: int, body: bytes = b"", *, request: int = 0, flags: int = Flags.WHOLE) -> None:
        """Send a message, in as many segments as it takes. Raises ConnectionBroken."""
        message = replace(
            self._segment(MULTIPLEXED if self.is_multiplexed else PLAIN, kind, body, flags),
            conversation=int(self.is_multiplexed),
            request=request,
        )
        self._write(divide(message, self.terms.transmission_size or TRANSMISSION_SIZE))

    def send_control(self, kind: int, body: bytes = b"", flags: int = Flags.WHOLE) -> None:
        """Send a control segment: without ids, also where the others have them. Raises ConnectionBroken."""
        self._write([self._segment(CONTROL if self.is_multiplexed else PLAIN, kind, body, flags)])

    def _segment(self, eyecatcher: bytes, kind: int, body: bytes, flags: int) -> WireSegment:
        return WireSegment(
            eyecatcher=eyecatcher,
            kind=kind,
            flags=flags,
            body=body,
            order=self.order,
            encoding=WIRE[self.order].encoding,
            ccsid=self.ccsid,
        )

    def receive(self, deadline: float | None = None) -> WireSegment | None:
        """Return the next message, heartbeats excepted; None when a deadline passes first.

        deadline: by ``time.monotonic``.
        Raises ConnectionBroken: the connection has ended, or is silent for too long.  RefusedStatus.
        """
        while not self._received:
            if not self.is_open:
                raise ConnectionBroken("the connection has ended")
            if not self._wait(deadline):
                return None
            self._read()
        return self._received.popleft()

    def sleep(self, deadline: float) -> None:
        """Sleep until there may be something to read, a second at most, while other threads make their calls."""
        depth = 0
        self._sleepers += 1  # under the lock, as the decrement
        with suppress(RuntimeError):  # as often as this thread has acquired it
            while True:
                self.lock.release()
                depth += 1
        try:
            has_come = self._poll(min(_IDLE_S, max(0.0, deadline - time.monotonic())))
        finally:
            for _ in range(depth):
                self.lock.acquire()
            self._sleepers -= 1
        if self.idle is not None and not has_come:
            self.idle()

    def end(self) -> None:
        """End the channel in order, and close the socket."""
        flags = Flags.WHOLE | Flags.CLOSE_CHANNEL
        with suppress(ConnectionBroken):
            if self.is_multiplexed:
                values = {"Conversation": 1, "Request": 0, "Type": SocketAction.END_CONVERSATION}
                body = streaming.SOCKET_ACTION.write({**values, "Parm1": 0, "Parm2": 0}, self.order)
                self.send_control(SegmentType.SOCKET_ACTION, body, flags)
            else:
                self.send(SegmentType.STATUS_DATA, flags=flags)
        self.close()

    def close(self) -> None:
        """Close the socket. Nothing is sent."""
        self._ended.set()
        if self._record is not None:
            self._record.close()
            self._record = None
        with suppress(OSError):
            self._connected.close()

    def _wait(self, deadline: float | None) -> bool:
        """Sleep until there is something to read; return whether there is, before the deadline.

        The silence of the other end is limited: by two intervals of heartbeats, or by the timeout.
        """
        while True:
            if has_pending(self._connected):
                return True
            now = time.monotonic()
            beat_s = self.terms.heartbeat_s
            if beat_s:
                asks_at = self._heard_at + beat_s if self._asked_at is None else self._asked_at + beat_s
            else:
                asks_at = float("inf") if deadline is not None else self._heard_at + self.timeout_s
            until = asks_at if deadline is None else min(asks_at, deadline)
            if self._poll(max(0.0, until - now)):
                return True
            now = time.monotonic()
            if now >= asks_at:
                if self._asked_at is not None or not beat_s:
                    self.fail(f"nothing was received for {now - self._heard_at:.0f} s")
                self._asked_at = now
                self.send_control(SegmentType.HEARTBEAT, flags=Flags.WHOLE | Flags.CONFIRM_REQUEST)
            if deadline is not None and now >= deadline:
                return False

    def _poll(self, seconds: float) -> bool:
        poll = select.poll()
        try:
            poll.register(self._connected, select.POLLIN)
        except (OSError, ValueError):
            self.fail("the connection has ended")
        return bool(poll.poll(min(seconds, 86_400) * 1000))

    def _read(self) -> None:
        """Read the received bytes, and keep their messages; answer heartbeats."""
        try:
            data = self._connected.recv(_READ)
        except TimeoutError:
            return
        except OSError as error:
            self.fail(f"the connection broke: {error.strerror or error}")
        if not data:
            self.fail("the other end has closed the connection")
        self._heard_at, self._asked_at = time.monotonic(), None
        try:
            for segment in self._splitter.feed(data):
                self._take(segment)
        except ProtocolError as error:
            self.fail(f"the other end breaks the protocol: {error.text}")

    def _take(self, segment: WireSegment) -> None:
        if self._record is not None:
            self._record.note(segment, is_sent=False)
        if segment.kind == SegmentType.HEARTBEAT:
            self.count_unasked()
            if segment.flags & Flags.CONFIRM_REQUEST:
                self.send_control(SegmentType.HEARTBEAT)
        elif segment.kind == SegmentType.STATUS_DATA and segment.flags & (Flags.ERROR | Flags.CLOSE_CHANNEL):
            self.close()
            raise RefusedStatus(streaming.read_status(segment))
        else:
            whole = self._assembler.add(segment)
            if whole is not None:
                self._received.append(whole)

    def count_unasked(self) -> None:
        """Count a segment that answers nothing. Raises ConnectionBroken when they come without end."""
        now = time.monotonic()
        if now - self._unasked_since > 1:
            self._unasked, self._unasked_since = 0, now
        self._unasked += 1
        if self._unasked > _MOST_UNASKED:
            self.fail(f"the other end breaks the protocol: {_MOST_UNASKED} segments answer nothing")

    def _write(self, segments: Iterable[WireSegment]) -> None:
        if not self.is_open:
            raise ConnectionBroken("the connection has ended")
        written = list(segments)
        if self._record is not None:
            for segment in written:
                self._record.note(segment, is_sent=True)
        data = b"".join(segment.pack() for segment in written)
        is_done = False
        try:
            self._write_bytes(data)
            is_done = True
        finally:
            if not is_done:  # also by an interrupt: the other end cannot find the next segment
                self.close()

    def _write_bytes(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            if len(data) > _CHUNK and not self._may_send():
                continue
            try:
                rest = rest[self._connected.send(rest[:_CHUNK]) :]
            except OSError as error:
                self.fail(f"the connection broke: {error.strerror or error}")

    def _may_send(self) -> bool:
        """Sleep until there is room to send; read meanwhile, for the other end may have to send before it reads."""
        poll = select.poll()
        poll.register(self._connected, select.POLLIN | select.POLLOUT)
        ready = poll.poll(self.timeout_s * 1000)
        if not ready:
            self.fail(f"the other end has read nothing for {self.timeout_s:.0f} s")
        if ready[0][1] & select.POLLOUT:
            return True
        self._read()
        return False

    def fail(self, words: str) -> NoReturn:
        """End the connection. Raises ConnectionBroken."""
        self.close()
        raise ConnectionBroken(words)

    def _answer_heartbeats(self, every_s: float) -> None:
        """Read between the calls, so that a heartbeat is answered while the program does something else."""
        while not self._ended.wait(every_s):
            if self._sleepers or not self.lock.acquire(blocking=False):
                continue
            try:
                while self._poll(0) and len(self._received) < _MOST_UNASKED:
                    self._read()
            except ConnectionBroken:
                return
            finally:
                self.lock.release()
