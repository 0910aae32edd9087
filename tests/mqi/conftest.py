"""A queue manager to talk to: fresh for each test, with a clock that can be moved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtools.constants.options import MQOO_BROWSE, MQOO_INPUT_SHARED, MQOO_INQUIRE, MQOO_OUTPUT
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import alter_qmgr, alter_queue, define_queue

from ..copied import three_queues
from ..errors import fails as fails

if TYPE_CHECKING:
    from .zos_story import ZosQM

EVERYTHING = MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT | MQOO_INQUIRE


class QM:
    """A queue manager and short words for what tests do with it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connections: list[Connection] = []
        self.main = self.connect()

    def connect(self) -> Connection:
        connection = connect(self.path, appl_name="test", user_identifier="ana")
        self.connections.append(connection)
        return connection

    def define(self, name: str, object_type: str = "QLOCAL", **values: object) -> None:
        with self.main.work() as work:
            define_queue(work, object_type, name, values)

    def alter(self, name: str, **values: object) -> None:
        with self.main.work() as work:
            alter_queue(work, "QUEUE", name, values)

    def alter_qmgr(self, **values: object) -> None:
        with self.main.work() as work:
            alter_qmgr(work, values)

    def open(self, name: str = "Q", options: int = EVERYTHING, connection: Connection | None = None) -> Handle:
        return (connection or self.main).open(name, options)

    def put(
        self, data: bytes | str = b"x", q_name: str = "Q", options: int = 0, *, properties: Any = None, **fields: Any
    ) -> MQMD:
        message = Message(data.encode() if isinstance(data, str) else data, MQMD(**fields), properties)
        self.main.put1(q_name, message, options)
        return message.md

    def got(self, q_name: str = "Q") -> list[GetResult]:
        """Get everything there is on a queue."""
        results = []
        with self.connect() as connection, connection.open(q_name, MQOO_INPUT_SHARED) as handle:
            while True:
                try:
                    results.append(handle.get())
                except MQError as error:
                    if error.reason != 2033:
                        raise
                    return results

    def seqs(self, q_name: str = "Q") -> list[int]:
        """Return the keys of everything there is on a queue, as it is delivered."""
        from mqtools.mqi.resolution import find_queue
        from mqtools.operations.selection import select

        return [stored.seq for stored in select(self.main.db, find_queue(self.main.db, q_name).id)]

    def data(self, q_name: str = "Q") -> list[bytes]:
        """Return the data of everything there is on a queue, as it is delivered."""
        from mqtools.operations.stored_messages import load_data

        return [load_data(self.main, seq) for seq in self.seqs(q_name)]

    def depth(self, q_name: str = "Q") -> int:
        from mqtools.admin.depths import depth

        return depth(self.main.db, q_name)


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[QM]:
    """A queue manager QM1 with the local queues Q, R (for replies) and DLQ (its dead-letter queue)."""
    made = QM(three_queues(str(tmp_path / "QM1.db")))
    yield made
    for connection in made.connections:
        with suppress(MQError):  # a test may have ended the queue manager
            connection.disconnect()


@pytest.fixture
def advance(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock of the queue manager on by some seconds; else it stands still."""
    now = [time.time_ns()]
    monkeypatch.setattr("time.time_ns", lambda: now[0])

    def move(seconds: float) -> None:
        now[0] += ceil(seconds * 1e9)

    return move


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch, advance: Callable[[float], None]) -> list[float]:
    """Let waits take no time, and move the clock on by theirs; give the seconds of each. Nobody may ring meanwhile."""
    times: list[float] = []

    def wait(_: object, timeout_s: float | None, *others: object) -> bool:
        assert timeout_s is not None, "nothing would end the wait"
        times.append(timeout_s)
        advance(timeout_s)
        return False

    monkeypatch.setattr("mqtools.store.liveness.Presence.wait", wait)
    return times


@pytest.fixture
def zos(tmp_path: Path) -> Iterator[ZosQM]:
    """A queue manager of the profile zos, as ``zos_in`` creates it."""
    from .zos_story import zos_in

    with zos_in(tmp_path) as made:
        yield made


@pytest.fixture
def path(qm: QM) -> str:
    """The file of the queue manager."""
    return qm.path


@pytest.fixture
def here(qm: QM) -> Connection:
    """The connection of this process."""
    return qm.main


def take(handle: Handle, options: int = 0, **more: Any) -> bytes:
    """Get or browse a message; return its data."""
    return handle.get(options, **more).message.data
