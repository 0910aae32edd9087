"""A process that is stopped while it has the turn to write: others say so, and end after lock_timeout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

Q = "DEV.QUEUE.1"
HOLD = (
    "import os, signal, sys; from mqtools.mqi.connection import connect\n"
    "with connect(sys.argv[1]) as connection, connection.work():\n"
    "    os.kill(os.getpid(), signal.SIGSTOP)"
)
NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="there is no /proc here, which shows that a process is stopped"
)


@pytest.fixture
def stopped(qm: str) -> Iterator[int]:
    """The process id of one that is stopped in the middle of a transaction."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, qm])
    os.waitpid(process.pid, os.WUNTRACED)
    yield process.pid
    process.send_signal(signal.SIGCONT)
    process.wait()


@NEEDS_PROC
def test_a_stopped_writer_is_named_and_not_waited_for_without_end(qm, mqx, stopped, environment):
    environment["MQX_LOCK_TIMEOUT"] = "2.2s"
    done = mqx("put", Q, "x").ended(10)
    assert done.err.count("\n") == 3, done.err
    told, failed, hint = done.err.splitlines()
    assert told.startswith(f"mqx: waiting for the write turn: it is held by pid {stopped} (")
    assert "stopped) since " in told
    assert failed.startswith("mqx: put: ")
    assert "MQRC_RESOURCE_PROBLEM 2102" in failed
    assert f"kill -CONT {stopped}" in hint


@NEEDS_PROC
def test_readers_go_on_and_the_lists_show_who_is_in_the_way(qm, mqx, stopped):
    assert mqx("browse", Q).status == 3
    done = mqx("doctor", "-o", "json")
    found = {row["check"]: row for row in json.loads(done.out)}
    assert done.status == 4
    assert found["writer"]["state"] == "notice"
    assert f"pid {stopped}" in found["writer"]["what"]
    (row,) = json.loads(mqx("lock", "--list", "-o", "json").out)
    assert (row["kind"], row["state"]) == ("writer", "stopped")
    assert row["holder"].endswith(f"pid {stopped}")
