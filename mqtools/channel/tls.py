"""TLS for channels with SSLCIPH: the stream over it, and its beginning at the calling end."""

from __future__ import annotations

import socket
import ssl

from mqtools.channel.errors import LinkError
from mqtools.channel.streams import SocketStream
from mqtools.configuration.tls import client_context, configured_files, has_pending, peer_certificate
from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError
from mqtools.rules.security.cipher_specs import check_suite


class TlsStream(SocketStream):
    """A connected socket with TLS."""

    _NOTHING_YET = (BlockingIOError, ssl.SSLWantReadError)

    def has_pending(self) -> bool:
        """Return whether TLS has decrypted more than was read."""
        return has_pending(self._socket)


def start_tls(connected: socket.socket, ssl_cipher_spec: str, host: str) -> TlsStream:
    """Start TLS on a connection to a host, and return it as a stream.

    Raises MQError: MQRC_CHANNEL_SSL_ERROR where the configuration or the handshake fails; LinkError.
    """
    context = client_context(ssl_cipher_spec, configured_files())
    try:
        wrapped = context.wrap_socket(connected, server_hostname=host)
    except ssl.SSLError as error:
        raise MQError(f"TLS handshake failed: {error.reason or error}", MQRC_CHANNEL_SSL_ERROR) from error
    except OSError as error:
        raise LinkError(f"the connection broke during the TLS handshake: {error}") from error
    peer = peer_certificate(wrapped, host)
    check_suite(ssl_cipher_spec, peer.suite)
    return TlsStream(wrapped, peer)
