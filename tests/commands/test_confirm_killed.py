"""Confirm ids of scripts that are killed at any moment: put again and confirmed once, a message arrives once."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

Q = "DEV.QUEUE.1"
ROUNDS = 6

pytestmark = pytest.mark.usefixtures("qm")

#: A command that kills itself at one of its steps, the calls from the opening of the queue manager's file on; one that
#: ends before says how many there were.
KILLED = """
import os, runpy, signal, sys
last, steps, end = int(sys.argv[1]), 0, os._exit

def step(*_):
    global steps
    steps += 1
    if steps == last:
        os.kill(os.getpid(), signal.SIGKILL)

def say_and_end(status):
    sys.setprofile(None)
    print(steps, file=sys.stderr, flush=True)
    end(status)

os._exit = say_and_end
sys.addaudithook(lambda event, _: sys.setprofile(step) if event == "sqlite3.connect" else None)
del sys.argv[:2]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def killed(environment: dict[str, str], mqx_path: str) -> Callable[..., int]:
    """Run a command that is killed at a step; give its status, negative when that was before its end."""

    def run(at: float, *words: str) -> int:
        line = [sys.executable, "-c", KILLED, str(int(at)), mqx_path, *words]
        return subprocess.run(line, env=environment, capture_output=True, timeout=120, check=False).returncode

    return run


@pytest.fixture
def count_steps(environment: dict[str, str], mqx_path: str) -> Callable[..., int]:
    """Run a command to its end; give how many steps it has."""

    def run(*words: str) -> int:
        line = [sys.executable, "-c", KILLED, "0", mqx_path, *words]
        done = subprocess.run(line, env=environment, capture_output=True, timeout=120, check=True)
        return int(done.stderr.split()[-1])

    return run


def test_a_put_with_a_key_that_is_killed_anywhere_puts_all_or_nothing(mqx, killed, count_steps):
    chance = random.Random(2)
    mqx("put", Q, "first", check=True)  # it makes the reserve whole
    mqx("get", Q, check=True)
    whole = count_steps("put", Q, "warm", "up", "--once", "K0", "--persistent")
    mqx("get", Q, "--all", check=True)
    left = Counter()
    for number in range(1, 2 * ROUNDS + 1):
        put = ("put", Q, f"{number} a", f"{number} b", "--once", f"K{number}", "--persistent")
        left.update([killed(whole * chance.uniform(0.4, 1.02), *put)])
        mqx(*put, check=True)
        assert mqx("get", Q, "--all", check=True).out.decode() == f"{number} a\n{number} b\n"
    assert left[-9] >= ROUNDS


def test_a_put_killed_anywhere_and_made_again_is_delivered_once(mqx, killed, count_steps):
    chance = random.Random(1)
    mqx("put", Q, "first", check=True)  # it makes the reserve whole
    mqx("get", Q, check=True)
    whole = count_steps("put", Q, "warm", "--confirm-id", "999", "--persistent")
    left = Counter()
    for number in range(1, ROUNDS + 1):
        put = ("put", Q, f"order {number}", "--confirm-id", str(number), "--persistent")
        left.update(killed(whole * chance.uniform(0.1, 1.1), *put) for _ in range(2))
        assert mqx("get", Q).status == 3
        mqx(*put, check=True)
        mqx("confirm", "put", Q, "--confirm-id", str(number), check=True)
        assert mqx("confirm", "put", Q, "--confirm-id", str(number)).status == 6
        assert mqx("get", Q, "--all", check=True).out.decode() == f"order {number}\n"
    assert left[-9] >= ROUNDS


def test_a_get_killed_anywhere_is_there_again_after_an_undo_and_gone_after_its_confirm(mqx, killed, count_steps):
    chance = random.Random(2)
    mqx("put", Q, "warm", check=True)
    of_get = count_steps("get", Q, "--confirm-id", "999")
    of_confirm = count_steps("confirm", "get", Q, "--confirm-id", "999")
    mqx("put", Q, "--lines", "--persistent", stdin=b"".join(b"%d\n" % n for n in range(ROUNDS)), check=True)
    got, left = [], Counter()
    for number in range(1, ROUNDS + 1):
        get, confirm = ("get", Q, "--confirm-id", str(number)), ("confirm", "get", Q, "--confirm-id", str(number))
        left[killed(of_get * chance.uniform(0.1, 1.1), *get)] += 1
        assert mqx("undo", Q, "--confirm-id", str(number)).status in (0, 6)
        got.append(mqx(*get, check=True).out.decode())
        left[killed(of_confirm * chance.uniform(0.1, 1.1), *confirm)] += 1
        assert mqx(*confirm).status in (0, 6)
    assert got == [str(n) for n in range(ROUNDS)]
    assert mqx("browse", Q, "--all-states").status == 3
    assert left[-9] >= ROUNDS


def test_the_same_put_twice_says_so_and_prints_one_id(mqx: Callable[..., Any]) -> None:
    put = ("put", Q, "pay 100", "--confirm-id", "42", "--print-id")
    first, again = mqx(*put, check=True), mqx(*put, check=True)
    assert (first.err, again.err) == ("", "already put under confirm id 42: 1 message\n")
    assert first.out == again.out
    mqx("confirm", "put", Q, "--confirm-id", "42", check=True)
    assert mqx("get", Q, "--all", check=True).out == b"pay 100\n"
