"""Archives as the tasks write them: their folders, their files, and what Spark reads of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import StructType
from pyspark_mqx import read_archive
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import archive_tasks
from pyspark_mqx.jobs.archive_keys import KEY, keys_of_archive
from pyspark_mqx.jobs.archive_tasks import ArchiveRead, WriteTask
from pyspark_mqx.source.archive_reader import ArchiveReader

from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_UNEXPECTED_ERROR
from mqtools.message import Property
from tests.errors import fails

pytestmark = pytest.mark.usefixtures("spark")


def put_on_days(qm: Any, q_name: str, *days: str) -> None:
    for day in days:
        qm.put(day.encode(), q_name, MQPMO_SET_ALL_CONTEXT, put_date=day, put_time="12000000")


def files_of(folder: Path) -> dict[str, int]:
    """Return the rows of each folder of an archive."""
    found: dict[str, int] = {}
    for path in folder.rglob("*.parquet"):
        where = str(path.parent.relative_to(folder))
        found[where] = found.get(where, 0) + pq.read_metadata(path).num_rows
    return found


def test_each_queue_and_day_has_a_folder(spark: Any, qm: Any, tmp_path: Path) -> None:
    qm.define("A/B%C")
    put_on_days(qm, "A/B%C", "20261122", "20261123", "20261122")
    put_on_days(qm, "Q", "00010203")
    assert jobs.archive(spark, str(tmp_path / "a"), qm.path, "Q,A/B%C") == (4, 0)
    assert files_of(tmp_path / "a") == {
        "qmgr=QM1/queue=A%2FB%25C/put_day=2026-11-22": 2,
        "qmgr=QM1/queue=A%2FB%25C/put_day=2026-11-23": 1,
        "qmgr=QM1/queue=Q/put_day=0001-02-03": 1,
    }
    read = read_archive(spark, str(tmp_path / "a")).groupBy("queue").count().collect()
    assert {row.queue: row["count"] for row in read} == {"A/B%C": 3, "Q": 1}


def test_an_archive_has_the_columns_of_a_read(spark: Any, qm: Any, tmp_path: Path) -> None:
    """Each column has the value and the type that Spark's own read of the queue has."""
    qm.put(
        b"one",
        correl_id=b"c" * 24,
        properties={"colour": Property(MQTYPE_STRING, "blue"), "size": Property(MQTYPE_INT32, 3)},
    )
    qm.put(b"", priority=7)
    jobs.archive(spark, str(tmp_path / "a"), qm.path, "Q")
    names = jobs.column_names()
    there = spark.read.parquet(str(tmp_path / "a"))
    asked = archive_tasks.source(spark, names, qmgr=qm.path, queue="Q")
    assert {name: kind for name, kind in there.dtypes if name != "put_day"} == dict(asked.dtypes)
    assert there.select(*names).orderBy("seq").collect() == asked.orderBy("seq").collect()


def test_other_parquet_files_in_an_archive_have_no_keys(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    pq.write_table(pa.table({"seq": [1], "x": ["a"]}), files[0])
    pq.write_table(pa.table({"seq": ["x"]}), files[1])
    wanted = {"qmgr": {"QM1"}, "queue": {"Q"}}
    assert keys_of_archive(str(tmp_path), files[:1], wanted, (0, 9)).num_rows == 0
    assert keys_of_archive(str(tmp_path), [], wanted, (0, 9)).column_names == list(KEY)
    with fails(MQRC_UNEXPECTED_ERROR, str(tmp_path)):
        keys_of_archive(str(tmp_path), files, wanted, (0, 9))


def test_folders_above_an_archive_are_no_names_of_its_messages(tmp_path: Path) -> None:
    place = tmp_path / "qmgr=OLD" / "queue=R" / "a"
    file = place / "qmgr=QM1" / "queue=Q" / "one.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(pa.table({"seq": [1], "msg_id": ["4D"]}), file)
    wanted = {"qmgr": {"QM1"}, "queue": {"Q"}}
    known = keys_of_archive(str(place), [str(file)], wanted, (0, 9)).to_pylist()
    assert known == [{"qmgr": "QM1", "seq": 1, "msg_id": "4D"}]
    schema = StructType.fromDDL("qmgr string, queue string")
    (task,) = (reader := ArchiveReader(str(place), schema)).partitions()
    assert [row for batch in reader.read(task) for row in batch.to_pylist()] == [{"qmgr": "QM1", "queue": "Q"}]


def test_files_of_a_task_that_ran_twice_count_once(qm: Any, tmp_path: Path, spark: Any) -> None:
    qm.put(b"one")
    write = WriteTask(ArchiveRead(jobs.column_names(), {"qmgr": qm.path, "queue": "Q"}).reader(), str(tmp_path), "none")
    (task,) = write.reader.partitions()
    lost, counted = write((0, task)), write((0, task))
    archive_tasks.settle(counted)
    assert len(lost) == len(counted) == 1
    assert files_of(tmp_path) == {os.path.dirname(os.path.relpath(counted[0], tmp_path)): 1}


@pytest.mark.parametrize(("kept", "is_open"), [(1, 1), (1, 32), (64_000_000, 32)])
def test_rows_are_written_whatever_a_task_may_keep(
    qm: Any, tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch, kept: int, is_open: int
) -> None:
    monkeypatch.setattr("mqtools.arrow.parquet._GROUP", kept)
    monkeypatch.setattr(archive_tasks, "_OPEN", is_open)
    days = ["20261122", "20261123", "20261122", "20261124"]
    put_on_days(qm, "Q", *days)
    put_on_days(qm, "R", *days)
    write = WriteTask(ArchiveRead(jobs.column_names(), {"qmgr": qm.path}).reader(), str(tmp_path), "snappy")
    for numbered in enumerate(write.reader.partitions()):
        archive_tasks.settle(write(numbered))
    assert sorted(files_of(tmp_path).values()) == [1, 1, 1, 1, 2, 2]
