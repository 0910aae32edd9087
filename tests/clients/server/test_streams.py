"""Streaming gets: what answers which request, and what ends a wait."""

from __future__ import annotations

import threading

import pytest

from mqtools.admin import queue_managers
from mqtools.clients.wire import calls, spi
from mqtools.clients.wire.codes import Notice, SegmentType, Verb
from mqtools.constants import cmqc

from .conftest import Client, depth_of, mqsc
from .test_messages import put_elsewhere

CONSUMER = 0x01
ENDED = (Notice.CHECK_MSG, 0, 3)
NO_SYNCPOINT = cmqc.MQGMO_NO_SYNCPOINT
BROWSE = NO_SYNCPOINT | cmqc.MQGMO_BROWSE_NEXT


@pytest.fixture
def handle(client):
    return client.open()


def put_all(client, handle, *bodies, **md):
    for body in bodies:
        assert client.put(handle, body, **md) == (0, 0)


def test_a_request_is_answered_by_one_message_and_nothing_else(client, handle):
    put_all(client, handle, b"one", b"two")
    assert client.request(handle) == [b"one"]
    assert (client.message.index, client.message.global_index, client.message.reason) == (1, 1, 0)
    assert client.message.q_name.rstrip() == b"DEV.QUEUE.1"
    assert client.request(handle, seen=1) == [b"two"]
    assert (client.message.index, client.message.global_index, client.message.q_name) == (2, 2, b"")


def test_an_unconfirmed_request_waits_in_silence_for_the_first_message(client, handle):
    assert client.request(handle) == []
    threading.Timer(0.05, put_elsewhere, (b"arrives",)).start()
    client.wait()
    assert client.streamed() == [b"arrives"]
    put_elsewhere(b"another")
    assert client.streamed() == []


def test_the_time_of_a_wait_ends_in_silence(client, handle):
    assert client.request(handle, wait_ms=40) == []
    client.wait()
    assert client.streamed() == []
    put_elsewhere(b"too late")
    assert not client.channel.conversations[1].is_waiting


def test_a_confirmed_request_is_one_search_and_its_end_is_told(client, handle):
    assert client.request(handle, confirm=True, wait_ms=0) == [ENDED]
    put_all(client, handle, b"one", b"two")
    assert client.request(handle, confirm=True, wait_ms=0) == [b"one", ENDED]
    put_elsewhere(b"three")
    assert not client.channel.conversations[1].is_waiting


def test_a_new_request_replaces_the_outstanding_one(client, handle):
    put_all(client, handle, b"first", b"wanted", b"last")
    assert client.request(handle, MatchOptions=cmqc.MQMO_MATCH_CORREL_ID, CorrelId=b"x" * 24) == []
    assert client.request(handle) == [b"first"]


def test_a_message_on_its_way_counts_for_the_next_request(client, handle):
    put_all(client, handle, b"on its way", b"next")
    assert client.request(handle) == [b"on its way"]
    assert client.request(handle, confirm=True, seen=0) == [ENDED]
    assert client.request(handle, seen=1) == [b"next"]


def test_calls_go_on_while_a_request_is_outstanding(client, handle):
    assert client.request(handle) == []
    assert client.call(SegmentType.MQCMIT)[0].reason == 0
    assert client.put(handle, b"own") == (0, 0)
    client.wait()
    assert client.streamed() == [b"own"]


def test_identifiers_select_a_message(client, handle):
    put_all(client, handle, b"other")
    put_all(client, handle, b"wanted", CorrelId=b"w" * 24)
    options = cmqc.MQMO_MATCH_MSG_ID | cmqc.MQMO_MATCH_CORREL_ID
    assert client.request(handle, MatchOptions=options, MsgId=bytes(24), CorrelId=b"w" * 24) == [b"wanted"]


def test_a_long_message_comes_first_as_far_as_it_fits_and_then_whole_by_its_token(client, handle):
    data = b"long" * 2000
    put_all(client, handle, data)
    assert client.request(handle) == [data[:4096]]
    message = client.message
    assert (message.reason, message.total_length) == (cmqc.MQRC_TRUNCATED_MSG_FAILED, 8000)
    token = {"MatchOptions": cmqc.MQMO_MATCH_MSG_TOKEN, "MsgToken": message.token}
    assert client.request(handle, confirm=True, seen=1, most=8192, **token) == [data, ENDED]
    assert depth_of("DEV.QUEUE.1") == 0


