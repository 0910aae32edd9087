"""Archives as Delta tables: once by transaction, wherever a run is killed, and read by other programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from pyspark_mqx import read_archive
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import delta, stream
from pyspark_mqx.jobs.delta_target import DeltaPlace, DeltaTarget
from pyspark_mqx.jobs.migrate import migrate
from pyspark_mqx.jobs.output_files import FolderTarget
from pyspark_mqx.source import object_store

from mqtools.constants.properties import MQTYPE_INT32
from mqtools.constants.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_OBJECT_CHANGED,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_UNEXPECTED_ERROR,
)
from mqtools.errors import MQError
from mqtools.message import Property
from mqtools.operations.archive_files import messages
from tests.errors import fails

from .local import END, SPARK, die_after, has, lay, rows_of, run, without_spark


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the tasks of jobs in this process."""
    without_spark(monkeypatch)


def runs(folder: Path) -> list[str]:
    return [path.name for path in (folder / "_mqx").iterdir() if path.is_dir()]


def kills(*steps: str, of_files: tuple[str, ...]) -> Any:
    """Kill a job after each step, and a job into bare files after those that differ."""
    cases = [("table", step) for step in steps] + [("files", step) for step in of_files]
    return pytest.mark.parametrize(("place", "step"), cases, indirect=["place"])


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> str | DeltaPlace:
    return str(tmp_path / "a") if request.param == "files" else DeltaPlace(str(tmp_path / "a"))


IN_ORDER = ("begin", "lock", "write", "sealed", "one moved", "moved", "committed", "published", "get", "end")


@kills(*IN_ORDER, of_files=("lock", "sealed", "one moved", "moved", "published", "get"))
def test_a_consuming_run_killed_anywhere_is_there_once(
    qm: Any, tmp_path: Path, alone: None, place: Any, step: str
) -> None:
    for number in range(3):
        qm.put(b"%d" % number)
    with qm.left_alone():
        die_after(step, "consume", place, qm.path)
    landed = has(step, "one moved" if isinstance(place, str) else "committed")
    assert rows_of(place, "data") == ([b"0", b"1", b"2"] if landed else [])
    assert qm.depth() == (0 if has(step, "get") else 3)
    run("consume", place, qm.path)
    assert (rows_of(place, "data"), qm.depth(), runs(tmp_path / "a")) == ([b"0", b"1", b"2"], 0, [])


@kills("begin", "write", "sealed", "committed", "published", "end", of_files=())
def test_events_archived_by_a_run_killed_anywhere_are_there_once(qm: Any, alone: None, place: Any, step: str) -> None:
    qm.define("Q", journal=1)
    qm.put(b"one")
    qm.put(b"two")
    with qm.left_alone():
        die_after(step, "journal", place, qm.path)
    run("journal", place, qm.path)
    qm.put(b"three")
    assert run("journal", place, qm.path) == 1
    assert rows_of(place, "event_seq") == [1, 2, 3]


BATCH = ("begin", "write of a batch", "sealed", "committed", "noted", "published", "end")


@kills(*BATCH, of_files=("sealed", "one moved", "noted", "end"))
def test_a_batch_of_a_stream_killed_anywhere_is_there_once(tmp_path: Path, alone: None, place: Any, step: str) -> None:
    die_after(step, "stream", place, "")
    assert run("stream", place, "") == (None if has(step, "sealed") else (2, 2))
    later, batch = {"/QM1.db": {"id": "QM1", "from": 0, "seq": 3}}, [3]
    assert stream.FolderSink(place, "me", ["Q"])(batch, 1, later) == (1, 1)  # type: ignore[arg-type]
    assert rows_of(place, "event_seq") == [1, 2, 3]
    there = ["journal-QM1.lock", "lock", "stream-me.json", "stream-me.lock"]
    assert [name for name in sorted(os.listdir(tmp_path / "a" / "_mqx")) if not name.startswith("table")] == there
    if isinstance(place, DeltaPlace):
        assert delta.transaction(place.uri, "mqx-stream-me") == 1


