"""Who may call the REST API: login, basic authentication, certificates, the CSRF header, the Host header."""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from mqtools.admin import error_log, users
from mqtools.mqi.connection import Connection
from mqtools.rest import identity
from mqtools.rest.application import CERTIFICATE_NAME, make_application
from mqtools.rest.host import RestHost
from mqtools.rest.identity import LIFE_S, LoginSessions

from .conftest import ADMIN, APP, CSRF, MESSAGES, MQSC, V2, error_of

LOGIN = f"{V2}/login"
#: A request without credentials, with a wrong password, and with the cookie of no login.
UNAUTHENTICATED, WRONG, LOGGED_OUT = ((401, f"MQWB0{number}E", None) for number in (104, 105, 112))


@pytest.fixture
def stranger(client: Any) -> Any:
    """A client that is not logged in."""
    client.cookies.clear()
    return client


def log_in(client: Any, user: str = APP[0], password: str = APP[1]) -> Any:
    return client.post(LOGIN, json={"username": user, "password": password})


def test_a_login_lasts_until_the_logout(stranger: Any, host: RestHost) -> None:
    cookie = log_in(stranger).headers["set-cookie"]
    name, _, rest = cookie.partition("=")
    assert name == host.sessions.cookie_name
    assert name.startswith("LtpaToken2_")
    token, *attributes = rest.split("; ")
    assert {"HttpOnly", "SameSite=strict", f"Max-Age={LIFE_S}", "Path=/"} == set(attributes)
    shown = stranger.get(LOGIN).json()["user"]
    assert shown == [{"name": "app", "role": ["MQWebUser"], "authenticationMechanism": "form"}]
    assert stranger.delete(LOGIN).status_code == 204
    assert error_of(stranger.get(LOGIN)) == UNAUTHENTICATED
    assert error_of(stranger.get(LOGIN, headers={"cookie": f"{name}={token}"})) == LOGGED_OUT


def test_the_cookie_of_a_server_with_tls_is_secure(stranger: Any, host: RestHost) -> None:
    host.is_secure = True
    assert "Secure" in log_in(stranger).headers["set-cookie"].split("; ")


def test_a_changed_password_ends_logins_and_basic_authentication(stranger: Any, qm: Connection) -> None:
    log_in(stranger)
    assert stranger.get(LOGIN).status_code == stranger.get(LOGIN, auth=APP).status_code == 200
    with qm.work() as work:
        users.set_password(work, "app", users.hash_password(b"another"))
    assert error_of(stranger.get(LOGIN)) == LOGGED_OUT
    assert error_of(stranger.get(LOGIN, auth=APP)) == WRONG
    with qm.work() as work:
        users.delete_user(work, "app")
    assert error_of(stranger.get(LOGIN, auth=("app", "another"))) == WRONG


def test_logins_end_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    sessions = LoginSessions(lambda: now[0])
    monkeypatch.setattr(identity, "_MOST_OF_A_USER", 2)
    first, second, third = (sessions.begin("app", b"d") for _ in range(3))
    assert sessions.find(first) is None
    assert sessions.find(second) == sessions.find(third)
    now[0] = LIFE_S
    assert sessions.find(third) is None
    assert len(sessions.cookie_name) > len("LtpaToken2_")


def test_a_wrong_password_is_slowed_and_logged(stranger: Any, qm: Connection) -> None:
    for answer in (log_in(stranger, "app", "wrong"), log_in(stranger, "nobody", "x")):
        assert error_of(answer) == WRONG
    began = time.monotonic()
    assert error_of(stranger.get(LOGIN, auth=("app", "wrong"))) == WRONG
    assert time.monotonic() - began >= 1  # FAILDLAY
    entries = [entry for entry in error_log.entries(qm) if entry.amq == "AMQ5534E"]
    assert {entry.inserts["user"] for entry in entries} == {"app", "nobody"}