def test_a_truncated_message_that_is_accepted_goes(little):
    handle = little.open()
    put_all(little, handle, b"0123456789")
    assert little.request(handle, most=4, options=NO_SYNCPOINT | cmqc.MQGMO_ACCEPT_TRUNCATED_MSG) == [b"0123"]
    assert little.message.reason == cmqc.MQRC_TRUNCATED_MSG_ACCEPTED
    assert depth_of("DEV.QUEUE.1") == 0


@pytest.mark.parametrize("length", [32_000, 32_748, 200_000])
def test_long_messages_are_sent_in_segments(client, handle, length):
    put_all(client, handle, bytes(length))
    assert client.request(handle, most=-1) == [bytes(length)]


@pytest.mark.parametrize("confirm", [False, True])
def test_an_error_is_told_and_then_the_end_if_that_is_to_be_confirmed(client, handle, confirm):
    mqsc("ALTER QLOCAL(DEV.QUEUE.1) GET(DISABLED)")
    failed = (Notice.STREAMING_FAILURE, cmqc.MQRC_GET_INHIBITED, 1)
    assert client.request(handle, confirm=confirm) == [failed, *([ENDED] if confirm else [])]


def test_a_handle_of_nothing_is_told(client):
    assert client.request(4711) == [(Notice.STREAMING_FAILURE, cmqc.MQRC_HOBJ_ERROR, 1)]
    assert client.channel.conversations[1].streams == {}


def test_a_consumer_gets_messages_only_while_it_is_started(client, handle):
    put_all(client, handle, b"one", b"two", b"three")
    assert client.notify(Notice.Q_STATE, 16) == []
    assert client.notify(Notice.CONN_STATE, 2) == []
    request = {"flags": CONSUMER, "options": NO_SYNCPOINT, "most": -1}
    assert client.request(handle, **request) == [b"one"]
    assert client.notify(Notice.TXN_ALLOWED, 0) == []
    assert client.notify(Notice.CONN_STATE, 0, confirm=True) == [(Notice.CONN_STATE_REPLY, 0, 3)]
    assert client.request(handle, **request, seen=1) == []
    assert client.notify(Notice.CONN_STATE, 2) == [b"two"]


def test_a_consumer_waits_without_end(client, handle):
    assert client.request(handle, flags=CONSUMER, options=NO_SYNCPOINT, wait_ms=0) == []
    put_elsewhere(b"at last")
    client.wait()
    assert client.streamed() == [b"at last"]


def test_a_consumer_survives_a_time_in_which_gets_are_inhibited(little):
    handle = little.open()
    mqsc("ALTER QLOCAL(DEV.QUEUE.1) GET(DISABLED)")
    assert little.request(handle, flags=CONSUMER, options=NO_SYNCPOINT) == []
    mqsc("ALTER QLOCAL(DEV.QUEUE.1) GET(ENABLED)")
    put_elsewhere(b"again")
    little.wait()
    assert little.streamed() == [b"again"]


def test_read_ahead_fills_the_window_with_nonpersistent_messages(client, handle):
    put_all(client, handle, *[b"%d" % number for number in range(5)])
    found = client.request(handle, requested=3 * 364, options=NO_SYNCPOINT)
    assert found == [b"0", b"1", b"2"]
    assert client.request(handle, requested=102_400, seen=3, options=NO_SYNCPOINT) == [b"3", b"4"]


def test_read_ahead_stops_at_a_message_of_the_unit_of_work(client, handle):
    put_all(client, handle, b"n", Persistence=0)
    put_all(client, handle, b"p1", b"p2", Persistence=1)
    request = {"requested": 102_400, "options": cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT}
    assert client.request(handle, **request) == [b"n", b"p1"]
    client.call(SegmentType.MQBACK)
    assert client.request(handle, **request, seen=2) == [b"p1"]


