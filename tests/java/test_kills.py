"""Kills of clients, of the server and of sockets: no message is lost or doubled."""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqtools.admin.depths import depths
from mqtools.constants.options import MQOO_BROWSE, MQOO_INPUT_AS_Q_DEF, MQOO_OUTPUT
from mqtools.errors import NoMessageAvailable
from mqtools.message import Message
from mqtools.mqi import recovery
from mqtools.mqi.connection import connect
from mqtools.mqi.handle import Handle

from .conftest import maven
from .proxy import Cut, Proxy
from .serving import FOLDER, Served, define, serve

pytestmark = pytest.mark.java
FROM, TO = "DEV.JAVA.1", "DEV.JAVA.2"
_BROWSE_NEXT, _SOON = 0x20, 20
_COUNTS = ("uncommitted", "open_input", "open_output")


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of a JVM with the client and the classes of the tests."""
    path = tmp_path_factory.mktemp("java") / "classpath"
    maven("test-compile", "dependency:build-classpath", f"-Dmdep.outputFile={path}")
    classes = FOLDER.parent.parent / "build" / "java" / "com.ibm.mq.allclient" / "test-classes"
    return ["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", f"{classes}:{path.read_text()}"]


class Program:
    """A JVM that runs Mover."""

    def __init__(self, java: list[str], port: int) -> None:
        line = [java[0], f"-Dmqx.port={port}", *java[1:], "mqx.Mover"]
        pipe, away = subprocess.PIPE, subprocess.DEVNULL
        # The client writes its log into the current folder.
        folder = tempfile.gettempdir()
        self.process = subprocess.Popen(line, cwd=folder, stdin=pipe, stdout=pipe, stderr=away, text=True)

    def tell(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> list[str]:
        """Kill the JVM with SIGKILL; return what it had still printed."""
        self.process.kill()
        return self.process.communicate()[0].split()


@contextmanager
def program(java: list[str], port: int) -> Iterator[Program]:
    running = Program(java, port)
    try:
        yield running
    finally:
        running.kill()


def stock(qmgr: str) -> dict[str, list[str]]:
    """Return the messages of both queues once nobody has them open or in a unit of work."""
    with connect(qmgr) as connection:
        end = time.monotonic() + _SOON
        while any(row[count] for row in depths(connection, ["DEV.JAVA.*"]) for count in _COUNTS):
            with connection.work() as work:
                recovery.recover(work)  # what a process held that is gone
            assert time.monotonic() < end, "a unit of work has outlived its client"
            time.sleep(0.02)
        return {name: list(bodies(connection.open(name, MQOO_BROWSE))) for name in (FROM, TO)}


def bodies(handle: Handle, options: int = _BROWSE_NEXT) -> Iterator[str]:
    with handle:
        while True:
            try:
                yield handle.get(options).message.data.decode().strip()
            except NoMessageAvailable:
                return


def fill(qmgr: str, count: int, prefix: str = "m") -> list[str]:
    names = [f"{prefix}{n}" for n in range(count)]
    with connect(qmgr) as connection, connection.open(FROM, MQOO_OUTPUT) as handle:
        for name in names:
            message = Message(name.encode())
            message.md.format, message.md.persistence = "MQSTR", 1
            handle.put(message)
    return names


def empty(qmgr: str) -> None:
    with connect(qmgr) as connection:
        for name in (FROM, TO):
            list(bodies(connection.open(name, MQOO_INPUT_AS_Q_DEF), options=0))


#: Action to the outcome that Java reports, to what may be on the queues: messages to come from and to go to.
ALLOWED = {
    "send": {"done": ["x|"], "unknown": ["x|", "|"], "failed": ["|"]},
    "put": {"done": ["x|"], "unknown": ["x|", "|"], "failed": ["|"]},
    "get": {"done": ["|"], "unknown": ["x|", "|"], "failed": ["x|"]},
    "move": {"done": ["|x"], "unknown": ["x|", "|x"], "failed": ["x|"]},
}


@pytest.mark.parametrize("is_half", [False, True], ids=["between segments", "within a segment"])
@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("action", ALLOWED)
def test_a_cut_at_each_segment(served: Served, java: list[str], action: str, side: str, is_half: bool) -> None:
    proxy, outcomes = Proxy(served.port), Counter[str]()
    with program(java, served.port) as running:
        for after in range(0 if is_half else 1, 60):
            empty(served.qmgr)
            if action in ("get", "move"):
                fill(served.qmgr, 1, "x")
            running.tell(f"connect {proxy.own_port}")
            assert running.answer() == "connected"
            proxy.cut = cut = Cut(side, after, is_half)
            running.tell(f"{action} x0" if action in ("send", "put") else action)
            outcome = running.answer()
            was_cut = proxy.cut is None
            proxy.cut_all()
            found = stock(served.qmgr)
            held = "|".join("".join(found[name]).replace("x0", "x") for name in (FROM, TO))
            assert held in ALLOWED[action][outcome], (cut, outcome)
            outcomes[outcome] += 1
            if not was_cut:
                break
    proxy.close()
    assert outcome == "done"
    assert outcomes["failed"] + outcomes["unknown"] > 3


def test_a_killed_jvm_loses_no_message(served: Served, java: list[str]) -> None:
    empty(served.qmgr)
    names: list[str] = []
    for run in range(4):
        names += fill(served.qmgr, 1000, f"m{run}.")  # more than it moves before it is killed
        with program(java, served.port) as running:
            running.tell(f"forever {served.port}")
            moved = [running.answer()]
            time.sleep(random.uniform(0, 0.4))
            moved += running.kill()
        found = stock(served.qmgr)
        assert sorted(found[FROM] + found[TO]) == sorted(names)
        assert set(moved) <= set(found[TO])
    assert found[TO]


def test_a_killed_server_loses_no_message(tmp_path: Path, java: list[str]) -> None:
    names: list[str] = []
    moved: list[str] = []
    for run in range(3):
        with serve(tmp_path, "--port", "0") as served:
            if not names:
                define(served.qmgr)
            names += fill(served.qmgr, 1000, f"m{run}.")  # more than it moves before the server is killed
            with program(java, served.port) as running:
                running.tell(f"forever {served.port}")
                moved.append(running.answer())
                time.sleep(random.uniform(0, 0.4))
                served.process.kill()
                moved += [word for word in running.process.communicate()[0].split() if word]
        found = stock(served.qmgr)
        assert sorted(found[FROM] + found[TO]) == sorted(names)
        assert set(moved) <= set(found[TO])
