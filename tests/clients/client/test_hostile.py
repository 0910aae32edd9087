"""Partners that refuse, break the protocol, fall silent or send without end: an error in time, and bounded memory."""

from __future__ import annotations

import socket
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count, repeat
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.clients.client import connect
from mqtools.clients.client import connection as client_connection
from mqtools.clients.client.connect import connect_remote, establish
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.options import HostPort
from mqtools.clients.client.queue import RemoteQueue
from mqtools.clients.wire import handshake, streaming
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.codes import REPLY, Flags, SegmentType
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import WireSegment
from mqtools.constants import cmqc
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import Message
from mqtools.operations import browsed_queue
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.selection import EVERYTHING

from ...errors import fails
from .conftest import Elsewhere, Q
from .partner import Answer, Partner, QueueManager, status

Script = Callable[..., Partner]


@pytest.fixture
def script() -> Iterator[Script]:
    """Begin to answer as a queue manager does, but for some types of segments."""
    partners: list[Partner] = []

    def begin(
        changes: Mapping[int, Answer] | None = None, manager: QueueManager | None = None, clients: int = 1
    ) -> Partner:
        answers = (manager or QueueManager(fap_level=12)).answers()
        partners.append(Partner({**answers, **(changes or {})}, clients))
        return partners[-1]

    yield begin
    for partner in partners:
        partner.close()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (0x01, cmqc.MQRC_UNKNOWN_CHANNEL_NAME),
        (0x02, cmqc.MQRC_CHANNEL_CONFIG_ERROR),
        (0x03, cmqc.MQRC_Q_MGR_NOT_AVAILABLE),
        (0x0A, cmqc.MQRC_CHANNEL_CONFIG_ERROR),
        (0x16, cmqc.MQRC_CHANNEL_NOT_AVAILABLE),
        (0x18, cmqc.MQRC_SSL_INITIALIZATION_ERROR),
        (0x19, cmqc.MQRC_SSL_PEER_NAME_MISMATCH),
        (0x20, cmqc.MQRC_STANDBY_Q_MGR),
        (0xF2, cmqc.MQRC_Q_MGR_NOT_AVAILABLE),
        (0x77, cmqc.MQRC_Q_MGR_NOT_AVAILABLE),
    ],
)
def test_a_status_code_refuses_with_a_reason(script: Script, code: int, reason: int) -> None:
    with fails(reason):
        connect_remote(script({SegmentType.INITIAL_DATA: status(code)}).options)


@pytest.mark.parametrize("reason", [cmqc.MQRC_NOT_AUTHORIZED, cmqc.MQRC_Q_MGR_NAME_ERROR, cmqc.MQRC_Q_MGR_QUIESCING])
def test_the_reason_of_a_refused_mqconn_is_that_of_its_reply(script: Script, reason: int) -> None:
    def refuse(segment: WireSegment) -> bytes:
        return replace(segment, kind=0x91, body=ApiHeader(2, reason).pack(segment.body[16:], segment.order)).pack()

    with fails(reason):
        connect_remote(script({SegmentType.MQCONN: refuse}).options)


def test_hosts_are_tried_in_order_and_the_error_is_that_of_the_first(elsewhere: Elsewhere) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        nobody = HostPort("127.0.0.1", reserved.getsockname()[1])
    first = replace(elsewhere.options, hosts=(nobody,))
    connect_remote(replace(first, hosts=(nobody, *elsewhere.options.hosts))).disconnect()
    RemoteConnection(establish([first, elsewhere.options])).disconnect()
    with fails(cmqc.MQRC_HOST_NOT_AVAILABLE):
        establish([first, replace(first, channel="NOPE")])


