"""Admission of clients by the facts of a queue manager: users, records, AUTHINFO, and whose socket it is."""

from __future__ import annotations

import hashlib
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mqtools.admin import developer_objects, error_log, socket_owner, users
from mqtools.admin.admission import AdmissionError, AdmissionPolicy, Login, Peer, admit, check_channel
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.objects import DEFAULT_AUTH_INFO
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_CHANNEL_NAME
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.file_owner import local_user
from mqtools.rules.security.authorities import AUTHORITIES, QMGR, QUEUE, TOPIC

from .. import copied
from ..mqi.conftest import QM

LOOPBACK = Peer(address="127.0.0.1")


@pytest.fixture
def guarded(qm: QM) -> Connection:
    """A connection to a queue manager with the channels A, which has a user, and B, and a user with a password."""
    run_mqsc(qm.main, "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) MCAUSER('app')\nDEFINE CHANNEL(B) CHLTYPE(SVRCONN)")
    with qm.main.work() as work:
        users.add_user(work, "ana")
        users.set_password(work, "ana", users.hash_password(b"secret"))
    return qm.main


OVER_IP = ["IPv4", "IPv6", "IPv4 to IPv6"]
over_ip = pytest.mark.parametrize("ends", OVER_IP, indirect=True)


@pytest.fixture(params=[*OVER_IP, "UNIX"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection on this machine: the one that called, and the one that was called."""
    if request.param == "UNIX":
        one, two = socket.socketpair()
        with one, two:
            yield one, two
        return
    family = socket.AF_INET if request.param == "IPv4" else socket.AF_INET6
    host = {"IPv4": "127.0.0.1", "IPv6": "::1"}.get(request.param, "::ffff:127.0.0.1")
    listening = socket.socket(family)
    try:
        listening.bind((host, 0))
    except OSError:
        pytest.skip(f"this machine has no {request.param}")
    listening.listen()
    calls = "127.0.0.1" if request.param == "IPv4 to IPv6" else host
    with listening, socket.create_connection((calls, listening.getsockname()[1])) as one:
        two, _ = listening.accept()
        with closing(two):
            yield one, two


def test_the_kernel_names_the_user_at_the_other_end(ends: tuple[socket.socket, socket.socket]) -> None:
    assert [socket_owner.find_user_id(each) for each in ends] == [os.geteuid()] * 2


@over_ip
def test_the_kernel_names_nobody_for_an_end_that_is_closed(ends: tuple[socket.socket, socket.socket]) -> None:
    one, two = ends
    one.close()
    assert socket_owner.find_user_id(two) is None


def test_a_system_without_tables_names_nobody(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_owner, "_TABLES", ("/nowhere",))
    monkeypatch.delattr(socket, "SO_PEERCRED")
    assert socket_owner.find_user_id(ends[0]) is None


def test_the_owner_gets_in_by_his_socket(guarded: Connection, ends: tuple[socket.socket, socket.socket]) -> None:
    peer = Peer(address="" if ends[1].family == socket.AF_UNIX else "127.0.0.1")
    run_mqsc(guarded, "SET CHLAUTH(B) TYPE(BLOCKUSER) USERLIST('nobody')")
    assert admit(guarded, "A", peer, connected=ends[1]) == "app"
    assert admit(guarded, "B", peer, connected=ends[1]) == local_user()
    with pytest.raises(AdmissionError, match="neither a password nor a certificate"):
        admit(guarded, "B", peer, connected=ends[1], policy=AdmissionPolicy(owner_allowed=False))


@pytest.mark.parametrize(
    ("user", "password"), [("ana", b"wrong"), ("ana", None), ("bob", b"secret"), ("", b""), ("ana", b"x" * 4096)]
)
def test_only_the_right_password_lets_a_user_in(guarded: Connection, user: str, password: bytes | None) -> None:
    assert admit(guarded, "B", LOOPBACK, Login(user="ana", password=b"secret")) == "ana"
    with pytest.raises(AdmissionError) as caught:
        admit(guarded, "B", LOOPBACK, Login(user=user, password=password))
    assert (caught.value.reason, caught.value.delay_s) == (MQRC_NOT_AUTHORIZED, 1)
    assert "secret" not in str(caught.value)


def test_a_password_in_the_clear_counts_where_it_is_allowed(guarded: Connection) -> None:
    remote = Peer(address="192.0.2.7")
    policy = AdmissionPolicy(allow_plain_passwords=True)
    assert admit(guarded, "B", remote, Login(user="ana", password=b"secret"), policy=policy) == "ana"
    with pytest.raises(AdmissionError, match="without TLS"):
        admit(guarded, "B", remote, Login(user="ana", password=b"secret"))


def test_an_unknown_channel_is_refused(guarded: Connection) -> None:
    with pytest.raises(AdmissionError, match="C does not exist") as caught:
        admit(guarded, "C", LOOPBACK, Login(user="ana", password=b"secret"))
    assert (caught.value.reason, caught.value.delay_s) == (MQRC_UNKNOWN_CHANNEL_NAME, 0)
    with pytest.raises(AdmissionError, match="C does not exist"):
        check_channel(guarded, "C", LOOPBACK)
    check_channel(guarded, "A", LOOPBACK)


def test_disabled_records_refuse_nobody(guarded: Connection) -> None:
    run_mqsc(guarded, "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    with pytest.raises(AdmissionError, match="blocked by CHLAUTH"):
        admit(guarded, "B", LOOPBACK, Login(user="ana", password=b"secret"))
    run_mqsc(guarded, "ALTER QMGR CHLAUTH(DISABLED)")
    assert admit(guarded, "B", LOOPBACK, Login(user="ana", password=b"secret")) == "ana"


def test_an_altered_authinfo_counts_from_the_refresh_on(guarded: Connection) -> None:
    def is_admitted() -> bool:
        try:
            return admit(guarded, "B", LOOPBACK, Login(user="ana", password=b"secret")) == "ana"
        except AdmissionError:
            return False

    run_mqsc(guarded, f"ALTER AUTHINFO({DEFAULT_AUTH_INFO}) AUTHTYPE(IDPWOS) ADOPTCTX(NO)")
    assert is_admitted()
    run_mqsc(guarded, "REFRESH SECURITY TYPE(SSL)")
    assert is_admitted()
    run_mqsc(guarded, "REFRESH SECURITY TYPE(CONNAUTH)")
    assert not is_admitted()
    run_mqsc(
        guarded,
        "DEFINE AUTHINFO(X) AUTHTYPE(IDPWOS) ADOPTCTX(YES)\nALTER QMGR CONNAUTH(X)\nREFRESH SECURITY TYPE(CONNAUTH)",
    )
    assert is_admitted()


@pytest.mark.parametrize(("value", "outcome"), [("NONE.SUCH", "failed"), (" ", "ok")])
def test_a_refresh_needs_an_authinfo_or_a_blank_connauth(guarded: Connection, value: str, outcome: str) -> None:
    report = run_mqsc(guarded, f"ALTER QMGR CONNAUTH('{value}')\nREFRESH SECURITY TYPE(CONNAUTH)")
    assert [each.outcome for each in report.commands] == ["ok", outcome]


def test_a_blank_connauth_ignores_passwords(guarded: Connection) -> None:
    run_mqsc(guarded, "ALTER QMGR CONNAUTH(' ')\nREFRESH SECURITY TYPE(CONNAUTH)")
    with pytest.raises(AdmissionError, match="neither a password"):
        admit(guarded, "B", LOOPBACK, Login(user="ana", password=b"secret"))


def test_every_queue_manager_has_the_records_of_ibm_mq(qm: QM) -> None:
    (report,) = run_mqsc(qm.main, "DISPLAY CHLAUTH(*) ALL").commands
    shown = [(each.attributes["CHLAUTH"], each.attributes["TYPE"]) for each in report.objects]
    assert sorted(shown) == [("*", "BLOCKUSER"), ("SYSTEM.*", "ADDRESSMAP"), ("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP")]


def test_system_channels_are_closed_to_clients(guarded: Connection) -> None:
    with pytest.raises(AdmissionError, match="blocked by CHLAUTH"):
        admit(guarded, "SYSTEM.DEF.SVRCONN", LOOPBACK, Login(user="ana", password=b"secret"))


def test_a_client_that_warn_admits_is_in_the_error_log(guarded: Connection) -> None:
    report = run_mqsc(guarded, "SET CHLAUTH('A') TYPE(USERMAP) CLNTUSER('ana') USERSRC(NOACCESS) WARN(YES)")
    assert not report.mistakes
    assert admit(guarded, "A", LOOPBACK, Login(user="ana", password=b"secret")) == "ana"
    (entry,) = (each for each in error_log.entries(guarded) if each.amq == "AMQ9777W")
    assert (entry.channel, entry.detail) == ("A", "admitted by WARN(YES) of CHLAUTH(A) TYPE(USERMAP) CLNTUSER(ana)")


@pytest.fixture
def developers(tmp_path: Path) -> Iterator[Connection]:
    with connect(copied.developers(f"{tmp_path}/QM1.db")) as connection:
        yield connection


def test_developers_have_users_whose_passwords_come_from_the_environment(developers: Connection) -> None:
    assert [user.changed_at for user in users.list_users(developers)] == [None, None]
    environ = {"MQ_APP_PASSWORD": "passw0rd", "MQ_ADMIN_PASSWORD": ""}
    assert developer_objects.set_dev_passwords(developers, environ) == ["app"]
    assert admit(developers, "DEV.APP.SVRCONN", LOOPBACK, Login(user="app", password=b"passw0rd")) == "app"
    for user, password in (("app", b"other"), ("admin", b"")):
        with pytest.raises(AdmissionError):
            admit(developers, "DEV.APP.SVRCONN", LOOPBACK, Login(user=user, password=password))


def test_developers_use_the_channel_of_administrators_as_admin_only(developers: Connection) -> None:
    developer_objects.set_dev_passwords(developers, {"MQ_APP_PASSWORD": "one", "MQ_ADMIN_PASSWORD": "two"})
    assert admit(developers, "DEV.ADMIN.SVRCONN", LOOPBACK, Login(user="admin", password=b"two")) == "admin"
    with pytest.raises(AdmissionError, match="blocked by CHLAUTH"):
        admit(developers, "DEV.ADMIN.SVRCONN", LOOPBACK, Login(user="app", password=b"one"))


@pytest.mark.parametrize(
    ("user", "object_type", "name", "words", "granted"),
    [
        ("app", QUEUE, "DEV.QUEUE.1", "BROWSE GET INQ PUT", True),
        ("app", QUEUE, "DEV.QUEUE.1", "SET", False),
        ("app", QUEUE, "SYSTEM.ADMIN.COMMAND.QUEUE", "PUT", False),
        ("app", TOPIC, "DEV.BASE.TOPIC", "PUB SUB", True),
        ("app", QMGR, "QM1", "CONNECT INQ", True),
        ("app", QMGR, "QM1", "CHG", False),
        ("admin", QMGR, "QM1", "CHG CRT DLT DSP", True),
        ("admin", QUEUE, "SYSTEM.ADMIN.COMMAND.QUEUE", "PUT", True),
        ("admin", TOPIC, "SYSTEM.BASE.TOPIC", "PUB SUB", True),
    ],
)
def test_developers_have_authorities(
    developers: Connection, user: str, object_type: int, name: str, words: str, granted: bool
) -> None:
    found = authority.authorities_of(developers.db, user, object_type, name)
    assert {AUTHORITIES[word] for word in words.split()}.issubset(found) is granted


def test_an_unknown_user_costs_the_time_of_a_known_one(guarded: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    costs: list[tuple[int, int, int]] = []

    def scrypt(*_: object, n: int, r: int, p: int, **__: object) -> bytes:
        costs.append((n, r, p))
        return bytes(32)

    monkeypatch.setattr(hashlib, "scrypt", scrypt)
    found = [users.verify_password(guarded.db, name, b"secret") for name in ("ana", "nobody")]
    assert found == [False, False]
    assert costs == [(32768, 8, 1)] * 2


@over_ip
def test_the_kernel_names_nobody_for_ports_that_may_have_been_used_again(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = ends

    def reset(*_: object) -> int:  # while the tables are read
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.close()
        return os.geteuid()

    monkeypatch.setattr(socket_owner, "_find_in_tables", reset)
    assert socket_owner.find_user_id(two) is None
