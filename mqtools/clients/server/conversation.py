"""Conversation of a client: one connection to the queue manager, of several that may share a socket."""

from __future__ import annotations

import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from mqtools.admin import channel_events, error_log
from mqtools.admin.admission import Peer
from mqtools.admin.error_log import Inserts
from mqtools.admin.users import PasswordProofs
from mqtools.calls.outstanding_gets import OutstandingGet, bell, drain
from mqtools.calls.sessions import CallSession, FailedWithResults
from mqtools.clients.server.host import UNLIMITED, ClientHost, InstanceLimits
from mqtools.clients.wire.codes import StatusCode
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.segments import NATIVE_ENCODING, TRANSMISSION_SIZE, ProtocolError, WireSegment, divide
from mqtools.constants.reasons import MQCC_FAILED, MQCC_OK, MQCC_WARNING, MQRC_HCONN_ERROR
from mqtools.errors import MQError, StorageError
from mqtools.mqi.xa import Xid


class RefusedChannelError(ProtocolError):
    """Raised when a client cannot use a channel. number: of the AMQ message."""

    def __init__(self, text: str, status: StatusCode, number: str) -> None:
        super().__init__(text, status)
        self.number = number


class WaitingGet(ABC):
    """Get of a client that may wait.

    outstanding: what it waits with.  retry_at: time of ``time.monotonic`` to look again without a wait, or None.
    """

    outstanding: OutstandingGet | None = None
    retry_at: float | None = None

    @abstractmethod
    def look(self) -> None:
        """Search, and send what is found."""

    @abstractmethod
    def cancel(self, reason: int) -> None:
        """End it, and tell the client the reason."""

    def end(self) -> None:
        """End it in silence."""
        if self.outstanding is not None:
            self.outstanding.end()
        self.outstanding = self.retry_at = None


class StreamingGet(WaitingGet):
    """Gets of a handle as a stream."""

    @abstractmethod
    def ask(self, segment: WireSegment, request: Values) -> None:
        """Take a request for messages."""


@dataclass(slots=True, kw_only=True)
class ChannelInstance:
    """One instance of a server-connection channel: what its conversations have in common.

    connected: the socket, None where there is none.  name, definition, limits: of the channel,
    once the client has named it.
    user, password: of USERID_DATA.  refusals: MQCONN calls that failed.
    proofs: of right passwords.  transmission_size: of a segment, max_msg_length: of a message, in bytes, as agreed.
    """

    host: ClientHost
    peer: Peer
    connected: socket.socket | None = None
    name: str = ""
    definition: dict[str, Any] = field(default_factory=dict)
    limits: InstanceLimits = UNLIMITED
    q_mgr_name: str = ""
    ccsid: int = 1208
    user: str = ""
    password: bytes | None = None
    transmission_size: int = TRANSMISSION_SIZE
    max_msg_length: int = 0
    proofs: PasswordProofs = field(default_factory=PasswordProofs)
    is_multiplexed: bool = False
    refusals: int = 0

    def report(self, number: str, error: MQError, user: str = "") -> None:
        """Report an error to the operator, and write it to the error log. number: of the AMQ message."""
        who = self.peer.address or "this machine"
        self.host.note(f"channel {self.name or 'unknown'}: client at {who}: {error.text}")
        inserts = Inserts(channel=self.name, connection_name=self.peer.address, user=user, q_mgr_name=self.q_mgr_name)
        error_log.note(self.host.path, number, error, inserts)
        channel_events.note_refusal(self.host.path, number, inserts)


