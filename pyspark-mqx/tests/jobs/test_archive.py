"""Archives: what lies on queues as Parquet; consumed without loss, wherever the run is killed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import batch_locks
from pyspark_mqx.source.offsets import Journal

from mqtools.arrow.key_range import Range
from mqtools.constants.message import MQRO_COD
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED
from mqtools.errors import MQError, UsageError
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.operations.trace.archives import ArchiveSource
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.rows import rows_of
from mqtools.operations.trace.story import find_story
from mqtools.rules.selector.selector import compile_selector

from .local import archived, without_spark

pytestmark = pytest.mark.usefixtures("spark")


def test_only_what_could_be_got_is_archived_and_once_by_message(spark: Any, qm: Any, tmp_path: Path) -> None:
    """A removed message is written in any case."""
    qm.put(b"locked")
    browse_messages_and_lock(qm.main, "Q")
    qm.put(b"free")
    found = [jobs.archive(spark, str(tmp_path / "a"), qm.path, "Q") for _ in range(2)]
    assert (found, archived(tmp_path / "a")) == ([(1, 0), (0, 1)], [b"free"])
    qm.put(b"new")
    assert jobs.archive(spark, str(tmp_path / "a"), qm.path, "Q") == (1, 1)
    assert jobs.archive_and_remove(spark, str(tmp_path / "a"), qm.path, "Q") == 2
    assert (archived(tmp_path / "a"), qm.depth()) == ([b"free", b"free", b"new", b"new"], 1)


@pytest.mark.parametrize(
    ("patterns", "consumed"),
    [("*", ["Q", "R"]), ("Q,XMIT", ["Q", "XMIT"]), ("SYSTEM*LOCAL.QUEUE,Q", ["Q", "SYSTEM.DEFAULT.LOCAL.QUEUE"])],
)
def test_special_queues_are_consumed_only_if_they_are_named(qm: Any, patterns: str, consumed: list[str]) -> None:
    qm.define("XMIT", usage=1)
    found = jobs._consumable(qm.main, patterns.split(","))
    assert [name for name in found if name != "DLQ"] == consumed


def test_consuming_is_a_get_with_its_delivery_report(spark: Any, qm: Any, tmp_path: Path) -> None:
    for number in range(3):
        qm.put(b"%d" % number, report=MQRO_COD, reply_to_q="R")
    assert jobs.archive_and_remove(spark, str(tmp_path / "a"), qm.path, "Q") == 3
    assert (qm.depth("Q"), qm.depth("R")) == (0, 3)
    assert archived(tmp_path / "a") == [b"0", b"1", b"2"]


def aside(tmp_path: Path) -> dict[str, str]:
    return {"quarantine": str(tmp_path / "aside"), "run": "here"}


def noted(tmp_path: Path) -> list[str]:
    return [json.loads(line)["reason"] for line in (tmp_path / "aside" / "here.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("data = x'6f'", "1 bytes of data are stored, not 3"),
        ("properties = '{no json'", "the properties are not JSON"),
        ("reply_to_q = cast(x'ff41' as text)", "Could not decode to UTF-8 column 'reply_to_q'"),
        ("data = x'626165', msg_type = 8", "message "),
    ],
)
def test_what_is_damaged_is_never_taken_off_its_queue(
    qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, reason: str
) -> None:
    without_spark(monkeypatch)
    monkeypatch.setattr(batch_locks, "AT_ONCE", 2)
    check_damaged_is_never_taken(None, qm, tmp_path, damage, reason)


def test_what_is_damaged_is_never_taken_off_its_queue_by_spark(spark: Any, qm: Any, tmp_path: Path) -> None:
    check_damaged_is_never_taken(spark, qm, tmp_path, "properties = '{no json'", "the properties are not JSON")


def check_damaged_is_never_taken(spark: Any, qm: Any, tmp_path: Path, damage: str, reason: str) -> None:
    for data in (b"bad", b"one", b"two", b"six"):
        qm.put(data)
    with sqlite3.connect(qm.path) as sql:
        sql.execute(f"update messages set {damage} where data = x'626164'")
    sql.close()
    with pytest.raises(Exception, match="damaged"):
        jobs.archive_and_remove(spark, str(tmp_path / "a"), qm.path, "Q")
    assert (archived(tmp_path / "a"), qm.depth()) == ([], 4)
    assert jobs.archive_and_remove(spark, str(tmp_path / "a"), qm.path, "Q", aside=aside(tmp_path)) == 3
    assert (archived(tmp_path / "a"), qm.depth()) == ([b"one", b"six", b"two"], 1)
    (line,) = noted(tmp_path)
    assert line.startswith(reason)
    assert qm.main.db.all("select state, lock_id from messages") == [(1, None)]


def test_a_run_takes_as_many_batches_as_make_a_file_of_a_good_size(
    spark: Any, qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    monkeypatch.setattr(batch_locks, "AT_ONCE", 2)
    monkeypatch.setattr(batch_locks, "GOAL", 4 * 65)
    for number in range(5):
        qm.put(b"%d" % number)
    assert jobs.archive_and_remove(None, str(tmp_path / "a"), qm.path, "Q") == 5  # type: ignore[arg-type]
    files = (tmp_path / "a").rglob("*.parquet")
    assert sorted(pq.read_metadata(file).num_rows for file in files) == [1, 4]
    assert (archived(tmp_path / "a"), qm.depth()) == ([b"0", b"1", b"2", b"3", b"4"], 0)


def test_a_trace_finds_in_an_archive_what_it_finds_in_the_journal(spark: Any, qm: Any, tmp_path: Path) -> None:
    qm.define("Q", "QUEUE", journal=1)
    md = qm.put(b"one")
    with qm.main.open("Q", MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_SYNCPOINT)
        qm.main.backout()
        handle.get()
    folder = tmp_path / "events"
    jobs.archive_journal(spark, str(folder), qm.path, "")
    journal, archive = JournalSource(qm.path), ArchiveSource(str(folder))
    wanted = rows_of(find_story([journal], [md.msg_id]))
    assert [(row["event"], row["outcome"]) for row in wanted] == [
        ("put", "committed"),
        ("get", "backed out"),
        ("get", "committed"),
    ]
    assert rows_of(find_story([archive], [md.msg_id])) == wanted
    assert rows_of(find_story([archive, journal], [md.msg_id])) == wanted, "nothing is doubled"
    assert archive.ids_between(md.msg_id[:20].ljust(24, b"\0"), md.msg_id[:20].ljust(24, b"\xff")) == {md.msg_id}
    assert archive.selected_ids(compile_selector("Root.MQMD.Priority = 0")) == {md.msg_id}
    journal.close()


@pytest.mark.parametrize(
    ("files", "after", "until"),
    [
        ({"/new/place": ("A", 8)}, {"/new/place": 5}, {"/new/place": 8}),
        ({"/made/anew": ("B", 3)}, {"/made/anew": 0}, {"/made/anew": 3}),
        ({"/one": ("A", 8), "/same": ("A", 9)}, {"/one": 5, "/same": 8}, {"/one": 8, "/same": 9}),
        ({"/put/back": ("A", 4)}, None, None),
    ],
)
def test_a_journal_is_known_by_its_queue_manager_not_by_its_path(
    monkeypatch: pytest.MonkeyPatch, files: Any, after: Any, until: Any
) -> None:
    monkeypatch.setattr(
        jobs.offsets, "read_journals", lambda path: {path: Journal("QM1", files[path][0], 1, files[path][1])}
    )
    spans = [Range(path, "QM1", "", None, 0, last) for path, (_, last) in files.items()]
    if after is None:
        with pytest.raises(MQError, match="the journal ends before event 5 of the archive"):
            jobs._advance(spans, {"A": 5})
    else:
        ends = {"A": 5} | {files[path][0]: last for path, last in until.items()}
        assert jobs._advance(spans, {"A": 5}) == (after, until, ends)


def test_an_archive_of_events_is_of_the_same_queues_each_time(
    qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    for name in ("Q", "R"):
        qm.define(name, "QUEUE", journal=2)
        qm.put(name.encode(), name)
    for given in ("Q,R", "R, Q"):
        jobs.archive_journal(None, str(tmp_path / "a"), qm.path, given)  # type: ignore[arg-type]
    for other in ("Q", ""):
        with pytest.raises(UsageError, match=r"are of Q, R$"):
            jobs.archive_journal(None, str(tmp_path / "a"), qm.path, other)  # type: ignore[arg-type]
    assert archived(tmp_path / "a") == [b"Q", b"R"]