def test_browsing_goes_on_from_request_to_request_and_both_options_begin_anew(client, handle):
    put_all(client, handle, b"b0", b"b1", b"b2")
    for seen, body in enumerate((b"b0", b"b1")):
        assert client.request(handle, options=BROWSE, confirm=True, seen=seen) == [body, ENDED]
    both = BROWSE | cmqc.MQGMO_BROWSE_FIRST
    assert client.request(handle, options=both, requested=102_400, confirm=True, seen=2) == [b"b0", b"b1", b"b2", ENDED]
    assert client.request(handle, options=both, confirm=True, seen=5) == [b"b0", ENDED]
    assert depth_of("DEV.QUEUE.1") == 3


def test_the_place_in_a_group_is_told(little):
    handle = little.open()
    for number, flags in ((1, cmqc.MQMF_MSG_IN_GROUP), (2, cmqc.MQMF_LAST_MSG_IN_GROUP)):
        put_all(little, handle, b"m", Version=2, GroupId=b"g" * 24, MsgSeqNumber=number, MsgFlags=flags)
    statuses = []
    for seen in range(2):
        little.request(handle, seen=seen)
        statuses.append(little.message.status & ~1)
    assert statuses == [16, 32]


def close(client, handle):
    rest = calls.CLOSE.write({"options": 0}, client.order)
    return client.call(SegmentType.MQCLOSE, rest, handle)[0].handle


def test_a_close_ends_the_wait_and_returns_the_handle(client, handle):
    assert client.request(handle) == []
    assert close(client, handle) == handle
    put_elsewhere(b"for nobody")
    assert client.channel.conversations[1].gets == []
    assert depth_of("DEV.QUEUE.1") == 1


def spi_notify(client, connection_id):
    """Ask for the end of the waits of a connection; return what comes after the reply."""
    asked = {"Version": 1, "count": 1, "reason": 2107, "connection_id": connection_id}
    rest = spi.NOTIFY_INOUT.write({"Version": 1}, client.order) + spi.NOTIFY_IN.write(asked, client.order)
    body = spi.SPI.write({"Verb": Verb.NOTIFY, "Version": 1, "MaxReplySize": 12}, client.order) + rest
    client.send(client.segment(SegmentType.SPI, calls.ApiHeader().pack(body, client.order), request=3))
    reply, *client.held = client.received()
    assert (reply.kind, reply.request) == (SegmentType.SPI + 16, 3)
    return client.streamed()


def test_the_close_of_a_consumer_ends_its_wait(client, handle):
    assert client.request(handle) == []
    assert spi_notify(client, client.connection_id) == [(Notice.STREAMING_FAILURE, 2107, 1)]
    put_elsewhere(b"for nobody")
    assert not client.channel.conversations[1].is_waiting


def test_nobody_ends_the_waits_of_another_socket(host, client, handle):
    other = Client(host)
    other.negotiate()
    other.mqconn()
    assert client.request(handle) == []
    assert spi_notify(other, client.connection_id) == []
    put_elsewhere(b"still here")
    client.wait()
    assert client.streamed() == [b"still here"]
    other.channel.close()


def test_a_queue_manager_that_quiesces_is_told_to_what_waits(little):
    handle = little.open()
    assert little.request(handle, options=NO_SYNCPOINT | cmqc.MQGMO_WAIT | cmqc.MQGMO_FAIL_IF_QUIESCING) == []
    queue_managers.end(little.host.path, immediate=False)
    little.wait()
    assert little.streamed() == [(Notice.QM_QUIESCING, cmqc.MQRC_Q_MGR_QUIESCING, 1)]


def test_a_channel_that_an_operator_stops_ends(little):
    handle = little.open()
    assert little.request(handle) == []
    mqsc("STOP CHANNEL(TO.QM1) MODE(FORCE)")
    little.wait()
    assert little.channel.is_over


def test_an_unlock_by_a_request_is_told(client, handle):
    put_all(client, handle, b"locked")
    locks = NO_SYNCPOINT | cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK
    assert client.request(handle, options=locks, confirm=True) == [b"locked", ENDED]
    unlock = {"options": NO_SYNCPOINT | cmqc.MQGMO_UNLOCK, "confirm": True, "seen": 1}
    for reason in (0, cmqc.MQRC_NO_MSG_LOCKED):
        assert client.request(handle, **unlock) == [b"", ENDED]
        assert client.message.reason == reason


def test_an_unlock_without_a_selection_is_answered(little):
    handle = little.open()
    assert little.request(handle, options=cmqc.MQGMO_UNLOCK, confirm=True, selected=False) == [b"", ENDED]
