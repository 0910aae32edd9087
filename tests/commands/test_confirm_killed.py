"""Confirm ids of scripts that are killed at any moment: put again and confirmed once, a message arrives once."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

Q = "DEV.QUEUE.1"
ROUNDS = 6

pytestmark = pytest.mark.usefixtures("qm")


def run_and_kill(start: Callable[..., subprocess.Popen[bytes]], after_s: float, *words: str) -> int:
    """Begin a command and kill it after a while; give its status, negative when it was still running."""
    process = start(*words)
    try:
        process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate(timeout=30)
    return process.returncode


def how_long(start: Callable[..., subprocess.Popen[bytes]], *words: str) -> float:
    """Give the time that a command takes here."""
    began = time.monotonic()
    assert run_and_kill(start, 30, *words) == 0
    return time.monotonic() - began


def test_a_put_killed_anywhere_and_made_again_is_delivered_once(mqx, start):
    chance = random.Random(1)
    whole = how_long(start, "put", Q, "warm", "--confirm-id", "999", "--persistent")
    left = Counter()
    for number in range(1, ROUNDS + 1):
        put = ("put", Q, f"order {number}", "--confirm-id", str(number), "--persistent")
        killed = [run_and_kill(start, whole * chance.uniform(0.3, 1.1), *put) for _ in range(2)]
        left.update(killed)
        assert mqx("get", Q).status == 3
        mqx(*put, check=True)
        mqx("confirm", "put", Q, "--confirm-id", str(number), check=True)
        assert mqx("confirm", "put", Q, "--confirm-id", str(number)).status == 6
        assert mqx("get", Q, "--all", check=True).out.decode() == f"order {number}"
    assert left[-9] > 0


def test_a_get_killed_anywhere_is_there_again_after_an_undo_and_gone_after_its_confirm(mqx, start):
    chance = random.Random(2)
    mqx("put", Q, "warm", check=True)
    whole = how_long(start, "get", Q, "--confirm-id", "999")
    mqx("confirm", "get", Q, "--confirm-id", "999", check=True)
    mqx("put", Q, "--lines", "--persistent", stdin=b"".join(b"%d\n" % n for n in range(ROUNDS)), check=True)
    got = []
    for number in range(1, ROUNDS + 1):
        get = ("get", Q, "--confirm-id", str(number))
        run_and_kill(start, whole * chance.uniform(0.3, 1.1), *get)
        assert mqx("undo", Q, "--confirm-id", str(number)).status in (0, 6)
        got.append(mqx(*get, check=True).out.decode())
        run_and_kill(start, whole * chance.uniform(0.3, 1.1), "confirm", "get", Q, "--confirm-id", str(number))
        assert mqx("confirm", "get", Q, "--confirm-id", str(number)).status in (0, 6)
    assert got == [str(n) for n in range(ROUNDS)]
    assert mqx("browse", Q, "--all-states").status == 3


def test_the_same_put_twice_says_so_and_prints_one_id(mqx: Callable[..., Any]) -> None:
    put = ("put", Q, "pay 100", "--confirm-id", "42", "--print-id")
    first, again = mqx(*put, check=True), mqx(*put, check=True)
    assert (first.err, again.err) == ("", "already there under confirm id 42: 1 message\n")
    assert first.out == again.out
    mqx("confirm", "put", Q, "--confirm-id", "42", check=True)
    assert mqx("get", Q, "--all", check=True).out == b"pay 100"


def test_different_puts_with_one_confirm_id_are_confirmed_together(mqx: Callable[..., Any]) -> None:
    for text in ("a", "b"):
        mqx("put", Q, text, "--confirm-id", "42", check=True)
    mqx("confirm", "put", Q, "--confirm-id", "42", check=True)
    assert mqx("get", Q, "--all", check=True).out == b"a\nb"
