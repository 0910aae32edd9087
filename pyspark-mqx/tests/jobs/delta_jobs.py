"""Jobs into a Delta table without Spark, and a program that is killed when a step of one is done.

The program is a process of its own: ``deltalake`` does not work in a fork of a process that has used it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType, TimestampType
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import archive_tasks, batch_locks, delta, output_files, stream
from pyspark_mqx.jobs.archive_tasks import ArchiveRead
from pyspark_mqx.jobs.delta_target import DeltaPlace, DeltaRun
from pyspark_mqx.source.data_source import MqxReader

ROOT = Path(__file__).parents[3]

#: Step to where its function is and its name, in the order of the steps.
STEPS: dict[str, tuple[Any, str]] = {
    "begin": (output_files.FolderTarget, "begin"),
    "lock": (batch_locks, "browse_messages_and_lock"),
    "write": (jobs, "write_files"),
    "write of a batch": (stream, "write"),
    "sealed": (DeltaRun, "seal"),
    "moved": (output_files.OutputRun, "place"),
    "committed": (delta, "append"),
    "published": (DeltaRun, "publish"),
    "get": (jobs, "_get_locked"),
    "end": (DeltaRun, "end"),
}
SPARK: Any = None
END = {"/QM1.db": {"id": "QM1", "from": 0, "seq": 2}}
COLUMNS = [("qmgr", StringType()), ("queue", StringType()), ("state", StringType()), ("put_at", TimestampType())]


def has(step: str, done: str) -> bool:
    return list(STEPS).index(step) >= list(STEPS).index(done)


def write_here(spark: object, read: ArchiveRead, folder: str) -> None:
    """Write the data of messages, or the numbers of events, as the tasks of Spark would."""
    own = [("event_at", TimestampType()), ("event_seq", LongType())] if read.is_journal else [("data", BinaryType())]
    reader = MqxReader(read.options, StructType([StructField(*each) for each in (*COLUMNS, *own)]))
    write = archive_tasks.WriteTask(reader, folder, "snappy")
    for numbered in enumerate(reader.partitions()):
        archive_tasks.settle(write(numbered))


def lay(batch: list[bytes], folder: str) -> None:
    """Write a batch of a stream, as Spark would."""
    inner = Path(folder, "qmgr=QM1", "queue=Q", "put_day=2026-11-22")
    inner.mkdir(parents=True)
    pq.write_table(pa.table({"data": pa.array(batch, pa.binary())}), inner / f"part-{os.urandom(4).hex()}.parquet")


def without_spark(patch: Any) -> None:
    patch.setattr(jobs, "write_files", write_here)
    patch.setattr(stream, "write", lay)


def run(job: str, folder: str, path: str) -> Any:
    """Run a job into the table of a folder."""
    place = DeltaPlace(folder)
    if job == "consume":
        return jobs.archive_and_remove(SPARK, place, path, "Q")
    if job == "journal":
        return jobs.archive_journal(SPARK, place, path, "Q")
    batch: Any = [b"1", b"2"]
    return stream.FolderSink(place, "me", ["Q"])(batch, 0, END)


def rows_of(folder: object, column: str) -> list[Any]:
    """Return a column of a table, sorted, as polars reads it."""
    if not Path(str(folder), "_delta_log").is_dir():
        return []
    return sorted(pl.read_delta(str(folder), columns=[column])[column])


def die_after(step: str, job: str, folder: object, path: str) -> None:
    """Run a job in a process that is killed as soon as a step is done."""
    words = [sys.executable, __file__, step, job, str(folder), path]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def main(step: str, job: str, folder: str, path: str) -> None:
    where, name = STEPS[step]

    class Here:
        setattr = staticmethod(setattr)

    without_spark(Here)
    real = getattr(where, name)

    def killed(*given: Any, **named: Any) -> Any:
        real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(where, name, killed)
    run(job, folder, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
