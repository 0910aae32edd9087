"""kill -9 of the server at each step of a send and of a get under syncpoint: no message is lost or doubled."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.clients.wire.codes import SegmentType
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ..copied import copy_of
from .client import PATIENCE_S, Client

pytestmark = pytest.mark.crash

Q = "DEV.QUEUE.1"

PUT: tuple[Callable[[Client], object], ...] = (
    lambda client: client.send_put(Q, b"x"),
    lambda client: client.reply(),
    lambda client: client.send_call(SegmentType.MQCMIT),
    lambda client: client.reply(),
)
GET: tuple[Callable[[Client], object], ...] = (
    lambda client: client.send_get(client.open(Q)),
    lambda client: client.reply(),
    lambda client: client.send_call(SegmentType.MQCMIT),
    lambda client: client.reply(),
)


@pytest.mark.parametrize("steps", range(5))
@pytest.mark.parametrize(("action", "before", "after"), [(PUT, 0, 1), (GET, 1, 0)], ids=["put", "get"])
def test_a_message_is_there_once_or_not_at_all(
    tmp_path: Path, action: tuple[Callable[[Client], object], ...], before: int, after: int, steps: int
) -> None:
    path = copy_of(lambda path: queue_managers.create(path, developer=True), str(tmp_path / "QM1.db"))
    if before:
        with connect(path) as connection:
            connection.put1(Q, Message(b"x", MQMD(persistence=1)))
    line = [sys.executable, "-m", "mqtools", "serve", "-m", path, "--port", "0", "-o", "json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connected:
            client = Client(connected)
            for step in action[:steps]:
                step(client)
            server.kill()
            server.wait(PATIENCE_S)
    found = 0
    with connect(path) as connection, connection.open(Q, MQOO_INPUT_SHARED) as handle, suppress(NoMessageAvailable):
        while True:
            handle.get()
            found += 1
    assert found in ({before} if steps < 3 else {before, after} if steps == 3 else {after})
