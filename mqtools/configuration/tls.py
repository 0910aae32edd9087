"""TLS: contexts from the configured certificates, and the certificate of the other end after a handshake."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass

from mqtools.configuration import settings
from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError
from mqtools.rules.security.cipher_specs import OFFERED_SUITES, find_cipher_spec
from mqtools.rules.security.peer_certificate import PeerCertificate


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files of one end.

    certificate, key: empty for a client without a certificate.  trust: certificates of trusted CAs; empty where the end
    asks for no certificate, and for a client that trusts those of the system.
    """

    certificate: str
    key: str
    trust: str = ""


def configured_files(*, needs_trust: bool = True) -> TlsFiles:
    """Return the configured files. Raises MQError, MQRC_CHANNEL_SSL_ERROR, where a setting is empty."""
    keys = (settings.TLS_CERTIFICATE, settings.TLS_KEY, settings.TLS_TRUST)
    paths: list[str] = [settings.value_of(key) for key in keys]
    for key, path in zip(keys, paths, strict=True):
        if not path and (needs_trust or key != settings.TLS_TRUST):
            raise MQError(
                f"TLS needs {key} in the configuration", MQRC_CHANNEL_SSL_ERROR, hint=f"mqx config set {key} PATH"
            )
    return TlsFiles(*paths)


def optional_files() -> TlsFiles:
    """Return the configured files of a client, which needs none."""
    return TlsFiles(
        *(settings.value_of(key) for key in (settings.TLS_CERTIFICATE, settings.TLS_KEY, settings.TLS_TRUST))
    )


def server_context(files: TlsFiles) -> ssl.SSLContext:
    """Return the context of the called end. It verifies a certificate that the caller sends; none is needed.

    Which channel is called, and so SSLCIPH and SSLCAUTH, is known only after the handshake.
    Raises MQError: MQRC_CHANNEL_SSL_ERROR for files that cannot be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(OFFERED_SUITES)
    if files.trust:
        context.verify_mode = ssl.CERT_OPTIONAL
    _load(context, files)
    return context


def client_context(ssl_cipher_spec: str, files: TlsFiles) -> ssl.SSLContext:
    """Return the context of the calling end of a channel with an SSLCIPH. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
    cipher_spec = find_cipher_spec(ssl_cipher_spec)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the name is that of a queue manager
    context.minimum_version = ssl.TLSVersion[cipher_spec.lowest]
    if cipher_spec.highest is not None:
        context.maximum_version = ssl.TLSVersion[cipher_spec.highest]
        if cipher_spec.suite and context.maximum_version == ssl.TLSVersion.TLSv1_2:
            context.set_ciphers(cipher_spec.suite)
    _load(context, files)
    return context


def _load(context: ssl.SSLContext, files: TlsFiles) -> None:
    try:
        if files.certificate:
            context.load_cert_chain(files.certificate, files.key or None)
        if files.trust:
            context.load_verify_locations(files.trust)
        elif context.verify_mode != ssl.CERT_NONE:
            context.load_default_certs()
    except (OSError, ssl.SSLError) as error:
        raise MQError(
            f"the certificates for TLS cannot be used: {error}",
            MQRC_CHANNEL_SSL_ERROR,
            hint="mqx config explain shows tls.certificate, tls.key and tls.trust",
        ) from error


def peer_certificate(connected: ssl.SSLSocket, host: str = "") -> PeerCertificate:
    """Return the certificate of the other end after the handshake. host: that was called, empty at the called end."""
    found = connected.getpeercert() or {}
    names = [value for kind, value in _pairs(found.get("subjectAltName")) if kind in ("DNS", "IP Address")]
    suite = connected.cipher()
    return PeerCertificate(
        _attributes(found.get("subject")),
        names,
        issuer=_attributes(found.get("issuer")),
        host=host,
        suite=suite[0] if suite else "",
    )


def has_pending(connected: socket.socket) -> bool:
    """Return whether TLS has decrypted more than was read. No descriptor shows it."""
    return isinstance(connected, ssl.SSLSocket) and connected.pending() > 0


def _attributes(name: object) -> dict[str, list[str]]:
    """Return the attributes of a distinguished name, which ssl has as a tuple for each RDN."""
    found: dict[str, list[str]] = {}
    for part in name if isinstance(name, tuple) else ():
        for attribute, value in _pairs(part):
            found.setdefault(attribute, []).append(value)
    return found


def _pairs(value: object) -> Iterable[tuple[str, str]]:
    return value if isinstance(value, tuple) else ()
