"""Structured fuzzing of the client protocol: ``python -m tests.fuzz.client_streams [--streams 1000] [--seed 1]``.

Each stream is a connection to a listener: a valid beginning, then segments with changed headers, lengths, handles and
structures, in either byte order. A listener ends each of them, and serves an honest client meanwhile.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.clients.wire import calls, handshake
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType
from mqtools.clients.wire.segments import Splitter, WireSegment
from mqtools.constants import cmqc
from mqtools.headers.structures_message import OD
from mqtools.mqi.connection import Connection, connect
from tests.clients.server.conftest import PROPOSAL, sent
from tests.clients.server.test_hostile import HANDLE, KINDS, NUMBERS, templates
from tests.network.client import Client

CHANNELS = ("FUZZ.OWNER", "FUZZ.USER")
Q, HONEST_Q = "DEV.QUEUE.1", "DEV.QUEUE.2"
#: Seconds in which a stream ends, and the honest client has an answer, on a busy machine.
PATIENCE_S = 60
#: Descriptors that SQLite keeps of connections that were closed, to use them again.
SPARE = 20
#: Greatest resident memory of the server (MiB).
MOST_MEMORY = 400
TEMPLATES = {order: templates(order) for order in "<>"}
DEFINITIONS = """
DEFINE CHANNEL(FUZZ.OWNER) CHLTYPE(SVRCONN)
SET CHLAUTH(FUZZ.OWNER) TYPE(BLOCKUSER) USERLIST('none')
DEFINE CHANNEL(FUZZ.USER) CHLTYPE(SVRCONN) MCAUSER(app)
DEFINE CHANNEL(FUZZ.QM) CHLTYPE(RCVR)
"""


@dataclass
class Stream:
    """One hostile connection. random: decides everything about it."""

    random: random.Random
    order: str
    is_multiplexed: bool = False
    handle: int = 0

    def segment(self, kind: int, body: bytes, flags: int = Flags.WHOLE, conversation: int = 1) -> WireSegment:
        eyecatcher = MULTIPLEXED if self.is_multiplexed else PLAIN
        return WireSegment(
            eyecatcher=eyecatcher, kind=kind, body=body, flags=flags, conversation=conversation, order=self.order
        )

    def proposal(self) -> bytes:
        """Return an INITIAL_DATA that a queue manager accepts as it is."""
        values = {**PROPOSAL, "FapLevel": 12, "CapFlag2": 0, "CapFlag3": 0, "MaxMsgSize": 4_194_304}
        values |= {"ChannelName": self.random.choice(CHANNELS).encode().ljust(20), "HeartbeatInterval": 300}
        values["ConversationsPerSocket"] = self.random.choice((0, 10))
        data = self.segment(SegmentType.INITIAL_DATA, handshake.INITIAL_DATA.write(values, self.order)).pack()
        self.is_multiplexed = values["ConversationsPerSocket"] > 0
        return data

    def connect(self) -> bytes:
        body = bytes(120) + b"FCNO" + (2).to_bytes(4, "little" if self.order == "<" else "big") + bytes(204)
        return self.segment(SegmentType.MQCONN, ApiHeader().pack(body, self.order)).pack()

    def open(self) -> bytes:
        od = sent(self.order, OD, Version=2, ObjectName=Q.encode().ljust(48))
        options = cmqc.MQOO_OUTPUT | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE
        body = calls.OPEN.write({"od": od, "options": options, "attributes": None}, self.order)
        return self.segment(SegmentType.MQOPEN, ApiHeader().pack(body, self.order)).pack()

    def hostile(self) -> bytes:
        """Return one changed segment, or the segments of a call that never ends."""
        choose = self.random
        kind, body = choose.choice(TEMPLATES[self.order])
        changed = bytearray(body)
        for _ in range(choose.randrange(4)):
            at = 4 * choose.randrange(max(1, len(changed) // 4))
            number = choose.choice((*NUMBERS, choose.getrandbits(32)))
            changed[at : at + 4] = number.to_bytes(4, choose.choice(("little", "big")))
        body = bytes(changed[: choose.randrange(len(changed) + 1)] if choose.random() < 0.1 else changed)
        names = {one: HANDLE.to_bytes(4, one) for one in ("little", "big")}
        for one, name in names.items():
            body = body.replace(name, self.handle.to_bytes(4, one))
        if kind >= SegmentType.MQCONN:
            body = ApiHeader(handle=choose.choice((self.handle, self.handle, 0, 1))).pack(body, self.order)
        segment = self.segment(
            choose.choice(KINDS) if choose.random() < 0.1 else kind,
            body,
            choose.choice((0x30, 0x30, 0x30, 0x31, 0x10, 0x20, 0, 0xFF)),
            choose.choice((1, 1, 1, 1, 0, 3, 0xFFFFFFFF)),
        )
        data = bytearray(segment.pack())
        if choose.random() < 0.1:
            data[choose.randrange(len(data[:36]))] = choose.choice((0, 1, 2, 0x7F, 0x80, 0xFF))
        if choose.random() < 0.05:
            data[:4] = choose.choice((PLAIN, CONTROL, MULTIPLEXED, b"MX\1\0"))
        if choose.random() < 0.03:
            endless = self.segment(SegmentType.MQPUT, bytes(32_000), Flags(0)).pack() * choose.randrange(1, 150)
            return self.segment(SegmentType.MQPUT, bytes(100), Flags.FIRST).pack() + endless
        return bytes(data)

    def run(self, connected: socket.socket) -> None:
        """Send the stream, and wait for the end of the connection."""
        choose, splitter = self.random, Splitter()
        way = choose.random()
        try:
            if way < 0.05:
                connected.sendall(choose.choice((b"\x16\x03\x01\x02\0\x01", b"MX\x01\0\0\0", b"TSH ", b"", b"GET /")))
                connected.sendall(choose.randbytes(choose.randrange(400)))
            elif way < 0.15:
                connected.sendall(b"".join(self.hostile() for _ in range(3)))
            else:
                start = self.proposal()
                connected.sendall(start)
                if way > 0.25:
                    connected.sendall(self.connect() + self.open())
                    self.handle = self._read_handle(connected, splitter)
                connected.sendall(b"".join(self.hostile() for _ in range(choose.randrange(1, 9))))
            with suppress(OSError):  # the server may have closed it
                connected.shutdown(socket.SHUT_WR)
            while data := connected.recv(65_536):
                if way >= 0.15:
                    list(splitter.feed(data))  # the server sends nothing but segments
        except (ConnectionError, EOFError):
            return

    def _read_handle(self, connected: socket.socket, splitter: Splitter) -> int:
        while data := connected.recv(65_536):
            for segment in splitter.feed(data):
                if segment.kind == SegmentType.MQOPEN + 16:
                    return calls.read_api(segment)[0].handle
        raise EOFError


class Honest:
    """A client that puts and gets while others are hostile."""

    def __init__(self, port: int) -> None:
        self.rounds, self.slowest_s = 0, 0.0
        self.failure: Exception | None = None
        self._is_ending = False
        self._client = Client(socket.create_connection(("127.0.0.1", port), PATIENCE_S), "FUZZ.OWNER")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        client = self._client
        try:
            handle = client.open(HONEST_Q)
            while not self._is_ending:
                started = time.monotonic()
                client.send_put(HONEST_Q, b"honest")
                assert client.reply()[0].reason == client.call(SegmentType.MQCMIT)[0].reason == 0
                client.send_get(handle)
                assert client.reply()[0].reason == client.call(SegmentType.MQCMIT)[0].reason == 0
                self.rounds += 1
                self.slowest_s = max(self.slowest_s, time.monotonic() - started)
                time.sleep(0.01)
        except Exception as error:
            self.failure = error

    def end(self) -> None:
        """Stop. Raises what it failed with."""
        self._is_ending = True
        self._thread.join(PATIENCE_S)
        self._client.socket.close()
        if self.failure is not None:
            raise self.failure


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """Serve a new queue manager in a process; return it, its port, and the file of its stderr."""
    path, errors = str(folder / "QM1.db"), folder / "stderr"
    queue_managers.create(path, developer=True)
    with connect(path) as connection:
        assert not run_mqsc(connection, DEFINITIONS).failed
    line = [sys.executable, "-m", "mqtools", "serve", "-m", path, "--port", "0", "-o", "json"]
    with (
        errors.open("w") as written,
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=written, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            yield server, json.loads(server.stdout.readline())["port"], errors
        finally:
            server.terminate()


def fuzz(folder: Path, numbers: range, seed: int, threads: int = 6) -> str:
    """Run streams against a server in a process; return what was measured. Raises AssertionError.

    numbers: of the streams. A stream is the same in each run with a seed.
    """
    with served(folder) as (server, port, errors):
        honest = Honest(port)
        before = descriptors_of(server.pid)
        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(partial(run_stream, port, seed), numbers):
                assert server.poll() is None
                assert honest.failure is None, honest.failure
        honest.end()
        with connect(str(folder / "QM1.db")) as connection:
            deadline = time.monotonic() + PATIENCE_S
            while (staying := left_behind(connection, server.pid, before)) and time.monotonic() < deadline:
                time.sleep(0.1)
        assert not staying, staying
        memory = int(re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())[0]) // 1024
    found = [text for text in errors.read_text().splitlines() if re.search("Traceback|unexpected", text)]
    assert not found, "\n".join(sorted(set(found))[:20])
    assert memory < MOST_MEMORY
    return f"{len(numbers)} streams, {memory} MiB, {honest.rounds} honest rounds, slowest {honest.slowest_s:.2f} s"


def run_stream(port: int, seed: int, number: int) -> None:
    """Run the stream of a number."""
    choose = random.Random(f"{seed}/{number}")
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connected:
        try:
            Stream(choose, choose.choice("<>")).run(connected)
        except TimeoutError:
            raise AssertionError(f"stream {number} of seed {seed} does not end") from None


def left_behind(connection: Connection, process_id: int, descriptors: int) -> list[object]:
    """Return what streams that have ended left. descriptors: that the process had before."""
    shown = run_mqsc(connection, "DISPLAY CONN(*) CHANNEL\nDISPLAY QLOCAL(SYSTEM.MANAGED.NDURABLE.*)").commands
    found = [one.attributes for command in shown for one in command.objects if one.attributes.get("CHANNEL") != ""]
    return [*found, *([descriptors_of(process_id)] if descriptors_of(process_id) > descriptors + SPARE else [])]


def descriptors_of(process_id: int) -> int:
    return len(list(Path(f"/proc/{process_id}/fd").iterdir()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first stream")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    given = parser.parse_args()
    print(f"client protocol: seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as made:
        print(fuzz(Path(made), range(given.first, given.first + given.streams), given.seed))
