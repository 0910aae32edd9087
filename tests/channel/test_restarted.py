"""A channel that is started again at once after its sender was killed runs: the dead session is not in its way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from threading import Thread

import pytest

from mqtools.admin import channel_status
from mqtools.channel import caller, frames
from mqtools.channel.acceptor import serve
from mqtools.channel.errors import LinkError
from mqtools.channel.link import Link
from mqtools.channel.protocol import Accept
from mqtools.channel.session import ChannelSession
from mqtools.channel.streams import SocketStream
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE

from ..rows import rows
from .conftest import CHANNEL, HELLO, Ends, fails

PATIENCE_S = 60.0
#: A process that runs the channel, without sending, until it is killed.
RUNNING = """
import signal, sys
from mqtools.channel.session import ChannelSession
from mqtools.mqi.connection import connect
ChannelSession(connect(sys.argv[1]), sys.argv[2]).begin()
print("running", flush=True)
signal.pause()
"""


def call() -> tuple[socket.socket, Link]:
    """Return the caller's end of a link on which HELLO was sent, and the other end."""
    ours, theirs = socket.socketpair()
    Link(SocketStream(ours)).send(frames.HELLO, HELLO)
    return ours, Link(SocketStream(theirs), PATIENCE_S)


def session_number(ends: Ends) -> int:
    found = rows(ends.two.main, "select session from channel_status where channel = ? and partner = ?", CHANNEL, "QM1")
    return found[0][0] if found else 0


def test_a_caller_that_has_gone_before_it_is_served_takes_over_nothing(ends: Ends) -> None:
    dead, late = call()
    dead.close()
    living, link = call()
    thread = Thread(target=serve, args=(ends.two.connect_apart, link), kwargs={"note": print})
    thread.start()
    other = Link(SocketStream(living), PATIENCE_S)
    other.expect(frames.ACCEPT, Accept)
    before = session_number(ends)
    with pytest.raises(LinkError, match="has closed the connection"):
        serve(ends.two.connect_apart, late, note=print)
    assert session_number(ends) == before
    other.send(frames.BYE)
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_what_a_caller_has_sent_behind_its_hello_is_not_lost(ends: Ends) -> None:
    ours, link = call()
    Link(SocketStream(ours)).send(frames.BYE)
    serve(ends.two.connect_apart, link, note=print)
    assert Link(SocketStream(ours), PATIENCE_S).receive()[0] == frames.ACCEPT


@pytest.mark.slow
def test_a_start_waits_for_the_end_of_a_process_that_is_dying(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "_LEAVE_S", PATIENCE_S)
    command = [sys.executable, "-c", RUNNING, ends.one.path, CHANNEL]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "running\n"
        threading.Timer(0.1, os.kill, (running.pid, signal.SIGKILL)).start()
        ends.drain()
        assert running.wait(PATIENCE_S) == -signal.SIGKILL


def test_a_channel_that_goes_on_running_is_not_started_again(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "_LEAVE_S", 0.01)
    with ends.one.connect() as connection:
        running = ChannelSession(connection, CHANNEL)
        running.begin()
        with running, fails(MQRC_OBJECT_IN_USE):
            ends.drain()
        assert channel_status.statuses(connection.db, CHANNEL)[0].state == "inactive"