def test_a_password_does_not_leave_the_machine_without_tls(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FarSocket(socket.socket):
        def getpeername(self) -> tuple[str, int]:
            return "203.0.113.7", 1414

    near, far = socket.socketpair()
    calling = FarSocket(fileno=near.detach())
    monkeypatch.setattr(connect.socket, "create_connection", lambda *_: calling)
    monkeypatch.setattr(FarSocket, "setsockopt", lambda *_: None)
    with fails(cmqc.MQRC_NOT_AUTHORIZED, "is not sent"):
        connect_remote(replace(elsewhere.options, user="app", password="secret"))
    assert far.recv(100) == b""
    far.close()


def test_with_a_password_the_client_asks_for_the_level_that_leaves_it_clear(script: Script) -> None:
    partner = script()
    connect_remote(replace(partner.options, user="app", password="passw0rd")).disconnect()
    partner.thread.join(10)
    proposed = handshake.INITIAL_DATA.read(Cursor(partner.received[0].body, ">"))
    assert proposed["FapLevel"] == 12
    (login,) = [segment for segment in partner.received if segment.kind == SegmentType.CONAUTH_INFO]
    assert handshake.read_login(Cursor(login.body, login.order)) == (b"app", b"passw0rd")


def test_a_queue_manager_that_raises_the_level_gets_no_password(script: Script) -> None:
    partner = script(manager=QueueManager(fap_level=17))
    with pytest.raises(ConnectionBroken):
        connect_remote(replace(partner.options, user="app", password="passw0rd"))
    assert b"passw0rd" not in b"".join(segment.body for segment in partner.received)


def heartbeats(segment: WireSegment) -> bytes:
    return replace(segment, kind=SegmentType.HEARTBEAT, body=b"", flags=0x30).pack() * 5000


def notifications(segment: WireSegment) -> bytes:
    values = {"Version": 1, "Handle": 6, "Code": 12, "Value": 0}
    body = streaming.NOTIFICATION.write(values, segment.order)
    return replace(segment, kind=SegmentType.NOTIFICATION, body=body, flags=0x30).pack() * 5000


def messages(number: int, *, handle: int = 6, size: int = 2000, flags: int = 0x30) -> Answer:
    """Return an answer of so many messages, each the first segment of one."""

    def answer(segment: WireSegment) -> bytes:
        request = streaming.REQUEST_MSGS.read(Cursor(segment.body, segment.order))
        found = streaming.AsyncMessage(
            handle=handle, index=1, global_index=1, selection_index=request["selection"]["SelectionIndex"],
            md=b"MD  \2\0\0\0".ljust(364, b"\0"), data=bytes(size), total_length=size,
        )  # fmt: skip
        (one,) = found.segments(replace(segment, order="<"), 32_748)
        later = replace(one, flags=0, body=one.body[:24] + bytes(size))
        return replace(one, flags=flags).pack() + (one if flags & Flags.LAST else later).pack() * (number - 1)

    return answer


def other_reply(segment: WireSegment) -> bytes:
    return replace(segment, kind=SegmentType.MQCMIT + REPLY, body=ApiHeader().pack(b"", segment.order)).pack()


def unsettled(segment: WireSegment) -> bytes:
    return replace(segment, flags=Flags.ERROR).pack()


HOSTILE: dict[str, dict[int, Answer]] = {
    "endless heartbeats": {SegmentType.REQUEST_MSGS: heartbeats},
    "endless notifications": {SegmentType.REQUEST_MSGS: notifications},
    "more messages than asked for": {SegmentType.REQUEST_MSGS: messages(3)},
    "a message for no handle": {SegmentType.REQUEST_MSGS: messages(1, handle=8)},
    "a message without end": {SegmentType.REQUEST_MSGS: messages(50, flags=0x10)},
    "the reply of another call": {SegmentType.SPI: other_reply},
    "a segment of another protocol": {SegmentType.SPI: lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n"},
    "a segment that is too long": {SegmentType.SPI: lambda _: b"TSHM\x7f\xff\xff\xff" + bytes(100)},
    "a segment without a header": {SegmentType.SPI: lambda _: b"TSHM\0\0\0\x08"},
    "a call without a header": {SegmentType.SPI: lambda segment: replace(segment, kind=0x9C, body=b"").pack()},
    "an end": {SegmentType.REQUEST_MSGS: status(0x05)},
    "half a reply and silence": {SegmentType.SPI: lambda segment: segment.pack()[:50]},
    "silence": {SegmentType.SPI: lambda _: b""},
    "INITIAL_DATA without end": {SegmentType.INITIAL_DATA: unsettled},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_partner_that_breaks_the_protocol_ends_the_connection_in_time(script: Script, name: str) -> None:
    class Small(QueueManager):
        """Agrees on messages of a few thousand bytes."""

        def initial(self, segment: WireSegment) -> bytes:
            values = handshake.INITIAL_DATA.read(Cursor(segment.body, segment.order))
            changed = handshake.INITIAL_DATA.write({**values, "MaxMsgSize": 5000}, segment.order)
            return super().initial(replace(segment, body=changed))

    partner = script(HOSTILE[name], Small(fap_level=12))
    begun = monotonic()
    with pytest.raises(ConnectionBroken):
        use(replace(partner.options, timeout_s=0.5, heartbeat_s=0))
    assert monotonic() - begun < 5


@pytest.mark.parametrize(
    ("apart_s", "expected"),
    [(0, [0, 1, 2, 4]), (100, [*[0] * 10, 1, 2, 4])],
    ids=["at once", "now and then, until nobody answers"],
)
def test_arrivals_end_where_the_connection_breaks_each_time(
    script: Script, monkeypatch: pytest.MonkeyPatch, apart_s: int, expected: list[float]
) -> None:
    def leave(_: WireSegment) -> bytes:
        raise ConnectionResetError

    pauses: list[float] = []
    clock = count(0, apart_s)
    # Not in ``time`` itself, where other threads sleep.
    monkeypatch.setattr(client_connection, "time", SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr(browsed_queue, "monotonic", lambda: next(clock))
    partner = script({SegmentType.REQUEST_MSGS: leave}, clients=10)
    with (
        connect_remote(partner.options) as connection,
        BrowsedQueue(connection, Q) as queue,
        pytest.raises(ConnectionBroken),
    ):
        next(queue.arrivals(EVERYTHING, wait_ms=MQWI_UNLIMITED))
    assert pauses == expected


def use(options: object) -> None:
    connection = connect_remote(options)  # type: ignore[arg-type]
    try:
        queue = connection.open("DEV.QUEUE.1", MQOO_OUTPUT | MQOO_INPUT_SHARED)
        queue.get()
        queue.put(Message(b"x"))
        connection.commit()
        if connection.calls.wire.is_open:
            connection.disconnect()
    finally:
        connection.calls.wire.close()


def use_twice(queue: RemoteQueue) -> None:
    queue.get()
    queue.put(Message(b"x"))


def test_messages_that_nobody_asked_for_take_no_memory(script: Script) -> None:
    def flood(segment: WireSegment) -> Iterator[bytes]:
        one = messages(1, size=30_000)(segment)
        assert isinstance(one, bytes)
        return repeat(one, 2000)  # 60 MB

    partner = script({SegmentType.REQUEST_MSGS: flood})
    connection = connect_remote(replace(partner.options, timeout_s=5))
    queue = connection.open("DEV.QUEUE.1", MQOO_INPUT_SHARED | MQOO_OUTPUT)
    tracemalloc.start()
    with pytest.raises(ConnectionBroken):
        use_twice(queue)
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from([0x01, 0x81, 0x8C, 0x86, 0x0E, 0x8A]),
    at=st.integers(0, 400),
    byte=st.integers(0, 255),
)
def test_a_wrong_byte_is_an_error_or_nothing(script: Script, kind: int, at: int, byte: int) -> None:
    manager = QueueManager(fap_level=12).answers()

    def spoil(segment: WireSegment) -> bytes:
        answer = bytearray(b"".join([manager[kind](segment)]))  # type: ignore[list-item]
        answer[at % len(answer)] = byte
        return bytes(answer)

    begun = monotonic()
    with suppress(MQError):
        use(replace(script({kind: spoil}).options, timeout_s=0.2, heartbeat_s=0))
    assert monotonic() - begun < 3


def test_a_silent_partner_is_asked_for_a_heartbeat_and_left(script: Script) -> None:
    partner = script({SegmentType.SPI: lambda _: b""})
    begun = monotonic()
    with pytest.raises(ConnectionBroken):
        use(replace(partner.options, heartbeat_s=1))
    assert 1.5 < monotonic() - begun < 5
    assert SegmentType.HEARTBEAT in [segment.kind for segment in partner.received]


def test_the_client_answers_heartbeats_while_the_program_does_something_else(elsewhere: Elsewhere) -> None:
    connection = elsewhere.connect(heartbeat_s=1)
    with connection.open(Q, MQOO_OUTPUT | MQOO_INPUT_SHARED) as queue:
        sleep(3.5)  # the queue manager ends a client that does not answer for two intervals
        queue.put(Message(b"x"))


def test_a_broken_connection_is_told_at_every_call(elsewhere: Elsewhere) -> None:
    connection = elsewhere.connect()
    queue = connection.open(Q, MQOO_BROWSE | MQOO_INPUT_SHARED)
    elsewhere.mqsc("STOP CHANNEL(OWN.SVRCONN) MODE(FORCE)")
    calls: list[Callable[[], object]] = [
        lambda: queue.get(MQGMO_BROWSE_FIRST),
        lambda: queue.get_each(10, MQGMO_BROWSE_NEXT),
        connection.commit,
        lambda: connection.put1(Q, Message(b"x")),
        queue.close,
    ]
    for call in calls:
        with fails(cmqc.MQRC_CONNECTION_BROKEN):
            call()
    elsewhere.mqsc("START CHANNEL(OWN.SVRCONN)")
    queue = connection.open(Q, MQOO_BROWSE | MQOO_INPUT_SHARED)  # connects again
    with pytest.raises(NoMessageAvailable):
        queue.get(MQGMO_BROWSE_FIRST)
    connection.disconnect()


def test_a_broken_unit_of_work_is_told_before_anything_is_connected_again(elsewhere: Elsewhere) -> None:
    connection = elsewhere.connect()
    connection.put1(Q, Message(b"x"), MQPMO_SYNCPOINT)
    elsewhere.mqsc("STOP CHANNEL(OWN.SVRCONN) MODE(FORCE)\nSTART CHANNEL(OWN.SVRCONN)")
    for call in (lambda: connection.open(Q, MQOO_BROWSE), connection.commit, connection.disconnect):
        with fails(cmqc.MQRC_CONNECTION_BROKEN):
            call()
