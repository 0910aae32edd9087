"""Running the installed ``mqx`` as operators do: a real process with a home of its own."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ..copied import developers
from ..crash.conftest import faults as faults
from ..rows import count, queue_names, rows
from .elsewhere import REMOTE, difference, runs_elsewhere, served, write_remotes
from .fork_server import ForkServer

(_SCRIPT,) = entry_points(group="console_scripts", name="mqx")
#: The package of the commands.
SCRIPT_PACKAGE = _SCRIPT.module

#: Seconds after which something that does not happen counts as broken.
PATIENCE_S = 60


class Done(NamedTuple):
    """A finished command: exit status, stdout as bytes, stderr as text."""

    status: int
    out: bytes
    err: str

    def ended(self, status: int, *words: str) -> Done:
        """Check the exit status, and that stderr has each of the words; return this."""
        assert self.status == status, self
        for each in words:
            assert each in self.err, self
        return self

    @property
    def rows(self) -> list[Any]:
        """What the lines of stdout are in JSON."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def totals(self) -> Any:
        """The totals in JSON: the last object on stderr."""
        return json.loads([line for line in self.err.splitlines() if line.startswith("{")][-1])


def script() -> str:
    """Return the path of the installed command."""
    beside = Path(sys.executable).with_name("mqx")
    found = str(beside) if beside.exists() else shutil.which("mqx")
    assert found is not None, "mqx is not installed in this environment"
    return found


