"""CipherSpecs: the values of SSLCIPH, with TLS version and cipher suites of each."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError

_TLS12, _TLS13 = "TLSv1_2", "TLSv1_3"


@dataclass(frozen=True, slots=True)
class CipherSpec:
    """A CipherSpec. lowest, highest: versions of TLS, as ssl names them; None for no limit.

    suite: the only cipher suite, by OpenSSL's name; empty for any.
    """

    lowest: str
    highest: str | None = None
    suite: str = ""


#: TLS 1.2 CipherSpecs to OpenSSL's name of the suite, the preferred first. Those without forward secrecy are last.
_TLS12_SUITES = {
    "ECDHE_ECDSA_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE_RSA_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE_ECDSA_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE_RSA_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE_ECDSA_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE_RSA_AES_256_CBC_SHA384": "ECDHE-RSA-AES256-SHA384",
    "ECDHE_ECDSA_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE_RSA_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256": "AES256-SHA256",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
}
#: TLS 1.3 CipherSpecs have the names of their suites.
_TLS13_SUITES = ("TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256")
CIPHER_SPECS = {
    "ANY": CipherSpec(_TLS12),
    "ANY_TLS12": CipherSpec(_TLS12, _TLS12),
    "ANY_TLS12_OR_HIGHER": CipherSpec(_TLS12),
    "ANY_TLS13": CipherSpec(_TLS13, _TLS13),
    "ANY_TLS13_OR_HIGHER": CipherSpec(_TLS13),
    **{name: CipherSpec(_TLS13, _TLS13, name) for name in _TLS13_SUITES},
    **{name: CipherSpec(_TLS12, _TLS12, suite) for name, suite in _TLS12_SUITES.items()},
}
#: Offer of the called end for TLS 1.2, in OpenSSL's form: it learns SSLCIPH only after the handshake.
OFFERED_SUITES = ":".join(_TLS12_SUITES.values())


def find_cipher_spec(name: str) -> CipherSpec:
    """Return the CipherSpec of an SSLCIPH. Raises MQError: MQRC_CHANNEL_SSL_ERROR."""
    found = CIPHER_SPECS.get(name.upper())
    if found is None:
        words = f"{name} is not a known CipherSpec"
        raise MQError(words, MQRC_CHANNEL_SSL_ERROR, hint=f"known: {' '.join(CIPHER_SPECS)}")
    return found


def check_suite(name: str, suite: str) -> None:
    """Check that the negotiated cipher suite (OpenSSL's name) is one of an SSLCIPH.

    Raises MQError: MQRC_CHANNEL_SSL_ERROR.
    """
    wanted = find_cipher_spec(name)
    version = _TLS13 if suite.startswith("TLS_") else _TLS12
    too_high = wanted.highest is not None and version > wanted.highest
    if version < wanted.lowest or too_high or wanted.suite not in ("", suite):
        raise MQError(f"TLS negotiated {suite}, but the CipherSpec is {name}", MQRC_CHANNEL_SSL_ERROR)
