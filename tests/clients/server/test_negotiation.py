"""What a channel agrees on with a client, and what it answers to one that it does not serve."""

from __future__ import annotations

import os

import pytest

from mqtools.clients.server.host import ClientHost
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType, StatusCode
from mqtools.constants.reasons import MQCC_FAILED, MQRC_CHANNEL_NOT_AVAILABLE

from .conftest import CHANNEL, Client, mqsc


@pytest.mark.parametrize(
    ("level", "agreed", "length", "conversations"),
    [(4, 4, 102, 0), (8, 8, 102, 0), (9, 9, 208, 10), (12, 12, 208, 10), (13, 12, 208, 10), (17, 12, 208, 10)],
)
def test_the_lower_fap_level_is_agreed_and_the_length_follows_from_it(host, level, agreed, length, conversations):
    values, flags, size = Client(host, fap_level=level).propose()
    assert (values["FapLevel"], size, values["ConversationsPerSocket"]) == (agreed, length, conversations)
    assert flags == Flags.ERROR
    assert bool(values["IniErrFlag1"] & 8) == (level > 12)


def test_each_value_that_differs_is_flagged_and_refused_capabilities_are_named(host):
    values, flags, _ = Client(host).propose(MaxTransmissionSize=65536)
    assert (values["MaxTransmissionSize"], values["MaxMsgSize"], values["HeartbeatInterval"]) == (32748, 4194304, 300)
    assert values["IniErrFlag1"] == 0x04 | 0x08 | 0x10 | 0x80
    assert (values["CapFlag2"], values["ECapFlag2"]) == (0x50, 0x01)
    assert (values["CapFlag3"], values["ECapFlag3"]) == (0x20, 0x08)
    assert (values["QMgrName"].strip(), values["QMgrId"][:4], flags) == (b"QM1", b"QM1_", Flags.ERROR)


def test_what_is_agreed_is_settled_in_the_second_round(client):
    assert client.eyecatcher == MULTIPLEXED


def test_attributes_of_the_channel_are_offered(host):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) MAXMSGL(1000) HBINT(7) SHARECNV(3)")
    values, *_ = Client(host).propose()
    assert (values["MaxMsgSize"], values["HeartbeatInterval"], values["ConversationsPerSocket"]) == (1000, 7, 3)


@pytest.mark.parametrize("proposed", [0, 1, 1000])
def test_no_heartbeats_are_agreed_where_either_end_wants_none(host, proposed):
    mqsc(f"ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) HBINT({0 if proposed else 5})")
    assert Client(host).propose(HeartbeatInterval=proposed)[0]["HeartbeatInterval"] == 0


def test_a_channel_without_sharing_is_plain(host):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) SHARECNV(0)")
    client = Client(host)
    assert client.negotiate()["ConversationsPerSocket"] == 0
    assert client.eyecatcher == PLAIN
    assert client.mqconn() == (0, 0)
    handle = client.open()
    assert client.put(handle, b"plain") == (0, 0)
    assert client.get(handle) == (0, b"plain")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"ChannelName": b"NO.SUCH.CHANNEL"}, StatusCode.NO_CHANNEL),
        ({"ChannelName": b"TO.RECEIVE"}, StatusCode.CHANNEL_WRONG_TYPE),
        ({"ChannelName": b"WITH.TLS"}, StatusCode.CIPHER_SPEC),
        ({"ChannelName": b"STOPPED"}, StatusCode.CHANNEL_UNAVAILABLE),
        ({"CapFlag1": 0x07}, StatusCode.CHANNEL_WRONG_TYPE),
        ({"FapLevel": 3}, StatusCode.FAP_LEVEL),
        ({"MaxTransmissionSize": 10}, StatusCode.NEGOTIATION_FAILED),
        ({"MaxMsgSize": -1}, StatusCode.NEGOTIATION_FAILED),
    ],
)
def test_a_client_that_is_not_served_gets_a_status_code(host, notes, changes, status):
    mqsc(
        "DEFINE CHANNEL(TO.RECEIVE) CHLTYPE(RCVR)",
        "DEFINE CHANNEL(WITH.TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)",
        "DEFINE CHANNEL(STOPPED) CHLTYPE(SVRCONN)",
        "STOP CHANNEL(STOPPED)",
    )
    client = Client(host)
    assert client.propose(**changes)[:2] == (status, Flags.ERROR | Flags.CLOSE_CHANNEL)
    assert client.channel.is_over
    assert notes


