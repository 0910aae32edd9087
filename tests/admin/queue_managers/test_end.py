"""Ending and starting queue managers, with other processes connected."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQPER_NOT_PERSISTENT
from mqtools.mqi.connection import connect

from ...errors import fails
from ...mqi.children import PATIENCE_S
from ...rows import rows
from .holding import depth, put


def written_state(path: str) -> str:
    return str(rows(path, "select state from qmgr")[0][0])


def leave(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.stdin = None
    process.wait(PATIENCE_S)


# Ending and starting


def test_ending_twice_is_no_error(path: str) -> None:
    queue_managers.end(path)
    assert queue_managers.end(path, wait=True) == "ended"


def test_a_start_of_one_that_runs_changes_nothing(path: str) -> None:
    put(path, MQPER_NOT_PERSISTENT)
    assert queue_managers.start(path) is None
    assert depth(path) == 1


def test_it_ends_when_the_last_connection_leaves(path: str, hold: Callable[[], subprocess.Popen[str]]) -> None:
    first, second = hold(), hold()
    queue_managers.end(path)
    leave(first)
    assert queue_managers.state_of(path) == "quiescing"
    leave(second)
    assert written_state(path) == "ended"
    assert queue_managers.start(path) == 0
    assert depth(path) == 0  # both had committed what they got


def test_it_ends_when_the_last_connection_is_killed(path: str, hold: Callable[[], subprocess.Popen[str]]) -> None:
    process = hold()
    queue_managers.end(path)
    process.kill()
    process.wait()
    assert queue_managers.state_of(path) == "ended"
    with fails(rc.MQRC_Q_MGR_NOT_AVAILABLE):
        connect(path)
    assert queue_managers.start(path) == 0
    assert depth(path) == 1  # what it had uncommitted is back


@pytest.mark.parametrize("how", ["leaves", "is killed"])
def test_waiting_for_the_end_lasts_until_the_last_connection_goes(
    path: str, hold: Callable[[], subprocess.Popen[str]], how: str
) -> None:
    first, second = hold(), hold()
    states: list[str] = []
    waiting = threading.Thread(target=lambda: states.append(queue_managers.end(path, wait=True)))
    waiting.start()
    leave(first)
    waiting.join(0.05)
    assert waiting.is_alive()
    if how == "leaves":
        leave(second)
    else:
        second.kill()
    waiting.join(PATIENCE_S)
    assert states == ["ended"]
    assert queue_managers.state_of(path) == "ended"


def test_an_immediate_end_backs_out_and_breaks_connections(
    path: str, hold: Callable[[], subprocess.Popen[str]]
) -> None:
    process = hold()
    assert queue_managers.end(path, immediate=True) == "ended"
    queue_managers.start(path)
    assert depth(path) == 1
    leave(process)
    assert process.returncode != 0
    assert depth(path) == 1
