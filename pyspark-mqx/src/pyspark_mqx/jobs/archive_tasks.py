"""Write of archives into a local folder by the tasks that read the queues: no row passes through Java.

Each task reads queue managers as ``spark.read.format("mqx")`` does, and writes files for the folders of the archive.
They get their names when all tasks have ended: what one left that failed, or was run twice, counts for nothing.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import StructType

from mqtools.arrow import columns
from mqtools.constants.states import STATE_NAMES, UNLOCKED
from mqtools.predicates import Condition
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.source.data_source import MqxReader
from pyspark_mqx.source.read_schema import arrow_schema
from pyspark_mqx.source.shared_copy import Place, processors_of

#: Ending of the name of a file that does not count yet.
_DRAFT = ".draft"
#: Bytes that a task keeps for files that are not written yet; files that are open at the same time.
_KEPT, _OPEN = 64_000_000, 32
#: The folder of Spark for a value that is null or empty.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
#: Spark's setting for the compression of Parquet, and its word for none.
_CODEC, _NO_CODEC = "spark.sql.parquet.compression.codec", ("none", "uncompressed")


def source(spark: SparkSession, names: Sequence[str], **options: Any) -> DataFrame:
    """Read some columns of queues, or with the option ``journal`` of journals."""
    schema = columns.ddl(names, journal=options.get("journal") == "true")
    return spark.read.format("mqx").schema(schema).options(**options).load()


@dataclass(slots=True, frozen=True)
class ArchiveRead:
    """Read for an archive. names: columns.  options: of the read: messages that are not locked; with ``lock``
    those that these locks have, which are written as unlocked; or with ``journal`` events.
    """

    names: Sequence[str]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_journal(self) -> bool:
        return self.options.get("journal") == "true"

    @property
    def is_locked(self) -> bool:
        return "lock" in self.options

    def frame(self, spark: SparkSession) -> DataFrame:
        """Return what is read as a frame."""
        found = source(spark, self.names, **self.options)
        if self.is_journal:
            return found
        unlocked = F.lit(STATE_NAMES[UNLOCKED])
        return found.withColumn("state", unlocked) if self.is_locked else found.where(F.col("state") == unlocked)

    def reader(self, place: Place | None = None) -> MqxReader:
        """Return the reader of the rows, for tasks of our own. place: where copies for them may lie."""
        schema = StructType.fromDDL(columns.ddl(self.names, journal=self.is_journal))
        assert isinstance(schema, StructType)
        reader = MqxReader(self.options, schema)
        if not self.is_journal and not self.is_locked:
            reader.conditions = [Condition("state", "=", UNLOCKED)]
        reader.place = place
        return reader


def write_files(spark: SparkSession, read: ArchiveRead, folder: str) -> None:
    """Write what is read into a folder, partitioned by queue manager, queue and day. Raises what a task raises."""
    codec = str(spark.conf.get(_CODEC, "snappy")).lower()
    context: Any = spark.sparkContext
    with TemporaryDirectory(dir=context._temp_dir) as copies:  # which Spark deletes at its end, wherever this one ends
        reader = read.reader(Place((copies,), processors_of(context.master)))
        write = WriteTask(reader, folder, "none" if codec in _NO_CODEC else codec)
        tasks = list(enumerate(reader.partitions()))
        settle(context.parallelize(tasks, len(tasks)).flatMap(write).collect())


def settle(drafts: Iterable[str]) -> None:
    """Rename drafts that are complete to the names that count."""
    for draft in drafts:
        os.rename(draft, draft.removesuffix(_DRAFT))


@dataclass(slots=True, frozen=True)
class WriteTask:
    """The work of the tasks of a write, in processes of their own. folder: of the archive."""

    reader: MqxReader
    folder: str
    codec: str

    def __call__(self, numbered: tuple[int, InputPartition]) -> list[str]:
        """Write the input of one task; return the paths of its files, which have the names of drafts."""
        number, task = numbered
        is_locked = "lock" in self.reader.options
        schema = arrow_schema(self.reader.schema)
        files = _Files(self.folder, f"part-{number:05d}-{os.urandom(8).hex()}", schema, self.codec)
        for batch in self.reader.read(task):
            for where, part in _split(batch):
                files.add(where, _as_unlocked(part) if is_locked else part)
        return files.close()


def _as_unlocked(batch: pa.RecordBatch) -> pa.RecordBatch:
    at = batch.schema.get_field_index("state")
    made = pa.repeat(pa.scalar(STATE_NAMES[UNLOCKED], batch.schema.field(at).type), batch.num_rows)
    return batch.set_column(at, batch.schema.field(at), made)


def _split(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield the parts of a batch with their folders, below that of the archive."""
    time = batch["event_at" if "event_at" in batch.schema.names else "put_at"]
    day = time.cast(pa.timestamp("us")).cast(pa.date32())
    keys = pa.table([batch["qmgr"], batch["queue"], day], list(PARTITIONS))
    numbered = keys.append_column("row", pa.array(range(batch.num_rows), pa.int32()))
    parts = numbered.group_by(list(PARTITIONS), use_threads=False).aggregate([("row", "list")])
    rows = parts["row_list"]
    for n, values in enumerate(zip(*(parts[name].to_pylist() for name in PARTITIONS), strict=True)):
        texts = (_NO_VALUE if value in (None, "") else quote(str(value), safe=" ") for value in values)
        where = "/".join(f"{name}={text}" for name, text in zip(PARTITIONS, texts, strict=True))
        yield where, batch if len(parts) == 1 else batch.take(rows[n].values)


class _Files:
    """Parquet files of one task, one for each folder, or more where folders are many. name: of each file."""

    def __init__(self, folder: str, name: str, schema: pa.Schema, codec: str) -> None:
        self._folder = folder
        self._name = name
        self._codec = codec
        self._schema = pa.schema([column for column in schema if column.name not in PARTITIONS])
        self._kept: dict[str, list[pa.RecordBatch]] = {}
        self._sizes: dict[str, int] = {}
        self._size = 0
        self._open: OrderedDict[str, Any] = OrderedDict()
        self._paths: list[str] = []

    def add(self, where: str, batch: pa.RecordBatch) -> None:
        """Add rows to the file of a folder."""
        self._kept.setdefault(where, []).append(batch.select(self._schema.names))
        self._sizes[where] = self._sizes.get(where, 0) + batch.nbytes
        self._size += batch.nbytes
        while self._size > _KEPT:
            self._write(max(self._sizes, key=self._sizes.__getitem__))

    def close(self) -> list[str]:
        """Write the rest; return the paths of all files."""
        for where in list(self._kept):
            self._write(where)
        self._close_all_but(0)
        return self._paths

    def _write(self, where: str) -> None:
        """Write the rows that are kept for a folder."""
        if where not in self._open:
            inner = os.path.join(self._folder, where)
            os.makedirs(inner, exist_ok=True)
            path = os.path.join(inner, f"{self._name}-{len(self._paths)}.parquet{_DRAFT}")
            self._paths.append(path)
            self._open[where] = pq.ParquetWriter(path, self._schema, compression=self._codec, store_schema=False)
        self._open.move_to_end(where)
        self._open[where].write_table(pa.Table.from_batches(self._kept.pop(where), self._schema))
        self._size -= self._sizes.pop(where)
        self._close_all_but(_OPEN)

    def _close_all_but(self, number: int) -> None:
        """Close the files that were not written to for longest."""
        while len(self._open) > number:
            self._open.popitem(last=False)[1].close()
