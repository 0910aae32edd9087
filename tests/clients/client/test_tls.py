"""TLS: the server name, the certificate of the queue manager and that of the client."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import users
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.tls import server_name
from mqtools.configuration.tls import TlsFiles
from mqtools.constants import cmqc
from mqtools.mqi.connection import connect
from mqtools.network.dispatch import Service
from mqtools.network.listener import Listener

from ...certificates import authority, certificate
from ...copied import developers
from ...errors import reason_of
from ...listening import listening
from .conftest import DEFINITIONS, Elsewhere

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed here")


@pytest.mark.parametrize(
    ("channel", "name"),
    [
        ("TO.QMGR1", "to2e-qmgr1.chl.mq.ibm.com"),
        ("to.qmgr1", "74-6f-2e-71-6d-67-72-1.chl.mq.ibm.com"),
        ("A_B%C/D", "a5f-b25-c2f-d.chl.mq.ibm.com"),
    ],
)
def test_the_server_name_is_that_of_the_channel(channel: str, name: str) -> None:
    assert server_name(channel) == name


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    """A queue manager whose channel needs TLS; the client trusts its authority."""
    authority(tmp_path, "ca")
    for name in ("QM1", "orders"):
        certificate(tmp_path, name, "ca")
    path = developers(str(tmp_path / "QM1.db"))
    service = Service(path=path, connect=lambda: connect(path), note=print)
    service.tls_files = TlsFiles(*(str(tmp_path / name) for name in ("QM1.pem", "QM1.key", "ca.pem")))
    monkeypatch.setenv("MQX_TLS_TRUST", str(tmp_path / "ca.pem"))
    with listening(Listener(service, "127.0.0.1", 0)) as listener, Elsewhere(path, listener.port, listener) as served:
        served.mqsc(DEFINITIONS + "ALTER CHANNEL(OWN.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12) SSLCAUTH(OPTIONAL)")
        yield served


def connected(secure: Elsewhere, **changes: object) -> RemoteConnection:
    return secure.connect(**{"cipher_spec": "ANY_TLS12", "q_mgr_name": "QM1", **changes})


def test_a_client_connects_over_tls(secure: Elsewhere) -> None:
    assert connected(secure).name == "QM1"
    assert connected(secure, peer_name="CN=QM1", cipher_spec="ECDHE_RSA_AES_256_GCM_SHA384").name == "QM1"


def test_what_does_not_fit_is_refused(secure: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reason_of(connected, secure, cipher_spec="ANY_TLS13") == cmqc.MQRC_SSL_INITIALIZATION_ERROR
    assert reason_of(connected, secure, cipher_spec="NOPE") == cmqc.MQRC_UNSUPPORTED_CIPHER_SUITE
    assert reason_of(connected, secure, cipher_spec="") == cmqc.MQRC_SSL_INITIALIZATION_ERROR
    assert reason_of(connected, secure, peer_name="CN=QM2") == cmqc.MQRC_SSL_PEER_NAME_MISMATCH
    assert reason_of(connected, secure, q_mgr_name="*QM2") == cmqc.MQRC_SSL_PEER_NAME_MISMATCH
    monkeypatch.delenv("MQX_TLS_TRUST")
    assert reason_of(connected, secure) == cmqc.MQRC_SSL_INITIALIZATION_ERROR
    assert connected(secure, verifies=False).name == "QM1"


def test_a_client_sends_its_certificate(secure: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secure.mqsc("ALTER CHANNEL(OWN.SVRCONN) CHLTYPE(SVRCONN) SSLPEER('CN=orders') SSLCAUTH(REQUIRED) MCAUSER('app')")
    assert reason_of(connected, secure) == cmqc.MQRC_JSSE_ERROR
    monkeypatch.setenv("MQX_TLS_CERTIFICATE", str(tmp_path / "orders.pem"))
    monkeypatch.setenv("MQX_TLS_KEY", str(tmp_path / "orders.key"))
    assert connected(secure).name == "QM1"


def test_a_password_travels_over_tls(secure: Elsewhere) -> None:
    secure.mqsc("ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) FAILDLAY(0)")
    with secure.here() as here, here.work() as work:
        users.set_password(work, "app", users.hash_password(b"passw0rd"))
    assert connected(secure, user="app", password="passw0rd").name == "QM1"
    assert reason_of(connected, secure, user="app", password="wrong") == cmqc.MQRC_NOT_AUTHORIZED


def test_the_context_sends_the_server_name(secure: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = ssl.SSLContext.wrap_socket

    def wrap(self: ssl.SSLContext, *given: object, **options: object) -> ssl.SSLSocket:
        if "server_hostname" in options:
            seen.append(options["server_hostname"])
        return real(self, *given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap)
    connected(secure)
    assert seen == ["own2e-svrconn.chl.mq.ibm.com"]
