"""TLS of a client: the handshake, the server name, and the check of the queue manager's certificate."""

from __future__ import annotations

import socket
import ssl

from mqtools.clients.client.options import ConnectionOptions
from mqtools.configuration import settings
from mqtools.configuration.tls import client_context, optional_files, peer_certificate
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.rules.security.cipher_specs import check_suite

#: Suffix of a channel's name in the server name.
_SUFFIX = ".chl.mq.ibm.com"


def server_name(channel: str) -> str:
    """Return the server name (SNI) for a channel. A queue manager selects its certificate by it.

    Upper case letters are written in lower case, digits as they are, all else as two hexadecimal digits and a hyphen.
    Source: IBM MQ, How IBM MQ provides multiple certificates capability.
    """
    return "".join(map(_encoded, channel)) + _SUFFIX


def _encoded(character: str) -> str:
    if character.isascii() and (character.isupper() or character.isdigit()):
        return character.lower()
    return "".join(f"{byte:02x}-" for byte in character.encode())


def start_tls(connected: socket.socket, options: ConnectionOptions, host: str) -> ssl.SSLSocket:
    """Start TLS on a connection to a host.

    Raises MQError: MQRC_UNSUPPORTED_CIPHER_SUITE, MQRC_SSL_INITIALIZATION_ERROR where files or the handshake fail,
    MQRC_SSL_PEER_NAME_MISMATCH, MQRC_HOST_NOT_AVAILABLE.
    """
    verifies = options.verifies and settings.value_of(settings.TLS_VERIFY)
    try:
        context = client_context(options.cipher_spec, optional_files())
        if not verifies:
            context.verify_mode = ssl.CERT_NONE
        wrapped = context.wrap_socket(connected, server_hostname=server_name(options.channel))
        certificate = peer_certificate(wrapped, host)
        check_suite(options.cipher_spec, certificate.suite)
    except ssl.SSLError as error:
        words = f"TLS handshake with {host} failed: {error.reason or error}"
        raise MQError(words, cmqc.MQRC_SSL_INITIALIZATION_ERROR, hint=_hint(error)) from error
    except OSError as error:
        words = f"{host} ended the TLS handshake: {error.strerror or error}"
        raise MQError(words, cmqc.MQRC_HOST_NOT_AVAILABLE, hint="does the channel use TLS (SSLCIPH)?") from error
    except MQError as error:
        is_cipher = "CipherSpec" in error.text
        reason = cmqc.MQRC_UNSUPPORTED_CIPHER_SUITE if is_cipher else cmqc.MQRC_SSL_INITIALIZATION_ERROR
        raise MQError(error.text, reason, hint=error.hint) from error
    if verifies:
        try:
            certificate.check(options.peer_name, options.q_mgr_name.removeprefix("*") or host)
        except MQError as error:
            wrapped.close()
            raise MQError(error.text, cmqc.MQRC_SSL_PEER_NAME_MISMATCH, hint=_NAME_HINT) from error
    return wrapped


_NAME_HINT = "SSLPEER of the remote names the certificate that is expected; tls.verify no accepts any"


def _hint(error: ssl.SSLError) -> str | None:
    if isinstance(error, ssl.SSLCertVerificationError):
        return "mqx config set tls.trust FILE names the certificates that are trusted"
    return None
