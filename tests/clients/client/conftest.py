"""A queue manager elsewhere: a listener in a thread of the test, and our client of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.mqi.connection import Connection, connect
from mqtools.network.dispatch import Service
from mqtools.network.listener import Listener

from ...copied import developers
from ...listening import listening

CHANNEL, PLAIN_CHANNEL, Q = "OWN.SVRCONN", "PLAIN.SVRCONN", "DEV.QUEUE.1"
DEFINITIONS = f"""
ALTER QMGR CHLAUTH(DISABLED)
DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) HBINT(1) MAXMSGL(104857600)
DEFINE CHANNEL({PLAIN_CHANNEL}) CHLTYPE(SVRCONN) SHARECNV(0) MAXMSGL(104857600)
"""


@dataclass
class Elsewhere:
    """A queue manager that is served. options: of a connection to it."""

    path: str
    port: int
    listener: Listener
    opened: list[RemoteConnection] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.opened:
            connection.calls.wire.close()

    @property
    def options(self) -> ConnectionOptions:
        return ConnectionOptions((HostPort("127.0.0.1", self.port),), CHANNEL, timeout_s=10)

    def connect(self, **changes: object) -> RemoteConnection:
        connection = connect_remote(replace(self.options, **changes))  # type: ignore[arg-type]
        self.opened.append(connection)
        return connection

    def here(self) -> Connection:
        """Connect to the file itself."""
        return connect(self.path)

    def mqsc(self, text: str) -> None:
        with self.here() as connection:
            report = run_mqsc(connection, text)
        assert {command.outcome for command in report.commands} == {"ok"}, report


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    path = developers(str(tmp_path / "QM1.db"))
    service = Service(path=path, connect=lambda: connect(path), note=print)
    with listening(Listener(service, "127.0.0.1", 0)) as listener, Elsewhere(path, listener.port, listener) as served:
        served.mqsc(DEFINITIONS)
        yield served


@pytest.fixture(params=[CHANNEL, PLAIN_CHANNEL], ids=["shared", "plain"])
def connection(request: pytest.FixtureRequest, elsewhere: Elsewhere) -> RemoteConnection:
    """Connect by a channel whose conversations may share a socket, and by one without."""
    return elsewhere.connect(channel=request.param)
