"""Development certificate: made for ``mqx serve --tls dev``, with a truststore for Java.

The key of its CA is discarded: no other certificate can be made that clients trust.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mqtools.constants.reasons import MQRC_CHANNEL_SSL_ERROR
from mqtools.errors import MQError

#: Password of the truststore, which holds nothing secret. Java's tools have the same default.
TRUSTSTORE_PASSWORD = "changeit"

_VALID_FOR = timedelta(days=365)
#: A certificate that expires sooner is replaced.
_LEAST_LEFT = timedelta(days=7)
_KEY_BITS = 2048


class DevelopmentCertificate(NamedTuple):
    """Paths of the files. server: key and certificate of the queue manager.  ca: of its CA.  truststore: PKCS#12."""

    server: str
    ca: str
    truststore: str


def provide_certificate(folder: str, q_mgr_name: str) -> DevelopmentCertificate:
    """Return the development certificate in a folder, made if there is no valid one.

    Raises MQError: MQRC_CHANNEL_SSL_ERROR where the folder cannot be used.
    """
    names = ("server.pem", "ca.pem", "truststore.p12")
    files = DevelopmentCertificate(*(os.path.join(folder, name) for name in names))
    try:
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise MQError(f"{folder} is not a folder of this user", MQRC_CHANNEL_SSL_ERROR)
        if not _is_valid(files):
            _make(files, q_mgr_name)
    except OSError as error:
        words = f"cannot write the development certificate: {error.filename or folder}: {error.strerror or error}"
        raise MQError(words, MQRC_CHANNEL_SSL_ERROR) from error
    return files


def _is_valid(files: DevelopmentCertificate) -> bool:
    """Return whether the files are there, belong together, and stay valid for some time."""
    try:
        server, ca, _ = map(_read, files)
        certificate = x509.load_pem_x509_certificate(server)
        certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(ca))
    except (FileNotFoundError, ValueError, TypeError, InvalidSignature):
        return False
    return certificate.not_valid_after_utc - datetime.now(UTC) > _LEAST_LEFT


def _read(path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return file.read()


def _make(files: DevelopmentCertificate, q_mgr_name: str) -> None:
    ca_key, key = (rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS) for _ in range(2))
    ca_name = _name(f"mqx development CA of {q_mgr_name}"[:64])
    no_path = x509.BasicConstraints(ca=True, path_length=0)
    ca = _builder(ca_name, ca_name, ca_key).add_extension(no_path, critical=True).sign(ca_key, hashes.SHA256())
    hosts = [x509.DNSName(host) for host in sorted({"localhost", socket.gethostname()}) if host.isascii()]
    addresses = [x509.IPAddress(ip_address(address)) for address in ("127.0.0.1", "::1")]
    certificate = (
        _builder(_name(q_mgr_name), ca_name, key)
        .add_extension(x509.SubjectAlternativeName([*hosts, *addresses]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    trusted = pkcs12.PKCS12Certificate(ca, b"mqx")
    truststore = pkcs12.serialize_java_truststore([trusted], BestAvailableEncryption(TRUSTSTORE_PASSWORD.encode()))
    _write(files.truststore, truststore)
    _write(files.ca, ca.public_bytes(Encoding.PEM))
    _write(files.server, private + certificate.public_bytes(Encoding.PEM))


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))  # clocks differ
        .not_valid_after(now + _VALID_FOR)
    )


def _write(path: str, data: bytes) -> None:
    """Replace a file, readable by this user only."""
    draft = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(draft)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(draft, flags, 0o600), "wb") as file:
        file.write(data)
    os.replace(draft, path)
