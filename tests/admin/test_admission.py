"""Admission of clients by the facts of a queue manager: users, records, AUTHINFO, and whose socket it is."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from mqtools.admin import connection_authentication, socket_owner, users
from mqtools.admin.admission import AdmissionError, AdmissionPolicy, Peer, admit
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_CHANNEL_NAME
from mqtools.mqi.connection import Connection
from mqtools.mqi.file_owner import local_user

from ..mqi.conftest import QM

LOOPBACK = Peer(address="127.0.0.1")


@pytest.fixture
def guarded(qm: QM) -> Connection:
    """A connection to a queue manager with the channels A, which has a user, and B, and a user with a password."""
    run_mqsc(qm.main, "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) MCAUSER('app')\nDEFINE CHANNEL(B) CHLTYPE(SVRCONN)")
    with qm.main.work() as work:
        users.add_user(work, "ana")
        users.set_password(work, "ana", b"secret")
    return qm.main


@pytest.fixture(params=["IPv4", "IPv6", "IPv4 to IPv6", "UNIX"])
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


def test_the_kernel_names_nobody_for_an_end_that_is_closed(ends: tuple[socket.socket, socket.socket]) -> None:
    one, two = ends
    if one.family == socket.AF_UNIX:
        pytest.skip("a UNIX socket keeps the user who connected")
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
    with pytest.raises(AdmissionError, match="AMQ|password"):
        admit(guarded, "B", peer, connected=ends[1], policy=AdmissionPolicy(owner_allowed=False))


@pytest.mark.parametrize(
    ("user", "password"), [("ana", b"wrong"), ("ana", None), ("bob", b"secret"), ("", b""), ("ana", b"x" * 4096)]
)
def test_only_the_right_password_lets_a_user_in(guarded: Connection, user: str, password: bytes | None) -> None:
    assert admit(guarded, "B", LOOPBACK, user="ana", password=b"secret") == "ana"
    with pytest.raises(AdmissionError) as caught:
        admit(guarded, "B", LOOPBACK, user=user, password=password)
    assert (caught.value.reason, caught.value.delay_s) == (MQRC_NOT_AUTHORIZED, 1)
    assert "secret" not in str(caught.value)


def test_a_password_in_the_clear_counts_where_it_is_allowed(guarded: Connection) -> None:
    remote = Peer(address="192.0.2.7")
    policy = AdmissionPolicy(allow_plain_passwords=True)
    assert admit(guarded, "B", remote, user="ana", password=b"secret", policy=policy) == "ana"
    with pytest.raises(AdmissionError, match="without TLS"):
        admit(guarded, "B", remote, user="ana", password=b"secret")


def test_an_unknown_channel_is_refused(guarded: Connection) -> None:
    with pytest.raises(AdmissionError, match="C does not exist") as caught:
        admit(guarded, "C", LOOPBACK, user="ana", password=b"secret")
    assert (caught.value.reason, caught.value.delay_s) == (MQRC_UNKNOWN_CHANNEL_NAME, 0)


def test_disabled_records_refuse_nobody(guarded: Connection) -> None:
    run_mqsc(guarded, "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    with pytest.raises(AdmissionError, match="blocked by CHLAUTH"):
        admit(guarded, "B", LOOPBACK, user="ana", password=b"secret")
    run_mqsc(guarded, "ALTER QMGR CHLAUTH(DISABLED)")
    assert admit(guarded, "B", LOOPBACK, user="ana", password=b"secret") == "ana"
