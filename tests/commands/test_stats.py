"""``mqx stats``: the command line, its exit statuses, and what it prints."""

from __future__ import annotations

import json
from collections.abc import Callable

from .conftest import Done

Q = "DEV.QUEUE.1"


def test_statistics_of_queues(qm: str, mqx: Callable[..., Done], define: Callable[..., None]) -> None:
    done = mqx("stats", "-o", "json")
    assert (done.status, done.out) == (3, b"[]\n")
    assert f"without a journal, JOURNAL(NO): DEV.DEAD.LETTER.QUEUE, {Q}" in done.err
    define(Q, journal=1)
    mqx("put", Q, "one", "two", check=True)
    mqx("get", Q, check=True)
    (row,) = json.loads(mqx("stats", Q, "-o", "json", check=True).out)
    assert list(row) == ["queue", "puts", "gets", "depth", "wait_p50_s", "wait_p99_s"]
    assert (row["queue"], row["puts"], row["gets"], row["depth"]) == (Q, 2, 1, 1)
    assert row["wait_p50_s"] == row["wait_p99_s"] >= 0
    assert json.loads(mqx("stats", Q, "--since", "2099-01-01", "-o", "json", check=True).out)[0]["puts"] == 0
    assert mqx("stats", "NOPE").status == 5
    assert mqx("stats", "--since", "soon").status == 2
