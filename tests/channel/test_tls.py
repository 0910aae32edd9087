"""TLS with certificates at both ends: who may speak for which queue manager."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Thread, current_thread, main_thread

import pytest

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.network.dispatch import Limits, Service
from mqtools.network.listener import Listener
from mqtools.rules.security.peer_certificate import PeerCertificate

from ..certificates import authority, certificate
from .conftest import CHANNEL, Ends, fails

SSL_ERROR = 2371

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed here")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of QM1, QM2 and QM3 by one authority, and of a QM1 by another."""
    folder = tmp_path_factory.mktemp("certificates")
    authority(folder, "authority")
    for name in ("QM1", "QM2", "QM3"):
        certificate(folder, name, "authority")
    (folder / "strange").mkdir()
    authority(folder / "strange", "authority")
    certificate(folder / "strange", "QM1", "authority")
    return folder


class Tls:
    """A listener of QM2, and a sender of QM1, each with the certificate that is asked for."""

    def __init__(self, ends: Ends, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ends = ends
        self.folder = folder
        self._patch = monkeypatch
        self._mine = ""
        monkeypatch.setattr("mqtools.configuration.tls.settings.value_of", self._path)
        service = Service(
            path=ends.two.path, connect=ends.two.connect_apart, limits=Limits(idle_s=60), note=ends.notes.append
        )
        self.listener = Listener(service, "127.0.0.1", 0)
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        self._server = True
        try:
            self.listener.run()
        except OSError:
            return

    def _path(self, key: str) -> str:
        """Both ends are in this process: threads of the listener are told from the test's own by their name."""
        name = self._mine if current_thread() is main_thread() else "QM2"
        folder = (self.folder / name).parent
        base = Path(name).name
        return str(
            {
                "tls.certificate": folder / f"{base}.pem",
                "tls.key": folder / f"{base}.key",
                "tls.trust": self.folder / "authority.pem",
            }[key]
        )

    def drain(self, certificate: str = "QM1", host: str = "127.0.0.1") -> None:
        self._mine = certificate
        self.ends.drain(f"{host}({self.listener.port})")

    def define(self, sender: str, receiver: str) -> None:
        self.ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) {sender}")
        self.ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {receiver}")


@pytest.fixture
def tls(ends: Ends, certificates: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tls]:
    made = Tls(ends, certificates, monkeypatch)
    made.define("SSLCIPH(ANY_TLS12_OR_HIGHER)", "SSLCIPH(ANY_TLS12_OR_HIGHER)")
    ends.one.put("secret")
    yield made
    made.listener.close()


ANY = "SSLCIPH(ANY_TLS12_OR_HIGHER)"


def test_a_listener_for_tls_only_refuses_every_caller_without(tls: Tls) -> None:
    tls.listener.service.needs_tls = True
    tls.drain()
    assert tls.ends.two.data() == [b"secret"]
    tls.define("SSLCIPH('')", "SSLCIPH('')")
    tls.ends.one.put("in clear")
    with fails(SSL_ERROR):
        tls.drain()
    assert tls.ends.two.depth() == 0
    deadline = time.monotonic() + 10  # the listener notes it after the caller has been told
    while not any("does not use TLS" in note for note in tls.ends.notes) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert any("does not use TLS" in note for note in tls.ends.notes)


@pytest.mark.parametrize(
    "cipher",
    [
        "ANY_TLS12_OR_HIGHER",
        "ANY_TLS13",
        "ANY_TLS12",
        "TLS_AES_256_GCM_SHA384",
        "ECDHE_RSA_AES_256_GCM_SHA384",
    ],
)
def test_messages_cross_over_tls_with_the_cipher_of_the_definition(tls: Tls, cipher: str) -> None:
    tls.define(f"SSLCIPH({cipher})", f"SSLCIPH({cipher})")
    tls.drain()
    assert tls.ends.two.data() == [b"secret"]


@pytest.mark.parametrize(
    ("sender", "receiver", "certificate"),
    [
        ("SSLCIPH(' ')", ANY, "QM1"),
        (ANY, "SSLCIPH(' ')", "QM1"),
        ("SSLCIPH(ANY_TLS12)", "SSLCIPH(ANY_TLS13)", "QM1"),
        ("SSLCIPH(NO_SUCH)", ANY, "QM1"),
        (ANY, ANY, "QM3"),
        (ANY, ANY, "none"),
        (ANY + " SSLPEER('CN=QM3')", ANY, "QM1"),
        (ANY, ANY + " SSLPEER('CN=QM3')", "QM1"),
        (ANY, ANY + " SSLPEER('O=Theirs,CN=QM1')", "QM1"),
        (ANY, ANY + " SSLPEER('nonsense')", "QM1"),
    ],
    ids=[
        "plain to TLS",
        "TLS to plain",
        "another version",
        "an unknown cipher",
        "the certificate of another queue manager",
        "no certificate",
        "not the peer that the sender wants",
        "not the peer that the receiver wants",
        "another organisation",
        "a peer that cannot be read",
    ],
)
def test_whoever_is_not_who_it_must_be_gets_nothing(tls: Tls, sender: str, receiver: str, certificate: str) -> None:
    tls.define(sender, receiver)
    with fails(SSL_ERROR):
        tls.drain(certificate)
    assert tls.ends.two.depth() == 0
    assert tls.ends.one.depth("QM2") == 1


def test_a_certificate_of_another_authority_is_refused(tls: Tls) -> None:
    with pytest.raises(MQError):
        tls.drain("strange/QM1")
    assert tls.ends.two.depth() == 0


def test_sslpeer_lets_a_certificate_speak_for_a_queue_manager_of_another_name(tls: Tls) -> None:
    tls.define(ANY + " SSLPEER('CN=QM*,O=Ours')", ANY + " SSLPEER('CN=QM3')")
    tls.drain("QM3")
    assert tls.ends.two.data() == [b"secret"]


@pytest.mark.parametrize(
    ("host", "is_right"), [("qm2.example", True), ("other.example", False), ("", False)], ids=["host", "other", "none"]
)
def test_a_certificate_may_be_for_the_host_that_was_called(host: str, is_right: bool) -> None:
    certificate = PeerCertificate({"commonName": ["x"]}, ["qm2.example"], host=host)
    with nullcontext() if is_right else fails(SSL_ERROR):
        certificate.check("", "QM2")


@pytest.mark.parametrize(("certificate", "is_let_in"), [("QM1", True), ("QM3", False)])
def test_a_channel_authentication_record_looks_at_the_certificate(tls: Tls, certificate: str, is_let_in: bool) -> None:
    tls.define(ANY + " SSLPEER('CN=QM*')", ANY + " SSLPEER('CN=QM*')")
    tls.ends.two.mqsc(
        "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
        "SET CHLAUTH('QM1.*') TYPE(SSLPEERMAP) SSLPEER('CN=QM1,O=Ours') ADDRESS('127.0.0.*') USERSRC(CHANNEL)",
    )
    if is_let_in:
        tls.drain(certificate)
    else:
        with fails(MQRC_NOT_AUTHORIZED):
            tls.drain(certificate)
    assert tls.ends.two.data() == ([b"secret"] if is_let_in else [])
