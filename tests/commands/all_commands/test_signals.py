"""Signals: what an interrupted command has done stays, what it was about to do is taken back."""

from __future__ import annotations

import select
import signal

import pytest

Q, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"
PATIENCE_S = 60


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    "line",
    [
        ["get", Q, "--wait", "60s"],
        ["get", Q, "--follow"],
        ["get", Q, "--wait", "60s", "--grep", "x"],
        ["get", Q, "--wait", "60s", "--confirm-id", "3"],
    ],
)
def test_a_wait_that_is_interrupted_leaves_no_trace(qm, start, eventually, count_rows, line, number, status):
    process = start(*line)
    eventually(lambda: count_rows("waiters") == 1)
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert [count_rows(table) for table in ("waiters", "holders")] == [0, 0]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_put_that_is_interrupted_keeps_what_it_has_put(qm, start, eventually, bodies, number, status):
    process = start("put", Q, "--lines")
    process.stdin.write(b"one\ntwo\nthr")
    process.stdin.flush()
    eventually(lambda: len(bodies(Q)) == 2)
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert process.stderr.read() == b"put so far: 2 messages\n"
    assert bodies(Q) == [b"one", b"two"]


def test_a_unit_of_work_that_is_interrupted_puts_nothing(qm, start, eventually, bodies, count_rows):
    process = start("put", Q, "--lines", "--batch", "all")
    process.stdin.write(b"one\ntwo\n")
    process.stdin.flush()
    eventually(lambda: len(bodies(Q)) == 2)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    assert bodies(Q) == []
    assert count_rows("holders") == 0


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_get_that_ends_while_it_writes_gives_the_message_back(qm, mqx, start, eventually, lying_on, number, status):
    big = b"x" * 500_000  # nobody reads it: the write waits
    mqx("put", Q, stdin=big, check=True)
    process = start("get", Q, "--color", "never")
    eventually(lambda: [row["state"] for row in lying_on(Q)] == [3])
    select.select([process.stdout], [], [], PATIENCE_S)
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert mqx("get", Q, check=True).out == big


@pytest.mark.parametrize("seen", [1, 50, 120, 200])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("options", [[], ["--color", "never", "--grep", "m"]])
def test_no_message_is_lost_whenever_a_get_is_stopped(qm, mqx, start, bodies, seen, number, options):
    lines = [b"m%d" % n for n in range(300)]
    mqx("put", Q, "--lines", stdin=b"\n".join(lines), check=True)
    process = start("get", Q, "--all", *options)
    got = [process.stdout.readline() for _ in range(seen)]
    process.send_signal(number)
    got = b"".join(got) + process.stdout.read()
    process.wait(PATIENCE_S)
    mqx("get", "DEV.QUEUE.2", "--grep", "x")  # whoever comes next takes back what the dead one held
    mqx("browse", Q)
    whole = set(got.split(b"\n")) & set(lines)
    assert whole | set(bodies(Q)) == set(lines)


#: Sends the process a signal as soon as something that it changed is committed, before it can have counted it.
SIGNALS_ITSELF = """
import signal
from mqtools.store.database import Database

run, changes = Database.run, 0

def run_and_interrupt(self, statement, *parameters):
    global changes
    done = run(self, statement, *parameters)
    if statement == "commit" and self.sql.total_changes > changes:
        changes = 1 << 60
        signal.raise_signal(signal.SIGINT)
    return done

Database.run = run_and_interrupt
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["move", Q, OTHER, "--batch", "2"], f"moved 2 messages from {Q} to {OTHER}; 3 left"),
        (["copy", Q, OTHER, "--batch", "2"], f"copied 2 messages from {Q} to {OTHER}; 3 left"),
        (["delete", Q, "--pos", "1..5", "--yes"], f"deleted so far: 5 messages from {Q}"),
        (
            ["edit", Q, "--pos", "1..4", "--set", "priority=9"],
            f"edited 4 messages on {Q}; to restore: mqx trash restore --removal 2",
        ),
        (["trash", "restore", "DEV.QUEUE.3"], "restored 1 message"),
        (["load", Q, "--batch", "2"], "loaded so far: 2 messages, up to <stdin>:2"),
        (["put", Q, "--lines", "--batch", "2"], "put so far: 2 messages"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_what_was_committed_when_a_signal_came_is_counted(mqx, qm, tmp_path, line, said):
    (tmp_path / "sitecustomize.py").write_text(SIGNALS_ITSELF)
    mqx("put", Q, "1", "2", "3", "4", "5", check=True)
    mqx("put", "DEV.QUEUE.3", "x", check=True)
    mqx("delete", "DEV.QUEUE.3", "--pos", "1", "--yes", check=True)
    lines = mqx("browse", Q, "-o", "jsonl", check=True).out
    done = mqx(*line, stdin=lines, PYTHONPATH=str(tmp_path))
    assert (done.status, done.err.splitlines()) == (130, [said])


def test_a_mark_that_was_committed_when_a_signal_came_goes_with_it(mqx, qm, tmp_path, count_rows):
    (tmp_path / "sitecustomize.py").write_text(SIGNALS_ITSELF)
    mqx("put", Q, "x", check=True)
    done = mqx("browse", Q, "--mark", PYTHONPATH=str(tmp_path))
    assert (done.status, done.out, count_rows("marks")) == (130, b"", 0)


def test_a_command_that_is_interrupted_while_it_is_loaded_says_nothing(mqx, tmp_path):
    code = "import sys\nclass End:\n    def find_spec(self, name, path=None, target=None):\n"
    code += "        if name == 'mqtools.commands.shared': raise KeyboardInterrupt\nsys.meta_path.insert(0, End())\n"
    (tmp_path / "sitecustomize.py").write_text(code)
    done = mqx("qdepth", PYTHONPATH=str(tmp_path))
    assert (done.status, done.out, done.err) == (130, b"", "")


def test_a_command_that_is_interrupted_before_it_begins_says_nothing(mqx, tmp_path):
    code = "from mqtools import mqi\ndef end(_): raise KeyboardInterrupt\nmqi.begin_process = end\n"
    (tmp_path / "sitecustomize.py").write_text(code)
    done = mqx("qdepth", PYTHONPATH=str(tmp_path))
    assert (done.status, done.out, done.err) == (130, b"", "")
