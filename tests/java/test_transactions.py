"""A transaction manager with two queue managers: kills of its JVM and of the servers at each step of a transaction."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from mqtools.admin.depths import depths
from mqtools.admin.transactions import list_transactions
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.connection import connect

from .conftest import maven
from .serving import FOLDER, Served, define, serve

pytestmark = pytest.mark.java
MODULE = FOLDER / "transactions"
FROM, TO = "DEV.JAVA.1", "DEV.JAVA.2"
#: Transactions that are killed; more in a longer run.
KILLS = int(os.environ.get("MQX_XA_KILLS", "20"))
#: Steps of a transaction that is committed: XA calls on two resources, before and after each.
STEPS = [
    f"{when} {call} {name}"
    for call in ("start", "end", "prepare", "commit")
    for name in ("from", "to")
    for when in ("before", "after")
]
VICTIMS = ["JVM", "JVM", FROM, TO]


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of a JVM with Narayana and the client."""
    path = tmp_path_factory.mktemp("java") / "classpath"
    maven("compile", "dependency:build-classpath", f"-Dmdep.outputFile={path}", folder=MODULE)
    classes = FOLDER.parent.parent / "build" / "java" / "transactions" / "classes"
    return ["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", f"{classes}:{path.read_text()}"]


class Resource:
    """A queue manager and its server, on the same port however often it is killed."""

    def __init__(self, home: Path, queue: str) -> None:
        self.home, self.queue, self.port = home, queue, "0"
        self.running = ExitStack()
        self.start()
        define(self.served.qmgr)

    def start(self) -> None:
        self.served: Served = self.running.enter_context(serve(self.home, "--port", self.port))
        self.port = str(self.served.port)

    def kill(self) -> None:
        self.served.process.kill()
        self.running.close()
        self.start()

    def depth(self) -> int:
        """Return the depth of the queue, after what a killed process held was backed out."""
        with connect(self.served.qmgr) as connection:
            with connection.work() as work:
                recovery.recover(work)
            (row,) = depths(connection, [self.queue])
            return int(row["depth"])

    def transactions(self) -> list[str]:
        with connect(self.served.qmgr) as connection:
            return [str(each) for each in list_transactions(connection)]


class Manager:
    """A JVM that runs Transfers."""

    def __init__(self, java: list[str], log: Path, resources: list[Resource]) -> None:
        line = [*java, "transactions.Transfers", str(log), *(each.port for each in resources)]
        pipe, away = subprocess.PIPE, subprocess.DEVNULL
        # The client writes its log into the current folder.
        self.process = subprocess.Popen(line, cwd=log.parent, stdin=pipe, stdout=pipe, stderr=away, text=True)

    def tell(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answers(self, command: str) -> Iterator[str]:
        """Run a command of the program; yield each step of it, and its outcome."""
        self.tell(command)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield line.strip()
            if line.startswith("="):
                return
            self.tell("go on")

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def transaction_manager(java: list[str], log: Path, resources: list[Resource]) -> Iterator[list[Manager]]:
    """Yield a list with the transaction manager, for a test that replaces it."""
    managers = [Manager(java, log, resources)]
    try:
        yield managers
    finally:
        managers[-1].kill()


def transfer(manager: Manager, victim: Resource | None, step: str) -> str:
    """Transfer a message, and kill the victim at a step: the JVM, or the server of a resource; return the outcome."""
    outcome = "killed"
    for answer in manager.answers("transfer"):
        if answer == step and victim is None:
            manager.kill()
            return outcome
        if answer == step and victim is not None:
            victim.kill()
        outcome = answer
    return outcome


@pytest.mark.timeout(120 + 10 * KILLS)
def test_kills_at_each_step_leave_both_done_or_neither(tmp_path: Path, java: list[str]) -> None:
    source, target = Resource(tmp_path / "from", FROM), Resource(tmp_path / "to", TO)
    resources = [source, target]
    victims = {"JVM": None, FROM: source, TO: target}
    cases = [(victim, step) for victim in VICTIMS for step in STEPS]
    random.Random(7).shuffle(cases)
    outcomes = []
    with source.running, target.running, transaction_manager(java, tmp_path / "log", resources) as managers:
        moved = 0
        for number in range(KILLS):
            victim, step = cases[number % len(cases)]
            with connect(source.served.qmgr) as connection:
                message = Message(b"x", MQMD(persistence=MQPER_PERSISTENT, format="MQSTR"))
                connection.put1(FROM, message)
            outcome = transfer(managers[-1], victims[victim], step)
            if victim == "JVM":
                managers.append(Manager(java, tmp_path / "log", resources))
            (left,) = managers[-1].answers("recover")
            case = number, victim, step, outcome
            assert left == "=0 left", case
            assert source.depth() + target.depth() == number + 1, case
            assert source.transactions() == target.transactions() == [], case
            is_done = target.depth() > moved
            assert is_done or outcome != "=committed", case
            moved += is_done
            outcomes.append(is_done)
        assert {True, False} == set(outcomes)
        assert sorted(managers[-1].answers("transfer")) == sorted([*STEPS, "=committed"])