def test_instances_of_a_channel_are_limited_and_counted_until_they_end(host):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) MAXINST(2) MAXINSTC(1)")
    first = Client(host)
    first.negotiate()
    assert Client(host).propose()[0] == StatusCode.CHANNEL_UNAVAILABLE
    first.channel.close()
    Client(host).negotiate()


def test_instances_in_other_processes_count_too(host):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) MAXINST(1)")
    (connected, tell), (end, ends) = os.pipe(), os.pipe()
    if (child := os.fork()) == 0:
        other = Client(host)
        other.negotiate()
        os.write(tell, b"%d" % other.mqconn()[1])
        os.read(end, 1)
        os._exit(0)
    assert os.read(connected, 1) == b"0"
    refusal = Client(host).propose()[0]
    os.write(ends, b"\0")
    os.waitpid(child, 0)
    assert refusal == StatusCode.CHANNEL_UNAVAILABLE
    Client(host).negotiate()


def test_two_listeners_at_the_same_moment_admit_one_instance(host):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) MAXINST(1)")
    (told, tell), (end, ends) = os.pipe(), os.pipe()
    if (child := os.fork()) == 0:
        other = Client(host)
        other.negotiate()
        os.write(tell, b"n")
        os.read(end, 1)
        os.write(tell, b"%d" % other.mqconn()[1])
        os.read(end, 1)
        os._exit(0)
    assert os.read(told, 1) == b"n"
    own = Client(host)
    own.negotiate()  # both have the last instance
    os.write(ends, b"1")
    assert os.read(told, 1) == b"0"
    assert own.mqconn()[:2] == (MQCC_FAILED, MQRC_CHANNEL_NOT_AVAILABLE)
    os.write(ends, b"2")
    os.waitpid(child, 0)
    assert own.mqconn()[1] == 0


@pytest.mark.parametrize(
    ("kind", "eyecatcher", "status"),
    [
        (SegmentType.USERID_DATA, PLAIN, StatusCode.PROTOCOL_SEGMENT_TYPE),
        (SegmentType.SOCKET_ACTION, CONTROL, StatusCode.PROTOCOL_SEGMENT_TYPE),
        (SegmentType.MQCONN, PLAIN, StatusCode.CONV_ID_ERROR),
        (0x02, PLAIN, StatusCode.PROTOCOL_SEGMENT_TYPE),
    ],
)
def test_anything_before_initial_data_ends_the_channel(host, kind, eyecatcher, status):
    client = Client(host)
    client.send(client.segment(kind, bytes(200), eyecatcher=eyecatcher))
    (answer,) = client.received()
    assert (answer.kind, answer.body[4]) == (SegmentType.STATUS_DATA, status)
    assert client.channel.is_over


def test_initial_data_that_never_settles_ends_the_channel(host):
    client = Client(host)
    answers = [client.propose()[0] for _ in range(4)]
    assert answers[-1] == StatusCode.NEGOTIATION_FAILED


def test_a_queue_manager_that_has_ended_is_told(host, tmp_path):
    def connect():
        from mqtools.mqi.connection import connect as connect_to

        return connect_to(str(tmp_path / "NONE.db"))

    client = Client(ClientHost(path="", connect=connect, note=print), channel_name=CHANNEL)
    assert client.propose()[0] == StatusCode.QM_UNAVAILABLE
