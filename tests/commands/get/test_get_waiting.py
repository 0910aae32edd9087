"""``mqx get`` that waits: for how long, for what, and what several of them share."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

Q = "DEV.QUEUE.1"


def test_a_wait_that_runs_out_is_3_and_leaves_no_trace(qm, mqx, count_rows):
    for options in ([], ["--grep", "x"], ["-o", "jsonl"]):
        done = mqx("get", Q, "--wait", "100ms", *options)
        assert (done.status, done.out, done.err) == (3, b"", "")
    assert [count_rows(table) for table in ("waiters", "holders")] == [0, 0]


@pytest.mark.parametrize("selection", [[], ["--where", "colour = 'red'"], ["--grep", "yes"]])
def test_a_wait_ends_with_the_message_that_fits(qm, mqx, start, eventually, count_rows, bodies, selection):
    process = start("get", Q, "--wait", "120s", *selection)
    eventually(lambda: count_rows("waiters") == 1)
    if selection:
        mqx("put", Q, "no", check=True)
        eventually(lambda: count_rows("waiters") == 1)
    mqx("put", Q, "yes", "--property", "colour=red", check=True)
    assert process.communicate(timeout=60)[0] == b"yes"
    assert process.returncode == 0
    assert bodies(Q) == ([b"no"] if selection else [])
    assert [count_rows(table) for table in ("waiters", "holders")] == [0, 0]


@pytest.mark.parametrize("selection", [["--where", "colour = 'red'"], ["--grep", "yes"]])
@pytest.mark.parametrize("how", ["unlock", "undo", "edit", "restore"])
def test_a_wait_ends_with_an_older_message_that_comes_back(qm, mqx, start, eventually, count_rows, selection, how):
    mqx("put", Q, "yes", "--property", "colour=red", check=True)
    mqx("put", Q, "later", check=True)
    if how == "unlock":
        lock_id = mqx("lock", Q, "-n", "1", "--print-id", check=True).out.decode().strip()
        words = ["unlock", Q, "--lock-id", lock_id]
    elif how == "undo":
        mqx("get", Q, "--confirm-id", "7", check=True)
        words = ["undo", Q, "--confirm-id", "7"]
    elif how == "edit":
        given = ("--set-property", "colour=grey") if selection[0] == "--where" else ("--body-from", "/dev/null")
        mqx("edit", Q, "--pos", "1", *given, check=True)
        words = ["trash", "restore", "--all"]
    else:
        mqx("delete", Q, "--pos", "1", "--yes", check=True)
        words = ["trash", "restore", "--all"]
    process = start("get", Q, "--wait", "120s", *selection)
    eventually(lambda: count_rows("waiters") == 1)
    mqx("put", Q, "no", check=True)
    eventually(lambda: count_rows("waiters") == 1)
    mqx(*words, check=True)
    assert process.communicate(timeout=60)[0] == b"yes"


def test_a_wait_is_for_each_message(qm, mqx, start, eventually, bodies):
    process = start("get", Q, "-n", "2", "--wait", "120s")
    mqx("put", Q, "a", check=True)
    eventually(lambda: bodies(Q) == [])
    mqx("put", Q, "b", check=True)
    assert process.communicate(timeout=60)[0] == b"a\nb\n"


@pytest.mark.parametrize("selection", [[], ["--grep", "m"]])
@pytest.mark.parametrize("output", ["raw", "jsonl", "plain", "table", "csv"])
def test_follow_writes_each_message_at_once(qm, mqx, start, eventually, bodies, output, selection):
    process = start("get", Q, "--follow", "-o", output, *selection)
    for body in (b"m1", b"m2"):
        mqx("put", Q, body.decode(), check=True)
        seen = b""
        while body not in seen:
            piece = process.stdout.read1()
            assert piece, process.stderr.read()
            seen += piece
    eventually(lambda: bodies(Q) == [])
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130


def test_an_array_that_is_followed_is_complete_when_it_is_interrupted(qm, mqx, start, eventually, bodies):
    process = start("get", Q, "--follow", "-o", "json")
    mqx("put", Q, "a", "b", check=True)
    eventually(lambda: bodies(Q) == [])
    process.send_signal(signal.SIGINT)
    assert [one["data"] for one in json.loads(process.communicate(timeout=60)[0])] == ["a", "b"]
    assert process.returncode == 130


def test_follow_with_a_number_ends_after_it(qm, mqx, start):
    process = start("get", Q, "--follow", "-n", "2")
    mqx("put", Q, "a", "b", "c", check=True)
    assert process.communicate(timeout=60)[0] == b"a\nb\n"


def test_two_gets_share_a_queue_without_loss_or_double(qm, mqx, start):
    lines = [b"%d" % n for n in range(300)]
    mqx("put", Q, "--lines", stdin=b"\n".join(lines), check=True)
    both = [start("get", Q, "--all"), start("get", Q, "--all", "--where", "Root.MQMD.Priority >= 0")]
    got = [one for process in both for one in process.communicate(timeout=60)[0].split(b"\n") if one]
    assert sorted(got, key=int) == lines


#: A get that somebody else is faster than, who gives the message back while it waits.
OVERTAKEN = f"""
import runpy, sys
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED
from mqtools.mqi.connection import connect
from mqtools.mqi.handle import Handle

other = connect("QM1")
theirs = other.open("{Q}", MQOO_INPUT_SHARED)
get, wait = Handle.get, Handle.wait_for_arrival

def too_late(*given, **named):
    Handle.get = get
    theirs.get(MQGMO_SYNCPOINT)
    return get(*given, **named)

def given_back_meanwhile(handle, deadline, look):
    return wait(handle, deadline, lambda: look() or other.backout())

Handle.get, Handle.wait_for_arrival = too_late, given_back_meanwhile
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_what_somebody_else_had_and_gives_back_is_got(qm, mqx, mqx_path, environment):
    mqx("put", Q, "x", check=True)
    command = [sys.executable, "-c", OVERTAKEN, mqx_path, "get", Q, "-m", "QM1", "--grep", "x", "--wait", "60s"]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"x", b"")
