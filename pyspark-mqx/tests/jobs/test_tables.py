"""Archives in tables: what a staging folder decides, and kills between every two steps.

The table is a folder here, which takes a transaction once as those of Delta and Iceberg do. Delta itself is a stand-in
(``delta_stand_in``); Iceberg itself is in ``pyspark-mqx/tests/iceberg``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import batch_locks, hadoop_files, output_files, stream, table_target
from pyspark_mqx.jobs.archive_tasks import ArchiveRead
from pyspark_mqx.jobs.delta_table import DeltaTable
from pyspark_mqx.jobs.iceberg_table import IcebergTable
from pyspark_mqx.jobs.output_files import FolderTarget
from pyspark_mqx.jobs.table_names import DELTA, ICEBERG, TableName, TablePlace
from pyspark_mqx.jobs.table_target import TableRun, TableTarget
from pyspark_mqx.jobs.tables import AppendIdentity

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from tests import delta_stand_in
from tests.errors import fails

from .archives import read_here
from .kills import die_after

SPARK: Any = object()


class Ledger:
    """A table: one file a transaction, created only if it is not there. frames are lists."""

    why = ""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._path.mkdir(exist_ok=True)

    def check(self) -> None:
        if self.why:
            raise MQError(self.why, MQRC_FUNCTION_NOT_SUPPORTED)

    def append(self, rows: list[Any], transaction: AppendIdentity, since_s: float | None = None) -> None:
        content = json.dumps([value.decode() if isinstance(value, bytes) else value for value in rows]).encode()
        hadoop_files.link_new(str(self._path / f"{transaction.name}-{transaction.number}"), content)


def rows_of(path: Path) -> list[Any]:
    """Return what is in a ledger, sorted."""
    return sorted(value for file in path.iterdir() if file.name[0] != "." for value in json.loads(file.read_bytes()))


def write(spark: object, read: ArchiveRead, folder: str) -> None:
    lay(folder, read_here(read))


def lay(folder: str, table: Any) -> None:
    os.makedirs(folder)
    pq.write_table(table, f"{folder}/part.parquet")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TablePlace:
    """A table that is a ledger, and Arrow in place of Spark."""
    monkeypatch.setattr(table_target, "open_table", lambda spark, table: Ledger(table.name))
    monkeypatch.setattr(
        table_target, "read_run", lambda spark, folder: pq.read_table(f"{folder}/part.parquet")[0].to_pylist()
    )
    monkeypatch.setattr(jobs, "write_read", write)
    monkeypatch.setattr(stream, "write", lambda batch, folder: lay(folder, pa.table({"data": batch})))
    return TablePlace(TableName(DELTA, str(tmp_path / "table")), str(tmp_path / "staging"))


STEPS: dict[str, tuple[Any, str]] = {
    "begin": (FolderTarget, "begin"),
    "lock": (batch_locks, "browse_messages_and_lock"),
    "write": (jobs, "write_read"),
    "write of a batch": (stream, "write"),
    "rows counted": (output_files, "check_rows"),
    "sealed": (TableRun, "seal"),
    "appended": (Ledger, "append"),
    "published": (TableRun, "publish"),
    "get": (jobs, "_get_locked"),
    "end": (TableRun, "end"),
}


def has(step: str, done: str) -> bool:
    return list(STEPS).index(step) >= list(STEPS).index(done)


def runs(place: TablePlace) -> list[str]:
    aside = Path(place.staging) / "_mqx"
    return [path.name for path in aside.iterdir() if path.is_dir()]


@pytest.mark.parametrize("step", [step for step in STEPS if step != "write of a batch"])
def test_a_consuming_run_killed_anywhere_is_in_the_table_once(
    qm: Any, place: TablePlace, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    for number in range(3):
        qm.put(b"%d" % number)

    def move() -> int:
        return jobs.archive_and_remove(SPARK, place, qm.path, "Q")

    die_after(*STEPS[step], move)
    before = rows_of(Path(place.table.name))
    assert before == (["0", "1", "2"] if has(step, "appended") else [])
    assert qm.depth() == (0 if has(step, "get") else 3)
    move()
    assert (rows_of(Path(place.table.name)), qm.depth(), runs(place)) == (["0", "1", "2"], 0, [])


@pytest.mark.parametrize("step", ["begin", "write", "sealed", "appended", "published", "end"])
def test_events_archived_by_a_run_killed_anywhere_are_in_the_table_once(
    qm: Any, place: TablePlace, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    qm.define("Q", journal=1)
    qm.put(b"one")
    qm.put(b"two")

    def archive() -> int:
        return jobs.archive_journal(SPARK, place, qm.path, "Q")

    die_after(*STEPS[step], archive)
    archive()
    qm.put(b"three")
    assert archive() == 1
    assert rows_of(Path(place.table.name)) == [1, 2, 3]


@pytest.mark.parametrize("step", ["begin", "write of a batch", "sealed", "appended", "published", "end"])
def test_a_batch_of_a_stream_killed_anywhere_is_in_the_table_once(
    place: TablePlace, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    end = {"/QM1.db": {"id": "QM1", "from": 0, "seq": 2}}
    later = {"/QM1.db": {"id": "QM1", "from": 0, "seq": 3}}

    def sink(rows: Any, number: int, until: Any) -> Any:
        return stream.FolderSink(place, "me", ["Q"], spark=SPARK)(rows, number, until)

    die_after(*STEPS[step], lambda: sink(["1", "2"], 0, end))
    assert sink(["1", "2"], 0, end) == (None if has(step, "sealed") else (2, 2))
    assert sink(["3"], 1, later) == (1, 1)
    assert rows_of(Path(place.table.name)) == ["1", "2", "3"]
    names = sorted(path.name for path in Path(place.table.name).iterdir())
    assert names == ["mqx-stream-me-0", "mqx-stream-me-1"]


def test_messages_stay_locked_while_the_table_cannot_be_reached(
    qm: Any, place: TablePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows whether the rows came; the next run of the same process finishes what this one began."""
    qm.put(b"one")
    real = Ledger.append

    def lost(*given: Any) -> None:
        real(*given)
        raise MQError("no answer", MQRC_FUNCTION_NOT_SUPPORTED)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", lost)
        with pytest.raises(MQError, match="no answer"):
            jobs.archive_and_remove(SPARK, place, qm.path, "Q")
    assert (qm.depth(), len(runs(place))) == (1, 1)
    assert jobs.archive_and_remove(SPARK, place, qm.path, "Q") == 1
    assert (rows_of(Path(place.table.name)), qm.depth(), runs(place)) == (["one"], 0, [])


