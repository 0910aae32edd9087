"""Conversation of a client: one connection to the queue manager, of several that may share a socket."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mqtools.admin import error_log
from mqtools.admin.admission import Peer
from mqtools.admin.error_log import Inserts
from mqtools.calls import connections, sessions
from mqtools.calls.connections import NO_HANDLE
from mqtools.calls.outstanding_gets import OutstandingGet, bell, drain
from mqtools.calls.sessions import CallSession
from mqtools.clients.server.host import ClientHost
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.segments import NATIVE_ENCODING, TRANSMISSION_SIZE, Segment, divide
from mqtools.errors import MQError


class WaitingGet(Protocol):
    """Get of a client that may wait.

    outstanding: what it waits with.  retry_at: time of ``time.monotonic`` to look again without a wait, or None.
    """

    outstanding: OutstandingGet | None
    retry_at: float | None

    def look(self) -> None:
        """Search, and send what is found."""

    def cancel(self, reason: int) -> None:
        """End it, and tell the client the reason."""

    def end(self) -> None:
        """End it in silence."""


class StreamingGet(WaitingGet, Protocol):
    """Gets of a handle as a stream."""

    def ask(self, segment: Segment, request: Values) -> None:
        """Take a request for messages."""


@dataclass(slots=True, kw_only=True)
class ChannelInstance:
    """One instance of a server-connection channel: what its conversations have in common.

    connected: the socket, None where there is none.  name, definition: of the channel, once the client has named it.
    user, password: of USERID_DATA.  transmission_size: of a segment, max_msg_length: of a message, in bytes, as agreed.
    """

    host: ClientHost
    peer: Peer
    connected: socket.socket | None = None
    name: str = ""
    definition: dict[str, Any] = field(default_factory=dict)
    q_mgr_name: str = ""
    ccsid: int = 1208
    user: str = ""
    password: bytes | None = None
    transmission_size: int = TRANSMISSION_SIZE
    max_msg_length: int = 0
    is_multiplexed: bool = False

    def report(self, number: str, error: MQError, user: str = "") -> None:
        """Tell the operator of an error, and write it to the error log. number: of the AMQ message."""
        who = self.peer.address or "this machine"
        self.host.note(f"channel {self.name or 'unknown'}: client at {who}: {error.text}")
        inserts = Inserts(channel=self.name, connection_name=self.peer.address, user=user, q_mgr_name=self.q_mgr_name)
        error_log.note(self.host.path, number, error, inserts)


@dataclass(slots=True, eq=False)
class Conversation:
    """One conversation. A client's object handles are those of its session: no other conversation has them.

    send: takes a segment for the client.  peers: all conversations of the socket, by number.
    h: handle of the session, NO_HANDLE before MQCONN and after MQDISC.  connection_id: as MQCONN returned it.
    streams: gets of a stream, by handle.  synchronous: the MQGET that waits, if one does.
    is_started: consumers get messages.  messages_sent: by all streams.  cancelled: reason to end all waits with.
    """

    instance: ChannelInstance
    number: int
    send: Callable[[Segment], None]
    peers: dict[int, Conversation]
    user: str = ""
    password: bytes | None = None
    h: int = NO_HANDLE
    connection_id: bytes = b""
    streams: dict[int, StreamingGet] = field(default_factory=dict)
    synchronous: WaitingGet | None = None
    is_started: bool = True
    messages_sent: int = 0
    cancelled: int = 0

    @property
    def session(self) -> CallSession:
        """Return the session. Raises MQError: MQRC_HCONN_ERROR."""
        return sessions.find(self.h)

    @property
    def is_busy(self) -> bool:
        """Return whether a unit of work is in progress."""
        return self.h != NO_HANDLE and self.session.connection.in_unit_of_work

    def call(self, verb: Callable[..., Any], arguments: tuple[Any, ...], otherwise: tuple[Any, ...] = ()) -> Any:
        """Call a verb on the session; return its results with completion code and reason at the end.

        otherwise: the results of a call that fails.
        """
        return sessions.call(self.h, verb, arguments, otherwise)

    def opens(self, handle: int) -> bool:
        """Return whether a handle is one of this conversation."""
        return self.h != NO_HANDLE and handle in self.session.objects

    @property
    def gets(self) -> list[WaitingGet]:
        """Return the gets that have not ended."""
        return [*self.streams.values(), *([] if self.synchronous is None else [self.synchronous])]

    @property
    def is_waiting(self) -> bool:
        """Return whether a get waits for a message."""
        return any(get.outstanding is not None or get.retry_at is not None for get in self.gets)

    def descriptors(self) -> list[tuple[int, int]]:
        """Return the descriptors that its gets sleep on, and the events of ``poll`` to watch each for."""
        rung = bell(self.session)
        ends = (end for get in self.gets if get.outstanding is not None for end in get.outstanding.descriptors)
        return [*([] if rung is None else [(rung, select.POLLIN)]), *((end, 0) for end in ends)]

    @property
    def look_at(self) -> float | None:
        """Return when to look for messages whatever happens, by ``time.monotonic``."""
        times = [get.retry_at if get.outstanding is None else get.outstanding.look_at for get in self.gets]
        return min((each for each in times if each is not None), default=None)

    def look(self) -> None:
        """Look for messages for all gets that wait."""
        drain(self.session)
        for get in self.gets:
            if get.outstanding is not None or get.retry_at is not None:
                get.look()

    def cancel_gets(self) -> None:
        """End the waits of all conversations of the socket that are to be ended, and tell the client why."""
        for conversation in self.peers.values():
            if conversation.cancelled:
                for get in conversation.gets:
                    get.cancel(conversation.cancelled)
                conversation.cancelled = 0

    def end_gets(self) -> None:
        """End all waits in silence."""
        for get in self.gets:
            get.end()
        self.streams.clear()
        self.synchronous = None

    def reply(self, request: Segment, body: bytes) -> None:
        """Send the reply of a call."""
        for segment in divide(request.reply(body), self.instance.transmission_size):
            self.send(segment)

    def end(self) -> None:
        """Back out what is in progress and disconnect, unless the client has disconnected."""
        self.end_gets()
        if self.h != NO_HANDLE:
            self.call(connections.back_out, ())
            connections.disconnect(self.h)
            self.h = NO_HANDLE


def like(segment: Segment, kind: int, body: bytes = b"", **changes: Any) -> Segment:
    """Return a segment of our own, in the form of a client's."""
    changes.setdefault("encoding", NATIVE_ENCODING)
    return replace(segment, kind=kind, body=body, **changes)
