"""``mqx qmgr``: what operators see of starting, ending and deleting queue managers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers

from .holding import hold, rows

Run = Callable[..., Any]


# start and end


@pytest.mark.conformance("BEY-46")
@pytest.mark.usefixtures("qm")
def test_start_says_how_many_nonpersistent_messages_it_discarded(mqx: Run) -> None:
    mqx("put", "DEV.QUEUE.1", "--not-persistent", "one", "two", check=True)
    mqx("put", "DEV.QUEUE.1", "three", check=True)
    mqx("qmgr", "end", "QM1", check=True)
    done = mqx("qmgr", "start", "QM1", check=True)
    assert "2 nonpersistent messages discarded" in done.err
    assert mqx("get", "DEV.QUEUE.1", "--all").out == b"three\n"
    assert "already" in mqx("qmgr", "start", "QM1", check=True).err


def test_end_returns_while_somebody_is_connected_and_it_ends_when_they_leave(mqx: Run, qm: str) -> None:
    process = hold(qm)
    done = mqx("qmgr", "end", "QM1", "-o", "json")
    assert rows(done)[0]["state"] == "quiescing"
    assert "quiescing" in done.err
    assert mqx("put", "DEV.QUEUE.1", "x").status == 5
    assert mqx("qmgr", "start", "QM1").status == 6
    process.communicate()
    assert queue_managers.state_of(qm) == "ended"


@pytest.mark.parametrize("options", [("--wait", "60s"), ("--follow", "--grep", "x"), ("--follow", "--confirm-id", "3")])
@pytest.mark.parametrize("how", ["--immediate", "--quiesce"])
def test_a_get_that_waits_is_told_that_its_queue_manager_ends(
    mqx: Run, start: Any, eventually: Any, count_rows: Any, options: tuple[str, ...], how: str
) -> None:
    process = start("get", "DEV.QUEUE.1", *options)
    eventually(lambda: count_rows("waiters") == 1)
    mqx("qmgr", "end", "QM1", how, check=True)
    assert process.wait(60) == 5
    assert "queue manager QM1 " in process.stderr.read().decode()


@pytest.mark.usefixtures("qm")
def test_the_ways_to_end_exclude_each_other(mqx: Run) -> None:
    assert mqx("qmgr", "end", "QM1", "--wait", "--immediate").status == 2


# delete


def test_delete_asks_and_without_a_terminal_needs_yes(mqx: Run, qm: str) -> None:
    mqx("put", "DEV.QUEUE.1", "one", "two", check=True)
    mqx("qmgr", "delete", "QM1").ended(2, "2 messages")
    assert Path(qm).exists()
    assert mqx("qmgr", "delete", "QM1", "--yes").status == 0
    assert not Path(qm).exists()


def test_delete_asks_with_the_count_on_a_terminal(answered: Callable[..., int], qm: str, mqx: Run) -> None:
    mqx("put", "DEV.QUEUE.1", "one", check=True)
    for answer, status, there in (("", 1, True), ("n", 1, True), ("y", 0, False)):
        done = answered("qmgr", "delete", "QM1", asks="QM1 with 1 message", answer=f"{answer}\n")
        assert (done, Path(qm).exists()) == (status, there)


def test_a_dry_run_deletes_nothing(mqx: Run, qm: str) -> None:
    done = mqx("qmgr", "delete", "QM1", "--dry-run")
    assert (done.status, done.out) == (0, b"")
    assert "would delete" in done.err
    assert Path(qm).exists()


def test_delete_never_takes_the_default(mqx: Run, qm: str) -> None:
    assert mqx("qmgr", "delete", "--yes", MQX_QMGR="QM1").status == 2
    assert Path(qm).exists()


def test_delete_of_one_in_use_is_refused(mqx: Run, qm: str) -> None:
    process = hold(qm)
    done = mqx("qmgr", "delete", "QM1", "--yes")
    process.communicate()
    assert done.status == 6
    assert queue_managers.state_of(qm) == "running"


def test_delete_of_the_default_says_so(mqx: Run) -> None:
    mqx("qmgr", "create", "QM1", "--default", check=True)
    assert "mqx qmgr use" in mqx("qmgr", "delete", "QM1", "--yes", check=True).err
