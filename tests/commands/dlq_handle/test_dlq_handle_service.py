"""``mqx dlq-handle`` as a service: it waits, is woken, told to end, and given another table."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from pathlib import Path

import pytest

from ..burial import DLQ, TO, bury
from ..conftest import script

pytestmark = pytest.mark.usefixtures("qm")


class Service:
    """A handler that waits, in a process of its own."""

    def __init__(self, words, environment, rules=None):
        self.process = subprocess.Popen(
            [script(), "dlq-handle", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.lines = []
        if rules is not None:
            self.process.stdin.write(rules)
        self.process.stdin.close()

    def until(self, words):
        """Read what it says until a line has the words; give that line."""
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if words in self.lines[-1]:
                return self.lines[-1]
        raise AssertionError(f"ended without {words!r}: {self.lines}")

    def end(self, number):
        """Send a signal; give the status and the rest of what it says."""
        self.process.send_signal(number)
        rest = self.process.stderr.read().decode()
        return self.process.wait(60), rest


@pytest.fixture
def service(environment):
    with contextlib.ExitStack() as stack:

        def start(*words, rules=None):
            made = Service(words, environment, rules)
            stack.callback(made.process.wait)
            stack.callback(made.process.kill)
            stack.callback(made.process.stdout.close)
            stack.callback(made.process.stderr.close)
            made.until("AMQ8708")
            return made

        yield start


@pytest.fixture
def rules(tmp_path):
    """Write the rules table to a file; give its path."""

    def write(text):
        path = tmp_path / "rules.tab"
        path.write_bytes(text)
        return str(path)

    return write


WAITING = b"WAIT(YES) RETRYINT(1)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\nACTION(IGNORE)\n"


def test_an_arrival_wakes_the_service_and_sigterm_ends_it_in_order(mqx, service):
    running = service(rules=WAITING)
    bury(b"woken")
    assert mqx("get", TO, "--wait", "60s", check=True).out == b"woken"
    status, rest = running.end(signal.SIGTERM)
    assert status == 0
    assert "AMQ8709" in rest
    assert "1 retried" in rest
    assert "line 2: applied to 1 message" in rest


def test_sigint_ends_it_in_order_too(service):
    running = service(rules=WAITING)
    bury(b"left", reason=1)
    status, rest = running.end(signal.SIGINT)
    assert status == 130
    assert "AMQ8709" in rest


def test_sigterm_is_0_whatever_is_left(mqx, service):
    mqx("put", DLQ, "no dead letter", check=True)
    running = service(rules=WAITING)
    running.until("AMQ8721")
    assert running.end(signal.SIGTERM)[0] == 0


def test_totals_in_json_come_also_when_it_is_told_to_end(service):
    running = service("-o", "json", rules=WAITING)
    bury(b"x", to="NO.SUCH")
    running.until("AMQ8722")
    running.process.send_signal(signal.SIGTERM)
    totals = json.loads(running.process.stderr.read().splitlines()[-1])
    assert (totals["left"]["ignored"], totals["rules"]) == (1, [{"line": 2, "count": 1}, {"line": 3, "count": 1}])
    assert running.process.wait(60) == 0


def test_sighup_reads_the_table_again(mqx, service, rules):
    path = rules(b"WAIT(YES)\nACTION(IGNORE)\n")
    running = service("--rules", path)
    bury(b"kept")
    rules(WAITING)
    running.process.send_signal(signal.SIGHUP)
    running.until("read again")
    assert mqx("get", TO, "--wait", "60s", check=True).out == b"kept"
    assert running.end(signal.SIGTERM)[0] == 0


def test_a_new_table_with_mistakes_is_reported_and_the_old_one_kept(mqx, service, rules):
    path = rules(WAITING)
    running = service("--rules", path)
    rules(b"ACTION(FWD)\n")
    running.process.send_signal(signal.SIGHUP)
    running.until("stays")
    assert any(line.startswith(f"{path}:1:1: ACTION(FWD) needs FWDQ") for line in running.lines)
    bury(b"still")
    assert mqx("get", TO, "--wait", "60s", check=True).out == b"still"
    rules(b"\0")
    running.process.send_signal(signal.SIGHUP)
    running.until("it is not text; the previous rules table stays")
    Path(path).unlink()
    running.process.send_signal(signal.SIGHUP)
    running.until("stays")
    assert running.end(signal.SIGTERM)[0] == 0


def test_a_selection_is_applied_to_what_arrives_later(mqx, service):
    running = service("--grep", "mine", rules=WAITING)
    bury(b"yours")
    bury(b"mine")
    assert mqx("get", TO, "--wait", "60s", check=True).out == b"mine"
    status, _ = running.end(signal.SIGTERM)
    assert status == 0
    assert mqx("qdepth", DLQ, "--count", check=True).out.strip() == b"1"


#: Tells a run to end when it has begun.
TERMINATES_ITSELF = """
import os
import signal
import time
from mqtools.dlq.handler import Handler

run = Handler.run

def run_and_terminate(self):
    os.kill(os.getpid(), signal.SIGTERM)
    while not self._is_stopping:
        time.sleep(0.01)
    return run(self)

Handler.run = run_and_terminate
"""


@pytest.mark.parametrize(("options", "status"), [((), 0), (("--once",), 143)])
def test_sigterm_is_0_for_a_service_and_143_for_one_pass(mqx, tmp_path, options, status):
    (tmp_path / "sitecustomize.py").write_text(TERMINATES_ITSELF)
    bury(b"left")
    mqx("dlq-handle", *options, stdin=WAITING, PYTHONPATH=str(tmp_path)).ended(status, "AMQ8709")
    assert mqx("qdepth", DLQ, "--count", check=True).out == b"1\n"
