"""Our client of the client protocol: browse and pull over loopback and with the delay of a network; depths."""

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

from measure import new_qmgr, report

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.clients.client.commands import pcf
from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQOO_BROWSE
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.identity import now_ms
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.elsewhere.pull import Pull, group_messages
from mqtools.operations.remote_depths import depths
from mqtools.operations.stored_messages import as_message
from mqtools.rules.message_forms import stored_form

_COUNT, _SIZE, _DELAY_S = 100_000, 1024, 0.01
_PULLED, _QUEUES = 20_000, 1000
_DEFINITIONS = """
ALTER QMGR CHLAUTH(DISABLED)
DEFINE CHANNEL(BENCH.SVRCONN) CHLTYPE(SVRCONN)
DEFINE QLOCAL(BENCH) MAXDEPTH(1000000)
"""


def remote() -> None:
    """Measure browse and pull of 1 KiB messages, also with 10 ms of delay each way, and depths of 1,000 queues."""
    home = tempfile.mkdtemp()
    environ = {**os.environ, "MQX_HOME": home}
    command = [str(Path(sys.executable).with_name("mqx")), "serve", "--dev", "QM1", "--port", "0", "-o", "json"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        _fill(os.path.join(home, "QM1.db"))
        near, far = _browse(port), _browse(_delayed(port))
        pull_near, pull_far = _pull(port), _pull(_delayed(port))
        depths_s = _depths(port)
        server.terminate()
    report("remote", f"browse of {_COUNT} messages of {_SIZE} bytes", f"{near:.0f}/s", "at least 5000/s")
    report(
        "remote", f"browse with {_DELAY_S * 1000:.0f} ms each way, {far:.0f}/s", f"{far / near:.2f}", "at least 0.70"
    )
    report(
        "remote",
        f"pull of {_PULLED} messages {pull_near:.0f}/s, with {_DELAY_S * 1000:.0f} ms each way {pull_far:.0f}/s",
        f"{pull_far / pull_near:.2f}",
        "at least 0.70",
    )
    report("remote", f"depths of {_QUEUES} queues", f"{depths_s:.2f} s", "at most 1.50 s")


def _fill(path: str) -> None:
    with connect(path) as connection:
        run_mqsc(connection, _DEFINITIONS + "".join(f"DEFINE QLOCAL(Q{number})\n" for number in range(_QUEUES)))
        for _ in range(_COUNT // 1000):
            connection.put_each("BENCH", [Message(bytes(_SIZE), MQMD(persistence=0)) for _ in range(1000)])


def _browse(port: int) -> float:
    """Return how many messages a second a browse of the queue gets."""
    with connect_remote(_options(port)) as connection, connection.open("BENCH", MQOO_BROWSE) as queue:
        begun, seen, error = time.perf_counter(), 0, None
        while error is None:
            results, error = queue.get_each(1000, MQGMO_BROWSE_NEXT)
            seen += len(results)
        assert seen == _COUNT, error
        return seen / (time.perf_counter() - begun)


def _pull(port: int) -> float:
    """Return how many messages a second come to a queue of a new queue manager."""
    with (
        connect(new_qmgr()) as here,
        connect_remote(_options(port)) as there,
        BrowsedQueue(there, "BENCH", exact=stored_form) as queue,
    ):
        begun, pull = time.perf_counter(), Pull(here, there.q_mgr_id, "BENCH")
        found = (as_message(stored, stored.data or b"", now_ms()) for stored in queue.select(limit=_PULLED))
        for batch in group_messages(found):
            assert pull.add(batch) is None
        assert pull.pulled == _PULLED
        return _PULLED / (time.perf_counter() - begun)


def _depths(port: int) -> float:
    """Return the seconds that the depths of all queues take, with the connection."""
    begun = time.perf_counter()
    with connect_remote(_options(port)) as there:
        found = depths(lambda command, given: [reply.values() for reply in pcf(there, command, given)], (), lambda: "")
    assert len(found) >= _QUEUES
    return time.perf_counter() - begun


def _options(port: int) -> ConnectionOptions:
    return ConnectionOptions((HostPort("127.0.0.1", port),), "BENCH.SVRCONN")


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
