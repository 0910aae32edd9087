"""``mqx undo`` from outside: puts, gets and locks taken back by their id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

QUEUE = "DEV.QUEUE.1"

pytestmark = pytest.mark.usefixtures("qm")


@pytest.mark.conformance("LIFE-09")
def test_undone_put_is_gone(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "b", "--confirm-id", "7", check=True)
    done = mqx("undo", QUEUE, "--confirm-id", "7", "-o", "json", check=True)
    assert done.totals == {"messages": 2, "puts": 2, "gets": 0, "locks": 0}
    assert "2 puts" in done.err
    assert mqx("browse", QUEUE, "--all-states").status == 3


@pytest.mark.conformance("LIFE-30")
@pytest.mark.parametrize("by", ["confirm", "lock"])
def test_undo_unlocks_by_either_id(mqx: Callable[..., Any], by: str) -> None:
    mqx("put", QUEUE, "a", "b", check=True)
    lock_id = mqx("lock", QUEUE, "--print-id", "--confirm-id", "5", check=True).out.decode().strip()
    words = ("--confirm-id", "5") if by == "confirm" else ("--lock-id", lock_id)
    done = mqx("undo", QUEUE, *words, check=True)
    hint = f"hint: --lock-id is deprecated; use mqx unlock {QUEUE} --lock-id {lock_id}\n"
    assert (done.err.startswith(hint), "2 locks" in done.err) == (by == "lock", True)
    assert mqx("get", QUEUE, "--all", check=True).out == b"a\nb\n"


@pytest.mark.conformance("LIFE-36")
@pytest.mark.parametrize("words", [("--confirm-id", "3"), ("--lock-id", "AB" * 8)])
def test_undo_of_an_id_that_matches_nothing_is_6_and_changes_nothing(
    mqx: Callable[..., Any], words: tuple[str, ...]
) -> None:
    mqx("put", QUEUE, "a", "--confirm-id", "1", check=True)
    mqx("put", QUEUE, "b", "--confirm-id", "2", check=True)
    mqx("undo", QUEUE, *words).ended(6, "MQRC_NO_MSG_LOCKED")
    mqx("confirm", "put", QUEUE, "--confirm-id", "1", check=True)
    mqx("confirm", "put", QUEUE, "--confirm-id", "2", check=True)


def test_dry_run_counts_and_undoes_nothing(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "--confirm-id", "1", check=True)
    done = mqx("undo", QUEUE, "--confirm-id", "1", "--dry-run", check=True)
    assert "would undo" in done.err
    assert "1 put" in done.err
    mqx("confirm", "put", QUEUE, "--confirm-id", "1", check=True)


@pytest.mark.parametrize("words", [(), ("--confirm-id", "1", "--lock-id", "AB" * 8), ("--lock-id", "xyz")])
def test_just_one_id_is_needed(mqx: Callable[..., Any], words: tuple[str, ...]) -> None:
    assert mqx("undo", QUEUE, *words).status == 2