#: Adds a row to a table with a transaction; the number of the row is that of the transaction.
_APPEND = """
import sys
from pyspark_mqx.jobs import delta
import pyarrow as pa
folder, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
file = delta.NewFile(f"qmgr=QM1/queue=Q/put_day=2026-11-22/{name}.parquet", 100, 1)
delta.append(folder, [file], pa.schema([("n", pa.int64())]), {name: number})
"""


@pytest.mark.parametrize(("writers", "same", "found"), [(4, True, 1), (20, False, 20)])
def test_writers_at_once_add_a_transaction_once_and_every_transaction(
    tmp_path: Path, writers: int, same: bool, found: int
) -> None:
    def append(n: int) -> None:
        words = [sys.executable, "-c", _APPEND, str(tmp_path / "t"), "one" if same else f"n{n}", "7"]
        subprocess.run(words, check=True, capture_output=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(writers)))
    assert len(DeltaTable(str(tmp_path / "t")).file_uris()) == found


@pytest.mark.parametrize(
    ("words", "tries", "reason"),
    [("Failed to commit transaction: 0", 3, MQRC_OBJECT_IN_USE), ("it lasts", 1, MQRC_UNEXPECTED_ERROR)],
)
def test_only_a_commit_that_another_came_before_is_tried_again_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, tries: int, reason: int
) -> None:
    failed: list[object] = []

    def fail(*given: object, **_: object) -> None:
        failed.append(given)
        raise CommitFailedError(words)

    monkeypatch.setattr(DeltaTable, "create_write_transaction", fail)
    monkeypatch.setattr(delta, "_ATTEMPTS", 3)
    file = delta.NewFile("qmgr=A/queue=Q/put_day=2026-11-22/f.parquet", 1, 1)
    with fails(reason, str(tmp_path)):
        delta.append(str(tmp_path / "t"), [file], pa.schema([("n", pa.int64())]), {"a": 1})
    assert len(failed) == tries


