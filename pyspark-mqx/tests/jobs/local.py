"""Jobs without Spark, and a program that is killed when a step of one is done.

The program is a process of its own: ``deltalake`` does not work in a fork of a process that has used it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql.types as types
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import archive_tasks, batch_locks, delta, output_files, stream
from pyspark_mqx.jobs.archive_tasks import ArchiveRead
from pyspark_mqx.jobs.delta_target import DeltaPlace
from pyspark_mqx.jobs.output_files import OutputRun

from mqtools.arrow.columns import readable_columns

ROOT = Path(__file__).parents[3]

#: Step to where its function is, its name, and how its first argument ends; in the order of the steps.
STEPS: dict[str, tuple[Any, str, str]] = {
    "begin": (output_files.FolderTarget, "begin", ""),
    "lock": (batch_locks, "browse_messages_and_lock", ""),
    "write": (jobs, "write_files", ""),
    "write of a batch": (stream, "write", ""),
    "sealed": (OutputRun, "seal", ""),
    "one moved": (output_files.os, "rename", ".parquet"),
    "moved": (OutputRun, "place", ""),
    "committed": (delta, "append", ""),
    "noted": (output_files, "write_json", "_mqx/stream-me.json"),
    "published": (OutputRun, "publish", ""),
    "get": (jobs, "_get_locked", ""),
    "end": (OutputRun, "end", ""),
}
SPARK: Any = None
END = {"/QM1.db": {"id": "QM1", "from": 0, "seq": 2}}
_KINDS = {
    "string": types.StringType(),
    "bigint": types.LongType(),
    "int": types.IntegerType(),
    "timestamp": types.TimestampType(),
    "binary": types.BinaryType(),
    "map<string, string>": types.MapType(types.StringType(), types.StringType()),
}


def has(step: str, done: str) -> bool:
    return list(STEPS).index(step) >= list(STEPS).index(done)


def schema_of(ddl: str) -> types.StructType:
    """Return the schema of columns, which only Java parses otherwise. Those with a header are left out."""
    known = readable_columns(journal=True)
    names = [word.split(" ")[0] for word in ddl.split(", ")]
    kinds = [(name, _KINDS[known[name]]) for name in names if known.get(name) in _KINDS]
    return types.StructType([types.StructField(*each) for each in kinds])


def write_here(spark: object, read: ArchiveRead, folder: str) -> None:
    """Write the rows of a read into a folder, as the tasks of Spark would."""
    with mock.patch.object(archive_tasks.StructType, "fromDDL", schema_of):
        write = archive_tasks.WriteTask(read.reader(), folder, "snappy")
    for numbered in enumerate(write.reader.partitions()):
        archive_tasks.settle(write(numbered))


def lay(values: Sequence[Any], folder: str) -> None:
    """Write a batch of a stream, as Spark would: a file for each event, with its number or its data."""
    inner = Path(folder, "qmgr=QM1", "queue=Q", "put_day=2026-11-22")
    inner.mkdir(parents=True)
    for value in values:
        row = pa.table({"data" if isinstance(value, bytes) else "event_seq": [value]})
        pq.write_table(row, inner / f"part-{os.urandom(4).hex()}.parquet")


def without_spark(patch: Any) -> None:
    """Run the tasks of jobs here."""
    patch.setattr(jobs, "write_files", write_here)
    patch.setattr(stream, "write", lay)


def run(job: str, place: str | DeltaPlace, path: str) -> Any:
    """Run a job into a folder or table."""
    if job == "consume":
        return jobs.archive_and_remove(SPARK, place, path, "Q")
    if job == "journal":
        return jobs.archive_journal(SPARK, place, path, "Q")
    batch: Any = [1, 2]
    return stream.FolderSink(place, "me", ["Q"])(batch, 0, END)


def archived(folder: Path, column: str = "data") -> list[Any]:
    """Return a column of the files of an archive, sorted."""
    files = [path for path in folder.rglob("*.parquet") if "_mqx" not in path.parts]
    return sorted(value.as_py() for path in files for value in pq.ParquetFile(path).read([column])[column])


def rows_of(place: str | DeltaPlace, column: str) -> list[Any]:
    """Return a column of an archive, sorted; of a table as polars reads it."""
    if isinstance(place, str):
        return archived(Path(place), column)
    if not Path(place.uri, "_delta_log").is_dir():
        return []
    return sorted(pl.read_delta(place.uri, columns=[column])[column])


def die_after(step: str, job: str, place: str | DeltaPlace, path: str) -> None:
    """Run a job in a process that is killed as soon as a step is done."""
    form, folder = ("files", place) if isinstance(place, str) else ("table", place.uri)
    words = [sys.executable, __file__, step, job, form, folder, path]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def main(step: str, job: str, form: str, folder: str, path: str) -> None:
    where, name, ending = STEPS[step]

    class Here:
        setattr = staticmethod(setattr)

    without_spark(Here)
    real = getattr(where, name)

    def killed(*given: Any, **named: Any) -> Any:
        done = real(*given, **named)
        if str(given[0] if given else "").endswith(ending):
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(where, name, killed)
    run(job, folder if form == "files" else DeltaPlace(folder), path)


if __name__ == "__main__":
    main(*sys.argv[1:])
