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


def test_records_as_text_and_json_lines(qm: str, mqx: Callable[..., Done]) -> None:
    assert mqx("stats", "--statistics").status == 3
    mqx("mqsc", "ALTER QMGR STATMQI(ON) STATQ(ON) ACCTMQI(ON) ACCTQ(ON)", check=True)
    mqx("put", Q, "one", "two", check=True)
    mqx("put", "DEV.QUEUE.2", "x", check=True)
    mqx("mqsc", "RESET QMGR TYPE(STATISTICS)", check=True)
    lines = mqx("stats", "--statistics", check=True).out.decode().splitlines()
    assert lines[0].endswith("Z  MQI statistics")
    assert lines[lines.index(f"        q_name: {Q}") :].index("        put1_count: 0, 2") < 15
    (record,) = mqx("stats", "--statistics", Q, "-o", "jsonl", check=True).rows
    assert record["event"] == "Queue statistics"
    assert [each["q_name"] for each in record["parameters"]["objects"]] == [Q]
    accounts = json.loads(mqx("stats", "--accounting", "-o", "json", check=True).out)
    assert {record["event"] for record in accounts} == {"MQI accounting", "Queue accounting"}
    assert mqx("stats", "--accounting", "--since", "2099-01-01").status == 3


def test_a_message_without_a_record_is_a_line(qm: str, mqx: Callable[..., Done]) -> None:
    mqx("put", "SYSTEM.ADMIN.STATISTICS.QUEUE", "\x1b[31m", check=True)
    (record,) = json.loads(mqx("stats", "--statistics", "-o", "json", check=True).out)
    assert record["error"] == "not a PCF message: 5 bytes, an MQCFH has 36"
    assert b"5 bytes, an MQCFH has 36\n" in mqx("stats", "--statistics", check=True).out


def test_records_are_removed_when_asked_for(qm: str, mqx: Callable[..., Done]) -> None:
    mqx("put", "SYSTEM.ADMIN.ACCOUNTING.QUEUE", "one", "two", check=True)
    assert len(mqx("stats", "--accounting", "--remove", "-o", "jsonl", check=True).out.splitlines()) == 2
    assert mqx("stats", "--accounting").status == 3
    for options in (["--remove"], ["--remove", "--accounting", Q]):
        assert mqx("stats", *options).status == 2
