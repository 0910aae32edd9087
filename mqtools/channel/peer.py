"""Certificate of the other end of a channel with TLS, and its checks against SSLPEER and SSLCIPH."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError
from mqtools.rules.security import distinguished_names

#: SSLCIPH to the lowest version of TLS, the highest, and the one cipher suite by OpenSSL's name; None: any.
CIPHERS: dict[str, tuple[str, str | None, str | None]] = {
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


@dataclass(frozen=True, slots=True)
class Peer:
    """Certificate of the other end.

    subject: attributes of the distinguished name, each with its values.  names: alternative DNS names.  host: that was
    called, empty at the called end.  cipher: suite in use.  version: of TLS.
    """

    subject: dict[str, list[str]]
    names: list[str]
    _: KW_ONLY
    host: str = ""
    cipher: str = ""
    version: str = ""

    def check(self, ssl_peer_name: str, q_mgr_name: str) -> None:
        """Check that the certificate is for the expected queue manager.

        ssl_peer_name: SSLPEER; where it is blank the certificate must be for the queue manager, by its common name or
        a DNS name, or for the host that was called.  Raises MQError: MQRC_CHANNEL_SSL_ERROR.
        """
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

    def check_cipher(self, ssl_cipher_spec: str) -> None:
        """Check that the cipher suite is that of SSLCIPH. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
        lowest, highest, cipher = cipher_rule(ssl_cipher_spec)
        version = self.version.replace(".", "_")
        too_high = highest is not None and version > highest
        if version < lowest or too_high or cipher not in (None, self.cipher):
            raise MQError(
                f"TLS negotiated {self.version} {self.cipher}, but SSLCIPH is {ssl_cipher_spec}",
                MQRC_CHANNEL_SSL_ERROR,
            )


def cipher_rule(ssl_cipher_spec: str) -> tuple[str, str | None, str | None]:
    """Return lowest and highest version and the cipher suite of an SSLCIPH. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
    rule = CIPHERS.get(ssl_cipher_spec.upper())
    if rule is None:
        raise MQError(
            f"SSLCIPH({ssl_cipher_spec}) is not known", MQRC_CHANNEL_SSL_ERROR, hint=f"known: {' '.join(CIPHERS)}"
        )
    return rule
