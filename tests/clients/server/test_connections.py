"""MQCONN, conversations and MQDISC of clients."""

from __future__ import annotations

import os

import pytest

from mqtools.admin import socket_owner, users
from mqtools.clients.wire import streaming
from mqtools.clients.wire.codes import CONTROL, Flags, SegmentType, StatusCode
from mqtools.constants import cmqc
from mqtools.mqi.connection import connect
from mqtools.mqi.file_owner import user_name

from .conftest import Client, depth_of, displayed, mqsc


@pytest.fixture
def stranger(host, monkeypatch):
    """A client whose socket is not the owner's. User worker has a password and authorities."""
    monkeypatch.setattr(socket_owner, "find_user_id", lambda _: None)
    monkeypatch.setattr("mqtools.clients.server.connections.time.sleep", lambda _: None)
    with connect("QM1") as connection:
        with connection.work() as work:
            users.add_user(work, "worker")
        with connection.work() as work:
            users.set_password(work, "worker", users.hash_password(b"passw0rd"))
    mqsc(
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('worker') AUTHADD(CONNECT)",
        "SET AUTHREC PROFILE(DEV.QUEUE.1) OBJTYPE(QUEUE) PRINCIPAL('worker') AUTHADD(PUT)",
    )
    client = Client(host)
    client.negotiate()
    return client


@pytest.mark.parametrize("name", ["QM1", "*QM1", "*", ""])
def test_names_that_mean_the_queue_manager(host, name):
    client = Client(host)
    client.negotiate()
    assert client.mqconn(name=name) == (0, 0)
    assert client.connection_id.startswith(b"AMQCQM1         ")


def test_another_queue_manager_is_refused(host):
    client = Client(host)
    client.negotiate()
    assert client.mqconn(name="QM2") == (2, cmqc.MQRC_Q_MGR_NAME_ERROR)


@pytest.mark.parametrize(
    ("user", "password", "reason"),
    [("worker", b"passw0rd", 0), ("worker", b"wrong", 2035), ("nobody", b"passw0rd", 2035), ("worker", b"", 2035)],
)
def test_a_password_lets_in_and_a_wrong_one_does_not(stranger, notes, user, password, reason):
    assert stranger.mqconn(user=user.encode(), password=password)[1] == reason
    assert bool(notes) == bool(reason)


def test_nobody_gets_in_without_a_password(stranger):
    assert stranger.mqconn()[1] == cmqc.MQRC_NOT_AUTHORIZED


def test_each_call_needs_the_authority_of_the_user(stranger):
    assert stranger.mqconn(user=b"worker", password=b"passw0rd") == (0, 0)
    handle = stranger.open(options=cmqc.MQOO_OUTPUT)
    assert stranger.put(handle, b"by worker") == (0, 0)
    api, _ = stranger.spi_open("DEV.QUEUE.2", cmqc.MQOO_OUTPUT)
    assert (api.comp_code, api.reason, api.handle) == (2, cmqc.MQRC_NOT_AUTHORIZED, 0xFFFFFFFF)
    stranger.channel.close()
    with connect("QM1") as connection:
        message = connection.open("DEV.QUEUE.1", cmqc.MQOO_INPUT_SHARED).get().message
    assert (message.md.user_identifier, message.md.put_appl_type, message.md.put_appl_name) == ("worker", 28, "tests")


def test_calls_before_mqconn_and_after_mqdisc_have_no_connection(host):
    client = Client(host)
    client.negotiate()
    assert client.put(2, b"early") == (2, cmqc.MQRC_HCONN_ERROR)
    assert client.mqconn() == (0, 0)
    assert client.mqconn() == (2, cmqc.MQRC_ALREADY_CONNECTED)
    assert client.call(SegmentType.MQDISC)[0].reason == 0
    assert client.put(2, b"late") == (2, cmqc.MQRC_HCONN_ERROR)


@pytest.mark.parametrize(("ends", "depth"), [("MQDISC", 1), ("cut", 0)])
def test_mqdisc_commits_and_a_cut_socket_backs_out(little, ends, depth):
    assert little.put(little.open(), b"under syncpoint", cmqc.MQPMO_SYNCPOINT) == (0, 0)
    assert little.channel.is_busy
    if ends == "MQDISC":
        little.call(SegmentType.MQDISC)
    little.channel.close()
    assert depth_of("DEV.QUEUE.1") == depth