def test_a_commit_whose_answer_is_lost_is_not_repeated(
    qm: Any, tmp_path: Path, alone: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The messages stay locked; the next run of the same process finishes what this one began."""
    qm.put(b"one")
    real = delta.append

    def lost(*given: Any) -> None:
        real(*given)
        raise MQError("no answer", MQRC_FUNCTION_NOT_SUPPORTED)

    with monkeypatch.context() as patch:
        patch.setattr(delta, "append", lost)
        with pytest.raises(MQError, match="no answer"):
            run("consume", DeltaPlace(str(tmp_path / "t")), qm.path)
    assert (qm.depth(), len(runs(tmp_path / "t"))) == (1, 1)
    assert run("consume", DeltaPlace(str(tmp_path / "t")), qm.path) == 1
    assert (rows_of(DeltaPlace(str(tmp_path / "t")), "data"), qm.depth(), runs(tmp_path / "t")) == ([b"one"], 0, [])


def test_a_compaction_that_meets_another_is_a_warning_and_any_other_failure_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Compacting:
        optimize = property(lambda self: self)

        def compact(self, **_: Any) -> None:
            raise failures.pop()

    monkeypatch.setattr("pyspark_mqx.jobs.maintenance.load_table", lambda _: Compacting())
    warned: list[str] = []
    sink = stream.FolderSink(DeltaPlace(str(tmp_path)), "me", compacts=True, warn=warned.append)
    removed = "Failed to commit transaction: another removed a file"
    failures = [OSError("it lasts"), CommitFailedError("it lasts"), CommitFailedError(removed)]
    sink.compact()
    assert warned == [f"not compacted: {tmp_path}: {removed}"]
    while failures:
        with pytest.raises(MQError, match="it lasts"):
            sink.compact()


def test_only_a_commit_that_another_came_before_is_in_use(tmp_path: Path) -> None:
    folder = str(tmp_path / "t")
    for number in range(2):
        write_deltalake(folder, pa.table({"n": [number]}), mode="append")
    first, second = DeltaTable(folder), DeltaTable(folder)
    first.delete("n = 0")
    with fails(MQRC_OBJECT_IN_USE, "concurrent transaction"), object_store.errors_of(folder):
        second.delete("n = 0")
    first.alter.set_table_properties({"delta.appendOnly": "true"})
    with fails(MQRC_UNEXPECTED_ERROR, "append-only"), object_store.errors_of(folder):
        DeltaTable(folder).delete("n = 1")


def test_a_table_gets_the_columns_that_it_lacks_and_keeps_its_types(tmp_path: Path) -> None:
    folder = str(tmp_path / "t")
    file = delta.NewFile("qmgr=A%2FB/queue=Q/put_day=__HIVE_DEFAULT_PARTITION__/f.parquet", 1, 1)
    assert delta.append(folder, [file], pa.schema([("n", pa.int64())]), {"a": 1}) == 1
    assert delta.append(folder, [file], pa.schema([("n", pa.int64()), ("m", pa.string())]), {"b": 1}) == 3
    names = [field.name for field in DeltaTable(folder).schema().fields]
    assert names == ["n", "qmgr", "queue", "put_day", "m"]
    assert DeltaTable(folder).partitions() == [{"qmgr": "A/B", "queue": "Q", "put_day": None}]
    with fails(MQRC_OBJECT_CHANGED, "column n of the table has type"):
        delta.append(folder, [file], pa.schema([("n", pa.string())]), {"c": 1})
    write_deltalake(str(tmp_path / "other"), pa.table({"n": [1]}))
    with fails(MQRC_OBJECT_CHANGED, "the partitions of the table are not qmgr, queue, put_day"):
        delta.append(str(tmp_path / "other"), [file], pa.schema([("n", pa.int64())]), {"c": 1})


def test_a_staging_folder_is_of_one_table(tmp_path: Path) -> None:
    staging = str(tmp_path / "staging")
    with DeltaTarget(DeltaPlace("s3://bucket/a", staging)):
        pass
    with pytest.raises(MQError, match="staging folder of the Delta table s3://bucket/a"):
        DeltaTarget(DeltaPlace("s3://bucket/b", staging)).__enter__()
    with pytest.raises(MQError, match="staging folder of the Delta table") as refused, FolderTarget(staging):
        pass
    assert "--format delta" in str(refused.value.hint)
    with fails(MQRC_FUNCTION_NOT_SUPPORTED, "deltalake has no store for hdfs"):
        DeltaTarget(DeltaPlace("hdfs://head/lake", staging))
    with pytest.raises(MQError, match="Spark does not have the format delta"):
        DeltaTarget(DeltaPlace("hdfs://head/lake", str(tmp_path), by_spark=True), _NoDelta()).__enter__()  # type: ignore[arg-type]


class _NoDelta:
    """A Spark without the format delta."""

    read = property(lambda self: self)

    def format(self, name: str) -> Any:
        raise ValueError("[DATA_SOURCE_NOT_FOUND] Failed to find the data source")


@pytest.fixture(scope="module")
def lake(spark: Any, make_shared_qm: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table with two messages and the events of their puts."""
    qm = make_shared_qm("QM1")
    qm.define("Q", journal=2)
    folder = str(tmp_path_factory.mktemp("lake") / "table")
    qm.put(b"one", priority=7, properties={"size": Property(MQTYPE_INT32, 5)})
    qm.put(b"two")
    assert jobs.archive(spark, DeltaPlace(folder), qm.path, "Q") == (2, 0)
    assert jobs.archive_journal(spark, DeltaPlace(folder), qm.path, "Q") == 2
    return folder


def test_polars_duckdb_and_pandas_read_an_archive(lake: str) -> None:
    wanted = [("QM1", "Q", b"one", 7), ("QM1", "Q", b"two", 0)]
    names = ["qmgr", "queue", "data", "priority"]
    assert pl.scan_delta(lake).filter(pl.col("event").is_null()).select(names).sort("data").collect().rows() == wanted
    archive = duckdb.read_parquet(DeltaTable(lake).file_uris(), hive_partitioning=True, union_by_name=True)
    found = duckdb.sql(f"select {','.join(names)} from archive where event is null order by data").fetchall()
    assert (found, len(archive)) == (wanted, 4)
    rows = pl.read_delta(lake, columns=[*names, "event", "put_day"]).to_pandas()
    assert sorted(rows[rows.event == "put"].data) == [b"one", b"two"]
    assert rows.put_day.notna().all()


def test_spark_reads_an_archive_without_a_jar(spark: Any, lake: str) -> None:
    """By its own Parquet through ``read_archive``; by ours where an object store may be reached that Spark lacks."""
    for found in (read_archive(spark, lake), spark.read.format("mqx").option("archive", lake).load()):
        puts = found.where("event = 'put'").selectExpr("qmgr", "data", "properties['size']")
        assert sorted(map(tuple, puts.collect())) == [("QM1", b"one", "5"), ("QM1", b"two", None)]
        assert found.where("event is null").count() == 2
    assert spark.read.format("mqx").schema("queue string").option("archive", lake).load().distinct().count() == 1


def test_files_that_no_longer_count_are_not_read(spark: Any, lake: str) -> None:
    orphan = next(Path(lake).rglob("put_day=*")) / "part-9.parquet"
    pq.write_table(pa.table({"data": pa.array([b"undone"], pa.binary())}), orphan)
    assert read_archive(spark, os.path.dirname(lake)).count() == 4
    assert object_store.find_archives(f"{os.path.dirname(lake)}") == [lake]
    assert object_store.find_archives(f"{os.path.dirname(lake)}/t*") == [lake]
    orphan.unlink()


def test_an_archive_of_files_becomes_a_table_in_its_place(qm: Any, tmp_path: Path, alone: None) -> None:
    folder = tmp_path / "old"
    qm.define("Q", journal=1)
    qm.put(b"one")
    assert jobs.archive_journal(SPARK, str(folder), qm.path, "Q") == 1
    file = next(folder.rglob("*.parquet"))
    pq.write_table(pa.table({"qmgr": ["A"]}), folder / "other.parquet")
    with fails(MQRC_OBJECT_TYPE_ERROR, "other.parquet: not in folders qmgr, queue, put_day") as failure:
        migrate(str(folder))
    assert "mqx pipeline load" in str(failure.value.hint)
    (folder / "other.parquet").unlink()
    assert [migrate(str(folder)) for _ in range(2)] == [1, 0]
    assert (file.exists(), rows_of(DeltaPlace(str(folder)), "qmgr")) == (True, ["QM1"])
    qm.put(b"two")
    assert run("journal", DeltaPlace(str(folder)), qm.path) == 1, "the records of events are kept"
    assert rows_of(DeltaPlace(str(folder)), "event_seq") == [1, 2]
    with pytest.raises(MQError, match="there is no archive"):
        migrate(str(tmp_path / "empty"))


def test_an_archive_that_was_written_by_a_uri_is_read_and_becomes_a_table(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "logged"
    for name in ("r1", "r2"):
        lay([name.encode()], str(folder / "_mqx" / name / "data"))
    (file,) = (folder / "_mqx/r1/data").rglob("*.parquet")
    note = {"batch": 3, "end": END, "queues": []}
    entry = {"run": "r1", "files": [str(file.relative_to(folder / "_mqx/r1/data"))], "notes": {"stream-x": note}}
    (folder / "_mqx/landed").mkdir()
    (folder / "_mqx/landed/000000000001.json").write_text(json.dumps(entry))
    assert [row.data for row in read_archive(spark, str(folder)).select("data").collect()] == [b"r1"]
    assert object_store.describe(str(folder)) == ({"data"}, 1)
    assert migrate(str(folder)) == 1
    assert rows_of(DeltaPlace(str(folder)), "data") == [b"r1"]
    with DeltaTarget(DeltaPlace(str(folder))) as target:
        assert target.note("stream-x") == note


def test_messages_of_a_table_are_read_without_spark(spark: Any, qm: Any, tmp_path: Path) -> None:
    qm.put(b"one")
    jobs.archive(spark, DeltaPlace(str(tmp_path / "t")), qm.path, "Q")
    assert [message.data for message in messages(str(tmp_path / "t"))] == [b"one"]
