"""The REST API over a socket: gets that wait, hostile and slow clients, TLS, the end of the server."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mqtools.configuration.tls import TlsFiles
from mqtools.constants.message import MQFMT_STRING
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.rest import server as module
from mqtools.rest.host import RestHost
from mqtools.rest.server import RestServer

from ..certificates import authority, certificate
from .conftest import CSRF, MESSAGES, PATIENCE_S, V2, log_in

Serve = Callable[..., RestServer]
Q = "DEV.QUEUE.1"


def connect(server: RestServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)


def raw(server: RestServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), PATIENCE_S)


def rest_of(connected: socket.socket) -> bytes:
    """Return what the server sends until it closes the connection."""
    found = b""
    while data := connected.recv(65_536):
        found += data
    return found


class Waiting:
    """A get that waits in a thread."""

    def __init__(self, server: RestServer) -> None:
        self.client = connect(server)
        self.headers = log_in(self.client)
        self.status, self.body = 0, b""
        self.thread = Thread(target=self._get)
        self.thread.start()

    def _get(self) -> None:
        self.client.request("DELETE", f"{V2}{MESSAGES}?wait=60000", headers=self.headers)
        answer = self.client.getresponse()
        self.status, self.body = answer.status, answer.read()


def test_a_get_waits_for_a_message_that_comes_later(
    serve: Serve, host: RestHost, qm: Connection, eventually: Any
) -> None:
    waiting = Waiting(serve())
    eventually(lambda: host.waits == 1)
    qm.put1(Q, Message(b"late", MQMD(format=MQFMT_STRING)))
    waiting.thread.join(PATIENCE_S)
    assert (waiting.status, waiting.body) == (200, b"late")
    eventually(lambda: host.waits == 0)


def test_the_end_of_the_server_ends_a_get_that_waits(serve: Serve, host: RestHost, eventually: Any) -> None:
    server = serve()
    waiting = Waiting(server)
    eventually(lambda: host.waits == 1)
    assert server.is_running
    server.wake()
    waiting.thread.join(PATIENCE_S)
    assert waiting.status == 503


def test_a_client_that_goes_gets_nothing(serve: Serve, host: RestHost, qm: Connection, eventually: Any) -> None:
    server = serve()
    headers = log_in(connect(server))
    with raw(server) as connected:
        lines = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "host": "localhost"}.items())
        connected.sendall(f"DELETE {V2}{MESSAGES}?wait=60000 HTTP/1.1\r\n{lines}\r\n".encode())
        eventually(lambda: host.waits == 1)
    eventually(lambda: host.waits == 0)
    qm.put1(Q, Message(b"kept", MQMD(format=MQFMT_STRING)))
    with qm.open(Q, 2) as handle:
        assert handle.get().message.data == b"kept"


def test_a_client_that_goes_within_its_body_is_not_reported(serve: Serve, eventually: Any) -> None:
    server = serve()
    headers = log_in(connect(server))
    with raw(server) as connected:
        lines = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "host": "localhost"}.items())
        connected.sendall(f"POST {V2}{MESSAGES} HTTP/1.1\r\ncontent-length: 9\r\n{lines}\r\nabc".encode())
        eventually(lambda: server.is_running)
    eventually(lambda: not server.is_running)


def test_too_many_gets_that_wait_are_refused(serve: Serve, host: RestHost, eventually: Any) -> None:
    host.most_waits = 1
    server = serve()
    first = Waiting(server)
    eventually(lambda: host.waits == 1)
    second = Waiting(server)
    second.thread.join(PATIENCE_S)
    assert second.status == 503
    server.wake()
    first.thread.join(PATIENCE_S)


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        (b"GET / HTTP/1.1", [b"a%d: x" % number for number in range(200)], b"431"),
        (b"GET / HTTP/1.1", [b"a: " + b"x" * 200_000], b"431"),
        (b"GET /" + b"x" * 200_000 + b" HTTP/1.1", [], b"431"),
        (b"GET / HTTP/1.1", [b"host: a", b"host: b"], b"400"),
        (b"GET / HTTP/1.1", [], b"400"),
        (b"GET /\xff HTTP/1.1", [b"host: localhost"], b"4"),
        (b"\x16\x03\x01", [], b"400"),
        (b"POST / HTTP/1.1", [b"host: localhost", b"content-length: 1", b"transfer-encoding: chunked"], b"4"),
        (b"GET / HTTP/1.1", [b"host: localhost", b"x: a\x00b"], b"400"),
    ],
)  # fmt: skip
def test_hostile_requests_are_refused(serve: Serve, request_line: bytes, headers: list[bytes], status: bytes) -> None:
    server = serve()
    with raw(server) as connected:
        try:
            connected.sendall(b"\r\n".join([request_line, *headers, b"connection: close", b"", b""]))
            answer = rest_of(connected)
        except ConnectionError:  # closed with unread input
            answer = b"HTTP/1.1 431"
        assert answer.startswith(b"HTTP/1.1 " + status), answer[:100]
    client = connect(server)
    log_in(client)
    client.close()


@pytest.mark.parametrize(
    "sent", [b"", b"\r\n", b"GET / HT", b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nx"]
)
def test_slow_clients_lose_their_connection(serve: Serve, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(module, "_REQUEST_S", 0.2)
    with raw(serve()) as connected:
        connected.sendall(sent)
        rest_of(connected)  # it ends


def test_an_idle_connection_is_closed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_IDLE_S", 0)
    with raw(serve()) as connected:
        connected.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert b"404" in rest_of(connected)


def test_more_clients_than_allowed_are_refused(serve: Serve, host: RestHost) -> None:
    host.most_connections = 1
    server = serve()
    with raw(server), raw(server) as second:
        second.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert rest_of(second).startswith(b"HTTP/1.1 503")


def test_an_answer_has_no_header_of_a_message_with_line_ends(serve: Serve, qm: Connection) -> None:
    qm.put1(Q, Message(b"x", MQMD(format=MQFMT_STRING, reply_to_q="a\r\nset-cookie: x")))
    client = connect(serve())
    client.request("GET", V2 + MESSAGES, headers=log_in(client))
    answer = client.getresponse()
    assert (answer.status, answer.read(), answer.getheader("ibm-mq-md-replyTo")) == (200, b"x", None)
    assert answer.getheader("set-cookie") is None
    client.close()


def test_a_client_certificate_is_a_user(serve: Serve, tmp_path: Path) -> None:
    authority(tmp_path, "ca")
    for name in ("localhost", "app"):
        certificate(tmp_path, name, "ca")
    server = serve(TlsFiles(*(str(tmp_path / name) for name in ("localhost.pem", "localhost.key", "ca.pem"))))
    assert server.url == f"https://127.0.0.1:{server.port}/ibmmq/rest/v2"
    found = []
    for name in ("app", None):
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        context.check_hostname = False
        if name is not None:
            context.load_cert_chain(tmp_path / f"{name}.pem", tmp_path / f"{name}.key")
        client = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=PATIENCE_S, context=context)
        client.request("POST", V2 + MESSAGES, "x", CSRF)
        found.append(client.getresponse().status)
        client.close()
    assert found == [201, 401]


def test_an_idle_server_takes_no_processor_time(serve: Serve) -> None:
    client = connect(serve())
    log_in(client)
    began = time.process_time()
    time.sleep(1)
    assert time.process_time() - began < 0.05
    client.close()
