"""Our client of the client protocol: a browse by streaming over loopback, and with the delay of a network."""

from __future__ import annotations

import heapq
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Condition, Thread

from measure import report

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQOO_BROWSE
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

_COUNT, _SIZE, _DELAY_S = 100_000, 1024, 0.01
_DEFINITIONS = """
ALTER QMGR CHLAUTH(DISABLED)
DEFINE CHANNEL(BENCH.SVRCONN) CHLTYPE(SVRCONN)
DEFINE QLOCAL(BENCH) MAXDEPTH(1000000)
"""


def remote() -> None:
    """Measure a browse of 1 KiB messages by our client, and what 10 ms of delay each way costs it."""
    home = tempfile.mkdtemp()
    environ = {**os.environ, "MQX_HOME": home}
    command = [str(Path(sys.executable).with_name("mqx")), "serve", "--dev", "QM1", "--port", "0", "-o", "json"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        _fill(os.path.join(home, "QM1.db"))
        near = _browse(port)
        far = _browse(_delayed(port))
        server.terminate()
    report("remote", f"browse of {_COUNT} messages of {_SIZE} bytes", f"{near:.0f}/s", "at least 5000/s")
    report(
        "remote", f"browse with {_DELAY_S * 1000:.0f} ms each way, {far:.0f}/s", f"{far / near:.2f}", "at least 0.70"
    )


def _fill(path: str) -> None:
    with connect(path) as connection:
        run_mqsc(connection, _DEFINITIONS)
        for _ in range(_COUNT // 1000):
            connection.put_each("BENCH", [Message(bytes(_SIZE), MQMD(persistence=0)) for _ in range(1000)])


def _browse(port: int) -> float:
    """Return how many messages a second a browse of the queue gets."""
    options = ConnectionOptions((HostPort("127.0.0.1", port),), "BENCH.SVRCONN")
    with connect_remote(options) as connection, connection.open("BENCH", MQOO_BROWSE) as queue:
        begun, seen, error = time.perf_counter(), 0, None
        while error is None:
            results, error = queue.get_each(1000, MQGMO_BROWSE_NEXT)
            seen += len(results)
        assert seen == _COUNT, error
        return seen / (time.perf_counter() - begun)


def _delayed(port: int) -> int:
    """Return the port of a proxy that forwards what it reads after a delay."""
    listening = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        client, _ = listening.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for source, target in ((client, server), (server, client)):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _Line(source, target)

    Thread(target=accept, daemon=True).start()
    return int(listening.getsockname()[1])


class _Line:
    """One direction of a connection: bytes arrive after a delay, however many there are."""

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self._source, self._target = source, target
        self._waiting: list[tuple[float, int, bytes]] = []
        self._changed = Condition()
        for work in (self._read, self._write):
            Thread(target=work, daemon=True).start()

    def _read(self) -> None:
        for number in count():
            with suppress(OSError):
                data = self._source.recv(1 << 16)
            with self._changed:
                heapq.heappush(self._waiting, (time.monotonic() + _DELAY_S, number, data))
                self._changed.notify()
            if not data:
                return

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
                at, _, data = heapq.heappop(self._waiting)
            time.sleep(max(0.0, at - time.monotonic()))
            if not data:
                with suppress(OSError):
                    self._target.shutdown(socket.SHUT_WR)
                return
            self._target.sendall(data)
