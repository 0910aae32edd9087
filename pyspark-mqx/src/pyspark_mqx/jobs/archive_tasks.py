"""Write of archives into a local folder by the tasks that read the queues: no row passes through Java.

Each task reads queue managers as ``spark.read.format("mqx")`` does, and writes Parquet files by ``pyarrow``.
They get their names when all tasks have ended: what one left that failed, or was run twice, counts for nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import StructType

from mqtools.arrow import columns
from mqtools.arrow.parquet import join
from mqtools.arrow.queue_reader import AVAILABLE
from mqtools.constants.states import STATE_NAMES, UNLOCKED
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.jobs.archive_keys import without_keys, write_keys
from pyspark_mqx.source.data_source import MqxReader
from pyspark_mqx.source.read_schema import arrow_schema
from pyspark_mqx.source.shared_copy import Place, processors_of

#: Ending of the name of a file that does not count yet.
_DRAFT = ".draft"
#: Files that a task has open at the same time.
_OPEN = 32
#: Spark's setting for the compression of Parquet, and its word for none.
_CODEC, _NO_CODEC = "spark.sql.parquet.compression.codec", ("none", "uncompressed")


def source(spark: SparkSession, names: Sequence[str], **options: Any) -> DataFrame:
    """Read some columns of queues, or with the option ``journal`` of journals."""
    schema = columns.ddl(names, journal=options.get("journal") == "true")
    return spark.read.format("mqx").schema(schema).options(**options).load()


@dataclass(slots=True, frozen=True)
class ArchiveRead:
    """Read for an archive. names: columns.  options: of the read: messages that are not locked; with ``lock``
    those that these locks have, which are written as unlocked; or with ``journal`` events.  known: ``KEY`` of
    messages that are passed over.
    """

    names: Sequence[str]
    options: dict[str, Any] = field(default_factory=dict)
    known: pa.Table | None = None

    def reader(self, place: Place | None = None) -> MqxReader:
        """Return the reader of the rows, for tasks of our own. place: where copies for them may lie."""
        is_journal = self.options.get("journal") == "true"
        schema = StructType.fromDDL(columns.ddl(self.names, journal=is_journal))
        assert isinstance(schema, StructType)
        reader = MqxReader(self.options, schema)
        if not is_journal and "lock" not in self.options:
            reader.conditions = list(AVAILABLE)
        reader.place = place
        return reader


def write_files(spark: SparkSession, read: ArchiveRead, folder: str) -> None:
    """Write what is read into a folder, partitioned by queue manager, queue and day. Raises what a task raises."""
    settle(_run_tasks(spark, read, folder))


def count_rows(spark: SparkSession, read: ArchiveRead) -> int:
    """Return the number of rows that ``write_files`` would write. Raises what a task raises."""
    return sum(_run_tasks(spark, read, ""))


def _run_tasks(spark: SparkSession, read: ArchiveRead, folder: str) -> list[Any]:
    codec = str(spark.conf.get(_CODEC, "snappy")).lower()
    context = spark.sparkContext
    with TemporaryDirectory(dir=context.getConf().get("spark.local.dir")) as copies:
        reader = read.reader(Place((copies,), processors_of(str(context.master))))
        known = write_keys(read.known, os.path.join(copies, "known.arrow")) if read.known else ""
        write = WriteTask(reader, folder, "none" if codec in _NO_CODEC else codec, known)
        tasks = list(enumerate(reader.partitions()))
        return context.parallelize(tasks, len(tasks)).flatMap(write).collect()


def settle(drafts: Iterable[str]) -> None:
    """Rename drafts that are complete to the names that count."""
    for draft in drafts:
        os.rename(draft, draft.removesuffix(_DRAFT))


@dataclass(slots=True, frozen=True)
class WriteTask:
    """The work of the tasks of a write, in processes of their own.

    folder: of the archive, empty to count the rows only.  known: file with the keys of messages that are passed over,
    empty for none.
    """

    reader: MqxReader
    folder: str
    codec: str
    known: str = ""

    def __call__(self, numbered: tuple[int, InputPartition]) -> list[Any]:
        """Write the input of one task; return the paths of its files, which have the names of drafts, or its rows."""
        number, task = numbered
        schema = arrow_schema(self.reader.schema)
        paths: list[str] = []
        form = ds.ParquetFileFormat()
        batches = self.reader.read(task)
        if self.known:
            batches = without_keys(batches, self.known)
        if not self.folder:
            return [sum(batch.num_rows for batch in batches)]
        ds.write_dataset(
            _with_days(join(batches), is_locked="lock" in self.reader.options),
            self.folder,
            schema=schema.append(pa.field(PARTITIONS[-1], pa.string())),
            format=form,
            file_options=form.make_write_options(compression=self.codec, store_schema=False),
            partitioning=ds.partitioning(pa.schema([(name, pa.string()) for name in PARTITIONS]), flavor="hive"),
            basename_template=f"part-{number:05d}-{os.urandom(8).hex()}-{{i}}.parquet{_DRAFT}",
            existing_data_behavior="overwrite_or_ignore",
            max_open_files=_OPEN,
            use_threads=False,
            file_visitor=lambda written: paths.append(written.path),
        )
        return paths


def _with_days(batches: Iterable[pa.RecordBatch], *, is_locked: bool) -> Iterator[pa.RecordBatch]:
    """Add the column ``put_day``. is_locked: the messages are locked for the archive, which has them as unlocked."""
    for batch in batches:
        if is_locked:
            at = batch.schema.get_field_index("state")
            states = pa.repeat(pa.scalar(STATE_NAMES[UNLOCKED], batch.schema.field(at).type), batch.num_rows)
            batch = batch.set_column(at, batch.schema.field(at), states)
        time = batch["event_at" if "event_at" in batch.schema.names else "put_at"]
        day = time.cast(pa.timestamp("us")).cast(pa.date32()).cast(pa.string())
        yield batch.append_column(PARTITIONS[-1], day)