def test_a_password_is_computed_once(stranger: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stranger.get(LOGIN, auth=APP).status_code == 200

    def refuse(*_: object) -> bool:
        raise AssertionError("a password was computed again")

    monkeypatch.setattr(users, "verify_password", refuse)
    assert stranger.get(LOGIN, auth=APP).status_code == 200


def test_a_long_body_is_not_read_from_a_stranger(host: RestHost) -> None:
    application, read = make_application(host), []

    async def receive() -> dict[str, Any]:
        read.append(50_000)
        return {"type": "http.request", "body": b"x" * 50_000, "more_body": True}

    async def post(path: str) -> int:
        sent: list[dict[str, Any]] = []
        headers = [(b"host", b"localhost"), (b"ibm-mq-rest-csrf-token", b""), (b"authorization", b"Basic YXBwOng=")]
        scope = {"type": "http", "method": "POST", "raw_path": path.encode(), "headers": headers, "query_string": b""}

        async def send(message: Any) -> None:
            sent.append(message)

        await application({**scope, "path": path}, receive, send)
        return int(sent[0]["status"])

    assert asyncio.run(post(V2 + MESSAGES)) == asyncio.run(post(LOGIN)) == 401
    assert sum(read) == 2 * 100_000


def test_too_many_logins_at_a_time_are_refused(host: RestHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqtools.rest.host._MOST_LOGINS", 2)
    monkeypatch.setattr(users.PasswordProofs, "verify", lambda *_: False)

    async def attack() -> list[int]:
        wrong = [host.verify(identity.Basic("app", b"x", host.proofs)) for _ in range(5)]
        found = await asyncio.gather(*wrong, return_exceptions=True)
        return sorted(getattr(each, "status", 0) for each in found)

    assert asyncio.run(attack()) == [401, 401, 503, 503, 503]


@pytest.mark.parametrize(
    "value",
    ["Basic", "Basic !!", "Basic " + base64.b64encode(b"app").decode(), "Basic " + base64.b64encode(b"\xff:").decode(),
     "Bearer x"],
)  # fmt: skip
def test_an_authorization_header_that_is_not_valid(client: Any, value: str) -> None:
    assert error_of(client.get(LOGIN, headers={"authorization": value}))[0] == 401


def test_a_request_without_credentials_says_which_there_are(stranger: Any) -> None:
    answer = stranger.post(V2 + MESSAGES, content="x")
    assert error_of(answer) == UNAUTHENTICATED
    assert answer.headers["www-authenticate"].startswith("Basic")


@pytest.mark.parametrize(("method", "path"), [("POST", V2 + MESSAGES), ("DELETE", V2 + MESSAGES), ("DELETE", LOGIN),
                                              ("POST", MQSC), ("PATCH", f"{V2}/admin/qmgr/QM1/queue/Q")])  # fmt: skip
def test_a_change_needs_the_csrf_header(client: Any, method: str, path: str) -> None:
    del client.headers["ibm-mq-rest-csrf-token"]
    assert error_of(client.request(method, path)) == (401, "MQWB0100E", None)
    assert client.get(LOGIN).status_code == 200


@pytest.mark.parametrize(
    ("name", "expected"),
    [("localhost:9443", 200), ("127.0.0.1", 200), ("[::1]:9443", 200), ("LOCALHOST", 200), ("evil.example", 400),
     ("10.1.1.1", 400), ("", 400), ("localhost.evil.example:9443", 400), ("[::1", 400)],
)  # fmt: skip
def test_a_host_header_must_name_the_server(client: Any, name: str, expected: int) -> None:
    answer = client.get(LOGIN, headers={"host": name})
    assert answer.status_code == expected
    if expected == 400:
        assert error_of(answer)[1] == "MQWB0903E"


def test_a_server_for_other_machines_may_be_called_by_any_address(client: Any, host: RestHost) -> None:
    host.takes_addresses = True
    assert client.get(LOGIN, headers={"host": "10.1.1.1:9443"}).status_code == 200
    assert client.get(LOGIN, headers={"host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(("name", "expected"), [("app", 200), ("nobody", 401), ("", 401)])
def test_a_certificate_names_a_user(host: RestHost, name: str, expected: int) -> None:
    application = make_application(host)

    async def with_certificate(scope: Any, receive: Any, send: Any) -> None:
        await application({**scope, "state": {CERTIFICATE_NAME: name}}, receive, send)

    with TestClient(with_certificate, "http://localhost", headers=CSRF) as client:
        answer = client.get(LOGIN)
        assert answer.status_code == expected
        if expected == 200:
            assert answer.json()["user"][0]["authenticationMechanism"] == "clientCertificate"


def test_a_certificate_of_the_owner_needs_a_password_too(host: RestHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "is_owner_name", lambda *_: True)
    with host.connect() as connection:
        assert not identity.Certificate("app").is_proved(connection.db)


def test_a_user_who_may_not_connect_is_forbidden(stranger: Any, qm: Connection) -> None:
    with qm.work() as work:
        users.add_user(work, "guest")
        users.set_password(work, "guest", users.hash_password(b"guest"))
    assert error_of(stranger.get(LOGIN, auth=("guest", "guest"))) == (403, "MQWB0103E", 2035)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [("GET", f"{V2}/x", (404, "MQWB0906E")), ("GET", "/ibmmq/rest/v9/login", (404, "MQWB0906E")),
     ("GET", f"{LOGIN}/", (404, "MQWB0906E")), ("PUT", LOGIN, (405, "MQWB0907E")), ("GET", "/", (404, "MQWB0906E"))],
)  # fmt: skip
def test_a_path_or_method_that_is_not_there(client: Any, method: str, path: str, expected: Any) -> None:
    assert error_of(client.request(method, path))[:2] == expected


def test_an_unexpected_error_is_the_only_500(host: RestHost, notes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(RestHost, "call", fail)
    with TestClient(make_application(host), "http://localhost", raise_server_exceptions=False) as client:
        answer = client.get(LOGIN, auth=ADMIN)
    assert error_of(answer)[:2] == (500, "MQWB0000E")
    assert "secret" not in answer.text
    assert notes.pop() == "REST: GET /ibmmq/rest/v2/login: unexpected RuntimeError: a secret"
