"""Hostile clients: any segment is answered, or ends the channel with a status code; nothing else fails."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.clients.wire import calls, handshake, spi, streaming
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType, Verb
from mqtools.clients.wire.segments import WireSegment
from mqtools.constants import cmqc
from mqtools.headers.structures_message import GMO, MD, OD, PMO, SRO, STS

from .conftest import PROPOSAL, Client, depth_of, sent
from .test_messages import sd

#: Stands for the handle of the queue that is open.
HANDLE = 0x5A5A5A5A
KINDS = [*SegmentType, 0x00, 0x02, 0x06, 0x0B, 0x91, 0x9C, 0xFF]


def spi_body(order, verb, *parts):
    start = spi.SPI.write({"Verb": verb, "Version": 1, "MaxReplySize": 256}, order)
    return start + b"".join(layout.write({"Version": 1, **values}, order) for layout, values in parts)


def templates(order):
    """Return bodies of requests that a client sends, by the type of their segment, without API headers."""
    od, md = sent(order, OD, Version=4, ObjectName=b"DEV.QUEUE.1"), sent(order, MD, Version=2)
    pmo, gmo = sent(order, PMO, Version=3), sent(order, GMO, Version=3, Options=cmqc.MQGMO_WAIT)
    selection = {"SelectionIndex": 1, "MdVersion": 2, "CodedCharSetId": 1208, "Encoding": 546, "MsgSeqNumber": 0}
    selection |= {"Offset": 0, "MatchOptions": 0x27, "MsgId": b"", "CorrelId": bytes(24), "GroupId": bytes(24)}
    request = {"Version": 1, "Handle": HANDLE, "ReceivedBytes": 0, "RequestedBytes": 1000, "MaxMsgLength": -1}
    request |= {"Options": 1, "WaitInterval": -1, "QueueStatus": 0, "RequestFlags": 0x11, "GlobalMessageIndex": 0}
    request["selection"] = {**selection, "MsgId": bytes(24), "MsgToken": bytes(16)}
    subscription = sd(order, b"a/b", cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED, b"NAME")
    lsd = {"struc_id": b"LSD ", "version": 1, "options": 0, "rest": bytes(184)}
    lpoo = {**spi.OPEN_OPTIONS.initial(), "Options": 0x2010}
    inout = {"md": md, "pmo": pmo}
    subscribe = {"handle": 0, "lsd": lsd, "sd": subscription}
    notify = {"count": 1, "reason": 2107, "connection_id": bytes(24)}
    reserve = {"tag_size": 24, "number": 9}
    return [
        (SegmentType.INITIAL_DATA, handshake.INITIAL_DATA.write(PROPOSAL, order)),
        (SegmentType.USERID_DATA, bytes(132)),
        (SegmentType.CONAUTH_INFO, handshake.write_login(b"user", b"password", order)),
        (SegmentType.SOCKET_ACTION, bytes([3, 0, 0, 0, 0, 0, 0, 0, 1]) + bytes(11)),
        (SegmentType.STATUS_DATA, bytes([8, 0, 0, 0, 1, 0, 0, 0])),
        (SegmentType.REQUEST_MSGS, streaming.REQUEST_MSGS.write(request, order)),
        (SegmentType.NOTIFICATION, bytes([1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0])),
        (SegmentType.MQCONN, bytes(120) + b"FCNO\2\0\0\0" + bytes(204)),
        (SegmentType.MQOPEN, calls.OPEN.write({"od": od, "options": 0x2010, "attributes": None}, order)),
        (SegmentType.MQCLOSE, bytes(4)),
        (SegmentType.MQGET, calls.GET.write({"md": md, "gmo": gmo, "length": 100}, order)),
        (SegmentType.MQPUT, calls.PUT.write({"md": md, "pmo": pmo, "data": b"data"}, order)),
        (SegmentType.MQPUT1, calls.PUT1.write({"od": od, "md": md, "pmo": pmo, "data": b"data"}, order)),
        (SegmentType.MQSET, calls.SET.write({"selectors": (6,), "integers": (1,), "characters": b""}, order)),
        (SegmentType.MQINQ, calls.INQUIRE.write({"selectors": (3, 2016), "integers": 1, "characters": 48}, order)),
        (SegmentType.MQSTAT, calls.STAT.write({"kind": 0, "sts": STS.packed(order).pack(STS.initial())}, order)),
        (SegmentType.MQSUB, calls.SUB.write({"handle": 0, "reserved": 0, "sd": subscription}, order)),
        (SegmentType.MQSUBRQ, calls.SUBRQ.write({"action": 1, "sro": SRO.packed(order).pack(SRO.initial())}, order)),
        (SegmentType.SPI, spi_body(order, Verb.QUERY, (spi.QUERY_INOUT, {}), (spi.QUERY_IN, {}))),
        (SegmentType.SPI, spi_body(order, Verb.OPEN, (spi.OPEN_INOUT, {}), (spi.OPEN_IN, {"lpoo": lpoo, "od": od}))),
        (SegmentType.SPI, spi_body(order, Verb.RESERVE, (spi.RESERVE_INOUT, {}), (spi.RESERVE_IN, reserve))),
        (
            SegmentType.SPI,
            spi_body(order, Verb.PUT, (spi.PUT_INOUT, inout), (spi.PUT_IN, {"Options": 0, "Delay": 0, "data": b"x"})),
        ),
        (
            SegmentType.SPI,
            spi_body(order, Verb.SUBSCRIBE, (spi.SUBSCRIBE_INOUT, {}), (spi.SUBSCRIBE_IN, subscribe)),
        ),
        (
            SegmentType.SPI,
            spi_body(order, Verb.NOTIFY, (spi.NOTIFY_INOUT, {}), (spi.NOTIFY_IN, notify)),
        ),
    ]  # fmt: skip


TEMPLATES = templates("<")
NUMBERS = [0, 1, 2, 3, 5, 8, 255, 4096, 65535, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) - 4]


@st.composite
def bodies(draw):
    """Draw the type and body of a segment: one that a client sends, with some words of it changed, or cut."""
    kind, body = draw(st.sampled_from(TEMPLATES))
    changed = bytearray(body)
    for _ in range(draw(st.integers(0, 3))):
        at = 4 * draw(st.integers(0, max(0, len(changed) // 4 - 1)))
        changed[at : at + 4] = draw(st.sampled_from(NUMBERS)).to_bytes(4, "little")
    cut = draw(st.one_of(st.none(), st.integers(0, len(changed))))
    rest = bytes(changed[:cut])
    return kind, rest if kind < SegmentType.MQCONN else ApiHeader(
        handle=draw(st.sampled_from([HANDLE, HANDLE, 0]))
    ).pack(rest, "<")


SEGMENTS = st.builds(
    lambda kind_and_body, eyecatcher, flags, conversation, order, other: WireSegment(
        eyecatcher=eyecatcher, kind=other or kind_and_body[0], flags=flags, body=kind_and_body[1],
        conversation=conversation, order=order,
    ),
    bodies(),
    st.sampled_from([MULTIPLEXED] * 6 + [PLAIN, CONTROL]),
    st.sampled_from([0x30] * 6 + [0x31, 0x10, 0x20, 0, 0xFF]),
    st.sampled_from([1] * 6 + [0, 3, 0xFFFFFFFF]),
    st.sampled_from("<<<>"),
    st.sampled_from([0] * 8 + KINDS),
)  # fmt: skip


def end_of(client, conversation):
    """Return the segment that ends a conversation."""
    body = conversation.to_bytes(4, "little") + bytes(4) + b"\2" + bytes(11)
    return client.segment(SegmentType.SOCKET_ACTION, body, eyecatcher=CONTROL)


def check_end(client):
    """Check that a channel that is over has said why, unless the client itself has ended it."""
    client.take()
    *_, last = client.received() or [None]
    if last is not None and last.kind == SegmentType.STATUS_DATA and last.body:
        assert last.flags == Flags.ERROR | Flags.CLOSE_CHANNEL


@pytest.fixture
def connected(host):
    """Return a function that connects a client and opens a queue."""

    def connect():
        client = Client(host)
        client.negotiate()
        client.mqconn()
        return client, client.open()

    return connect


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(segments=st.lists(SEGMENTS, min_size=1, max_size=6))
def test_changed_segments_are_answered_or_end_the_channel(connected, segments):
    client, handle = connected()
    names = [(HANDLE.to_bytes(4, order), handle.to_bytes(4, order)) for order in ("little", "big")]
    try:
        for segment in segments:
            data = segment.pack()
            for placeholder, real in names:
                data = data.replace(placeholder, real)
            for _ in client.channel.receive(data):
                assert sum(map(len, client.channel.out)) < 1 << 20
            check_end(client)
    finally:
        client.channel.close()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300), start=st.sampled_from([b"", b"TSH ", b"TSHM", b"TSH \0\0\0\x24"]))
def test_any_bytes_at_the_start_are_refused(host, data, start):
    client = Client(host)
    for _ in client.channel.receive(start + data):
        pass
    check_end(client)
    client.channel.close()


def test_a_segment_within_another_call_ends_the_channel(little):
    body = ApiHeader().pack(bytes(100), "<")
    little.send(little.segment(SegmentType.MQPUT, body, flags=Flags.FIRST))
    little.send(little.segment(SegmentType.MQCMIT, ApiHeader().pack(b"", "<")))
    assert little.channel.is_over


def test_the_data_that_is_held_for_calls_that_never_end_is_limited(little):
    part = little.segment(SegmentType.MQOPEN, bytes(32_000), flags=Flags.FIRST)
    little.send(part)
    for _ in range(200):
        little.send(replace(part, flags=Flags(0)))
        if little.channel.is_over:
            break
    assert little.channel.is_over


def test_a_conversation_that_ends_leaves_nothing_of_a_call(little):
    little.start(3)
    part = little.segment(SegmentType.MQPUT, bytes(32_000), flags=Flags.FIRST, conversation=3)
    little.send(part, end_of(little, 3))
    little.start(3)
    assert little.call(SegmentType.MQCMIT, conversation=3)[0].reason == 0


def test_other_clients_are_undisturbed(host, little):
    handle = little.open()
    for kind, body in TEMPLATES:
        hostile = Client(host)
        hostile.negotiate()
        hostile.send(hostile.segment(kind, body[:-3]))
        hostile.channel.close()
    assert little.put(handle, b"undisturbed") == (0, 0)
    assert depth_of("DEV.QUEUE.1") == 1


def test_an_endless_heartbeat_interval_is_lowered(host):
    agreed, _, _ = Client(host).propose(HeartbeatInterval=(1 << 31) - 1)
    assert agreed["HeartbeatInterval"] == 999_999


def test_a_request_for_very_many_bytes_is_answered_bit_by_bit(little):
    handle = little.open()
    for _ in range(8):
        little.put(handle, bytes(1 << 20))
    first = little.request(handle, requested=(1 << 31) - 1, most=-1)
    assert 0 < len(first) < 8
    little.wait()
    assert len(little.streamed()) > 0


@pytest.mark.parametrize("kind", [SegmentType.MQINQ, SegmentType.MQSET])
def test_an_inquiry_of_very_many_attributes_is_refused(little, kind):
    handle = little.open(options=cmqc.MQOO_INQUIRE | cmqc.MQOO_SET)
    values = {"selectors": (2016,) * 257, "integers": (), "characters": bytes(48 * 257)}
    api, _ = little.call(kind, calls.SET.write(values, "<"), handle)
    assert api.reason == cmqc.MQRC_SELECTOR_LIMIT_EXCEEDED


def test_a_selector_that_is_too_long_is_refused(little):
    selector = b"a = 1 or " * 20_000 + b"a = 1"
    place = {"SelectionStringVSOffset": 400, "SelectionStringVSLength": len(selector)}
    od = sent("<", OD, Version=4, ObjectName=b"DEV.QUEUE.1", **place) + selector + bytes(-len(selector) % 4)
    rest = calls.OPEN.write({"od": od, "options": cmqc.MQOO_BROWSE, "attributes": None}, "<")
    api, _ = little.call(SegmentType.MQOPEN, rest)
    assert api.reason == cmqc.MQRC_SELECTION_STRING_ERROR
