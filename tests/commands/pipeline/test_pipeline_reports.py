"""``mqx pipeline`` reconcile, triage and stats: what operators are shown of what Spark counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqtools.constants.message import MQMT_REPLY, MQMT_REPORT, MQMT_REQUEST, MQRO_COD
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


def test_reconcile_says_how_many_there_are_of_each_outcome(
    lay: Callable[..., None], on_spark: Callable[..., Any]
) -> None:
    lay(Q, (b"one", {"msg_id": b"1" * 24, "report": MQRO_COD, "reply_to_q": REPORTS}), (b"two", {"msg_id": b"2" * 24}))
    report = {"msg_type": MQMT_REPORT, "feedback": 260}
    lay(REPORTS, (b"", {**report, "correl_id": b"1" * 24}), (b"", {**report, "correl_id": b"9" * 24}))
    done = on_spark("reconcile", "--sent", Q, "--reports", REPORTS, "--to", "result", "-o", "json")
    assert (done.status, done.err) == (0, "")
    outcomes = {"delivered": 1, "unasked": 1}
    assert json.loads(done.out) == {"read": 2, "written": 3, "orphans": 1, "outcomes": outcomes}


def test_late_and_missing_replies_are_breaches(lay: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    at = {"put_date": "20261122", "report": 0, "reply_to_q": REPORTS, "msg_type": MQMT_REQUEST}
    lay(Q, *((b"", {**at, "msg_id": b"%d" % n * 24, "put_time": "10000000"}) for n in (1, 2, 3)), (b"", {}))
    reply = {**at, "msg_type": MQMT_REPLY}
    for n, time in ((1, "10000250"), (2, "10000750"), (2, "10000800")):
        lay(REPORTS, (b"", {**reply, "correl_id": b"%d" % n * 24, "put_time": time}))
    line = ("reconcile", "--sent", Q, "--reports", REPORTS, "--to", "result", "--sla", "5s", "--metrics", "m.json")
    found = json.loads(on_spark(*line, "-o", "json").out)
    latencies = {"requests": 3, "replies": 2, "breaches": 2, "latency_p50_s": 2.5, "latency_p99_s": 7.5}
    assert found == {"read": 4, "written": 4, "orphans": 0, **latencies, "outcomes": {"unasked": 4}}
    metrics = json.loads(Path("m.json").read_text())
    assert (metrics["job"], metrics["seconds"] > 0, metrics["breaches"]) == ("reconcile", True, 2)
    on_spark(*line, "--by-group").ended(2, "--by-group cannot be combined with --sla")


def test_triage_shows_groups_and_draws_them(lay: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    md, data = prefix_dlh(MQMD(format="MQSTR"), b"body", reason=2053, dest_q_name="<ORDERS>")
    other, unnamed = prefix_dlh(MQMD(), b"", reason=65_999, dest_q_name="<ORDERS>")
    letter = {"format": md.format, "encoding": md.encoding, "coded_char_set_id": 819}
    lay("DEV.DEAD.LETTER.QUEUE", (data, letter), (data, letter), (unnamed, letter | {"encoding": other.encoding}))
    rules = b"REASON(MQRC_Q_FULL) ACTION(RETRY)\n"
    line = ("triage", "--queue", "DEV.DEAD.LETTER.QUEUE", "--by", "reason,destq", "--rules", "-", "--html", "page.html")
    done = on_spark(*line, stdin=rules)
    assert (done.status, done.err) == (0, "read 3, written 0, RETRY 2, none 1\n")
    assert done.out.split()[:5] == [b"QM1", b"MQRC_Q_FULL", b"<ORDERS>", b"2", b"%d" % (2 * len(data))]
    assert b"65999" in done.out
    page = Path("page.html").read_text(encoding="utf-8")
    assert ("&lt;ORDERS&gt;" in page, "RETRY by line 1" in page) == (True, True)


@pytest.fixture
def events(here: Callable[..., Any]) -> str:
    """An archive of a journal: two messages come, and three hours later one is got."""
    at = [datetime(2026, 11, 22, hour, 5, tzinfo=UTC) for hour in (8, 8, 11)]
    rows: dict[str, Any] = {
        "event": ["put", "put", "get"],
        "event_at": at,
        "event_seq": [1, 2, 3],
        "qmgr": ["QM1"] * 3,
        "seq": [1, 2, 1],
        "msg_type": pa.array([8] * 3, pa.int32()),
        "msg_id": ["00"] * 3,
        "group_id": ["00" * 24] * 3,
        "msg_flags": pa.array([0] * 3, pa.int32()),
        "put_at": [at[0]] * 3,
    }
    Path("events/queue=Q").mkdir(parents=True)
    pq.write_table(pa.table(rows), "events/queue=Q/one.parquet")
    return "events/"


@pytest.mark.parametrize(
    ("journaled", "words", "note"),
    [
        ((), (), "no queue has a journal: start one with mqx mqsc 'ALTER QLOCAL(QUEUE) JOURNAL(YES)'\n"),
        (
            (),
            ("--queue", "DEV.*"),
            "no queue has a journal: start one with mqx mqsc 'ALTER QLOCAL(QUEUE) JOURNAL(YES)'\n",
        ),
        ((), ("--queue", Q), f"{Q} without a journal: start one with mqx mqsc 'ALTER QLOCAL({Q}) JOURNAL(YES)'\n"),
        (
            (REPORTS,),
            ("--queue", Q),
            f"{Q} without a journal: start one with mqx mqsc 'ALTER QLOCAL({Q}) JOURNAL(YES)'\n",
        ),
        ((Q,), ("--queue", Q), ""),
        ((Q,), (), ""),
    ],
)
def test_where_there_is_no_journal_it_is_said_how_one_begins(
    qm: str,
    define: Callable[..., None],
    here: Callable[..., Any],
    java: Callable[[str], str],
    journaled: tuple[str, ...],
    words: tuple[str, ...],
    note: str,
) -> None:
    """Then the Java of this test fails."""
    for name in journaled:
        define(name, journal=1)
    home = java("17.0.9")
    for command in (("archive", "--journal"), ("stream", "--checkpoint", "c", "--available-now")):
        done = here("pipeline", *command, "--to", "a", *words, JAVA_HOME=home)
        assert done.err[: len(note)] == note
        assert ("start one with" in done.err) == bool(note)


def test_a_message_of_a_journal_is_looked_at_once(events: str, on_spark: Callable[..., Any]) -> None:
    done = on_spark("reassemble", "--from", events, "--to", "whole", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (0, 2)


def test_stats_draw_every_hour(events: str, on_spark: Callable[..., Any]) -> None:
    done = on_spark("stats", "--from", events, "--html", "page.html", "-o", "json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {
        "read": 3,
        "written": 0,
        "groups": [
            {
                "qmgr": "QM1",
                "queue": "Q",
                "hour": "2026-11-22T08:00:00.000Z",
                "puts": 2,
                "gets": 0,
                "put_to_get_p50_s": None,
            }
            | {"p99_s": None, "depth": 2},
            {
                "qmgr": "QM1",
                "queue": "Q",
                "hour": "2026-11-22T11:00:00.000Z",
                "puts": 0,
                "gets": 1,
                "put_to_get_p50_s": 10800.0,
            }
            | {"p99_s": 10800.0, "depth": 1},
        ],
    }
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("QM1 / Q", "11-22 08:00Z", "11-22 11:00Z", "Waiting times"))
