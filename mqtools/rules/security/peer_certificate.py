"""Certificate of the other end of a channel with TLS, and its check against SSLPEER."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError
from mqtools.rules.security import distinguished_names


@dataclass(frozen=True, slots=True)
class PeerCertificate:
    """Certificate of the other end, as the handshake verified it.

    subject, issuer: attributes of the distinguished name, each with its values; empty without a certificate.
    names: alternative DNS names and addresses.  host: that was called, empty at the called end.
    suite: negotiated cipher suite, by OpenSSL's name.
    """

    subject: dict[str, list[str]]
    names: list[str]
    _: KW_ONLY
    issuer: dict[str, list[str]] = field(default_factory=dict)
    host: str = ""
    suite: str = ""

    def check(self, ssl_peer_name: str, q_mgr_name: str) -> None:
        """Check that the certificate is for the expected queue manager.

        ssl_peer_name: SSLPEER; where it is blank the certificate must be for the queue manager, by its common name or
        a DNS name, or for the host that was called.  Raises MQError: MQRC_CHANNEL_SSL_ERROR.
        """
        if not self.subject and not self.names:
            raise MQError(f"{q_mgr_name} sent no certificate", MQRC_CHANNEL_SSL_ERROR)
        if ssl_peer_name:
            if not self._matches(ssl_peer_name):
                raise MQError(f"the certificate of {q_mgr_name} does not match SSLPEER", MQRC_CHANNEL_SSL_ERROR)
            return
        own = {*self.subject.get("commonName", []), *self.names}
        if q_mgr_name in own or (self.host and self.host in own):
            return
        raise MQError(
            f"the certificate of the other end is for {' '.join(sorted(own)) or 'no name'}, not for {q_mgr_name}",
            MQRC_CHANNEL_SSL_ERROR,
        )

    def _matches(self, ssl_peer_name: str) -> bool:
        try:
            return distinguished_names.matches(ssl_peer_name, self.subject)
        except ValueError as error:
            raise MQError(f"SSLPEER({ssl_peer_name}) {error}", MQRC_CHANNEL_SSL_ERROR) from error
