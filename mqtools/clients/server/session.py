"""Service of one client: its socket, and the descriptors that its waiting gets sleep on, in one thread."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from mqtools.admin.admission import Peer
from mqtools.clients.server.channel import ClientChannel
from mqtools.clients.server.conversation import Conversation
from mqtools.clients.server.host import ClientHost
from mqtools.clients.wire.codes import CLIENT_EYECATCHERS as CLIENT_EYECATCHERS
from mqtools.clients.wire.codes import StatusCode
from mqtools.configuration.tls import has_pending
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.errors import MQError
from mqtools.mqi import client_connections
from mqtools.mqi.client_connections import SocketUse
from mqtools.mqi.identity import now_ms

_READ = 65_536
#: Seconds between two records of the use of a socket.
_NOTE_EVERY_S = 5.0


def serve_client(
    connected: socket.socket, first: bytes, peer: Peer, host: ClientHost, admitted: Callable[[], None] = lambda: None
) -> None:
    """Serve a client until its channel ends, in this thread. The caller closes the socket.

    connected: may be wrapped for TLS, after the handshake.  first: bytes that were read from it.  admitted: is called
    when the client has connected to the queue manager.
    """
    session = ClientSession(connected, peer, host, admitted)
    host.shutdown.add(session)
    try:
        session.run(first)
    finally:
        session.channel.close()
        host.shutdown.remove(session)


class ClientSession:
    """One client on its socket."""

    def __init__(self, connected: socket.socket, peer: Peer, host: ClientHost, admitted: Callable[[], None]) -> None:
        self.channel = ClientChannel(host, peer, connected)
        self._admitted = admitted
        self._connected = connected
        self._host = host
        self._is_ending = False
        self._greeted_by = time.monotonic() + host.limits.greeting_s
        self._heard_at = self._called_at = time.monotonic()
        self._asked_at: float | None = None
        self._calls = 0
        self._use = SocketUse(begun_at=now_ms())
        self._noted = 0
        self._note_at = 0.0
        connected.settimeout(host.send_s)

    @property
    def is_running(self) -> bool:
        """Return whether a unit of work is in progress, which an end of the process waits for."""
        return self.channel.is_busy

    def wake(self) -> None:
        """End the session after the unit of work in progress. May be called by another thread."""
        self._is_ending = True
        if not self.channel.is_busy:
            with suppress(OSError):  # of the plain socket: TLS may be in use by the thread of the session
                socket.socket.shutdown(self._connected, socket.SHUT_RD)

    def run(self, first: bytes) -> None:
        """Serve the client until its channel ends."""
        channel = self.channel
        try:
            self._receive(first)
            while not channel.is_over:
                if self._is_ending and not channel.is_busy:
                    channel.refuse(StatusCode.QM_TERMINATING)
                else:
                    self._take_turn()
                self._flush()
                if self._use.bytes_received != self._noted and time.monotonic() >= self._note_at:
                    self._note_use()
        except OSError as error:
            if not self._is_ending:
                self._report_end("AMQ9208E", f"the connection broke: {error.strerror or error}")

    def _note_use(self) -> None:
        """Record the use of the socket with one of its connections, for DISPLAY CHSTATUS."""
        use = self._use
        self._noted = use.bytes_received
        session = next((each.session for each in self.channel.conversations.values() if each.session is not None), None)
        if session is None:
            return
        self._note_at = time.monotonic() + _NOTE_EVERY_S
        use.calls, use.used_at, use.most_conversations = self.channel.calls, now_ms(), self.channel.most_conversations
        with suppress(MQError), session.connection.work() as work:  # it may have been ended from outside
            client_connections.note_use(work, use)

    def _report_end(self, number: str, words: str) -> None:
        self.channel.is_over = True
        self.channel.instance.report(number, MQError(words, MQRC_CONNECTION_BROKEN))

    def _receive(self, data: bytes) -> None:
        now = time.monotonic()
        self._heard_at, self._asked_at = now, None
        self._use.bytes_received += len(data)
        for _ in self.channel.receive(data):
            if self.channel.is_connected:
                self._admitted()  # before the reply: a full listener may drop a stranger at any time
            self._flush()
        if self.channel.calls != self._calls:
            self._calls, self._called_at = self.channel.calls, now

    def _flush(self) -> None:
        """Send the waiting bytes to the client."""
        out = self.channel.out
        if out:
            data = b"".join(out)
            out.clear()
            self._use.bytes_sent += len(data)
            self._connected.sendall(data)

    def _take_turn(self) -> None:
        """Sleep until the client sends, a message may have come or a time is over; do what is due."""
        has_input, due = self._sleep(list(self.channel.conversations.values()))
        for conversation in due:
            self.channel.look(conversation)
        if has_input:
            data = self._connected.recv(_READ)
            if data:
                self._receive(data)
            elif not self._is_ending:
                self._report_end("AMQ9209E", "the client has closed the connection without MQDISC")
        if not has_input or not self.channel.is_connected:
            waiting = any(each.is_waiting for each in self.channel.conversations.values())
            self._check_times(is_waiting=waiting)

    def _sleep(self, conversations: list[Conversation]) -> tuple[bool, list[Conversation]]:
        """Return whether the client has sent something, and the conversations that have to look for messages."""
        poll = select.poll()
        watched: dict[int, Conversation] = {}
        poll.register(self._connected, select.POLLIN)
        for conversation in conversations:
            for descriptor, mask in conversation.descriptors():
                poll.register(descriptor, mask)
                watched[descriptor] = conversation
        times = [self._next_time(), *(conversation.look_at for conversation in conversations)]
        until = min((each for each in times if each is not None), default=None)
        timeout_ms = None if until is None else max(0.0, until - time.monotonic()) * 1000
        has_input = has_pending(self._connected)
        if has_input:
            timeout_ms = 0
        ready = [descriptor for descriptor, _ in poll.poll(timeout_ms)]
        now = time.monotonic()
        due = {watched[descriptor] for descriptor in ready if descriptor in watched}
        due |= {each for each in conversations if each.look_at is not None and each.look_at <= now}
        return self._connected.fileno() in ready or has_input, list(due)

    def _next_time(self) -> float | None:
        """Return when to look at the times of the channel; None if no time matters."""
        channel = self.channel
        times = []
        if not channel.is_connected:
            times.append(self._greeted_by)
        if self._use.bytes_received != self._noted:
            times.append(self._note_at)
        if channel.heartbeat_s:
            times.append((self._asked_at or self._heard_at) + channel.heartbeat_s)
        if channel.idle_limit_s:
            times.append(self._called_at + channel.idle_limit_s)
        return min(times, default=None)

    def _check_times(self, *, is_waiting: bool) -> None:
        """End a channel that is silent for too long, and ask for a heartbeat before that."""
        channel, now = self.channel, time.monotonic()
        if not channel.is_connected and now >= self._greeted_by:
            self._end_silent("has not connected in time")
        elif channel.idle_limit_s and not is_waiting and now >= self._called_at + channel.idle_limit_s:
            self._end_silent("has made no call for DISCINT seconds")
        elif channel.heartbeat_s and now >= (self._asked_at or self._heard_at) + channel.heartbeat_s:
            if self._asked_at is not None:
                self._end_silent("does not answer heartbeats")
            elif channel.instance.is_multiplexed or is_waiting:
                self._asked_at = now
                channel.ask_for_heartbeat()
            else:  # a plain channel has heartbeats only while a get waits
                self._heard_at = now

    def _end_silent(self, why: str) -> None:
        self.channel.instance.report("AMQ9259E", MQError(f"the client {why}", MQRC_CONNECTION_BROKEN))
        self.channel.refuse(StatusCode.TIMEOUT_EXPIRED)
