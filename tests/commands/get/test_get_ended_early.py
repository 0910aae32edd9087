"""Gets that end early: what they got is counted on stderr, and the rest is on the queue."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

import pytest

Q = "DEV.QUEUE.1"
PATIENCE_S = 60
BIG = b"x" * 500_000
INTERRUPTED = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]

#: Sends the process SIGINT as soon as its second commit is made, before the command can have counted it.
SIGNALS_ITSELF = """
import signal
from mqtools.lifecycle import verbs

verb, calls = verbs.get_message, 0

def get_and_interrupt(*words, **options):
    global calls
    result = verb(*words, **options)
    calls += 1
    if calls == 2:
        signal.raise_signal(signal.SIGINT)
    return result

verbs.get_message = get_and_interrupt
"""


@pytest.mark.parametrize(("number", "status"), INTERRUPTED)
@pytest.mark.parametrize("options", [["--all"], ["-n", "9"], ["--all", "--wait", "9s"], ["--all", "--color", "never"]])
def test_a_get_that_is_interrupted_counts_what_it_has_written(qm, mqx, start, lying_on, number, status, options):
    mqx("put", Q, "m1", "m2", check=True)
    mqx("put", Q, stdin=BIG, check=True)  # nobody reads it: the write waits
    process = start("get", Q, *options)
    assert process.stdout.read(7) == b"m1\nm2\nx"
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert process.stderr.read() == b"got so far: 2 messages\n"
    assert [row["data_length"] for row in lying_on(Q)] == [len(BIG)]


@pytest.mark.parametrize(
    "options", [["-n", "3", "--wait", "60s"], ["--follow"], ["-n", "9", "--confirm-id", "3", "--wait", "60s"]]
)
def test_a_wait_that_is_interrupted_counts_what_was_got_before(qm, mqx, start, eventually, count_rows, options):
    mqx("put", Q, "m1", "m2", check=True)
    process = start("get", Q, *options)
    assert process.stdout.read(5) == b"m1\nm2"
    eventually(lambda: count_rows("waiters") == 1)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    assert process.stderr.read() == b"got so far: 2 messages\n"


def test_a_whole_unit_of_work_of_many_messages_is_counted(qm, mqx, start, lying_on):
    mqx("put", Q, "--lines", stdin=b"m\n" * 250, check=True)
    mqx("put", Q, stdin=BIG, check=True)
    process = start("get", Q, "--all")
    assert process.stdout.read(501) == b"m\n" * 250 + b"x"
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    assert process.stderr.read() == b"got so far: 250 messages\n"
    assert [row["data_length"] for row in lying_on(Q)] == [len(BIG)]


def test_an_interrupted_get_says_nothing_when_it_got_nothing_or_is_quiet(qm, mqx, start, eventually, count_rows):
    mqx("put", Q, "m1", check=True)
    for words in (["--follow", "--quiet"], ["--follow"]):
        process = start("get", Q, *words)
        eventually(lambda: count_rows("waiters") == 1)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr.read() == b""


def test_a_get_by_lock_id_that_is_interrupted_counts_what_it_has_removed(qm, mqx, tmp_path, bodies):
    mqx("put", Q, "1", "2", "3", check=True)
    lock_id = mqx("lock", Q, "--print-id", check=True).out.decode().strip()
    (tmp_path / "sitecustomize.py").write_text(SIGNALS_ITSELF)
    done = mqx("get", Q, "--all", "--lock-id", lock_id, PYTHONPATH=str(tmp_path))
    assert (done.status, done.out, done.err) == (130, b"1\n2\n", "got so far: 2 messages\n")
    assert bodies(Q) == [b"3"]


@pytest.mark.parametrize("held_by", ["confirm", "lock"])
def test_a_held_get_that_fails_after_some_counts_them(qm, mqx, held_by):
    mqx("put", Q, "1", "2", "too long", check=True)
    words = ["--confirm-id", "7"]
    if held_by == "lock":
        words = ["--lock-id", mqx("lock", Q, "--print-id", check=True).out.decode().strip()]
    done = mqx("get", Q, "--all", *words, "--max-length", "4")
    assert (done.status, done.out) == (9, b"1\n2\n")
    assert done.err.splitlines()[-1] == "got so far: 2 messages"


@pytest.mark.parametrize(("number", "status"), INTERRUPTED)
def test_an_interrupted_exec_counts_the_commands_that_succeeded(qm, mqx, start, bodies, number, status):
    mqx("put", Q, "1", "2", "3", check=True)
    command = "read -r one; echo $one; [ $one != 3 ] || exec sleep 600"
    process = start("get", Q, "--all", "--grace", "0", "--exec", command)
    assert [process.stdout.readline() for _ in "123"] == [b"1\n", b"2\n", b"3\n"]
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert process.stderr.read() == b"2 messages done, 1 given back\n"
    assert bodies(Q) == [b"3"]


@pytest.mark.parametrize("options", [[], ["--parallel", "2"], ["--follow"]])
@pytest.mark.parametrize("command", ["cat; echo", "sh -c 'cat; echo'; exit $?", "cat || exit 1"])
def test_exec_ends_with_141_when_nobody_reads_what_its_command_writes(
    qm, mqx, environment, mqx_path, closed_pipe, bodies, options, command
):
    words = [f"m{number}" for number in range(20)]
    mqx("put", Q, *words, check=True)
    line = [mqx_path, "get", Q, *(options or ["--all"]), "--exec", f"exec 2>&-; {command}"]
    done = subprocess.run(
        line, stdout=closed_pipe, stderr=subprocess.PIPE, env=environment, check=False, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stderr) == (141, b"")
    assert bodies(Q) == [word.encode() for word in words]
    tried = [row["md"]["backout_count"] for row in mqx("browse", Q, "-o", "jsonl", check=True).rows]
    assert sum(tried) <= 2, "the messages behind were not tried"


def test_exec_commits_commands_that_write_nothing_although_nobody_reads(
    qm, mqx, environment, mqx_path, closed_pipe, bodies
):
    mqx("put", Q, "1", "2", check=True)
    done = subprocess.run(
        [mqx_path, "get", Q, "--all", "--exec", "cat > /dev/null"], stdout=closed_pipe, env=environment, check=False
    )
    assert (done.returncode, bodies(Q)) == (0, [])


def test_exec_that_fails_between_two_messages_counts_those_before(qm, mqx):
    mqx("put", Q, "1", "too long", check=True)
    done: Any = mqx("get", Q, "--all", "--max-length", "4", "--exec", "cat")
    assert (done.status, done.out) == (9, b"1")
    assert done.err.splitlines()[-1] == "1 message done"
