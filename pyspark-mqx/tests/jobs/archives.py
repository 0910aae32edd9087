"""Reading archives, and writing them, without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import BinaryType, LongType, StructField, StructType
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import archive_tasks
from pyspark_mqx.jobs.archive_tasks import ArchiveRead
from pyspark_mqx.source.data_source import MqxReader


def archived(folder: Path, column: str = "data") -> list[Any]:
    """Return a column of an archive, read without Spark."""
    files = [path for path in folder.rglob("*.parquet") if "_mqx" not in path.parts]
    return sorted(value.as_py() for path in files for value in pq.ParquetFile(path).read([column])[column])


def without_spark(patch: pytest.MonkeyPatch) -> None:
    """Run the tasks of an archive here."""
    patch.setattr(jobs, "write_files", write_here)


def read_here(read: ArchiveRead) -> pa.Table:
    """Read the data of messages, or the numbers of events, by one task after another."""
    field = StructField("event_seq", LongType()) if read.is_journal else StructField("data", BinaryType())
    reader = MqxReader(read.options, StructType([field]))
    return pa.Table.from_batches([batch for task in reader.partitions() for batch in reader.read(task)])


def write_here(spark: object, read: ArchiveRead, folder: str) -> None:
    """Write the messages of a read into a folder, as the tasks of Spark would."""
    write = archive_tasks.WriteTask(read.reader(), folder, "snappy")
    for numbered in enumerate(write.reader.partitions()):
        archive_tasks.settle(write(numbered))
