"""``mqx events``: events in words, what stays and what is removed, events that come while it follows."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.mqi.connection import connect

from .conftest import PATIENCE_S, Done, script

QMGR_EVENTS, PERFM_EVENTS = "SYSTEM.ADMIN.QMGR.EVENT", "SYSTEM.ADMIN.PERFM.EVENT"
HOSTILE = "\x1b]0;x\x07\u202e"


@pytest.fixture
def told(qm: str, mqx: Callable[..., Done]) -> str:
    """A queue manager with an event of each of two queues."""
    with connect(qm) as connection:
        words = ("ALTER QMGR LOCALEV(ENABLED) PERFMEV(ENABLED)", "DEFINE QLOCAL(Q) MAXDEPTH(1) QDPHIEV(ENABLED)")
        assert not run_mqsc(connection, "\n".join(words)).failed
    mqx("put", "NO.SUCH.Q", "x")
    mqx("put", "Q", "x")
    return qm


def test_an_event_is_a_line_and_its_parameters(mqx: Callable[..., Done], told: str) -> None:
    head, queue, *parameters = mqx("events", QMGR_EVENTS, check=True).out.decode().splitlines()
    assert head.endswith("Z  Unknown Object Name: NO.SUCH.Q (MQRC_UNKNOWN_OBJECT_NAME)")
    assert queue == f"    queue: {QMGR_EVENTS}"
    assert parameters[:2] == ["    MQCA_Q_MGR_NAME: QM1", "    MQCA_Q_NAME: NO.SUCH.Q"]


def test_events_of_all_queues_come_by_time_and_stay(mqx: Callable[..., Done], told: str) -> None:
    for _ in range(2):
        rows = mqx("events", "-o", "jsonl", check=True).rows
        assert [row["event"] for row in rows] == ["Unknown Object Name", "Queue Depth High"]
        assert rows[0]["at"] <= rows[1]["at"]
    assert [row["object"] for row in mqx("events", "-n", "1", "-o", "jsonl", check=True).rows] == ["Q"]


def test_get_removes_what_it_has_written(mqx: Callable[..., Done], told: str) -> None:
    first = mqx("events", "--get", PERFM_EVENTS, "-o", "jsonl", check=True).rows
    assert [(row["event"], row["queue"]) for row in first] == [("Queue Depth High", PERFM_EVENTS)]
    assert mqx("events", PERFM_EVENTS).status == 3
    assert [row["queue"] for row in mqx("events", "--get", "-o", "jsonl", check=True).rows] == [QMGR_EVENTS]
    assert mqx("events").status == 3
    assert mqx("events", "--get", "-n", "1").status == 2
    assert mqx("events", "NO.SUCH.Q").status == 5


def test_events_of_a_queue_manager_that_has_ended_can_be_read(mqx: Callable[..., Done], told: str) -> None:
    queue_managers.end(told)
    assert len(mqx("events", "-o", "jsonl", check=True).rows) == 2


def test_what_is_no_event_is_a_line_with_an_error(mqx: Callable[..., Done], told: str) -> None:
    mqx("put", PERFM_EVENTS, HOSTILE, check=True)
    for words in ((), ("-o", "table"), ("-o", "plain"), ("--get", "-o", "csv")):
        done = mqx("events", PERFM_EVENTS, *words, check=True)
        assert not set(HOSTILE) & set("\x1b\x07\u202e") & set(done.out.decode())
        assert b"not a PCF message" in done.out
        assert b"Queue Depth High" in done.out


def test_get_leaves_the_messages_of_an_application(mqx: Callable[..., Done], told: str) -> None:
    mqx("put", "DEV.QUEUE.1", "order", check=True)
    done = mqx("events", "--get", "DEV.QUEUE.1")
    assert (done.status, done.out) == (1, b"")
    assert "stays: not a PCF message: 5 bytes" in done.err
    mqx("move", PERFM_EVENTS, "DEV.QUEUE.2", check=True)
    mqx("move", "DEV.QUEUE.1", "DEV.QUEUE.2", check=True)
    done = mqx("events", "--get", "DEV.QUEUE.2", "-o", "jsonl")
    assert (done.status, [row["event"] for row in done.rows]) == (9, ["Queue Depth High"])
    assert mqx("get", "DEV.QUEUE.2", check=True).out == b"order"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_followers_show_events_as_they_come_until_a_signal(
    mqx: Callable[..., Done], told: str, environment: dict[str, str], number: int, status: int
) -> None:
    line = [script(), "events", "--follow", "-n", "1", "-o", "csv"]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment}
    with subprocess.Popen(line, **streams) as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline().startswith(b"at,event,")
        assert b"Queue Depth High" in follower.stdout.readline()
        for name in ("NONE.1", "NONE.2"):
            mqx("put", name, "x")
            assert name.encode() in follower.stdout.readline()
        follower.send_signal(number)
        assert follower.wait(PATIENCE_S) == status
