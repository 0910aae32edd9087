"""The REST API of a developer's queue manager: as an application without a socket, and over a socket."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from mqtools.admin import queue_managers, users
from mqtools.configuration.tls import TlsFiles
from mqtools.mqi.connection import Connection, connect
from mqtools.rest.application import make_application
from mqtools.rest.host import RestHost
from mqtools.rest.server import RestServer

from ..commands.conftest import eventually
from ..copied import copy_of

__all__ = ["eventually"]

APP, ADMIN = ("app", "passw0rd"), ("admin", "passw0rd")
CSRF = {"ibm-mq-rest-csrf-token": ""}
V2, V3 = "/ibmmq/rest/v2", "/ibmmq/rest/v3"
MESSAGES = "/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message"
MQSC = f"{V2}/admin/action/qmgr/QM1/mqsc"
PATIENCE_S = 30


def create(path: str) -> None:
    queue_managers.create(path, developer=True)
    with connect(path) as connection, connection.work() as work:
        for user, password in (APP, ADMIN):
            users.set_password(work, user, users.hash_password(password.encode()))


@pytest.fixture
def notes() -> list[str]:
    """What the server tells the operator."""
    return []


@pytest.fixture
def host(tmp_path: Any, notes: list[str]) -> Iterator[RestHost]:
    path = copy_of(create, str(tmp_path / "QM1.db"))
    made = RestHost(path=path, q_mgr_name="QM1", connect=lambda: connect(path), note=notes.append)
    yield made
    made.close()
    assert notes == []


@pytest.fixture
def qm(host: RestHost) -> Iterator[Connection]:
    """A connection of the owner."""
    with host.connect() as connection:
        yield connection


@pytest.fixture
def client(host: RestHost) -> Iterator[Any]:
    """A client that is logged in as app, with the CSRF header; ``auth=ADMIN`` of a call is another user."""
    with TestClient(make_application(host), "http://localhost", headers=CSRF) as client:
        with host.connect() as connection:
            digest = users.password_digest(connection.db, "app")
        client.cookies.set(host.sessions.cookie_name, host.sessions.begin("app", digest))
        yield client


def error_of(answer: Any) -> tuple[int, str, int | None]:
    """Return status, number and reason of an error, which has all that IBM's errors have."""
    (error,) = answer.json()["error"]
    assert {"type", "msgId", "message", "explanation", "action"} <= error.keys()
    assert error["message"].startswith(error["msgId"])
    return answer.status_code, error["msgId"], error.get("reasonCode")


@pytest.fixture
def serve(host: RestHost) -> Iterator[Callable[..., RestServer]]:
    """Serve on a socket; return the server."""
    running: list[tuple[RestServer, Thread]] = []

    def begin(files: TlsFiles | None = None) -> RestServer:
        host.is_secure = files is not None
        server = RestServer(host, "127.0.0.1", 0, files)
        thread = Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        return server

    yield begin
    for server, thread in running:
        server.wake()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def log_in(connection: http.client.HTTPConnection) -> dict[str, str]:
    """Log in as app; return the headers of further requests."""
    body = json.dumps(dict(zip(("username", "password"), APP, strict=True)))
    connection.request("POST", f"{V2}/login", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 204
    return {**CSRF, "cookie": str(answer.getheader("set-cookie")).partition(";")[0]}
