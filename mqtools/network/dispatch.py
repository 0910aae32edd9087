"""Dispatch of a caller: TLS, then the protocol that its first bytes belong to."""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from mqtools.admin import channel_events, error_log
from mqtools.admin.admission import Peer
from mqtools.admin.error_log import Inserts
from mqtools.channel.acceptor import Origin, serve
from mqtools.channel.link import Link
from mqtools.channel.streams import SocketStream
from mqtools.channel.tls import TlsStream
from mqtools.clients.server.channel import ClientChannel
from mqtools.clients.server.host import ClientHost
from mqtools.clients.server.host import Limits as Limits
from mqtools.clients.server.session import serve_client
from mqtools.clients.wire.codes import CLIENT_EYECATCHERS, StatusCode
from mqtools.configuration.tls import TlsFiles, configured_files, peer_certificate, server_context
from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR, MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError

#: The first byte of a TLS handshake. No other protocol begins with it.
_HANDSHAKE = b"\x16"
#: Bytes that tell the protocols apart.
_FIRST_LENGTH = 4
_READ = 65_536


@dataclass(kw_only=True)
class Service(ClientHost):
    """Services of a listener: of clients, and of message channels.

    needs_tls: refuse message channels without TLS.  tls_files: None for the configured ones.
    folders: as for ``ReceiverOptions``.
    """

    needs_tls: bool = False
    tls_files: TlsFiles | None = None
    folders: tuple[str, ...] | None = None


@dataclass(slots=True, eq=False)
class Call:
    """A caller. caller: its name for the operator.  port: its own, 0 for none.

    greeted_by: ``time.monotonic`` when its first message is due.  is_admitted: it is more than a stranger.
    """

    connected: socket.socket
    caller: str
    origin: Origin
    port: int
    greeted_by: float
    is_admitted: bool = False

    def admit(self) -> None:
        """Note that the caller is admitted: only strangers make room for others."""
        self.is_admitted = True


def serve_call(service: Service, call: Call) -> None:
    """Serve a caller until its session ends. Raises MQError, after the caller was told."""
    connected = call.connected
    connected.settimeout(service.limits.greeting_s)
    if connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a client may do without heartbeats
    try:
        first = connected.recv(1, socket.MSG_PEEK)
    except OSError as error:
        raise MQError(f"no first message: {error.strerror or error}", MQRC_HOST_NOT_AVAILABLE) from error
    if first == _HANDSHAKE:
        with _start_tls(service, call) as wrapped:
            _serve_protocol(service, call, wrapped, TlsStream(wrapped, peer_certificate(wrapped)))
    else:
        _serve_protocol(service, call, connected, SocketStream(connected))


def _serve_protocol(service: Service, call: Call, connected: socket.socket, stream: SocketStream) -> None:
    """Serve a caller with the protocol of its first bytes."""
    first = _read_first(service, call, connected)
    if first not in CLIENT_EYECATCHERS:
        _serve_channel(service, call, stream, first)
        return
    peer, shown = Peer(address=call.origin.address, port=call.port), stream.peer
    if shown is not None:
        peer = replace(peer, is_tls=True, cipher=shown.suite, subject=shown.subject, issuer=shown.issuer)
    serve_client(connected, first, peer, service, call.admit)


def _start_tls(service: Service, call: Call) -> ssl.SSLSocket:
    """Complete the handshake in time. Raises MQError: MQRC_CHANNEL_SSL_ERROR, MQRC_HOST_NOT_AVAILABLE."""
    files = service.tls_files or configured_files(needs_trust=False)
    context = server_context(files)
    call.connected.settimeout(_left_s(call.greeted_by))  # of the whole handshake
    try:
        call.connected = wrapped = context.wrap_socket(call.connected, server_side=True, do_handshake_on_connect=False)
        wrapped.do_handshake()
        return wrapped
    except ssl.SSLError as error:
        failed = MQError(f"TLS handshake failed: {error.reason or error}", MQRC_CHANNEL_SSL_ERROR)
        raise _logged(service, call, "AMQ9633E", failed) from error
    except OSError as error:
        words = f"the connection broke during the TLS handshake: {error}"
        raise _logged(service, call, "AMQ9208E", MQError(words, MQRC_HOST_NOT_AVAILABLE)) from error


def _logged(service: Service, call: Call, number: str, error: MQError) -> MQError:
    """Return an error after it was written to the error log."""
    inserts = Inserts(connection_name=call.origin.address)
    error_log.note(service.path, number, error, inserts)
    channel_events.note_refusal(service.path, number, inserts)
    return error


def _read_first(service: Service, call: Call, connected: socket.socket) -> bytes:
    """Return the bytes that tell the protocols apart, fewer where the caller ends its stream before."""
    first = b""
    try:
        while len(first) < _FIRST_LENGTH:
            connected.settimeout(_left_s(call.greeted_by))
            data = connected.recv(_FIRST_LENGTH - len(first))
            if not data:
                break
            first += data
    except OSError as error:
        failed = MQError(f"no first message: {error.strerror or error}", MQRC_HOST_NOT_AVAILABLE)
        raise _logged(service, call, "AMQ9259E", failed) from error
    return first


def _left_s(deadline: float) -> float:
    return max(0.001, deadline - time.monotonic())


def _serve_channel(service: Service, call: Call, stream: SocketStream, first: bytes) -> None:
    link = Link(stream, service.limits.idle_s, first)
    if service.needs_tls and stream.peer is None:
        link.refuse(MQRC_CHANNEL_SSL_ERROR, "this listener serves channels with SSLCIPH only")
        raise MQError("refused: the caller does not use TLS", MQRC_CHANNEL_SSL_ERROR)
    call.admit()
    with closing(link):
        serve(
            service.connect,
            link,
            origin=call.origin,
            idle_s=service.limits.idle_s,
            greeted_by=call.greeted_by,
            folders=service.folders,
            note=lambda text: service.note(f"{call.caller}: {text}"),
            shutdown=service.shutdown,
        )


def refuse(service: Service, connected: socket.socket, error: MQError) -> None:
    """Refuse a caller without a thread, in the protocol of what has arrived from it, and close its socket."""
    connected.setblocking(False)
    first = b""
    with suppress(OSError):
        first = connected.recv(_READ)  # all of it: closing a socket with unread input resets the connection
    if first[:_FIRST_LENGTH] in CLIENT_EYECATCHERS:
        channel = ClientChannel(service, Peer(address=""))
        channel.refuse(StatusCode.CHANNEL_UNAVAILABLE)
        with suppress(OSError):
            connected.send(b"".join(channel.out))
    elif not first.startswith(_HANDSHAKE):
        Link(SocketStream(connected), 0.1).refuse(error.reason, error.text)
    connected.close()