def test_nothing_is_locked_where_spark_does_not_have_the_format(
    qm: Any, place: TablePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.put(b"one")
    monkeypatch.setattr(Ledger, "why", "no such format")
    with pytest.raises(MQError, match="no such format"):
        jobs.archive_and_remove(SPARK, place, qm.path, "Q")
    assert (qm.depth(), os.path.exists(place.staging)) == (1, False)


def test_a_staging_folder_is_of_one_table(qm: Any, place: TablePlace, tmp_path: Path) -> None:
    """Runs of other kinds would finish a killed one in their own way."""
    for _ in range(2):
        with TableTarget(SPARK, place):
            pass
    other = TablePlace(TableName(ICEBERG, "a.b.c"), place.staging)
    with pytest.raises(MQError, match=f"staging folder of the delta table {place.table.name}"):
        TableTarget(SPARK, other).__enter__()
    with pytest.raises(MQError, match="staging folder of the delta table") as refused, FolderTarget(place.staging):
        pass
    assert "--to-format delta" in str(refused.value.hint)
    with FolderTarget(str(tmp_path / "archive")) as target:
        target.begin({}).unlock()
    with pytest.raises(MQError, match="staging folder of an archive of Parquet files"):
        TableTarget(SPARK, TablePlace(place.table, str(tmp_path / "archive"))).__enter__()


@pytest.fixture
def lake(spark: Any) -> Iterator[Any]:
    """A session of Spark that has the stand-in of Delta, which others do not see."""
    with delta_stand_in.session(spark) as session:
        yield session


def test_formats_that_spark_does_not_have_are_named_with_their_settings(spark: Any, tmp_path: Path) -> None:
    with fails(MQRC_FUNCTION_NOT_SUPPORTED, "Spark does not have the format delta") as refused:
        DeltaTable(spark, str(tmp_path)).check()
    assert "--conf spark.jars.packages=io.delta:delta-spark_2.13" in str(refused.value.hint)
    with pytest.raises(MQError, match=r"cat\.lake\.orders: Spark does not have the format iceberg") as refused:
        IcebergTable(spark, "cat.lake.orders").check()
    assert "--conf spark.sql.catalog.cat=org.apache.iceberg.spark.SparkCatalog" in str(refused.value.hint)
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.cat", "org.apache.iceberg.spark.SparkCatalog")
    with pytest.raises(MQError, match="Spark does not have the format iceberg"):
        IcebergTable(session, "cat.lake.orders").check()


@pytest.mark.timeout(300)
def test_an_archive_in_delta_is_written_once_widened_and_read(lake: Any, qm: Any, tmp_path: Path) -> None:
    """The stand-in has a column of its own, lacks one of ours, and has the day as text."""
    path = str(tmp_path / "lake")
    delta_stand_in.create(path, "put_day string, own int, data binary, qmgr string, properties map<string, string>")
    place = TablePlace(TableName(DELTA, path), path)
    qm.put(b"one", priority=7)
    assert jobs.archive(lake, place, qm.path, "Q") == 1
    run = table_target.read_run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_target, "read_run", lambda *given: run(*given) and 1 / 0)
        with pytest.raises(ZeroDivisionError):
            jobs.archive_and_remove(lake, place, qm.path, "Q")
    assert jobs.archive_and_remove(lake, place, qm.path, "Q") == 1
    found = jobs.read_archive(lake, str(tmp_path), ("data", "qmgr", "queue", "priority", "event"))
    assert [tuple(row) for row in found.collect()] == [(b"one", "QM1", "Q", 7, None)] * 2
    last = delta_stand_in.entries(path)[-1]
    assert [field["name"] for field in last["schema"]["fields"]][:3] == ["put_day", "own", "data"]
    table = DeltaTable(lake, path)
    rows = table.frame().limit(1)
    for number in (1, 1, 0, 2):
        table.append(rows, AppendIdentity("stream", number))
    assert table.frame().count() == 4


class Writer:
    """A writer of a frame that records what it is told."""

    def __init__(self, told: list[Any]) -> None:
        self._told = told

    def __getattr__(self, name: str) -> Callable[..., Writer]:
        def tell(*given: Any, **named: Any) -> Writer:
            self._told.append((name, *given, *sorted(named.items())))
            return self

        return tell


def test_a_new_table_of_delta_is_partitioned_as_an_archive_is(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    frame = spark.createDataFrame([("QM1", "Q", "2026-11-22")], "qmgr string, queue string, put_day string")
    monkeypatch.setattr(type(frame), "write", property(lambda self: told.append(self.dtypes) or Writer(told)))
    DeltaTable(spark, str(tmp_path / "lake")).append(frame, AppendIdentity("mqx-run", 3))
    assert told == [
        [("qmgr", "string"), ("queue", "string"), ("put_day", "date")],
        ("format", "delta"),
        ("mode", "append"),
        ("options", ("mergeSchema", "true"), ("txnAppId", "mqx-run"), ("txnVersion", "3")),
        ("partitionBy", "qmgr", "queue", "put_day"),
        ("save", str(tmp_path / "lake")),
    ]
