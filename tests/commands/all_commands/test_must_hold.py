"""Promises of every command: one clear error with its reason, and nothing lost when a process is killed."""

from __future__ import annotations

import collections
import json
import os
import signal
import sqlite3
import subprocess
import threading

import pytest

Q = "DEV.QUEUE.1"


def test_a_named_pipe_is_no_queue_manager_and_is_not_waited_for(mqx, tmp_path):
    pipe = tmp_path / "pipe.db"
    os.mkfifo(pipe)
    done = mqx("qdepth", "-m", str(pipe))
    assert (done.status, done.err) == (10, f"mqx: qdepth: {pipe} is not a file (MQRC_OBJECT_DAMAGED 2101)\n")


def test_text_that_is_none_any_more_is_damage(qm, mqx):
    mqx("put", Q, "first", "second", check=True)
    with sqlite3.connect(qm) as database:
        database.execute("update messages set put_date = cast(x'32FF' as text) where data = cast('second' as blob)")
    database.close()
    done = mqx("get", Q, "--all")
    assert (done.status, done.out) == (9, b"first\n")
    assert done.err == f"mqx: get: {qm}: the file is damaged (MQRC_OBJECT_DAMAGED 2101)\ngot so far: 1 message\n"


def test_what_is_made_visible_is_made_so_once(qm, mqx):
    assert mqx("get", "A\x1bB").err.startswith("mqx: get: queue A␛B does not exist")
    mqx("put", Q, "red\x1b[31m", check=True)
    for output in ("table", "plain", "csv"):
        assert "red␛[31m" in mqx("browse", Q, "-o", output).out.decode()


@pytest.mark.parametrize("command", ["put", "get", "lock", "undo"])
def test_a_confirm_id_that_no_file_can_hold_is_2(qm, mqx, command):
    mqx(command, Q, "--confirm-id", str(2**63)).ended(2, f"1<=x<={2**63 - 1}")


@pytest.mark.parametrize("command", ["get", "browse", "lock", "delete"])
@pytest.mark.parametrize("option", [("--where", ""), ("--pos", "0"), ("--reason", "NOPE")], ids=lambda pair: pair[0])
def test_a_mistake_in_a_selection_names_its_command(qm, mqx, command, option):
    done = mqx(command, Q, *option).ended(2)
    assert done.err.startswith(f"mqx: {command}: {option[0]} ")


def test_a_number_that_is_no_mqlong_is_refused_with_its_reason(qm, mqx, bodies):
    mqx("put", Q, "x", "--priority", str(10**20)).ended(1, "MQRC_PRIORITY_ERROR 2050")
    mqx("put", Q, "x", "--ccsid", str(10**14)).ended(1, "MQRC_MD_ERROR 2026")
    assert bodies(Q) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_query_without_end_ends_with_a_signal(qm, start, number):
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    process = start("sql", "-v", endless)
    assert process.stderr.readline().decode() == f"{endless}\n"  # said when it begins
    process.send_signal(number)
    assert process.wait(60) == -number
    assert process.stderr.read() == b""


def test_an_empty_rules_table_is_one_mistake_without_an_empty_line(qm, mqx):
    done = mqx("dlq-handle", "--check")
    assert (done.status, done.err) == (2, "<stdin>:1:1: the table has no rule\n1 mistake\n")


class Loops:
    """Puts and gets of several processes at once, some of them killed; what came out is kept."""

    def __init__(self, start):
        self._start = start
        self.put, self.got = set(), collections.Counter()
        self.failures = []

    def run(self, name, rounds):
        """Put in the even loops, get in the odd ones; kill every third process in the middle."""
        for number in range(rounds):
            if name % 2 == 0:
                ids = self._one(number, "put", Q, "--lines", "--print-id", stdin=b"a\nb\nc\n" * 50)
                self.put.update(ids)
            else:
                lines = self._one(number, "get", Q, "-n", "40", "--wait", "300ms", "-o", "jsonl")
                self.got.update(json.loads(line)["md"]["msg_id"] for line in lines)

    def _one(self, number, *words, stdin=b""):
        process = self._start(*words)
        killer = threading.Timer(0.02 * (number + 1), process.kill)
        if number % 3 == 2:
            killer.start()
        out, err = process.communicate(stdin, timeout=200)
        killer.cancel()
        if process.returncode not in (0, 3, -signal.SIGKILL):
            self.failures.append((process.returncode, err))
        return [line for line in out.decode().split("\n")[:-1] if line]


@pytest.mark.timeout(300)
def test_nothing_is_lost_and_nothing_stays_held_when_some_of_many_processes_are_killed(
    qm, mqx, start, count_rows, browse, define
):
    define(Q, max_q_depth=100_000)
    loops = Loops(start)
    threads = [threading.Thread(target=loops.run, args=(name, 6)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loops.failures == []
    assert json.loads(mqx("qdepth", Q, "-o", "jsonl", check=True).out)["uncommitted"] == 0
    left = [message["md"]["msg_id"] for message in browse(Q)]
    assert len(left) == len(set(left))
    assert loops.put - set(left) - set(loops.got) == set()
    mqx("get", Q, "--all")
    assert mqx("qdepth", Q, "--count").out == b"0\n"
    assert count_rows("holders") == 0


@pytest.mark.parametrize(
    "words",
    [
        ("put", Q, "x"),
        ("get", Q, "--exec", "true"),
        ("get", Q),
        ("lock", Q),
        ("delete", Q, "--pos", "1", "--yes"),
        ("mqsc", f"CLEAR QLOCAL({Q})"),
        ("report-gen", Q, "--feedback", "pan", "--to", Q),
        ("qmgr", "end", "QM1"),
        ("qmgr", "delete", "QM1", "--yes"),
    ],
    ids=" ".join,
)
def test_a_format_that_is_none_is_found_before_anything_is_done(qm, mqx, lying_on, words):
    mqx("put", Q, "kept", check=True)
    done = mqx(*words, "-o", "JSON")
    assert (done.status, done.out) == (2, b"")
    assert "no output format 'JSON' here" in done.err
    assert [(row["data"], row["state"]) for row in lying_on(Q)] == [(b"kept", 1)]
    assert json.loads(mqx("qmgr", "list", "-o", "jsonl").out)["state"] == "running"


def test_a_queue_manager_is_not_made_when_its_format_is_none(mqx):
    assert mqx("qmgr", "create", "QM1", "-o", "papyrus").status == 2
    assert mqx("qmgr", "list").out == b""


def test_the_first_examples_are_what_a_shell_takes(mqx, mqx_path, environment):
    shown = mqx("--help").out.decode().splitlines()
    examples = "\n".join(line.strip() for line in shown if line.startswith("  mqx "))
    done = subprocess.run(
        ["sh", "-ec", f'PATH="{os.path.dirname(mqx_path)}:$PATH"\n{examples}'],
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.endswith(b"\nhello")) == (0, True)
