"""``mqx pipeline`` over many queue managers: sources that are repeated, patterns, and rows that are never added up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mqtools.admin import queue_managers
from mqtools.constants.message import MQMT_REPORT, MQRO_COD
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue
from mqtools.operations.load import load_messages

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.fixture
def fleet(qm: str, here: Callable[..., Any], tmp_path: Path) -> list[str]:
    """Three queue managers with one original each, two of them with its report."""
    paths = [qm, *(queue_managers.create(f"{Path(qm).parent}/QM{n}.db", developer=True) for n in (2, 3))]
    for n, path in enumerate(paths):
        with connect(path) as connection:
            original = MQMD(msg_id=bytes([n + 1]) * 24, report=MQRO_COD, reply_to_q=REPORTS)
            load_messages(connection, Q, [Message(b"x", original)])
            report = MQMD(msg_type=MQMT_REPORT, feedback=260, correl_id=bytes([n + 1]) * 24)
            load_messages(connection, REPORTS, [Message(b"", report)] * (n < 2))
    return paths


def rows_of(folder: str) -> list[dict[str, Any]]:
    return [row for file in Path(folder).glob("*.parquet") for row in pq.ParquetFile(file).read().to_pylist()]


def test_archives_that_are_repeated_and_patterns_are_read_together(
    fleet: list[str], on_spark: Callable[..., Any]
) -> None:
    for n, path in enumerate(fleet):
        assert on_spark("archive", "-m", path, "--to", f"hosts/{n}/archive", "--mode", "640", is_named=True).status == 0
    (file, *_) = Path("hosts/0").rglob("*.parquet")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o640, 0o750)
    sent = ("--sent", "hosts/[0]/archive", "--sent", "hosts/1/", "--sent", "./hosts/2", "--sent", "hosts/2/archive")
    done = on_spark("reconcile", *sent, "--reports", "hosts/", "--to", "result", "-o", "json")
    assert done.status == 0, done
    outcomes = {"delivered": 2, "silent": 1, "unasked": 0}
    assert json.loads(done.out)["outcomes"] == {name: n for name, n in outcomes.items() if n}
    assert sorted((row["qmgr"], row["queue"], row["outcome"]) for row in rows_of("result")) == [
        ("QM1", Q, "delivered"),
        ("QM2", Q, "delivered"),
        ("QM3", Q, "silent"),
    ]


def test_a_queue_manager_without_a_match_is_a_line(fleet: list[str], on_spark: Callable[..., Any]) -> None:
    with connect(fleet[1]) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "ONLY.HERE", {})
    with connect(fleet[1]) as connection:
        connection.put1("ONLY.HERE", Message(b"x"))
    managers = [word for path in fleet for word in ("-m", path)]
    done = on_spark("archive", *managers, "--queue", "ONLY*", "--to", "a", "-o", "json", is_named=True)
    assert (done.status, json.loads(done.out)["written"]) == (0, 1), done
    assert [f"{path}: no queue matches ONLY*" in done.err for path in fleet] == [True, False, True]
    done = on_spark("archive", *managers, "--queue", "NOPE", "--to", "a", is_named=True)
    assert (done.status, "no queue manager has a queue NOPE" in done.err) == (5, True)


def test_queues_and_archives_are_read_together(fleet: list[str], on_spark: Callable[..., Any]) -> None:
    assert on_spark("archive", "--to", "one").status == 0
    line = ("reconcile", "-m", fleet[1], "--sent", "one/", "--sent", Q, "--reports", REPORTS, "--to", "result")
    done = on_spark(*line, "-o", "json", is_named=True)
    assert json.loads(done.out) == {
        "read": 2,
        "written": 2,
        "orphans": 0,
        "outcomes": {"delivered": 1, "silent": 1},
    }, done


def test_equal_queue_names_are_not_added_up(fleet: list[str], on_spark: Callable[..., Any]) -> None:
    managers = [word for path in fleet for word in ("-m", path)]
    assert on_spark("archive", *managers, "--queue", Q, "--to", "all", is_named=True).status == 0
    found = json.loads(on_spark("stats", "--from", "all", "-o", "json").out)["groups"]
    assert [(row["qmgr"], row["queue"], row["puts"]) for row in found] == [(f"QM{n}", Q, 1) for n in (1, 2, 3)]
    found = json.loads(on_spark("triage", "--from", "all", "--from", "all/qmgr=QM2", "-o", "json").out)["groups"]
    assert [(row["qmgr"], row["count"]) for row in found] == [(f"QM{n}", 1) for n in (1, 2, 3)]
