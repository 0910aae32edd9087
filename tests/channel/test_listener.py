"""A listener among strangers: bad words, silence, crowds and lies cost it a connection, and nothing else."""

from __future__ import annotations

import errno
import os
import resource
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Semaphore, Thread, active_count, current_thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.channel import caller, frames, protocol
from mqtools.channel.link import Link
from mqtools.channel.protocol import Accept, EndOfBatch, Head
from mqtools.channel.streams import SocketStream
from mqtools.channel.transport import parse_address
from mqtools.errors import MQError
from mqtools.network.dispatch import Limits, Service
from mqtools.network.listener import Listener

from ..mqi.children import until
from .conftest import CHANNEL, HELLO, Ends, Serve

#: Seconds that a machine may be busy with something else.
PATIENCE_S = 60


@pytest.fixture
def listening(ends: Ends, serve: Serve[Listener]) -> Callable[..., Listener]:
    """Begin to listen for QM2: ``listening(idle_s=0.3)``."""

    def listen(
        *, idle_s: float = PATIENCE_S, greeting_s: float | None = None, most: int = 100, most_per_address: int = 100
    ) -> Listener:
        return serve(
            Listener(
                Service(
                    path=ends.two.path,
                    connect=ends.two.connect_apart,
                    limits=Limits(
                        idle_s=idle_s, greeting_s=greeting_s or idle_s, most=most, most_per_address=most_per_address
                    ),
                    note=ends.notes.append,
                ),
                "127.0.0.1",
                0,
            )
        )

    return listen


def call(listener: Listener) -> socket.socket:
    return socket.create_connection(("127.0.0.1", listener.port), PATIENCE_S)


def say_no_more_than(words: bytes, connected: socket.socket) -> None:
    connected.sendall(words)
    with suppress(OSError):  # the listener may have heard enough and hung up
        connected.shutdown(socket.SHUT_WR)


def said_until_the_end(connected: socket.socket) -> bytes:
    connected.settimeout(PATIENCE_S)
    said = b""
    try:
        while data := connected.recv(65_536):
            said += data
    except ConnectionResetError:
        pass
    connected.close()
    return said


def said_to(listener: Listener, words: bytes) -> bytes:
    connected = call(listener)
    connected.sendall(words)
    return said_until_the_end(connected)


def is_serving(ends: Ends, listener: Listener) -> bool:
    listener.service.limits = Limits(idle_s=PATIENCE_S, greeting_s=PATIENCE_S)  # the proof may take its time
    ends.one.put("proof")
    ends.drain(f"127.0.0.1({listener.port})")
    return ends.two.data() == [b"proof"]


def test_a_channel_works_over_tcp(ends: Ends, listening: Callable[..., Listener]) -> None:
    assert is_serving(ends, listening())


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x00\x05hello",
        b"\x00" * 100,
        b"MX\x04\x00\xff\xff\xff\xff",
        b"MX\x01\x00\x00\x00\xff\xff",
        frames.encode(frames.HELLO, b"{}"),
        frames.encode(frames.HELLO, b"[" * 8000),
        frames.encode(frames.BYE),
        frames.encode(frames.HELLO, protocol.encode(replace(HELLO, version=9))),
        frames.encode(frames.HELLO, protocol.encode(replace(HELLO, q_mgr_name="no name!"))),
        frames.encode(frames.HELLO, protocol.encode(replace(HELLO, role="owner"))),
        frames.encode(frames.HELLO, protocol.encode(replace(HELLO, channel="NONE"))),
    ],
    ids=range(13),
)
def test_bad_words_cost_the_stranger_its_connection_and_nothing_else(
    ends: Ends, listening: Callable[..., Listener], words: bytes
) -> None:
    listener = listening()
    connected = call(listener)
    say_no_more_than(words, connected)
    said = said_until_the_end(connected)
    assert not said or said.startswith(frames.encode(frames.REFUSE, b"")[:3])
    assert is_serving(ends, listener)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(kind=st.sampled_from([*frames.LIMITS]), payload=st.binary(max_size=600), cut=st.integers(0, 700))
def test_no_frame_after_hello_does_harm(
    ends: Ends, listening: Callable[..., Listener], kind: int, payload: bytes, cut: int
) -> None:
    listener = listening()
    connected = call(listener)
    link = Link(SocketStream(connected), PATIENCE_S)
    link.send(frames.HELLO, replace(HELLO, q_mgr_name="STRANGER"))
    link.expect(frames.ACCEPT, Accept)
    say_no_more_than(frames.encode(kind, payload[: frames.LIMITS[kind]])[:cut], connected)
    said_until_the_end(connected)
    listener.close()
    assert (ends.two.depth(), ends.two.depth("DLQ")) == (0, 0)
    assert not [note for note in ends.notes if "unexpected" in note]


