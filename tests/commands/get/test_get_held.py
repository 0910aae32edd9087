"""``mqx get`` with a confirm id or a lock id from outside: what is held, what is given back."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

QUEUE = "DEV.QUEUE.1"


@pytest.fixture
def lock_id(mqx: Callable[..., Any], ids: list[str]) -> str:
    """A lock over a and b."""
    return str(mqx("lock", QUEUE, "-n", "2", "--print-id", check=True).out.decode().strip())


def states(mqx: Callable[..., Any]) -> list[tuple[str, str, int]]:
    """Return data, state and backout count of all that is on the queue."""
    envelopes = json.loads(mqx("browse", QUEUE, "--all-states", "-o", "json").out)
    return [(one["data"], one["state"], one["md"]["backout_count"]) for one in envelopes]


@pytest.fixture
def unread(start: Callable[..., Any], closed_pipe: int) -> Callable[..., int]:
    """Run a command whose reader is gone; return its status."""

    def run(*words: str) -> int:
        process = start(*words, stdout=closed_pipe)
        status: int = process.wait(60)
        assert process.stderr.read() == b""
        return status

    return run


@pytest.mark.conformance("LIFE-13")
def test_get_with_confirm_id_gives_the_message_and_holds_it(mqx: Callable[..., Any], ids: list[str]) -> None:
    assert mqx("get", QUEUE, "--confirm-id", "7", check=True).out == b"a"
    assert states(mqx)[0] == ("a", "get_unconfirmed", 0)
    assert mqx("get", QUEUE, "--all", check=True).out == b"b\nc\n"


@pytest.mark.parametrize(
    ("words", "data"),
    [
        pytest.param(("--all",), b"a\nb\nc\n", id="all"),
        pytest.param(("-n", "2"), b"a\nb\n", id="two"),
        pytest.param(("-n", "5"), b"a\nb\nc\n", id="more than there are"),
        pytest.param(("--pos", "2..3", "--all"), b"b\nc\n", id="places"),
        pytest.param(("--grep", "b"), b"b", id="text"),
        pytest.param(("--pos", "2..3", "--all", "--wait", "1ms"), b"b\nc\n", id="places do not shift in a wait"),
    ],
)
def test_number_and_selection_say_what_is_held(
    mqx: Callable[..., Any], ids: list[str], words: tuple[str, ...], data: bytes
) -> None:
    assert mqx("get", QUEUE, "--confirm-id", "7", *words, check=True).out == data
    held = [name for name, state, _ in states(mqx) if state == "get_unconfirmed"]
    assert held == data.decode().split()


def test_get_with_a_lease_comes_back_and_cannot_be_confirmed_then(mqx: Callable[..., Any], ids: list[str]) -> None:
    mqx("get", QUEUE, "--confirm-id", "7", "--all", "--lease", "1s", check=True)
    assert mqx("get", QUEUE, "--wait", "5s", check=True).out == b"a"
    assert mqx("confirm", "get", QUEUE, "--confirm-id", "7").status == 6
    assert states(mqx) == [("b", "unlocked", 1), ("c", "unlocked", 1)]


def test_lease_without_a_confirm_id_is_a_usage_error(mqx: Callable[..., Any], ids: list[str]) -> None:
    assert mqx("get", QUEUE, "--lease", "5m").status == 2


def test_json_says_the_state_and_the_lock(mqx: Callable[..., Any], lock_id: str) -> None:
    done = mqx("get", QUEUE, "--confirm-id", "7", "--lock-id", lock_id, "-o", "json", check=True)
    (envelope,) = json.loads(done.out)
    assert (envelope["state"], envelope["lock_id"]) == ("browse_get_unconfirmed", lock_id)


def test_nothing_there_is_3(mqx: Callable[..., Any], qm: str) -> None:
    done = mqx("get", QUEUE, "--confirm-id", "7")
    assert (done.status, done.out) == (3, b"")


@pytest.mark.parametrize("words", [(), ("--grep", "late")], ids=["any", "selected"])
def test_wait_ends_with_an_arrival(mqx: Callable[..., Any], qm: str, words: tuple[str, ...]) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(mqx, "get", QUEUE, "--confirm-id", "7", "--wait", "60s", *words)
        mqx("put", QUEUE, "late", check=True)
        assert waiting.result(120).out == b"late"
    assert states(mqx) == [("late", "get_unconfirmed", 0)]


def test_wait_that_runs_out_is_3(mqx: Callable[..., Any], qm: str) -> None:
    assert mqx("get", QUEUE, "--confirm-id", "7", "--wait", "20ms").status == 3
    assert mqx("get", QUEUE, "--confirm-id", "7", "--wait", "20ms", "--grep", "x").status == 3


def test_message_that_cannot_be_written_is_undone_alone(
    mqx: Callable[..., Any], unread: Callable[..., int], ids: list[str]
) -> None:
    # Given a is held by an earlier get with the same confirm id
    mqx("get", QUEUE, "--confirm-id", "7", check=True)
    # When the reader of the next get is gone
    assert unread("get", QUEUE, "--confirm-id", "7", "--all") == 141
    # Then only what was not written is back
    assert states(mqx) == [("a", "get_unconfirmed", 0), ("b", "unlocked", 1), ("c", "unlocked", 0)]


def test_full_disk_is_10_and_the_message_is_back(
    mqx: Callable[..., Any], start: Callable[..., Any], ids: list[str]
) -> None:
    with open("/dev/full", "wb") as full:
        assert start("get", QUEUE, "--confirm-id", "7", stdout=full).wait(60) == 10
    assert states(mqx)[0] == ("a", "unlocked", 1)
    assert mqx("confirm", "get", QUEUE, "--confirm-id", "7").status == 6


def test_table_that_cannot_be_written_gives_all_back(
    mqx: Callable[..., Any], unread: Callable[..., int], ids: list[str]
) -> None:
    assert unread("get", QUEUE, "--confirm-id", "7", "--all", "-o", "csv") == 141
    assert {state for _, state, _ in states(mqx)} == {"unlocked"}


def test_get_all_by_lock_id_takes_the_lock_and_no_more(mqx: Callable[..., Any], lock_id: str) -> None:
    assert mqx("get", QUEUE, "--lock-id", lock_id, "--all", check=True).out == b"a\nb\n"
    assert states(mqx) == [("c", "unlocked", 0)]
    assert mqx("get", QUEUE, "--lock-id", lock_id).status == 6


@pytest.mark.conformance("LIFE-22")
@pytest.mark.parametrize("extra", [(), ("--confirm-id", "9")])
def test_wrong_lock_id_is_6_and_changes_nothing(mqx: Callable[..., Any], lock_id: str, extra: tuple[str, ...]) -> None:
    before = states(mqx)
    assert mqx("get", QUEUE, "--lock-id", "AB" * 8, *extra).status == 6
    assert states(mqx) == before


@pytest.mark.parametrize("extra", [(), ("--confirm-id", "9")])
def test_locked_message_that_cannot_be_written_stays_locked(
    mqx: Callable[..., Any], unread: Callable[..., int], lock_id: str, extra: tuple[str, ...]
) -> None:
    assert unread("get", QUEUE, "--lock-id", lock_id, *extra) == 141
    assert [state for _, state, _ in states(mqx)] == ["locked_for_browse", "locked_for_browse", "unlocked"]
    assert mqx("get", QUEUE, "--lock-id", lock_id, check=True).out == b"a"


@pytest.mark.parametrize("held_by", ["confirm", "lock"])
def test_message_longer_than_the_limit_stays(mqx: Callable[..., Any], qm: str, held_by: str) -> None:
    mqx("put", QUEUE, "long message", check=True)
    words = ["--confirm-id", "7"]
    if held_by == "lock":
        words = ["--lock-id", mqx("lock", QUEUE, "--print-id", check=True).out.decode().strip()]
    before = states(mqx)
    assert mqx("get", QUEUE, *words, "--max-length", "4").status == 7
    assert states(mqx) == before
    done = mqx("get", QUEUE, *words, "--max-length", "4", "--accept-truncated")
    assert (done.status, done.out) == (4, b"long")


def test_dry_run_shows_and_holds_nothing(mqx: Callable[..., Any], lock_id: str) -> None:
    before = states(mqx)
    assert mqx("get", QUEUE, "--confirm-id", "7", "--dry-run", "-o", "raw", check=True).out == b"c"
    assert mqx("get", QUEUE, "--lock-id", lock_id, "--all", "--dry-run", "-o", "raw", check=True).out == b"a\nb\n"
    assert states(mqx) == before
