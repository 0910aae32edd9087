"""TLS for channels with SSLCIPH: mutual certificates, and the stream over it."""

from __future__ import annotations

import socket
import ssl
from typing import Any

from mqtools.channel.errors import LinkError
from mqtools.channel.peer import Peer, cipher_rule
from mqtools.channel.streams import SocketStream
from mqtools.configuration import settings
from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError

#: SSLCIPH of the called end: the caller chooses.
_ANY = "ANY"


class TlsStream(SocketStream):
    """A connected socket with TLS."""

    _NOTHING_YET = (BlockingIOError, ssl.SSLWantReadError)

    def __init__(self, connected: ssl.SSLSocket, peer: Peer) -> None:
        super().__init__(connected, peer)
        self._tls = connected

    def has_pending(self) -> bool:
        """Return whether TLS has decrypted more than was read."""
        return self._tls.pending() > 0


def start_tls(connected: socket.socket, *, ssl_cipher_spec: str = _ANY, host: str = "") -> TlsStream:
    """Start TLS on a connection, and return it as a stream.

    host: that was called; empty at the called end, which does not know SSLCIPH yet.
    Raises MQError: MQRC_CHANNEL_SSL_ERROR where the configuration or the handshake fails.
    """
    context = _context(ssl_cipher_spec, is_server=not host)
    try:
        wrapped = context.wrap_socket(connected, server_side=not host, server_hostname=host or None)
    except ssl.SSLError as error:
        raise MQError(f"TLS handshake failed: {error.reason or error}", MQRC_CHANNEL_SSL_ERROR) from error
    except OSError as error:
        raise LinkError(f"the connection broke during the TLS handshake: {error}") from error
    peer = _peer(wrapped, host)
    if host:
        peer.check_cipher(ssl_cipher_spec)
    return TlsStream(wrapped, peer)


def check_configuration() -> None:
    """Check that TLS is configured for the called end. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
    _context(_ANY, is_server=True)


def _context(ssl_cipher_spec: str, *, is_server: bool) -> ssl.SSLContext:
    lowest, highest, cipher = cipher_rule(ssl_cipher_spec)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the name is that of a queue manager: see Peer.check
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = ssl.TLSVersion[lowest]
    if highest is not None:
        context.maximum_version = ssl.TLSVersion[highest]
    certificate, key, trust = (_path(name) for name in (settings.TLS_CERTIFICATE, settings.TLS_KEY, settings.TLS_TRUST))
    try:
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(trust)
        if cipher is not None and highest == "TLSv1_2":
            context.set_ciphers(cipher)
    except (OSError, ssl.SSLError) as error:
        raise MQError(
            f"the certificates for TLS cannot be used: {error}",
            MQRC_CHANNEL_SSL_ERROR,
            hint="mqx config explain shows tls.certificate, tls.key and tls.trust",
        ) from error
    return context


def _path(key: str) -> str:
    path: str = settings.value_of(key)
    if not path:
        raise MQError(
            f"TLS needs {key} in the configuration", MQRC_CHANNEL_SSL_ERROR, hint=f"mqx config set {key} PATH"
        )
    return path


def _peer(wrapped: ssl.SSLSocket, host: str) -> Peer:
    found: dict[str, Any] = wrapped.getpeercert() or {}
    subject: dict[str, list[str]] = {}
    for part in found.get("subject", ()):
        for name, value in part:
            subject.setdefault(name, []).append(value)
    names = [value for kind, value in found.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
    suite = wrapped.cipher()
    return Peer(subject, names, host=host, cipher=suite[0] if suite else "", version=wrapped.version() or "")
