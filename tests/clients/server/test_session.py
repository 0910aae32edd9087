"""Clients on sockets: one thread each, which sleeps until something happens."""

from __future__ import annotations

import os
import resource
import select
import socket
import threading
import time
from dataclasses import dataclass, replace

import pytest

from mqtools.admin import queue_managers
from mqtools.clients.server.host import Limits
from mqtools.clients.server.session import serve_client
from mqtools.clients.wire import streaming
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import CONTROL, SegmentType, StatusCode
from mqtools.constants import cmqc

from .conftest import PATIENCE_S, Client, depth_of, mqsc
from .test_hostile import end_of
from .test_messages import put_elsewhere


class Registry:
    """The sessions of a process, as its end sees them."""

    def __init__(self):
        self.sessions = []

    def add(self, session):
        self.sessions.append(session)

    def remove(self, session):
        self.sessions.remove(session)


@dataclass
class SocketClient(Client):
    """A client on a socket, served in a thread."""

    def __post_init__(self):
        super().__post_init__()
        self.connected, served = socket.socketpair()
        peer = self.channel.instance.peer
        self.thread = threading.Thread(target=self._serve, args=(served, peer), daemon=True)
        self.thread.start()

    def _serve(self, served, peer):
        with served:
            serve_client(served, b"", peer, self.host)

    def send(self, *segments):
        self.connected.sendall(b"".join(segment.pack() for segment in segments))
        if segments[-1].kind != SegmentType.USERID_DATA:
            self.take()

    def take(self, timeout_s=PATIENCE_S):
        """Wait for something from the server, and keep it; nothing at its end."""
        if select.select([self.connected], [], [], timeout_s)[0]:
            self.held += self.splitter.feed(self.connected.recv(1 << 20))

    def close(self):
        self.connected.close()
        self.channel.instance.connected.close()
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


@pytest.fixture
def served(host):
    """Connect a client on a socket, and end it after the test. changes: of the host."""
    clients = []

    def connect(**changes):
        client = SocketClient(replace(host, **changes))
        clients.append(client)
        client.negotiate()
        assert client.mqconn() == (0, 0)
        return client

    yield connect
    for client in clients:
        client.close()


def status_of(client):
    """Return the status code that ends a channel."""
    if not client.held:
        client.take()
    (last,) = client.received()
    assert last.kind == SegmentType.STATUS_DATA
    client.thread.join(PATIENCE_S)
    return last.body[4]


def test_a_client_puts_and_gets(served):
    client = served()
    handle = client.open()
    assert client.put(handle, bytes(100_000)) == (0, 0)


def test_a_message_of_another_program_reaches_a_waiting_client_soon(served):
    client = served()
    handle = client.open()
    delays = []
    for seen in range(5):
        request = threading.Thread(target=client.request, args=(handle,), kwargs={"seen": seen})
        request.start()
        time.sleep(0.1)
        started = time.monotonic()
        put_elsewhere(b"soon")
        request.join(PATIENCE_S)
        delays.append(time.monotonic() - started)
    assert sorted(delays)[2] < 0.5


def test_a_client_that_waits_costs_no_cpu(served):
    clients = [served() for _ in range(3)]
    for client in clients:
        handle = client.open()
        client.connected.sendall(client.get_request(handle, options=1, wait_ms=-1).pack())
    time.sleep(0.2)
    before = resource.getrusage(resource.RUSAGE_SELF)
    time.sleep(1)
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.1


def test_a_client_that_does_not_connect_in_time_is_told(host):
    client = SocketClient(replace(host, limits=Limits(greeting_s=0.1)))
    client.negotiate()
    assert status_of(client) == StatusCode.TIMEOUT_EXPIRED
    client.close()


def test_a_conversation_that_begins_when_the_first_one_ends_is_served(served):
    client = served(limits=Limits(greeting_s=0.2))
    values = {"Conversation": 3, "Request": 0, "Type": 1, "Parm1": 0, "Parm2": 0}
    body = streaming.SOCKET_ACTION.write(values, "<")
    client.send(client.segment(SegmentType.SOCKET_ACTION, body, eyecatcher=CONTROL))
    client.received()
    time.sleep(0.3)
    client.connected.sendall(end_of(client, 1).pack())
    time.sleep(0.1)
    assert client.mqconn(3) == (0, 0)


