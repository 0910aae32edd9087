"""Services end in one way: 0 after SIGTERM, 130 after SIGINT, at once with 143 and 130 after a second signal."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..burial import DLQ, bury
from ..conftest import script

Q = "DEV.QUEUE.1"
PATIENCE_S = 60
FIRST = [(signal.SIGTERM, 0), (signal.SIGINT, 130)]
SECOND = [(signal.SIGTERM, 143), (signal.SIGINT, 130)]

#: Command lines of services, and words of stderr after which each is ready, None where a waiter says it.
SERVICES = {
    "dlq-handle": (("dlq-handle",), b"AMQ8708"),
    "listen": (("channel", "listen", "--port", "0", "--insecure"), b"open to"),
    "serve": (("serve", "--port", "0"), b"ready"),
    "get --exec": (("get", Q, "--follow", "--exec", "cat"), None),
}


@pytest.fixture(params=SERVICES)
def ready(request: Any, qm: str, start: Any, eventually: Any, count_rows: Any) -> Callable[[], subprocess.Popen[bytes]]:
    """Start a service; return its process when it waits for work."""
    line, words = SERVICES[request.param]

    def begin() -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] = start(*line)
        process.stdin.write(b"WAIT(YES)\nACTION(IGNORE)\n")  # type: ignore[union-attr]
        process.stdin.close()  # type: ignore[union-attr]
        if words is None:
            eventually(lambda: count_rows("waiters") == 1)
        else:
            assert any(words in said for said in process.stderr)  # type: ignore[union-attr]
        return process

    return begin


@pytest.mark.parametrize(("number", "status"), FIRST)
def test_a_service_ends_in_order_on_a_signal_also_when_it_comes_twice(
    ready: Callable[[], subprocess.Popen[bytes]], number: int, status: int
) -> None:
    for _ in range(10):
        process = ready()
        process.send_signal(number)
        process.send_signal(number)  # as timeout(1) does
        assert process.wait(PATIENCE_S) == status
        said = process.stderr.read()  # type: ignore[union-attr]
        assert b"Traceback" not in said
        assert b"closed" not in said


@pytest.mark.parametrize("gap_s", [0.001, 0.02, 0.06, 0.1])
def test_a_second_signal_at_any_time_does_no_harm(
    ready: Callable[[], subprocess.Popen[bytes]], gap_s: float, mqx: Any
) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        process = ready()
        process.send_signal(signal.SIGTERM)
        time.sleep(gap_s)
        process.send_signal(number)
        assert process.wait(PATIENCE_S) in (0, 128 + number)
        assert b"Traceback" not in process.stderr.read()  # type: ignore[union-attr]
    assert mqx("doctor").status == 0


#: Makes every service deaf to its first signal.
DEAF = """
from importlib import import_module
from mqtools.operations.shutdown import Shutdown
from mqtools.dlq.handler import Handler
execution = import_module('mqtools.commands.get.exec')

Handler.stop = lambda self: None
Shutdown.request, Shutdown.is_busy = lambda self: None, True
execution._Run.end = lambda self: None
"""


@pytest.mark.parametrize(("number", "status"), SECOND)
def test_a_second_signal_ends_a_service_at_once(
    ready: Callable[[], subprocess.Popen[bytes]],
    environment: dict[str, str],
    tmp_path: Path,
    number: int,
    status: int,
) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEAF)
    environment["PYTHONPATH"] = str(tmp_path)
    process = ready()
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert b"Traceback" not in process.stderr.read()  # type: ignore[union-attr]


def test_signals_during_work_lose_no_dead_letter(qm: str, start: Any, mqx: Any, bodies: Any) -> None:
    for number in range(400):
        bury(b"%d" % number, to=Q)
    for gap_s in (0.0, 0.01, 0.03, 0.06, 0.1):
        process = start("dlq-handle")
        process.stdin.write(b"WAIT(YES)\nACTION(RETRY)\n")
        process.stdin.close()
        process.stderr.readline()
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
            time.sleep(gap_s)
        assert process.wait(PATIENCE_S) in (0, 143)
        assert b"Traceback" not in process.stderr.read()
    mqx("dlq-handle", "--once", stdin=b"ACTION(RETRY)")
    assert sorted(map(int, bodies(Q))) == list(range(400))
    assert bodies(DLQ) == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("words", [("trace", "--where", "Root.MQMD.Priority = 0"), ("log", "-o", "plain")])
def test_what_only_prints_ends_with_the_signal(
    qm: str, environment: dict[str, str], mqx: Any, words: tuple[str, ...], number: int, status: int
) -> None:
    mqx("mqsc", f"ALTER QLOCAL({Q}) JOURNAL(YES)", check=True)
    mqx("put", Q, "x", check=True)
    line = [script(), *words, "--follow"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(number)
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == status
        assert process.stderr is not None
        assert process.stderr.read() == b""