def test_conversations_share_the_socket_and_not_their_handles(client):
    handle = client.open()
    client.start(3)
    assert client.put(handle, b"of another", conversation=3) == (2, cmqc.MQRC_HOBJ_ERROR)
    client.send(client.segment(SegmentType.SOCKET_ACTION, end_of(client, 3), eyecatcher=CONTROL))
    assert client.received() == []
    assert not client.channel.is_over
    assert client.put(handle, b"mine") == (0, 0)


def end_of(client, conversation):
    values = {"Conversation": conversation, "Request": 0, "Type": 2, "Parm1": 0, "Parm2": 0}
    return streaming.SOCKET_ACTION.write(values, client.order)


def test_the_end_of_the_last_conversation_closes_the_channel(client):
    flags = Flags.WHOLE | Flags.CLOSE_CHANNEL
    client.send(client.segment(SegmentType.SOCKET_ACTION, end_of(client, 1), eyecatcher=CONTROL, flags=flags))
    assert client.channel.is_over
    assert client.received() == []


@pytest.mark.parametrize(
    ("conversation", "kind", "status"),
    [(1, 1, StatusCode.CONV_ID_ERROR), (5, 1, StatusCode.CONV_ID_ERROR), (3, 7, StatusCode.SOCKET_ACTION_TYPE)],
)
def test_a_socket_action_that_cannot_be_ends_the_channel(host, conversation, kind, status):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) SHARECNV(2)")
    client = Client(host)
    client.negotiate()
    assert client.mqconn() == (0, 0)
    client.start(3)
    values = {"Conversation": conversation, "Request": 0, "Type": kind, "Parm1": 0, "Parm2": 0}
    body = streaming.SOCKET_ACTION.write(values, client.order)
    client.send(client.segment(SegmentType.SOCKET_ACTION, body, eyecatcher=CONTROL))
    (answer,) = client.received()
    assert (answer.kind, answer.body[4]) == (SegmentType.STATUS_DATA, status)
    assert client.channel.is_over


def test_a_heartbeat_is_answered_once(client):
    for flags, answers in ((Flags.WHOLE | Flags.CONFIRM_REQUEST, 1), (Flags.WHOLE, 0)):
        client.send(client.segment(SegmentType.HEARTBEAT, eyecatcher=CONTROL, flags=flags))
        found = client.received()
        assert [(each.kind, each.eyecatcher, each.flags) for each in found] == [
            (SegmentType.HEARTBEAT, CONTROL, Flags.WHOLE)
        ] * answers


def test_the_operator_sees_the_client(little):
    (shown,) = displayed("DISPLAY CONN(*) WHERE(CHANNEL EQ TO.QM1) ALL")
    assert (shown["CONNAME"], shown["APPLTAG"], shown["USERID"]) == ("127.0.0.1", "tests", user_name(os.getuid()))


def test_a_password_is_verified_once_for_a_socket_until_it_changes(stranger, monkeypatch):
    verified, verify = [], users.verify_password
    monkeypatch.setattr(users, "verify_password", lambda *given: verified.append(given[1]) or verify(*given))
    assert stranger.mqconn(user=b"worker", password=b"passw0rd") == (0, 0)
    stranger.begin(3)
    assert stranger.mqconn(3, user=b"worker", password=b"passw0rd") == (0, 0)
    assert verified == ["worker"]
    with connect("QM1") as connection, connection.work() as work:
        users.set_password(work, "worker", users.hash_password(b"another"))
    stranger.begin(5)
    assert stranger.mqconn(5, user=b"worker", password=b"passw0rd") == (2, cmqc.MQRC_NOT_AUTHORIZED)


def test_a_client_that_is_refused_again_and_again_is_ended(stranger):
    for _ in range(5):
        stranger.send(stranger.segment(SegmentType.MQCONN, bytes(4) + bytes(12 + 332)))
    assert stranger.received()[-1].body[4] == StatusCode.SECURITY_FAILURE
    assert stranger.channel.is_over


def test_a_long_call_before_mqconn_ends_the_channel(stranger):
    stranger.send(stranger.segment(SegmentType.MQPUT, bytes(1000), flags=Flags.FIRST))
    assert stranger.channel.is_over