def agreed(listener: Listener) -> Link:
    link = Link(SocketStream(call(listener)), PATIENCE_S)
    link.send(frames.HELLO, HELLO)
    link.expect(frames.ACCEPT, Accept)
    return link


@pytest.mark.parametrize(
    "head",
    [
        Head(1, False, -1, 546, 1208, 0, 1 << 31),
        Head(1, False, -1, 546, 1208, 1 << 31, 0),
        Head(9, False, -1, 546, 1208, 0, 0),
        Head(1, False, -1, 546, 1208, 0, 4),
        Head(1, False, -1, -1, -7, 3, 500),
    ],
    ids=["too long", "too many properties", "out of turn", "no header", "nonsense"],
)
def test_a_message_that_is_none_is_refused_before_it_is_kept(
    ends: Ends, listening: Callable[..., Listener], head: Head
) -> None:
    link = agreed(listening())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    link._stream.write(  # type: ignore[attr-defined]
        frames.encode(frames.MESSAGE, protocol.encode_head(head) + b"x" * min(head.data_length + 3, 503)), 5
    )
    with pytest.raises(MQError):
        link.expect(frames.CONFIRM, EndOfBatch)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert ends.two.depth() == 0


def test_a_batch_that_is_longer_than_agreed_is_backed_out(ends: Ends, listening: Callable[..., Listener]) -> None:
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) BATCHSZ(2)")
    ends.one.put("one of many")
    (result,) = ends.one.got("QM2")
    message = result.message
    link = agreed(listening())
    for number in (1, 2, 3):
        head = Head(number, False, -1, message.md.encoding, message.md.coded_char_set_id, 0, len(message.data))
        link.send_message(head, b"", message.data)
    link.flush()
    with pytest.raises(MQError):
        link.expect(frames.CONFIRM, EndOfBatch)
    assert ends.two.depth() == 0


def test_a_silent_stranger_is_dropped_after_the_idle_time(ends: Ends, listening: Callable[..., Listener]) -> None:
    listener = listening(idle_s=0.3)
    begun = time.monotonic()
    said_until_the_end(call(listener))
    assert time.monotonic() - begun > 0.2
    assert is_serving(ends, listener)


def test_one_that_speaks_slowly_is_dropped_too(ends: Ends, listening: Callable[..., Listener]) -> None:
    listener = listening(idle_s=0.5)
    connected = call(listener)

    def speak() -> None:
        for byte in frames.encode(frames.HELLO, b" " * frames.LIMITS[frames.HELLO]):
            connected.sendall(bytes([byte]))
            time.sleep(0.05)

    with connected, pytest.raises(OSError):  # long before all is said
        speak()
    assert is_serving(ends, listener)


def test_a_host_where_nobody_listens_is_named_in_plain_words(ends: Ends) -> None:
    with socket.socket() as taken:  # by who does not listen, so that nobody else does meanwhile
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with ends.one.connect() as connection, pytest.raises(MQError) as refused:
            caller.ping(connection, CHANNEL, to=parse_address(f"127.0.0.1({port})"), note=print)
    assert refused.value.text == f"127.0.0.1({port}) cannot be reached: Connection refused"


def test_a_caller_is_to_say_that_it_lives_twice_in_the_idle_time(listening: Callable[..., Listener]) -> None:
    link = Link(SocketStream(call(listening(idle_s=20))), PATIENCE_S)
    link.send(frames.HELLO, replace(HELLO, heartbeat_ms=300_000))
    assert link.expect(frames.ACCEPT, Accept).heartbeat_ms == 10_000


