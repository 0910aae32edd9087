"""Apply and push whose process, or whose server's process, is killed at a call: repeated, they end right."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.dlq.apply import APPLIED, APPLIED_BEFORE
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.operations.elsewhere.push import ADDED, EQUAL, REPLACED
from mqtools.rules.message_digest import message_digest

from ...commands.conftest import script
from ...copied import developers
from ...dlq.dead_letters import DLQ, OTHER, TO
from ...dlq.test_apply import apply, bury_each, dumped, plan
from ...operations.two_queue_managers import contents, edit, pull, push
from ...project import ROOT
from .conftest import CHANNEL, Elsewhere

pytestmark = pytest.mark.crash

#: Calls at which is killed: each with ``make test-network``. A run of an apply makes 27, of a push 15.
POINTS = range(1, 31) if "MQX_TEST_NETWORK" in os.environ else (5, 12, 20)

#: Runs an apply or a push, and kills its own process, or that of the server, when a call is made or is done.
PROGRAM = """
import os, pickle, signal, sys
from mqtools.mqi.connection import connect
from tests.clients.client.test_apply_killed import connection_to
from tests.dlq.test_apply import apply
from tests.operations.two_queue_managers import breaking, push

port, victim, at, verb, path, here = sys.argv[1:]
inner = connection_to(int(port))
end = lambda: os.kill(int(victim) or os.getpid(), signal.SIGKILL)
with breaking(inner, abs(int(at)), is_done=int(at) < 0, end=end) as there:
    if verb == "apply":
        apply(there, pickle.load(open(path + ".plan", "rb")), path)
    else:
        with connect(here) as connection:
            push(connection, there, "DEV.QUEUE.1", "DEV.QUEUE.1")
"""


def connection_to(port: int) -> RemoteConnection:
    return connect_remote(ConnectionOptions((HostPort("127.0.0.1", port),), CHANNEL, timeout_s=10))


@contextmanager
def served(path: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Serve a queue manager in a process of its own; yield it and its port."""
    words = [script(), "serve", "-m", path, "--port", "0", "-o", "json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())["port"]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def run_killed(elsewhere: Elsewhere, victim: str, at: int, verb: str, path: str, here: str = "") -> None:
    with served(elsewhere.path) as (server, port):
        words = [str(port), str(server.pid if victim == "server" else 0), str(at), verb, path, here]
        done = subprocess.run([sys.executable, "-c", PROGRAM, *words], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
        assert done.returncode or victim == "server" or abs(at) > 14, "nothing was killed"


@pytest.mark.parametrize("victim", ["client", "server"])
def test_a_killed_apply_ends_right_when_it_is_repeated(elsewhere, tmp_path, victim):
    path = str(tmp_path / "dump.jsonl")
    with elsewhere.here() as file:
        for number, point in enumerate(POINTS):
            bury_each(file)
            planned = plan(file)
            Path(f"{path}.plan").write_bytes(pickle.dumps(planned))
            before = {message_digest(message) for message in contents(file, DLQ)}
            run_killed(elsewhere, victim, -point if number % 2 else point, "apply", path)
            gone = before - {message_digest(message) for message in contents(file, DLQ)}
            assert gone <= set(dumped(path) if os.path.exists(path) else ())
            with elsewhere.here() as again:  # as in a new process, whose connection finds the dead
                assert apply(again, planned, path).keys() <= {APPLIED, APPLIED_BEFORE}
        number = len(POINTS)
        assert [len(contents(file, name)) for name in (DLQ, TO, OTHER)] == [number, number, 2 * number]
        assert len(dumped(path)) == len(set(dumped(path))) == 4 * number


@pytest.mark.parametrize("victim", ["client", "server"])
def test_a_killed_push_ends_right_when_it_is_repeated(elsewhere, tmp_path, victim):
    near = developers(str(tmp_path / "HERE.db"))
    with elsewhere.here() as file:
        for body in (b"a", b"b"):
            file.put1(TO, Message(body, MQMD(persistence=1)))
        with connect(near) as here:
            pull(here, file, TO)
        for number, point in enumerate(POINTS):
            with connect(near) as here:
                for place in range(2):
                    edit(here, place, b"%d at %d" % (place, point), TO)
                here.put1(TO, Message(b"new", MQMD(persistence=1)))
            run_killed(elsewhere, victim, -point if number % 2 else point, "push", "", near)
            with connect(near) as here, elsewhere.here() as again:
                assert push(here, again, TO, TO).results.keys() <= {EQUAL, REPLACED, ADDED}
                both = [sorted(map(message_digest, contents(each, TO))) for each in (here, again)]
                assert both[0] == both[1]
                assert push(here, again, TO, TO).results == {EQUAL: len(both[0])}
