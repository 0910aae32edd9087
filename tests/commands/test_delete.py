"""``mqx delete`` from outside: what goes, what is asked first, what is left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

QUEUE = "DEV.QUEUE.1"


def left(mqx: Callable[..., Any]) -> list[bytes]:
    """Return the data of what can be browsed."""
    return list(mqx("browse", QUEUE, "-o", "raw").out.split())


@pytest.mark.conformance("LIFE-31")
def test_explicit_ids_are_deleted_without_a_question(mqx: Callable[..., Any], ids: list[str]) -> None:
    done = mqx("delete", QUEUE, "--msg-id", ids[0], "--msg-id", ids[2], check=True)
    assert done.out == b""
    assert "deleted 2 messages" in done.err
    assert left(mqx) == [b"b"]


@pytest.mark.parametrize("journal", ["NO", "BODY"])
def test_a_delayed_message_goes_by_its_id_alone_and_comes_back_delayed(
    qm: Any, mqx: Callable[..., Any], journal: str
) -> None:
    mqx("mqsc", f"ALTER QLOCAL({QUEUE}) JOURNAL({journal})", check=True)
    delayed = mqx("put", QUEUE, "later", "--delay", "1h", "--print-id", check=True).out.decode().strip()
    mqx("put", QUEUE, "now", check=True)
    assert mqx("delete", QUEUE, "--newer", "1h", "--yes", check=True).err.startswith("deleted 1 message")
    assert mqx("delete", QUEUE, "--msg-id", delayed, "--pos", "1").status == 3
    assert b"later" in mqx("delete", QUEUE, "--msg-id", delayed[:40], "--dry-run", check=True).out
    mqx("delete", QUEUE, "--msg-id", delayed, check=True)
    assert mqx("browse", QUEUE, "--all-states").status == 3
    mqx("trash", "restore", "--msg-id", delayed, check=True)
    assert json.loads(mqx("browse", QUEUE, "--all-states", "-o", "jsonl", check=True).out)["state"] == "delayed"


def test_selection_without_terminal_needs_yes(mqx: Callable[..., Any], ids: list[str]) -> None:
    mqx("delete", QUEUE, "--pos", "1..2").ended(2, "2 messages", "--yes")
    assert len(left(mqx)) == len(ids)


@pytest.mark.parametrize(("answer", "status", "remains"), [("y", 0, [b"b", b"c"]), ("n", 1, [b"a", b"b", b"c"])])
def test_terminal_is_asked_with_the_count(
    mqx: Callable[..., Any],
    answered: Callable[..., int],
    ids: list[str],
    answer: str,
    status: int,
    remains: list[bytes],
) -> None:
    asks = "delete 1 message from DEV.QUEUE.1"
    assert answered("delete", QUEUE, "--grep", "a", asks=asks, answer=f"{answer}\n") == status
    assert left(mqx) == remains


def test_no_selection_is_a_usage_error_that_names_the_ways(mqx: Callable[..., Any], ids: list[str]) -> None:
    done = mqx("delete", QUEUE, "--yes").ended(2)
    for word in ("--pos", "--msg-id", "CLEAR QLOCAL"):
        assert word in done.err
    assert len(left(mqx)) == len(ids)


def test_all_deletes_every_message(mqx: Callable[..., Any], ids: list[str]) -> None:
    assert mqx("delete", QUEUE, "--all").status == 2
    assert mqx("delete", QUEUE, "--all", "--pos", "1", "--yes").status == 2
    assert mqx("delete", QUEUE, "--all", "--yes", check=True).err.startswith(f"deleted {len(ids)} messages")
    assert mqx("browse", QUEUE).status == 3


@pytest.mark.parametrize(
    ("words", "status", "totals"),
    [
        (("--pos", "1", "--yes"), 0, {"messages": 1, "deleted": 1, "removal": 1}),
        (("--grep", "nowhere", "--yes"), 3, {"messages": 0, "deleted": 0, "removal": None}),
        (("--pos", "1..2", "--dry-run"), 0, {"messages": 2, "deleted": 0, "would_delete": 2}),
    ],
)
def test_json_gives_the_counts(mqx: Callable[..., Any], ids: list[str], words, status, totals) -> None:
    assert mqx("delete", QUEUE, *words, "-o", "json").ended(status).totals == totals
    assert len(left(mqx)) == len(ids) - totals["deleted"]


def test_dry_run_shows_and_deletes_nothing(mqx: Callable[..., Any], ids: list[str]) -> None:
    done = mqx("delete", QUEUE, "--pos", "1..2", "--dry-run", check=True)
    assert [line.split(b"\t")[0].decode() for line in done.out.splitlines()] == ids[:2]
    assert "would delete 2 messages" in done.err
    assert len(left(mqx)) == 3


def test_dry_run_of_nothing_says_would_and_is_3(mqx: Callable[..., Any], ids: list[str]) -> None:
    done = mqx("delete", QUEUE, "--older", "1h", "--dry-run")
    assert (done.status, done.out) == (3, b"")
    assert "would delete 0 messages" in done.err


@pytest.mark.conformance("LIFE-32")
def test_locked_message_is_not_there_without_its_lock_id(mqx: Callable[..., Any], ids: list[str]) -> None:
    lock_id = mqx("lock", QUEUE, "-n", "1", "--print-id", check=True).out.decode().strip()
    mqx("delete", QUEUE, "--msg-id", ids[0]).ended(3, lock_id)
    assert mqx("delete", QUEUE, "--msg-id", ids[0], "--lock-id", "AB" * 8).status == 6
    mqx("delete", QUEUE, "--msg-id", ids[0], "--lock-id", lock_id, check=True)
    assert mqx("browse", QUEUE, "--all-states", "-o", "raw", check=True).out == b"b\nc\n"
    assert mqx("lock", "--list").status == 3


def test_lock_id_deletes_only_what_it_has_locked(mqx: Callable[..., Any], ids: list[str]) -> None:
    lock_id = mqx("lock", QUEUE, "-n", "2", "--print-id", check=True).out.decode().strip()
    mqx("delete", QUEUE, "--pos", "1..", "--lock-id", lock_id, "--yes", check=True)
    assert mqx("browse", QUEUE, "--all-states", "-o", "raw", check=True).out == b"c\n"


def test_more_than_a_batch_goes_whole(mqx: Callable[..., Any], qm: str) -> None:
    mqx("put", QUEUE, "--lines", "--persistent", stdin=b"".join(b"%d\n" % n for n in range(250)), check=True)
    assert "deleted 249 messages" in mqx("delete", QUEUE, "--pos", "2..", "--yes", check=True).err
    assert mqx("qdepth", QUEUE, "--count", check=True).out == b"1\n"


@pytest.mark.parametrize("words", [("--msg-id", "414D51"), ("--pos", "0"), ("--msg-id", "zz"), ("--where", "a = ")])
def test_selection_that_makes_no_sense_is_a_usage_error(
    mqx: Callable[..., Any], ids: list[str], words: tuple[str, ...]
) -> None:
    assert mqx("delete", QUEUE, *words, "--yes").status == 2
    assert len(left(mqx)) == len(ids)


def test_what_was_deleted_is_said_to_be_in_the_trash_and_comes_back(mqx: Callable[..., Any], ids: list[str]) -> None:
    before = mqx("browse", QUEUE, "-o", "jsonl").out
    done = mqx("delete", QUEUE, "--pos", "2", "--yes", check=True)
    assert "mqx trash restore --removal 1" in done.err
    mqx("trash", "restore", "--removal", "1", check=True)
    assert mqx("browse", QUEUE, "-o", "jsonl").out == before


@pytest.mark.parametrize("words", [("--no-trash",), ()], ids=["option", "environment"])
def test_without_a_trash_it_is_gone_for_good(mqx: Callable[..., Any], ids: list[str], words: tuple[str, ...]) -> None:
    environment = {} if words else {"MQX_TRASH_MAX_AGE": "0"}
    done = mqx("delete", QUEUE, "--msg-id", ids[0], *words, check=True, **environment)
    assert "restore" not in done.err
    assert mqx("trash", "list").status == 3


def test_who_is_asked_is_told_that_it_is_for_good(
    mqx: Callable[..., Any], answered: Callable[..., int], ids: list[str]
) -> None:
    for words, said in ((["--no-trash"], "permanently"), ([], "more than fits in the trash")):
        asks = f"delete 3 messages from DEV.QUEUE.1,? {said}"
        answered("delete", QUEUE, "--pos", "1..", *words, asks=asks, answer="n\n", MQX_TRASH_MAX_SIZE="600")
    assert len(left(mqx)) == len(ids)


def test_what_the_trash_has_no_room_for_is_counted(mqx: Callable[..., Any], ids: list[str]) -> None:
    done = mqx("delete", QUEUE, "--pos", "1..", "--yes", check=True, MQX_TRASH_MAX_SIZE="1100")
    assert "1 message did not fit in the trash" in done.err
    assert mqx("trash", "list", "--messages", "-o", "raw").out == b"b\nc\n"


def test_a_trash_that_is_configured_wrongly_deletes_nothing(mqx: Callable[..., Any], ids: list[str]) -> None:
    mqx("delete", QUEUE, "--msg-id", ids[0], MQX_TRASH_MAX_AGE="a week").ended(2, "MQX_TRASH_MAX_AGE: trash.max_age")
    assert len(left(mqx)) == len(ids)