@pytest.fixture(scope="session")
def mqx_path() -> str:
    """The installed script, for shells and terminals."""
    return script()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is seen or touched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MQX_", "XDG_", "PYTHON"))}
    return {
        **kept,
        "HOME": str(tmp_path),
        "MQX_HOME": str(tmp_path / "qmgrs"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TERM": "dumb",
    }


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """The process that the command lines of ``mqx`` are forked from."""
    server = ForkServer()
    yield server
    server.close()


#: Variables of the environment that the start of the interpreter reads.
_READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG")


#: Variable with which ``make test-network`` runs the tests of commands on a queue manager elsewhere.
_NETWORK = "MQX_TEST_NETWORK"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is different on a queue manager elsewhere where the tests run on one."""
    for item in items if os.environ.get(_NETWORK) else ():
        if item.path.parent.name != "remote" and (reason := difference(item.name)):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def network_place(environment: dict[str, str]) -> Iterator[Callable[[Sequence[str]], list[str]]]:
    """What a command line needs for the queue manager QM1: nothing, or where it is elsewhere."""
    home = Path(environment["MQX_HOME"])
    with ExitStack() as stack:

        def find(words: Sequence[str]) -> list[str]:
            if not os.environ.get(_NETWORK) or not runs_elsewhere(words):
                return []
            if not (home / "remotes.toml").exists():
                if [found.name for found in home.glob("*.db")] != ["QM1.db"]:
                    return []
                write_remotes(home, stack.enter_context(served(str(home / "QM1.db"))))
            return ["-m", REMOTE, "--yes"]

        yield find


@pytest.fixture
def mqx(
    environment: dict[str, str], fork_server: ForkServer, network_place: Callable[[Sequence[str]], list[str]]
) -> Callable[..., Done]:
    """Run a command line: ``mqx("put", "Q", "x", stdin=b"")``; check=True insists on status 0.

    A process of its own, forked from one that has loaded the commands, unless a variable asks for another start.
    """

    def run(*arguments: str, stdin: bytes = b"", check: bool = False, timeout: float = 240, **extra: str) -> Done:
        env = {**environment, **extra}
        arguments = (*network_place(arguments), *arguments)
        if any(name.startswith(_READ_AT_START) and os.environ.get(name) != value for name, value in env.items()):
            done = subprocess.run(
                [script(), *arguments], input=stdin, capture_output=True, env=env, timeout=timeout, check=False
            )
            status, out, err = done.returncode, done.stdout, done.stderr
        else:
            status, out, err = fork_server.run(arguments, stdin=stdin, env=env, timeout=timeout)
        result = Done(status, out, err.decode("utf-8", "replace"))
        if check:
            assert result.status == 0, result
        return result

    return run


@pytest.fixture
def inline(
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Iterator[Callable[..., Done]]:
    """Run a command line in this process, which takes milliseconds, where nothing depends on its being a process.

    It closes all queue managers at its end, as a process would.
    """
    from mqtools.mqi import close_all

    monkeypatch.setattr("mqtools.store.open_files._kept", {})  # as in a process that closes all at its end
    commands = importlib.import_module(SCRIPT_PACKAGE)
    session_module = importlib.import_module(f"{SCRIPT_PACKAGE}.shared.command_session")
    for name in [name for name in os.environ if name.startswith(("MQX_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "80")
    on_sigterm = signal.getsignal(signal.SIGTERM)
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, ())  # dlq-handle blocks signals, for a thread of its own

    def run(*arguments: str, stdin: bytes = b"", check: bool = False) -> Done:
        session = session_module.Session()
        words = list(arguments)
        given = tmp_path / "stdin-of-inline"  # a file, since commands wait for their input by its number
        given.write_bytes(stdin)
        with given.open(encoding="utf-8") as file, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", file)
            status = commands.run_line(session, words)
        close_all()
        captured = capsysbinary.readouterr()
        result = Done(status, captured.out, captured.err.decode("utf-8", "replace"))
        if check:
            assert result.status == 0, result
        return result

    yield run
    signal.signal(signal.SIGTERM, on_sigterm)
    signal.pthread_sigmask(signal.SIG_SETMASK, masked)


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Begin a command and go on: ``start("get", "Q", "--follow")``. All streams are pipes unless given."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(*arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        process = subprocess.Popen([script(), *arguments], env=environment, **{**pipes, **streams})
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def answered(environment: dict[str, str], mqx_path: str) -> Callable[..., int]:
    """Run a command at a terminal and answer it: ``answered("trash", "empty", asks="delete 3", answer="y")``.

    asks: pattern of the question.  Returns the exit status.
    """
    import pexpect

    def run(*words: str, asks: str, answer: str, **extra: str) -> int:
        terminal = pexpect.spawn(mqx_path, list(words), env={**environment, **extra}, timeout=PATIENCE_S)
        terminal.expect(asks)
        terminal.send(answer)
        terminal.expect(pexpect.EOF)
        terminal.wait()
        terminal.close()
        return int(terminal.exitstatus)

    return run


@pytest.fixture
def eventually() -> Callable[[Callable[[], Any]], Any]:
    """Wait until another process has done something: ``eventually(lambda: waiters() == 1)``; gives the value."""

    def wait_for(claim: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        pause = threading.Event()
        while not (value := claim()):
            assert time.monotonic() < deadline, "it never happened"
            pause.wait(0.01)
        return value

    return wait_for


@pytest.fixture
def qm(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """A fresh queue manager QM1 with the developer's queues; its path."""
    for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.delenv("MQX_QMGR", raising=False)
    return developers("QM1")


@pytest.fixture
def define(qm: str) -> Callable[..., None]:
    """Define a queue, or alter one that is there: ``define("SMALL", max_q_depth=3)``, ``define("A", "QALIAS", …)``."""
    from mqtools.mqi.connection import connect
    from mqtools.mqi.objects.definitions import alter_queue, define_queue

    def make(name: str, object_type: str = "QLOCAL", **attributes: object) -> None:
        with connect(qm) as connection, connection.work() as work:
            (alter_queue if name in queue_names(qm) else define_queue)(work, object_type, name, attributes)

    return make


@pytest.fixture
def lying_on(qm: str) -> Callable[[str], list[dict[str, Any]]]:
    """What lies on a queue in whatever state, in the order of arrival, read from the file itself."""

    def read(queue: str) -> list[dict[str, Any]]:
        columns = [name for (name,) in rows(qm, "select name from pragma_table_info('messages')")]
        query = "select messages.* from messages join queues on queues.id = queue_id where name = ? order by seq"
        return [dict(zip(columns, row, strict=True)) for row in rows(qm, query, queue)]

    return read


@pytest.fixture
def bodies(lying_on: Callable[[str], list[dict[str, Any]]]) -> Callable[[str], list[bytes]]:
    """The data of what lies on a queue."""
    return lambda queue: [row["data"] for row in lying_on(queue)]


@pytest.fixture
def count_rows(qm: str) -> Callable[[str], int]:
    """How many rows a table of the queue manager has: holders, waiters, ..."""
    return lambda table: count(qm, table)


@pytest.fixture
def browse(mqx: Callable[..., Done]) -> Callable[..., list[dict[str, Any]]]:
    """The messages of a queue as JSON objects; more words are options."""

    def read(queue: str, *options: str) -> list[dict[str, Any]]:
        return mqx("browse", queue, "-o", "jsonl", *options).rows

    return read


@pytest.fixture
def abc(qm: str, mqx: Callable[..., Done]) -> None:
    """The messages a, b and c on DEV.QUEUE.1."""
    mqx("put", "DEV.QUEUE.1", "a", "b", "c", check=True)


@pytest.fixture
def ids(mqx: Callable[..., Done], qm: str) -> list[str]:
    """The message identifiers of a, b and c on DEV.QUEUE.1."""
    return mqx("put", "DEV.QUEUE.1", "a", "b", "c", "--print-id", check=True).out.decode().split()


def _module_of_commands(name: str) -> Any:
    (command,) = entry_points(group="console_scripts", name="mqx")
    return importlib.import_module(f"{command.load().__module__}.{name}")


@pytest.fixture
def here(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> Iterator[Callable[..., Done]]:
    """Run a command line in this process, in a folder of its own; for commands that cost too much to start."""
    import io
    import signal

    session_module = _module_of_commands("shared.command_session")
    run_line = importlib.import_module(SCRIPT_PACKAGE).run_line
    for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.chdir(tmp_path)
    mask, on_sigterm = os.umask(0o077), signal.getsignal(signal.SIGTERM)

    def run_here(*words: str, stdin: bytes = b"", check: bool = False, **extra: str) -> Done:
        for name, value in extra.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        session = session_module.Session()
        status = run_line(session, list(words))
        out, err = capfdbinary.readouterr()
        done = Done(status, out, err.decode("utf-8", "replace"))
        if check:
            assert done.status == 0, done
        return done

    yield run_here
    os.environ.pop("PYTHONSAFEPATH", None)  # a job sets it, and Python would not find what later tests run with -c
    os.umask(mask)
    signal.signal(signal.SIGTERM, on_sigterm)


@pytest.fixture
def on_spark(here: Callable[..., Done], spark: Any, qm: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run jobs of ``mqx pipeline`` in this process, on the Spark of all tests; each reads anew what it reads.

    The queue manager is named by its path: Spark's workers have the environment that Spark was started in.
    is_named: the words name the queue managers.
    """
    from pyspark_mqx.session import session

    monkeypatch.setattr(session, "start", lambda *_: spark)

    def run_job(job: str, *words: str, is_named: bool = False, **given: Any) -> Done:
        spark.catalog.clearCache()
        return here("pipeline", job, *(() if is_named else ("-m", qm)), *words, **given)

    return run_job


@pytest.fixture
def closed_pipe():
    """The write end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)
