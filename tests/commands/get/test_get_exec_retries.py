"""``mqx get --exec`` of commands that fail, hang, and work at the same time: backout threshold, timeout, parallel."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

QUEUE, ASIDE, DEAD = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.DEAD.LETTER.QUEUE"

pytestmark = pytest.mark.usefixtures("qm")


@pytest.fixture
def threshold(mqx: Callable[..., Any]) -> Callable[..., None]:
    """Set BOTHRESH and BOQNAME of the queue."""

    def alter(times: int, aside: str = "") -> None:
        mqx("mqsc", f"ALTER QLOCAL({QUEUE}) BOTHRESH({times}) BOQNAME({aside or repr('')})", check=True)

    return alter


def lying(mqx: Callable[..., Any], queue: str) -> list[Any]:
    return json.loads(mqx("browse", queue, "-o", "json").out)


def data(mqx: Callable[..., Any], queue: str) -> list[tuple[str, int]]:
    return [(one["data"], one["md"]["backout_count"]) for one in lying(mqx, queue)]


def test_a_failing_message_is_tried_to_the_threshold_and_then_moved_to_boqname(
    mqx: Callable[..., Any], threshold: Callable[..., None]
) -> None:
    threshold(3, ASIDE)
    mqx("put", QUEUE, "bad", "good", "--property", "colour=red", check=True)
    (original, _) = lying(mqx, QUEUE)
    done = mqx("get", QUEUE, "--all", "--retry-delay", "50ms", "--exec", 'read x; echo "$x"; test "$x" = good')
    assert (done.status, done.out) == (9, b"bad\ngood\nbad\nbad\n")
    assert "1 message done, 1 moved" in done.err
    assert f"backed out 3 times, moved to {ASIDE}" in done.err
    (moved,) = lying(mqx, ASIDE)
    changed = {"backout_count"}
    assert {**moved["md"], **dict.fromkeys(changed)} == {**original["md"], **dict.fromkeys(changed)}
    assert (moved["data"], moved["properties"]) == ("bad", original["properties"])
    assert mqx("browse", QUEUE, "--all-states").status == 3


@pytest.mark.parametrize("aside", ["", "NO.SUCH.QUEUE"])
def test_without_a_usable_boqname_it_is_dead_lettered_with_the_reason(
    mqx: Callable[..., Any], threshold: Callable[..., None], aside: str
) -> None:
    threshold(1, aside)
    mqx("put", QUEUE, "bad", check=True)
    assert mqx("get", QUEUE, "--exec", "false").status == 9
    (letter,) = lying(mqx, DEAD)
    header = letter["headers"][0]
    assert (header["reason"], header["dest_q_name"]) == ("MQRC_BACKOUT_THRESHOLD_REACHED", QUEUE)


def test_one_that_nobody_takes_stays(mqx: Callable[..., Any], threshold: Callable[..., None]) -> None:
    threshold(1)
    mqx("mqsc", "ALTER QMGR DEADQ('')", check=True)
    mqx("put", QUEUE, "bad", check=True)
    done = mqx("get", QUEUE, "--all", "--exec", "echo tried; false")
    assert (done.status, done.out) == (9, b"tried\n")
    assert "cannot be moved:" in done.err
    assert [text for text, _ in data(mqx, QUEUE)] == ["bad"]


def test_one_that_succeeds_the_second_time_is_done(
    mqx: Callable[..., Any], threshold: Callable[..., None], tmp_path: Path
) -> None:
    threshold(5, ASIDE)
    mqx("put", QUEUE, "a", check=True)
    command = f"[ -e {tmp_path}/tried ] || {{ touch {tmp_path}/tried; false; }}"
    assert mqx("get", QUEUE, "--retry-delay", "0", "--exec", command).status == 0
    assert mqx("browse", QUEUE, "--all-states").status == 3


def test_pauses_grow(mqx: Callable[..., Any], threshold: Callable[..., None]) -> None:
    threshold(4, ASIDE)
    mqx("put", QUEUE, "bad", check=True)
    done = mqx("get", QUEUE, "--retry-delay", "100ms", "--exec", "date +%s.%N; false")
    instants = [float(line) for line in done.out.split()]
    pauses = [later - earlier for earlier, later in pairwise(instants)]
    assert len(pauses) == 3
    assert all(pause >= least for pause, least in zip(pauses, (0.1, 0.2, 0.4), strict=True)), pauses


def test_a_run_that_follows_tries_again_too(
    mqx: Callable[..., Any], threshold: Callable[..., None], tmp_path: Path
) -> None:
    threshold(2, ASIDE)
    mqx("put", QUEUE, "bad", check=True)
    command = f"echo tried >> {tmp_path}/tries; false"
    mqx("get", QUEUE, "--all", "--wait", "300ms", "--retry-delay", "10ms", "--exec", command).ended(9)
    assert (tmp_path / "tries").read_text() == "tried\n" * 2
    assert [text for text, _ in data(mqx, ASIDE)] == ["bad"]


def test_other_messages_are_done_in_the_pause_of_one(mqx: Callable[..., Any], threshold: Callable[..., None]) -> None:
    threshold(2, ASIDE)
    mqx("put", QUEUE, "bad", "b", "c", check=True)
    done = mqx("get", QUEUE, "--all", "--retry-delay", "500ms", "--exec", 'read x; echo "$x"; test "$x" != bad')
    assert done.out == b"bad\nb\nc\nbad\n"


def test_what_is_moved_aside_is_neither_cut_nor_converted(
    mqx: Callable[..., Any], threshold: Callable[..., None]
) -> None:
    threshold(1, ASIDE)
    mqx("put", QUEUE, "--ccsid", "819", "--format", "MQSTR", stdin="Zürich".encode("latin-1"), check=True)
    done = mqx(
        "get", QUEUE, "--convert", "--max-length", "3", "--accept-truncated", "--exec", "cat; false"
    )  # fmt: skip
    assert (done.status, done.out) == (9, "Zü".encode())
    (moved,) = lying(mqx, ASIDE)
    assert (moved["data"], moved["md"]["coded_char_set_id"]) == ("Zürich", 819)


def test_a_message_at_the_threshold_runs_no_command(mqx: Callable[..., Any], threshold: Callable[..., None]) -> None:
    mqx("put", QUEUE, "bad", check=True)
    assert mqx("get", QUEUE, "--exec", "false").status == 9
    threshold(1, ASIDE)
    done = mqx("get", QUEUE, "--exec", "echo ran")
    assert (done.status, done.out) == (9, b"")
    assert [text for text, _ in data(mqx, ASIDE)] == ["bad"]


def test_a_command_that_runs_too_long_is_ended_with_all_of_its_group(mqx: Callable[..., Any], tmp_path: Path) -> None:
    mqx("put", QUEUE, "a", check=True)
    command = f"(sleep 3; echo worked on > {tmp_path}/late) & sleep 600"
    begun = time.monotonic()
    mqx("get", QUEUE, "--timeout", "300ms", "--exec", command).ended(9, "ran longer than 0.3 s")
    assert data(mqx, QUEUE) == [("a", 1)]
    time.sleep(max(0, begun + 4 - time.monotonic()))
    assert not (tmp_path / "late").exists()


def test_a_command_that_ignores_sigterm_is_killed_after_its_timeout(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", check=True)
    begun = time.monotonic()
    done = mqx("get", QUEUE, "--timeout", "100ms", "--exec", "trap '' TERM; while :; do sleep 0.1; done")
    assert "ran longer than 0.1 s" in done.err
    assert time.monotonic() - begun >= 2
    assert data(mqx, QUEUE) == [("a", 1)]


def test_parallel_commands_run_at_the_same_time(mqx: Callable[..., Any], tmp_path: Path) -> None:
    mqx("put", QUEUE, "a", "b", "c", check=True)
    meet = f"touch {tmp_path}/$MQX_MSG_ID; until [ $(ls {tmp_path} | grep -c 414D51) = 3 ]; do sleep 0.02; done"
    done = mqx("get", QUEUE, "--all", "--parallel", "3", "--timeout", "50s", "--exec", meet)
    assert (done.status, done.err) == (0, "3 messages done\n")
    assert mqx("browse", QUEUE, "--all-states").status == 3


def test_parallel_gives_each_message_to_one_command(
    mqx: Callable[..., Any], threshold: Callable[..., None], tmp_path: Path
) -> None:
    threshold(3, ASIDE)
    mqx("put", QUEUE, *(f"m{n}" for n in range(40)), check=True)
    working = tmp_path / "working"
    working.mkdir()
    command = (  # mkdir fails when another command has the message; m7 and m13 fail every time
        f"mkdir {working}/$MQX_MSG_ID || {{ echo TWICE; exit 1; }}; read x; echo $x; sleep 0.02;"
        f" rmdir {working}/$MQX_MSG_ID; case $x in m7|m13) exit 1;; esac"
    )
    done = mqx("get", QUEUE, "--all", "--parallel", "4", "--retry-delay", "10ms", "--exec", command).ended(9)
    tried = done.out.decode().split()
    assert sorted(tried) == sorted([f"m{n}" for n in range(40)] + ["m7", "m13"] * 2)
    assert sorted(text for text, _ in data(mqx, ASIDE)) == ["m13", "m7"]
    assert "38 messages done, 2 moved" in done.err


def test_a_number_counts_messages_not_tries(mqx: Callable[..., Any], threshold: Callable[..., None]) -> None:
    threshold(3, ASIDE)
    mqx("put", QUEUE, "bad", "b", "c", check=True)
    command = 'read x; echo "$x"; test "$x" != bad'
    done = mqx("get", QUEUE, "-n", "2", "--parallel", "2", "--retry-delay", "0", "--exec", command)
    assert sorted(done.out.split()) == [b"b", b"bad", b"bad", b"bad"]
    assert data(mqx, QUEUE) == [("c", 0)]


@pytest.mark.parametrize("option", [("--parallel", "2"), ("--timeout", "1s"), ("--retry-delay", "1s")])
def test_options_of_exec_need_exec(mqx: Callable[..., Any], option: tuple[str, str]) -> None:
    mqx("get", QUEUE, *option).ended(2, f"{option[0]} requires --exec")
