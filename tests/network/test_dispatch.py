"""One port for clients and message channels: the first bytes decide, over TLS too."""

from __future__ import annotations

import shutil
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mqtools.admin import channel_status, queue_managers
from mqtools.admin.channels import alter_channel, stop_channel
from mqtools.admin.depths import depth
from mqtools.clients.wire.codes import PLAIN, Flags, SegmentType
from mqtools.clients.wire.segments import Splitter, WireSegment
from mqtools.configuration.tls import TlsFiles
from mqtools.constants.cmqxc import MQSCA_OPTIONAL
from mqtools.mqi.connection import connect
from mqtools.network.dispatch import Limits, Service
from mqtools.network.listener import Listener
from mqtools.rules.security.admission import AdmissionPolicy

from ..certificates import authority, certificate
from ..copied import copy_of
from ..listening import listening
from .client import CHANNEL, PATIENCE_S, Client

Q = "DEV.QUEUE.1"
#: Begin to listen; return a function that calls.
Listen = Callable[[], Callable[[], socket.socket]]


@pytest.fixture
def service(tmp_path: Path) -> Service:
    path = copy_of(lambda path: queue_managers.create(path, developer=True), str(tmp_path / "QM1.db"))
    return Service(path=path, connect=lambda: connect(path), note=print)


@pytest.fixture
def listen(service: Service) -> Iterator[Listen]:
    """Begin to listen; return a function that calls."""
    with ExitStack() as begun:

        def begin() -> Callable[[], socket.socket]:
            listener = begun.enter_context(listening(Listener(service, "127.0.0.1", 0)))
            return lambda: socket.create_connection(("127.0.0.1", listener.port), PATIENCE_S)

        yield begin


def put_and_commit(service: Service, client: Client) -> None:
    client.send_put(Q, b"x")
    assert client.reply()[0].reason == 0
    assert client.call(SegmentType.MQCMIT)[0].reason == 0
    with connect(service.path) as connection:
        assert depth(connection.db, Q) == 1


def test_the_port_serves_a_client_and_a_channel_at_a_time(service: Service, listen: Listen) -> None:
    call = listen()
    client = Client(call())
    with call() as channel:
        channel.sendall(b"MX\x01\x00\x00\x00\x00\x02{}")
        assert channel.recv(100).startswith(b"MX\x03")
    put_and_commit(service, client)


def test_the_status_of_a_channel_shows_a_client_and_stop_channel_ends_it(service: Service, listen: Listen) -> None:
    client = Client(listen()())
    put_and_commit(service, client)
    with connect(service.path) as connection:
        (status,) = channel_status.statuses(connection.db, CHANNEL)
        shown = status.state, status.connection_name, status.mca_user, status.remote_appl_tag, status.conversations
        assert shown == ("running", "127.0.0.1", "app", "client", 1)
        assert status.messages >= 1
        assert min(status.bytes, status.bytes_received, status.begun_at or 0) > 0
        with connection.work() as work:
            stop_channel(work, CHANNEL, quiesces=False)
        assert [status.state for status in channel_status.statuses(connection.db, CHANNEL)] == ["stopped"]
    assert client.receive().kind == SegmentType.STATUS_DATA


def test_first_bytes_may_come_one_by_one(listen: Listen) -> None:
    with listen()() as connected:
        for byte in WireSegment(eyecatcher=PLAIN, kind=SegmentType.HEARTBEAT).pack():
            connected.sendall(bytes([byte]))
            time.sleep(0.001)
        (reply,) = Splitter().feed(connected.recv(1000))
        assert reply.kind == SegmentType.STATUS_DATA


def test_a_client_beyond_the_limit_is_refused_in_its_protocol(service: Service, listen: Listen) -> None:
    service.limits = Limits(most=1)
    call = listen()
    first = Client(call())
    with call() as connected:
        connected.sendall(b"TSH ")
        (reply,) = Splitter().feed(connected.recv(1000))
        assert (reply.kind, reply.flags & Flags.CLOSE_CHANNEL) == (SegmentType.STATUS_DATA, Flags.CLOSE_CHANNEL)
    put_and_commit(service, first)


@pytest.mark.parametrize("first", [b"T", b"TSH ", b"\x16\x03"])
@pytest.mark.parametrize("limits", [Limits(most=2), Limits(most_per_address=2)], ids=["all", "address"])
def test_the_oldest_stranger_makes_room(
    service: Service, listen: Listen, tmp_path: Path, limits: Limits, first: bytes
) -> None:
    certificates = pytest.importorskip("mqtools.network.development_certificate", exc_type=ImportError)
    made = certificates.provide_certificate(str(tmp_path / "tls"), "QM1")
    service.limits, service.tls_files = limits, TlsFiles(made.server, made.server)
    call = listen()
    strangers = [call() for _ in range(2)]
    for each in strangers:
        each.sendall(first)
    time.sleep(0.1)
    put_and_commit(service, Client(call()))
    assert strangers[0].recv(100) == b""
    strangers[1].settimeout(0.1)
    with pytest.raises(TimeoutError):
        strangers[1].recv(100)


def test_a_client_is_served_over_tls(service: Service, listen: Listen, tmp_path: Path) -> None:
    certificates = pytest.importorskip("mqtools.network.development_certificate", exc_type=ImportError)
    made = certificates.provide_certificate(str(tmp_path / "tls"), "QM1")
    service.tls_files = TlsFiles(made.server, made.server)
    with connect(service.path) as connection, connection.work() as work:
        alter_channel(work, "SVRCONN", CHANNEL, {"ssl_cipher_spec": "ANY_TLS12", "ssl_client_auth": MQSCA_OPTIONAL})
    call = listen()
    context = ssl.create_default_context(cafile=made.ca)
    with pytest.raises(AssertionError, match="kind=5"):
        Client(context.wrap_socket(call(), server_hostname="localhost"))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    put_and_commit(service, Client(context.wrap_socket(call(), server_hostname="localhost")))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed here")
def test_a_certificate_that_sslpeer_accepts_lets_a_client_in(service: Service, listen: Listen, tmp_path: Path) -> None:
    authority(tmp_path, "ca")
    for name in ("server", "orders", "stranger"):
        certificate(tmp_path, name, "ca")
    files = {name: str(tmp_path / name) for name in ("ca.pem", "server.pem", "server.key")}
    service.tls_files = TlsFiles(files["server.pem"], files["server.key"], files["ca.pem"])
    service.policy = AdmissionPolicy(owner_allowed=False)
    with connect(service.path) as connection, connection.work() as work:
        alter_channel(
            work, "SVRCONN", CHANNEL, {"ssl_cipher_spec": "ANY_TLS12_OR_HIGHER", "ssl_peer_name": "CN=orders"}
        )
    call = listen()

    def client_with(name: str) -> Client:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(files["ca.pem"])
        if name:
            context.load_cert_chain(tmp_path / f"{name}.pem", tmp_path / f"{name}.key")
        return Client(context.wrap_socket(call()))

    put_and_commit(service, client_with("orders"))
    for name in ("stranger", ""):
        with pytest.raises(AssertionError):
            client_with(name)