def test_a_silent_client_is_asked_for_a_heartbeat_and_ended_without_one(served):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) HBINT(1)")
    client = served()
    client.take()
    (asked,) = client.received()
    assert (asked.kind, asked.eyecatcher, asked.flags) == (SegmentType.HEARTBEAT, CONTROL, 0x31)
    client.connected.sendall(client.segment(SegmentType.HEARTBEAT, eyecatcher=CONTROL).pack())
    client.take()
    assert [each.kind for each in client.received()] == [SegmentType.HEARTBEAT]
    assert status_of(client) == StatusCode.TIMEOUT_EXPIRED


def test_a_client_without_calls_is_ended_after_discint_seconds(served):
    mqsc("ALTER CHANNEL(TO.QM1) CHLTYPE(SVRCONN) DISCINT(1) HBINT(0)")
    assert status_of(served()) == StatusCode.TIMEOUT_EXPIRED


def test_a_cut_socket_backs_out(served):
    client = served()
    client.put(client.open(), b"lost", cmqc.MQPMO_SYNCPOINT)
    client.close()
    assert depth_of("DEV.QUEUE.1") == 0


@pytest.mark.parametrize("cut", [1, 8, 35, 40, 200])
def test_a_socket_that_is_cut_within_a_put_puts_nothing(served, cut):
    client = served()
    handle = client.open()
    put = client.segment(SegmentType.MQPUT, bytes(4) + bytes(600))
    client.connected.sendall(put.pack()[:cut])
    client.close()
    assert (handle > 0, depth_of("DEV.QUEUE.1")) == (True, 0)


def test_the_end_of_the_process_waits_for_the_unit_of_work(served):
    registry = Registry()
    client = served(shutdown=registry)
    client.put(client.open(), b"in a unit", cmqc.MQPMO_SYNCPOINT)
    (session,) = registry.sessions
    assert session.is_running
    session.wake()
    client.connected.sendall(client.segment(SegmentType.MQCMIT, ApiHeader().pack(b"", "<")).pack())
    while len(client.held) < 2:
        client.take()
    reply, status = client.received()
    assert (read_api(reply)[0].reason, status.body[4]) == (0, StatusCode.QM_TERMINATING)
    client.thread.join(PATIENCE_S)
    assert depth_of("DEV.QUEUE.1") == 1
    assert registry.sessions == []


def test_the_end_of_the_process_ends_an_idle_client_at_once(served):
    registry = Registry()
    client = served(shutdown=registry)
    registry.sessions[0].wake()
    assert status_of(client) == StatusCode.QM_TERMINATING


def test_a_stopped_channel_ends_its_clients(served):
    client = served()
    mqsc("STOP CHANNEL(TO.QM1) MODE(FORCE)")
    assert status_of(client) == StatusCode.USER_CLOSED


def test_an_immediate_end_of_the_queue_manager_ends_an_idle_client(served):
    client = served()
    queue_managers.end(client.host.path, immediate=True)
    assert status_of(client) == StatusCode.USER_CLOSED


def test_a_quiescing_queue_manager_lets_calls_go_on(served):
    client = served()
    handle = client.open()
    client.connected.sendall(client.segment(SegmentType.HEARTBEAT, eyecatcher=CONTROL).pack())
    queue_managers.end(client.host.path, immediate=False)
    assert client.put(handle, b"still") == (0, 0)
    assert client.put(handle, b"no", cmqc.MQPMO_FAIL_IF_QUIESCING)[1] == cmqc.MQRC_Q_MGR_QUIESCING


def test_a_client_that_does_not_read_is_ended(served):
    client = served(send_s=0.2)
    handle = client.open()
    client.put(handle, bytes(3 << 20))
    options = cmqc.MQGMO_BROWSE_FIRST
    for _ in range(10):
        client.connected.sendall(client.get_request(handle, options=options, room=4 << 20).pack())
    client.thread.join(PATIENCE_S)
    assert not client.thread.is_alive()


def test_no_descriptor_stays_open(served):
    served().close()
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        client = served()
        client.request(client.open(), confirm=True)
        client.close()
    assert len(os.listdir("/dev/fd")) <= before
