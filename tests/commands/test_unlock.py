"""``mqx unlock`` from outside: the whole lock, one message of it, and wrong ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

QUEUE = "DEV.QUEUE.1"


@pytest.fixture
def locked(mqx: Callable[..., Any], qm: str) -> tuple[str, list[str]]:
    """Two locked messages a and b: their lock id and message ids."""
    mqx("put", QUEUE, "a", "b", check=True)
    done = mqx("lock", QUEUE, "-o", "jsonl", check=True)
    envelopes = done.rows
    return envelopes[0]["lock_id"], [envelope["md"]["msg_id"] for envelope in envelopes]


@pytest.mark.conformance("LIFE-28")
def test_unlock_frees_all_that_the_lock_id_holds(mqx: Callable[..., Any], locked: tuple[str, list[str]]) -> None:
    done = mqx("unlock", QUEUE, "--lock-id", locked[0], check=True)
    assert done.out == b""
    assert "unlocked 2 messages" in done.err
    assert mqx("get", QUEUE, "--all", check=True).out == b"a\nb\n"


def test_beginning_of_the_message_id_is_enough(mqx: Callable[..., Any], locked: tuple[str, list[str]]) -> None:
    first, second = locked[1]
    length = next(n for n in range(2, 50, 2) if first[:n] != second[:n])
    mqx("unlock", QUEUE, "--lock-id", locked[0], "--msg-id", first[:length], check=True)
    assert mqx("get", QUEUE, "--all", check=True).out == b"a\n"


def test_ambiguous_beginning_is_a_usage_error(mqx: Callable[..., Any], locked: tuple[str, list[str]]) -> None:
    mqx("unlock", QUEUE, "--lock-id", locked[0], "--msg-id", "414D51").ended(2)
    assert mqx("get", QUEUE).status == 3


@pytest.mark.conformance("LIFE-22")
@pytest.mark.parametrize("extra", [("--lock-id", "AB" * 8), ("--lock-id", "{right}", "--msg-id", "AB" * 24), ()])
def test_wrong_id_is_6_none_is_2_and_nothing_changes(
    mqx: Callable[..., Any], locked: tuple[str, list[str]], extra: tuple[str, ...]
) -> None:
    words = [word.replace("{right}", locked[0]) for word in extra]
    mqx("unlock", QUEUE, *words).ended(6 if extra else 2, "MQRC_NO_MSG_LOCKED" if extra else "--lock-id")
    assert mqx("get", QUEUE).status == 3


def test_dry_run_counts_and_leaves_the_lock(mqx: Callable[..., Any], locked: tuple[str, list[str]]) -> None:
    done = mqx("unlock", QUEUE, "--lock-id", locked[0], "--dry-run", "-o", "json", check=True)
    assert done.totals == {"messages": 2, "unlocked": 2}
    assert mqx("get", QUEUE).status == 3
