"""Conversation of a client: one connection to the queue manager, of several that may share a socket."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from mqtools.admin import error_log
from mqtools.admin.admission import Peer
from mqtools.admin.error_log import Inserts
from mqtools.calls import connections, sessions
from mqtools.calls.connections import NO_HANDLE
from mqtools.calls.sessions import CallSession
from mqtools.clients.server.host import ClientHost
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.codes import NO_OBJECT
from mqtools.clients.wire.segments import TRANSMISSION_SIZE, Segment, divide
from mqtools.errors import MQError


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
    """

    instance: ChannelInstance
    number: int
    send: Callable[[Segment], None]
    peers: dict[int, Conversation]
    user: str = ""
    password: bytes | None = None
    h: int = NO_HANDLE
    connection_id: bytes = b""

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

    def reply(self, request: Segment, body: bytes) -> None:
        """Send the reply of a call."""
        for segment in divide(request.reply(body), self.instance.transmission_size):
            self.send(segment)

    def end(self) -> None:
        """Back out what is in progress and disconnect, unless the client has disconnected."""
        if self.h != NO_HANDLE:
            self.call(connections.back_out, ())
            connections.disconnect(self.h)
            self.h = NO_HANDLE


def fail(error: MQError, rest: bytes, order: str, handle: int = NO_OBJECT) -> bytes:
    """Return the reply of a call that failed. rest: of the request, which is returned as it was."""
    return ApiHeader(error.comp_code, error.reason, handle).pack(rest, order)


def like(request: Segment, kind: int, body: bytes = b"", **changes: Any) -> Segment:
    """Return a segment of our own, in the form of a client's."""
    changes.setdefault("encoding", Segment.encoding)
    return replace(request, kind=kind, body=body, **changes)