@dataclass(slots=True, eq=False)
class Conversation:
    """One conversation. A client's object handles are those of its session: no other conversation has them.

    send: takes a segment for the client.  peers: all conversations of the socket, by number.
    session: from MQCONN to MQDISC.  connection_id: as MQCONN returned it.
    streams: gets of a stream, by handle.  synchronous: the MQGET that waits, if one does.
    is_started: consumers get messages.  messages_sent: by all streams.  cancelled: reason to end all waits with.
    is_ended: its connection was ended from outside.
    scan: XIDs that xa_recover returns next, None where no scan is open.
    """

    instance: ChannelInstance
    number: int
    send: Callable[[WireSegment], None]
    peers: dict[int, Conversation]
    user: str = ""
    password: bytes | None = None
    session: CallSession | None = None
    connection_id: bytes = b""
    streams: dict[int, StreamingGet] = field(default_factory=dict)
    synchronous: WaitingGet | None = None
    is_started: bool = True
    messages_sent: int = 0
    cancelled: int = 0
    is_ended: bool = False
    scan: list[Xid] | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a unit of work is in progress."""
        session = self.session  # its own thread may end it meanwhile
        return session is not None and session.connection.in_unit_of_work

    @property
    def connected(self) -> CallSession:
        """Return the session. Raises MQError: MQRC_HCONN_ERROR."""
        if self.session is None:
            raise MQError("MQCONN comes first", MQRC_HCONN_ERROR)
        return self.session

    def call(self, verb: Callable[..., Any], arguments: tuple[Any, ...], otherwise: tuple[Any, ...] = ()) -> Any:
        """Call a verb on the session; return its results with completion code and reason at the end.

        verb: gives a reason at the end, MQRC_NONE or a warning.  otherwise: the results of a call that fails.
        """
        try:
            *results, reason = verb(self.connected, *arguments)
        except FailedWithResults as error:
            return (*error.results, MQCC_FAILED, error.reason)
        except MQError as error:
            return (*otherwise, MQCC_FAILED, error.reason)
        return (*results, MQCC_WARNING if reason else MQCC_OK, reason)

    @property
    def gets(self) -> list[WaitingGet]:
        """Return the gets that still wait."""
        return [*self.streams.values(), *([] if self.synchronous is None else [self.synchronous])]

    @property
    def is_waiting(self) -> bool:
        """Return whether a get waits for a message."""
        return any(get.outstanding is not None or get.retry_at is not None for get in self.gets)

    def descriptors(self) -> list[tuple[int, int]]:
        """Return the descriptors that it sleeps on, and the events of ``poll`` to watch each for."""
        rung = None if self.session is None or self.is_ended else bell(self.session)
        ends = (end for get in self.gets if get.outstanding is not None for end in get.outstanding.descriptors)
        return [*([] if rung is None else [(rung, select.POLLIN)]), *((end, 0) for end in ends)]

    @property
    def look_at(self) -> float | None:
        """Return when to look for messages whatever happens, by ``time.monotonic``."""
        times = [get.retry_at if get.outstanding is None else get.outstanding.look_at for get in self.gets]
        return min((each for each in times if each is not None), default=None)

    def look(self) -> None:
        """Search for messages for all gets that wait; notice whether the connection was ended from outside."""
        session = self.connected
        drain(session)
        for get in self.gets:
            if get.outstanding is not None or get.retry_at is not None:
                get.look()
        if not self.is_waiting:
            try:
                with session.connection.work():
                    pass
            except StorageError:
                return
            except MQError:
                self.is_ended = True

    def cancel_gets(self) -> None:
        """End the waits of all cancelled conversations of the socket, and tell the client why."""
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

    def reply(self, request: WireSegment, body: bytes) -> None:
        """Send the reply of a call."""
        for segment in divide(request.reply(body, self.instance.ccsid), self.instance.transmission_size):
            self.send(segment)

    def end(self, *, backs_out: bool = True) -> None:
        """Disconnect, and back out or commit the unit of work. Raises MQError: as MQDISC."""
        session, self.session = self.session, None
        self.end_gets()
        if session is None:
            return
        session.objects.clear()
        try:
            if backs_out:
                session.connection.backout()
        finally:
            session.connection.disconnect()


def like(segment: WireSegment, kind: int, body: bytes = b"", **changes: Any) -> WireSegment:
    """Return a segment of our own, in the form of a client's."""
    changes.setdefault("encoding", NATIVE_ENCODING)
    return replace(segment, kind=kind, body=body, **changes)