def test_a_sender_with_nothing_to_send_says_that_it_lives(
    ends: Ends, listening: Callable[..., Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, receive = Semaphore(0), Link.receive

    def receive_and_tell(link: Link, deadline: float | None = None) -> tuple[int, bytes]:
        frame = receive(link, deadline)
        if frame[0] == frames.HEARTBEAT and current_thread() is not thread:
            heard.release()
        return frame

    monkeypatch.setattr(Link, "receive", receive_and_tell)
    monkeypatch.setattr("mqtools.channel.sender._MOST_UNANSWERED", PATIENCE_S)
    listener = listening()
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) HBINT(1)")
    connection = ends.one.connect()
    to = parse_address(f"127.0.0.1({listener.port})")
    errors: list[MQError] = []

    def run() -> None:
        try:
            caller.start(connection, CHANNEL, to=to, drains=False, note=ends.notes.append)
        except MQError as error:
            errors.append(error)

    thread = Thread(target=run)
    thread.start()
    for _ in range(2):
        assert heard.acquire(timeout=PATIENCE_S)
    ends.one.put("after a long silence")
    deadline = time.monotonic() + PATIENCE_S
    while not ends.two.depth() and time.monotonic() < deadline:
        time.sleep(0.01)
    ends.one.mqsc(f"STOP CHANNEL({CHANNEL})")
    thread.join()
    assert ends.two.data() == [b"after a long silence"]
    assert (errors, ends.notes) == ([], [])


def test_one_more_than_may_call_is_refused(ends: Ends, listening: Callable[..., Listener]) -> None:
    listener = listening(most=2)
    held = [agreed(listener), agreed(listener)]
    said = said_to(listener, frames.encode(frames.HELLO, protocol.encode(HELLO)))
    assert b"too many" in said
    for link in held:
        link.send(frames.BYE)
        link.close()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            assert is_serving(ends, listener)
            return
        except MQError:
            ends.one.got("QM2")
    raise AssertionError("the places are not free again")


def test_one_address_cannot_take_all_places(ends: Ends, listening: Callable[..., Listener]) -> None:
    listener = listening(most=9, most_per_address=2)
    held = [agreed(listener), agreed(listener)]
    said = said_to(listener, frames.encode(frames.HELLO, protocol.encode(HELLO)))
    assert b"too many callers at 127.0.0.1 (2 are allowed)" in said
    other = socket.create_connection(("127.0.0.1", listener.port), PATIENCE_S, source_address=("127.0.0.2", 0))
    with other:
        Link(SocketStream(other), PATIENCE_S).send(frames.HELLO, HELLO)
        assert Link(SocketStream(other), PATIENCE_S).receive()[0] == frames.ACCEPT
    for link in held:
        link.close()


def test_a_first_message_must_be_there_in_time_however_long_a_peer_may_be_idle(
    ends: Ends, listening: Callable[..., Listener]
) -> None:
    listener = listening(idle_s=PATIENCE_S, greeting_s=0.3)
    said_until_the_end(call(listener))
    begun = call(listener)
    begun.sendall(frames.encode(frames.HELLO, b" " * 9)[:5])
    said_until_the_end(begun)
    assert is_serving(ends, listener)


def test_a_tls_handshake_that_is_not_finished_in_time_is_ended(
    ends: Ends, listening: Callable[..., Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    monkeypatch.setattr("mqtools.network.dispatch.server_context", lambda *_, **__: context)
    listener = listening(idle_s=PATIENCE_S, greeting_s=0.5)
    connected = call(listener)
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)

    def speak() -> None:
        for byte in hello:
            connected.sendall(bytes([byte]))
            time.sleep(0.01)
        raise AssertionError("the handshake was not ended")

    with connected, pytest.raises(OSError):  # each byte comes within the time, all of them do not
        speak()
    assert is_serving(ends, listener)


def test_descriptors_do_not_leak(ends: Ends, listening: Callable[..., Listener]) -> None:
    listener = listening()

    def strangers() -> None:
        for _ in range(20):
            connected = call(listener)
            connected.sendall(b"hello there")
            said_until_the_end(connected)

    def held() -> int:
        return len(os.listdir("/proc/self/fd"))

    strangers()
    first = held()
    strangers()
    deadline = time.monotonic() + PATIENCE_S
    while held() > first + 2 and time.monotonic() < deadline:  # its thread closes after the stranger has heard of it
        time.sleep(0.01)
    assert held() <= first + 2


class Exhausted:
    """A listening socket that has no descriptor for its first callers."""

    def __init__(self, real, failures):
        self.real = real
        self.failures = failures

    def accept(self):
        if self.failures:
            raise OSError(self.failures.pop(), "Too many open files")
        raise ConnectionResetError("the test is over")

    def __getattr__(self, name):
        return getattr(self.real, name)


def test_a_listener_without_descriptors_drops_callers_and_lives(ends):
    service = Service(
        path=ends.two.path, connect=ends.two.connect_apart, limits=Limits(idle_s=1, most=1), note=ends.notes.append
    )
    listener = Listener(service, "127.0.0.1", 0)
    listener._socket = Exhausted(listener._socket, [errno.EMFILE, errno.ENFILE])
    with call(listener), pytest.raises(ConnectionResetError):
        listener.run()
    assert ends.notes == ["a caller was dropped: Too many open files"]  # the second failure was the drop itself
    assert listener._spare is not None
    listener.close()


def test_a_thousand_silent_callers_disturb_nobody(ends: Ends, listening: Callable[..., Listener]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))  # both ends are in this process
    listener = listening(most=3)
    threads = active_count()
    silent = [call(listener) for _ in range(1000)]
    assert is_serving(ends, listener)
    until(lambda: active_count() <= threads + 1)  # the thread of the proof may still end
    for connected in silent:
        connected.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
