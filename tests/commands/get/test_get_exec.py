"""``mqx get --exec`` from outside: a command a message, its exit status decides."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mqtools.message import MQMD

from ..conftest import SCRIPT_PACKAGE

QUEUE = "DEV.QUEUE.1"
OTHER = "DEV.QUEUE.2"
PROGRAM = str(Path(sys.executable).with_name("mqx"))

pytestmark = pytest.mark.usefixtures("qm")


def left(mqx: Callable[..., Any]) -> list[tuple[str, int]]:
    """Return data and backout count of what can be browsed."""
    envelopes = json.loads(mqx("browse", QUEUE, "-o", "json").out)
    return [(one["data"], one["md"]["backout_count"]) for one in envelopes]


def test_body_is_on_stdin_and_exit_0_takes_the_message(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, stdin=b"\x00\xff bytes\n", check=True)
    assert mqx("get", QUEUE, "--exec", "cat", check=True).out == b"\x00\xff bytes\n"
    assert mqx("browse", QUEUE, "--all-states").status == 3


def test_json_output_is_the_counts_on_stderr(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "bad", "c", check=True)
    done = mqx("get", QUEUE, "--all", "--exec", "read word; test $word != bad", "-o", "json")
    assert (done.status, done.totals) == (9, {"messages": 2, "done": 2, "moved": 0, "backed_out": 1})


def test_one_message_unless_told_otherwise(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "b", "c", check=True)
    assert mqx("get", QUEUE, "--exec", "cat", check=True).out == b"a"
    assert mqx("get", QUEUE, "--all", "--exec", "cat", check=True).out == b"bc"


def test_large_body_for_a_command_that_reads_none_of_it(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, stdin=b"x" * 1_000_000, check=True)
    mqx("get", QUEUE, "--exec", "true", check=True)
    assert left(mqx) == []


def test_failure_backs_out_that_message_and_goes_on(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "bad", "c", check=True)
    done = mqx("get", QUEUE, "--all", "--exec", 'read x; echo "$x"; test "$x" != bad')
    assert (done.status, done.out) == (9, b"a\nbad\nc\n")
    assert left(mqx) == [("bad", 1)]
    assert "exit status 1" in done.err
    assert "2 messages done, 1 backed out" in done.err


def test_selected_failures_are_tried_once_too(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a1", "b2", "a3", check=True)
    done = mqx("get", QUEUE, "--all", "--grep", "a", "--exec", "cat; false")
    assert (done.status, done.out) == (9, b"a1a3")
    assert left(mqx) == [("a1", 1), ("b2", 0), ("a3", 1)]


def test_a_message_that_stays_is_9_also_when_none_succeeded(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", check=True)
    done = mqx("get", QUEUE, "--all", "--exec", "exit 3")
    assert (done.status, done.err.splitlines()[-1]) == (9, "0 messages done, 1 backed out")
    assert left(mqx) == [("a", 1)]


def test_command_killed_by_a_signal_has_failed(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", check=True)
    mqx("get", QUEUE, "--exec", "kill -9 $$").ended(9, "signal 9")


def test_no_message_is_3(mqx: Callable[..., Any]) -> None:
    assert mqx("get", QUEUE, "--exec", "echo ran").status == 3
    mqx("put", QUEUE, "a", check=True)
    assert mqx("get", QUEUE, "--grep", "x", "--exec", "echo ran") == (3, b"", "")


def test_failed_message_is_not_waited_for(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", check=True)
    done = mqx("get", QUEUE, "--all", "--wait", "20ms", "--exec", "cat; false")
    assert (done.status, done.out) == (9, b"a")


def test_fields_are_in_the_environment(mqx: Callable[..., Any]) -> None:
    correl_id = "AB" * 24
    put = ("put", QUEUE, "x", "--priority", "7", "--correl-id", correl_id, "--report", "coa,cod", "--reply-to", OTHER)
    msg_id = mqx(*put, "--print-id", check=True).out.decode().strip()
    names = "MSG_ID CORREL_ID PRIORITY FORMAT REPORT MSG_TYPE QUEUE QMGR REPLY_TO_Q PERSISTENCE EXPIRY"
    done = mqx("get", QUEUE, "--exec", f'for n in {names}; do eval "echo \\$MQX_$n"; done', check=True)
    assert done.out.decode().splitlines() == [
        msg_id, correl_id, "7", "MQSTR", "MQRO_COA,MQRO_COD", "MQMT_DATAGRAM", QUEUE, "QM1", OTHER,
        "MQPER_PERSISTENT", "-1",
    ]  # fmt: skip


def test_every_field_of_the_descriptor_is_there(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "x", check=True)
    names = {line.split(b"=")[0] for line in mqx("get", QUEUE, "--exec", "env", check=True).out.splitlines()}
    assert {f"MQX_{field.upper()}".encode() for field in MQMD.__slots__} <= names


def test_properties_are_in_the_environment_under_safe_names(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "x", "--property", "my.colour=red", "--property", "n:int32=5", "--property", "on:bool=true")
    done = mqx("get", QUEUE, "--exec", 'echo "$MQX_PROPERTY_MY_COLOUR $MQX_PROPERTY_N $MQX_PROPERTY_ON"', check=True)
    assert done.out == b"red 5 true\n"


def test_values_are_never_part_of_the_command(mqx: Callable[..., Any], tmp_path: Path) -> None:
    value = f'\'; touch {tmp_path}/hacked; "$(touch {tmp_path}/hacked)" `touch {tmp_path}/hacked`'
    mqx("put", QUEUE, value, "--property", f"p={value}", check=True)
    done = mqx("get", QUEUE, "--exec", 'printf %s "$MQX_PROPERTY_P"; cat', check=True)
    assert done.out.decode() == value * 2
    assert not (tmp_path / "hacked").exists()


def test_nul_in_a_value_is_made_visible(mqx: Callable[..., Any]) -> None:
    line = json.dumps({"data": "x", "properties": {"p": {"type": "string", "value": "a\0b"}}})
    mqx("put", QUEUE, "--jsonl", stdin=line.encode(), check=True)
    done = mqx("get", QUEUE, "--exec", 'printf %s "$MQX_PROPERTY_P"', check=True)
    assert done.out.decode() == "a\u2400b"


def put_with_properties(mqx: Callable[..., Any], **values: str) -> None:
    properties = {name: {"type": "string", "value": value} for name, value in values.items()}
    mqx("put", QUEUE, "--jsonl", stdin=json.dumps({"data": "x", "properties": properties}).encode(), check=True)


@pytest.mark.parametrize("length", [131_040, 131_072, 300_000])
def test_value_too_long_for_an_environment_is_in_a_file_and_that_is_said(
    mqx: Callable[..., Any], tmp_path: Path, length: int
) -> None:
    put_with_properties(mqx, p="v" * length, q="short", p_file="mine")
    mqx("put", QUEUE, "good", check=True)
    command = (
        'cat; echo " ${MQX_PROPERTY_P-none} $MQX_PROPERTY_Q $MQX_PROPERTY_P_FILE"; file=$MQX_PROPERTY_P_FILE_\n'
        f'[ -z "$file" ] || {{ ls -l "$file"; cat "$file" > "{tmp_path}/kept"; }}'
    )
    done = mqx("get", QUEUE, "--all", "--exec", command, check=True, TMPDIR=str(tmp_path))
    if length == 131_040:
        assert (done.err, done.out) == ("2 messages done\n", b"x " + b"v" * length + b" short mine\ngood none  \n")
        return
    lines = done.out.decode().splitlines()
    assert (lines[0], lines[2]) == ("x none short mine", "good none  ")
    assert lines[1].startswith("-rw-------")
    assert (tmp_path / "kept").read_text() == "v" * length
    assert f"MQX_PROPERTY_P ({length} bytes) is too large for an environment: MQX_PROPERTY_P_FILE_ names" in done.err
    assert not list(tmp_path.glob("mqx-exec-*")), "files that nobody needs any more"
    assert left(mqx) == []


def test_values_too_long_together_are_in_files_the_longest_first(mqx: Callable[..., Any]) -> None:
    mqx("mqsc", "ALTER QMGR MAXPROPL(NOLIMIT)", check=True)
    put_with_properties(mqx, short="s", **{f"p{n}": "v" * 100_000 + str(n) for n in range(30)})
    command = (
        """for n in $(seq 0 29); do eval "cat \\"\\${MQX_PROPERTY_P${n}_FILE-/dev/null}\\""; done | wc -c\n"""
        'echo "$MQX_PROPERTY_SHORT"'
    )
    done = mqx("get", QUEUE, "--exec", command, check=True)
    count, short = done.out.split()
    assert short == b"s"
    assert int(count) >= 1_000_000
    assert done.err.count("is too large for an environment") == int(count) // 100_000


def test_property_of_an_outer_run_does_not_leak(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "x", check=True)
    done = mqx("get", QUEUE, "--exec", 'echo "[$MQX_PROPERTY_OLD]"', MQX_PROPERTY_OLD="stale", check=True)
    assert done.out == b"[]\n"


def test_nothing_is_locked_while_the_command_runs(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "b", check=True)
    command = f'"{PROGRAM}" put {OTHER} && "{PROGRAM}" browse {QUEUE} -o raw'
    assert mqx("get", QUEUE, "--exec", command, check=True).out == b"b\n"
    assert mqx("get", OTHER, check=True).out == b"a"


def test_command_reaches_a_queue_manager_given_by_path(mqx: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path = str(tmp_path / "elsewhere" / "QM1.db")
    os.rename(tmp_path / "qmgrs" / "QM1.db", path)
    mqx("put", QUEUE, "a", "-m", path, check=True)
    mqx("get", QUEUE, "-m", path, "--exec", f'"{PROGRAM}" put {OTHER}', check=True)
    assert mqx("get", OTHER, "-m", path, check=True).out == b"a"


@pytest.mark.parametrize(
    ("options", "number", "status"),
    [
        ("--all", signal.SIGINT, 130),
        ("--all", signal.SIGTERM, 143),
        ("--follow", signal.SIGINT, 130),
        ("--follow", signal.SIGTERM, 0),
    ],
)
def test_a_signal_lets_the_command_end_and_takes_no_more(
    mqx: Callable[..., Any],
    exec_run: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    options: str,
    number: int,
    status: int,
) -> None:
    mqx("put", QUEUE, "a", "b", check=True)
    may_end = tmp_path / "may-end"
    running = exec_run(options, "--exec", f"cat; echo; until [ -e {may_end} ]; do sleep 0.05; done; echo end")
    assert running.stdout is not None
    assert running.stdout.readline() == "a\n"
    running.send_signal(number)
    running.send_signal(number)  # as timeout(1) does
    assert running.stderr is not None
    assert running.stderr.readline().startswith("waiting 30 s for 1 command to end; ")
    may_end.touch()
    assert running.communicate(timeout=60) == ("end\n", "1 message done\n")
    assert running.returncode == status
    assert left(mqx) == [("b", 0)]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_what_has_not_succeeded_in_its_grace_is_given_back_without_a_backout(
    mqx: Callable[..., Any], exec_run: Callable[..., subprocess.Popen[str]], number: int, status: int
) -> None:
    mqx("mqsc", f"ALTER QLOCAL({QUEUE}) BOTHRESH(1) JOURNAL(YES)", check=True)
    mqx("put", QUEUE, "slow", "bad", "polite", check=True)
    command = (
        "read -r word; echo begun; case $word in slow) exec sleep 600;; bad) sleep 0.3; exit 1;; esac;"
        "trap 'exit 0' TERM; sleep 600 & wait"
    )
    running = exec_run("--follow", "--parallel", "3", "--grace", "1s", "--exec", command)
    assert running.stdout is not None
    assert [running.stdout.readline() for _ in range(3)] == ["begun\n"] * 3
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == status
    assert said.splitlines()[1:] == ["0 messages done, 3 given back"]
    assert left(mqx) == [("slow", 0), ("bad", 0), ("polite", 0)]
    assert b"not counted as a backout" in mqx("trace", "--where", "Root.MQMD.Priority = 0", "-o", "plain").out


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("command", ["exec sleep 600", "trap '' TERM; while :; do sleep 0.1; done"])
def test_a_second_signal_ends_the_grace_and_loses_nothing(
    mqx: Callable[..., Any], exec_run: Callable[..., subprocess.Popen[str]], number: int, status: int, command: str
) -> None:
    mqx("put", QUEUE, "a", check=True)
    running = exec_run("--follow", "--exec", f"echo begun; {command}")
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.readline() == "begun\n"
    running.send_signal(number)
    running.stderr.readline()
    time.sleep(0.1)  # sooner it would be the same signal
    running.send_signal(number)
    assert running.wait(20) == status
    assert left(mqx) == [("a", 0)]


def test_exec_starts_no_more_commands_than_its_rate(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "b", "c", check=True)
    begun = time.monotonic()
    assert mqx("get", QUEUE, "-n", "3", "--rate", "5/s", "--parallel", "3", "--exec", "cat", check=True).out == b"abc"
    assert time.monotonic() - begun >= 0.4
    assert mqx("get", QUEUE, "--rate", "5/h", "--exec", "cat").status == 3


@pytest.fixture
def exec_run(environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start ``mqx get --exec`` in the background; what it has started is ended afterwards."""
    started = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        running = subprocess.Popen(
            [PROGRAM, "get", QUEUE, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        started.append(running)
        return running

    yield start
    for running in started:
        running.kill()
        running.communicate()


def test_command_of_a_killed_run_is_ended_and_its_message_comes_back(
    mqx: Callable[..., Any], exec_run: Callable[..., subprocess.Popen[str]]
) -> None:
    mqx("put", QUEUE, "a", check=True)
    running = exec_run("--exec", "echo begun; sleep 600; echo done")
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    assert mqx("get", QUEUE).status == 3
    running.kill()
    assert running.stdout.read() == "", "the shell and its sleep have ended: nobody has the output open any more"
    assert left(mqx) == [("a", 1)] or mqx("get", QUEUE, "--wait", "60s", check=True).out == b"a"


@pytest.mark.parametrize(
    "command",
    ["trap '' TERM; {work}", "(trap '' TERM; {work}) & wait", "setsid --wait sh -c '{work}'"],
    ids=["ignores SIGTERM", "its child ignores SIGTERM", "has a session of its own"],
)
def test_message_of_a_killed_run_is_given_to_nobody_while_its_command_works(
    mqx: Callable[..., Any], exec_run: Callable[..., subprocess.Popen[str]], tmp_path: Path, command: str
) -> None:
    mqx("put", QUEUE, "a", check=True)
    may_end = tmp_path / "may-end"
    work = f"echo begun; until [ -e {may_end} ]; do sleep 0.05; done; echo worked"
    running = exec_run("--follow", "--exec", command.format(work=work))
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    running.kill()
    running.wait(60)
    second = mqx("get", QUEUE, "--wait", "200ms", "--exec", "echo second worker")
    may_end.touch()
    assert (second.status, second.out) == (3, b"")
    assert second.err.startswith("hint: 1 message is got but not committed, by ")
    assert running.stdout.read() == "worked\n"
    assert mqx("get", QUEUE, "--wait", "60s", "--exec", "cat", check=True).out == b"a"


def test_what_a_successful_command_leaves_running_is_left_alone(mqx: Callable[..., Any], tmp_path: Path) -> None:
    mqx("put", QUEUE, "a", check=True)
    command = f"(sleep 0.3; echo late > {tmp_path}/late) > /dev/null 2>&1 & true"
    mqx("get", QUEUE, "--exec", command, check=True)
    assert mqx("browse", QUEUE, "--all-states").status == 3
    wait_for_file(tmp_path / "late")


def wait_for_file(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} never came"
        time.sleep(0.02)


def test_message_longer_than_the_limit_stays(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "long message", check=True)
    assert mqx("get", QUEUE, "--max-length", "4", "--exec", "cat").status == 7
    assert left(mqx) == [("long message", 0)]
    done = mqx("get", QUEUE, "--max-length", "4", "--accept-truncated", "--exec", "cat")
    assert (done.status, done.out) == (4, b"long")


def test_dry_run_runs_nothing(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", check=True)
    assert mqx("get", QUEUE, "--dry-run", "-o", "raw", "--exec", "echo ran", check=True).out == b"a"
    assert left(mqx) == [("a", 0)]


@pytest.mark.parametrize("extra", [("--confirm-id", "7"), ("--lock-id", "AB" * 8)])
def test_exec_goes_with_no_confirm_or_lock_id(mqx: Callable[..., Any], extra: tuple[str, ...]) -> None:
    assert mqx("get", QUEUE, "--exec", "cat", *extra).status == 2


@pytest.mark.parametrize("word", ["", "  "])
def test_an_empty_command_takes_nothing(mqx: Callable[..., Any], word: str) -> None:
    mqx("put", QUEUE, "a", check=True)
    assert mqx("get", QUEUE, "--exec", word).status == 2
    assert left(mqx) == [("a", 0)]


def test_a_late_ring_writes_to_no_file_that_has_the_descriptor_since(tmp_path: Path) -> None:
    with import_module(f"{SCRIPT_PACKAGE}.get.alarm").Alarm() as alarm:
        pass
    with open(tmp_path / "a", "wb"), open(tmp_path / "b", "wb"):
        alarm.ring()
    assert [(tmp_path / name).read_bytes() for name in "ab"] == [b"", b""]
