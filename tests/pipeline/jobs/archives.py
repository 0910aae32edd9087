"""Reading archives, and writing them, without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mqtools.pipeline.jobs import archive as jobs
from mqtools.pipeline.jobs import archive_tasks
from mqtools.pipeline.jobs.archive_tasks import ArchiveRead


def archived(folder: Path) -> list[bytes]:
    """Return the data in an archive, read without Spark."""
    files = [path for path in folder.rglob("*.parquet") if "_mqx" not in path.parts]
    return sorted(value.as_py() for path in files for value in pq.ParquetFile(path).read(["data"])["data"])


def without_spark(patch: pytest.MonkeyPatch) -> None:
    """Run the tasks of an archive here."""
    patch.setattr(jobs, "write_read", write_here)


def write_here(spark: object, read: ArchiveRead, folder: str) -> None:
    """Write the messages of a read into a folder, as the tasks of Spark would."""
    write = archive_tasks.WriteTask(read.reader(), folder, "snappy")
    for numbered in enumerate(write.reader.partitions()):
        archive_tasks.settle(write(numbered))
