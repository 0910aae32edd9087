"""TLS for channels with SSLCIPH: both ends show a certificate, and the name in it is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.channel.errors import LinkError
from mqtools.configuration import settings
from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError
from mqtools.formats.mqsc import matches_name
from mqtools.records import Record

if TYPE_CHECKING:
    import socket
    import ssl
    from typing import Any

#: SSLCIPH to the lowest version of TLS, the highest, and the one cipher suite by OpenSSL's name; None: any.
_ANY = "ANY"
_CIPHERS: dict[str, tuple[str, str | None, str | None]] = {
    "ANY": ("TLSv1_2", None, None),
    "ANY_TLS12": ("TLSv1_2", "TLSv1_2", None),
    "ANY_TLS12_OR_HIGHER": ("TLSv1_2", None, None),
    "ANY_TLS13": ("TLSv1_3", "TLSv1_3", None),
    "ANY_TLS13_OR_HIGHER": ("TLSv1_3", None, None),
    "TLS_AES_128_GCM_SHA256": ("TLSv1_3", "TLSv1_3", "TLS_AES_128_GCM_SHA256"),
    "TLS_AES_256_GCM_SHA384": ("TLSv1_3", "TLSv1_3", "TLS_AES_256_GCM_SHA384"),
    "TLS_CHACHA20_POLY1305_SHA256": ("TLSv1_3", "TLSv1_3", "TLS_CHACHA20_POLY1305_SHA256"),
    "ECDHE_RSA_AES_128_GCM_SHA256": ("TLSv1_2", "TLSv1_2", "ECDHE-RSA-AES128-GCM-SHA256"),
    "ECDHE_RSA_AES_256_GCM_SHA384": ("TLSv1_2", "TLSv1_2", "ECDHE-RSA-AES256-GCM-SHA384"),
    "ECDHE_ECDSA_AES_128_GCM_SHA256": ("TLSv1_2", "TLSv1_2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    "ECDHE_ECDSA_AES_256_GCM_SHA384": ("TLSv1_2", "TLSv1_2", "ECDHE-ECDSA-AES256-GCM-SHA384"),
}

#: Attribute of a distinguished name in SSLPEER to its name in a certificate. One that is not here cannot be asked for.
_ATTRIBUTES = {
    "CN": "commonName",
    "O": "organizationName",
    "OU": "organizationalUnitName",
    "C": "countryName",
    "L": "localityName",
    "ST": "stateOrProvinceName",
    "SERIALNUMBER": "serialNumber",
    "MAIL": "emailAddress",
}


class Peer(Record):
    """What the certificate of the other end says.

    subject: attributes of the distinguished name, each with its values.  names: DNS names beside it.  host: that was
    called, empty at the end that was called.  cipher: suite in use.  version: of TLS.
    """

    __slots__ = ("cipher", "host", "names", "subject", "version")

    def __init__(
        self, subject: dict[str, list[str]], names: list[str], *, host: str = "", cipher: str = "", version: str = ""
    ) -> None:
        self.subject = subject
        self.names = names
        self.host = host
        self.cipher = cipher
        self.version = version

    def check(self, ssl_peer_name: str, q_mgr_name: str) -> None:
        """See that the certificate is the one that is wanted.

        ssl_peer_name: SSLPEER; where it is blank the certificate must be for the queue manager, by its common name or
        a DNS name, or for the host that was called.  Raises MQError: MQRC_CHANNEL_SSL_ERROR.
        """
        if ssl_peer_name:
            if not self._matches(ssl_peer_name):
                raise MQError(f"the certificate of {q_mgr_name} does not fit SSLPEER", MQRC_CHANNEL_SSL_ERROR)
            return
        own = {*self.subject.get("commonName", []), *self.names}
        if q_mgr_name in own or (self.host and self.host in own):
            return
        raise MQError(
            f"the certificate of the other end is for {' '.join(sorted(own)) or 'nobody'}, not for {q_mgr_name}",
            MQRC_CHANNEL_SSL_ERROR,
        )

    def _matches(self, ssl_peer_name: str) -> bool:
        for part in ssl_peer_name.split(","):
            key, equals, pattern = part.partition("=")
            attribute = _ATTRIBUTES.get(key.strip().upper())
            if not equals or attribute is None:
                raise MQError(f"SSLPEER({ssl_peer_name}) cannot be read at {part}", MQRC_CHANNEL_SSL_ERROR)
            wanted = pattern.strip().strip('"')
            if not any(matches_name(wanted, value) for value in self.subject.get(attribute, [])):
                return False
        return True

    def check_cipher(self, ssl_cipher_spec: str) -> None:
        """See that the suite in use is the one that SSLCIPH wants. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
        lowest, highest, cipher = _rule(ssl_cipher_spec)
        version = self.version.replace(".", "_")
        too_high = highest is not None and version > highest
        if version < lowest or too_high or cipher not in (None, self.cipher):
            raise MQError(
                f"TLS came about with {self.version} {self.cipher}, SSLCIPH is {ssl_cipher_spec}",
                MQRC_CHANNEL_SSL_ERROR,
            )


def _rule(ssl_cipher_spec: str) -> tuple[str, str | None, str | None]:
    rule = _CIPHERS.get(ssl_cipher_spec.upper())
    if rule is None:
        raise MQError(
            f"SSLCIPH({ssl_cipher_spec}) is not known", MQRC_CHANNEL_SSL_ERROR, hint=f"known: {' '.join(_CIPHERS)}"
        )
    return rule


def secured(connected: socket.socket, *, ssl_cipher_spec: str = _ANY, host: str = "") -> tuple[socket.socket, Peer]:
    """Put TLS over a connection; give the socket and what the other end's certificate says.

    host: that was called; empty at the end that was called, which cannot know SSLCIPH yet.
    Raises MQError: MQRC_CHANNEL_SSL_ERROR where the configuration or the handshake fails.
    """
    import ssl

    context = _context(ssl_cipher_spec, is_server=not host)
    try:
        wrapped = context.wrap_socket(connected, server_side=not host, server_hostname=host or None)
    except ssl.SSLError as error:
        raise MQError(f"TLS did not come about: {error.reason or error}", MQRC_CHANNEL_SSL_ERROR) from error
    except OSError as error:
        raise LinkError(f"the connection broke while TLS came about: {error}") from error
    peer = _peer(wrapped, host)
    if host:
        peer.check_cipher(ssl_cipher_spec)
    return wrapped, peer


def check_configuration() -> None:
    """Check that the end of a channel that is called can use TLS. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
    _context(_ANY, is_server=True)


def _context(ssl_cipher_spec: str, *, is_server: bool) -> ssl.SSLContext:
    import ssl

    lowest, highest, cipher = _rule(ssl_cipher_spec)
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
