"""Two queue managers with a channel between them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mqtools.admin import channel_status, channels, queue_managers
from mqtools.admin.channel_status import Status
from mqtools.admin.depths import depth
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.channel import caller, protocol
from mqtools.channel.acceptor import serve as serve_link
from mqtools.channel.errors import LinkError
from mqtools.channel.link import Link
from mqtools.channel.protocol import Hello
from mqtools.channel.sender import Sender
from mqtools.channel.session import ChannelSession
from mqtools.channel.streams import SocketStream
from mqtools.channel.transport import Address, parse_address
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.get.request import GetResult

from ..copied import copy_of
from ..errors import fails
from ..listening import L, listening

#: Run a listener in a thread until the end of the test; return it.
Serve = Callable[[L], L]

CHANNEL = "QM1.TO.QM2"
PERSISTENT = 1
#: Seconds that an end which lives may be silent.
PATIENCE_S = 60
#: What QM1 says first as the sender of the channel.
HELLO = Hello(
    version=protocol.VERSION,
    role=protocol.SENDER,
    channel=CHANNEL,
    q_mgr_name="QM1",
    max_message_length=4_194_304,
    batch_size=50,
    heartbeat_ms=0,
    sequence=0,
    batch_id=b"",
    resets=False,
    drains=True,
)


class End:
    """One queue manager, and short words for what tests do with it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connections: list[Connection] = []
        self.main = self.connect()

    def connect(self) -> Connection:
        connection = self.connect_apart()
        self.connections.append(connection)
        return connection

    def connect_apart(self) -> Connection:
        """Connect for another thread, which disconnects: nobody else may touch its file."""
        return connect(self.path, appl_name="test", user_identifier="ana")

    def mqsc(self, *commands: str) -> None:
        for report in run_mqsc(self.main, "\n".join(commands)).commands:
            assert report.outcome == "ok", (report.messages, report.mistakes)

    def put(self, data: bytes | str = b"x", q_name: str = "ORDERS", **fields: object) -> MQMD:
        fields = {"persistence": PERSISTENT, **fields}
        message = Message(data.encode() if isinstance(data, str) else data, MQMD(**fields))  # type: ignore[arg-type]
        self.main.put1(q_name, message)
        return message.md

    def got(self, q_name: str = "ORDERS") -> list[GetResult]:
        """Get everything there is on a queue."""
        results = []
        with self.connect() as connection, connection.open(q_name, MQOO_INPUT_SHARED) as handle, suppress(MQError):
            while True:
                results.append(handle.get())
        return results

    def data(self, q_name: str = "ORDERS") -> list[bytes]:
        """Get the data of everything there is on a queue."""
        return [result.message.data for result in self.got(q_name)]

    def depth(self, q_name: str = "ORDERS") -> int:
        return depth(self.main.db, q_name)

    def status(self, name: str = CHANNEL) -> Status:
        return channel_status.statuses(self.main.db, name)[-1]


def _create_one(path: str) -> None:
    _create(
        path,
        "DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(QM2) XMITQ(QM2)",
        "DEFINE QLOCAL(QM2) USAGE(XMITQ)",
        "DEFINE QLOCAL(REPLIES)",
        f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) XMITQ(QM2) CONNAME('qmgr:QM2')",
        "DEFINE CHANNEL(QM2.TO.QM1) CHLTYPE(RCVR)",
    )


def _create_two(path: str) -> None:
    _create(
        path,
        "DEFINE QLOCAL(ORDERS)",
        "DEFINE QLOCAL(QM1) USAGE(XMITQ)",
        f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)",
        "DEFINE CHANNEL(QM2.TO.QM1) CHLTYPE(SDR) XMITQ(QM1) CONNAME('qmgr:QM1')",
    )


def _create(path: str, *commands: str) -> None:
    end = End(queue_managers.create(path))
    end.mqsc("DEFINE QLOCAL(DLQ)", "ALTER QMGR DEADQ(DLQ)", *commands)
    end.main.disconnect()


class Ends:
    """QM1 with the remote queue ORDERS, its transmission queue QM2 and a sender; QM2 with ORDERS and a receiver.

    Both have a dead-letter queue DLQ, and QM1 a queue REPLIES that QM2 reaches by a channel of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.notes: list[str] = []
        self.one = End(copy_of(_create_one, str(folder / "QM1.db")))
        self.two = End(copy_of(_create_two, str(folder / "QM2.db")))
        self.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('qmgr:{self.two.path}')")
        self.two.mqsc(f"ALTER CHANNEL(QM2.TO.QM1) CHLTYPE(SDR) CONNAME('qmgr:{self.one.path}')")

    def drain(self, to: str | None = None) -> None:
        """Run the channel from QM1 to QM2 until nothing more can be sent."""
        self._drain(self.one, CHANNEL, None if to is None else parse_address(to))

    def drain_back(self) -> None:
        """Run the channel from QM2 to QM1."""
        self._drain(self.two, "QM2.TO.QM1", None)

    def _drain(self, end: End, name: str, to: Address | None) -> None:
        with end.connect() as connection:
            caller.start(connection, name, to=to, drains=True, note=self.notes.append)

    def send_over(self, link: Link, theirs: socket.socket, *, retries: bool = False) -> None:
        """Send from QM1 over a link until nothing is left or it breaks; it leads to QM2 by the other socket."""
        other = Link(SocketStream(theirs), PATIENCE_S)

        def receive() -> None:
            with suppress(MQError):
                serve_link(self.two.connect_apart, other, retries=retries, note=self.notes.append)
            other.close()

        thread = Thread(target=receive)
        thread.start()
        try:
            with self.one.connect() as connection:
                session = ChannelSession(connection, CHANNEL)
                session.begin()
                with session, suppress(LinkError):
                    definition = channels.find_channel(connection.db, CHANNEL)
                    Sender(session, definition, link, drains=True, note=self.notes.append).run()
        finally:
            link.close()
            thread.join()

    def close(self) -> None:
        for end in (self.one, self.two):
            for connection in end.connections:
                with suppress(MQError):
                    connection.disconnect()


@pytest.fixture
def ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ends]:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    made = Ends(tmp_path)
    yield made
    made.close()


@pytest.fixture
def serve() -> Iterator[Serve[Any]]:
    """Run listeners in threads until the end of the test."""
    with ExitStack() as begun:
        yield lambda listener: begun.enter_context(listening(listener))


__all__ = ["CHANNEL", "HELLO", "PATIENCE_S", "Callable", "End", "Ends", "fails"]
