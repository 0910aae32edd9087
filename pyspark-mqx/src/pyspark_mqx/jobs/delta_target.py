"""Output of runs into a Delta table, through a staging folder on this machine.

A run is that of ``output_files``, in the staging folder: its manifest is written when its files are complete and on
disk, and from there on it is finished, by itself or by the next run. Only its step 4 differs: the files are moved into
the table, and count from one commit on, which has the transaction of the run. So before the manifest nothing of a run
is in the table. After it all of it will be, however often step 4 is repeated.

The staging folder of a local table is the folder of the table. The commits are made by ``deltalake``, or by Spark's
Delta writer where only Hadoop reaches the table.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.formats.files import flush_path
from mqtools.operations.archive_files import DELTA_LOG, is_uri
from pyspark_mqx.jobs import delta, file_locks
from pyspark_mqx.jobs.archive_files import PARTITIONS, in_parallel, spark_path
from pyspark_mqx.jobs.durable_files import make_folders, write_json
from pyspark_mqx.jobs.output_files import TABLE, FolderTarget, OutputRun
from pyspark_mqx.source.object_store import check_scheme, errors_of, file_system
from pyspark_mqx.source.spark_errors import condition_of

#: Bytes of a file that are copied at a time.
_PIECE = 1 << 22
#: Conditions of errors of Spark: it does not have a format, or the session is not set up for Delta.
_MISSING = ("DATA_SOURCE_NOT_FOUND", "DELTA_CONFIGURE_SPARK_SESSION")
#: Conditions of errors of Delta: a table does not exist.
_NO_TABLE = ("DELTA_PATH_DOES_NOT_EXIST", "DELTA_TABLE_NOT_FOUND", "PATH_NOT_FOUND")
#: The settings that bring Delta's jar.
SETTINGS = (
    "--conf spark.jars.packages=io.delta:delta-spark_4.2_2.13:4.4.0"
    " --conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension"
    " --conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"
)


@dataclass(slots=True, frozen=True)
class DeltaPlace:
    """A Delta table as the output of runs. uri: a path or URI.

    staging: local folder for files and records until the table has them, empty for the default.  by_spark: Spark's own
    writer commits.
    """

    uri: str
    staging: str = ""
    by_spark: bool = False

    @property
    def folder(self) -> str:
        """Return the staging folder: of a local table its folder; of a URI one in the user's data folder."""
        if self.staging or not is_uri(self.uri):
            return self.staging or self.uri
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        return os.path.join(data, "mqx", "staging", quote(self.uri, safe=""))


class DeltaTarget(FolderTarget):
    """Output of runs into a Delta table. spark: needed by Spark's writer.  given: as of ``FolderTarget``."""

    def __init__(self, place: DeltaPlace, spark: SparkSession | None = None, **given: Any) -> None:
        if is_uri(place.uri) and not place.by_spark:
            check_scheme(place.uri)
        super().__init__(place.folder, **given)
        self.uri = place.uri if is_uri(place.uri) else os.path.abspath(place.uri)
        self.spark = spark if place.by_spark else None

    @property
    def is_local(self) -> bool:
        """Return whether the staging folder is the folder of the table."""
        return self.uri == self.folder

    def __enter__(self) -> Self:
        if self.spark is not None:
            schema_by_spark(self.spark, self.uri)
        return super().__enter__()

    def _check_kind(self) -> None:
        """Check that the staging folder is of this table, and make it so if it is new. Raises MQError."""
        make_folders(self.aside, self.mode)
        lock = file_locks.take_alone(os.path.join(self.aside, "table.lock"), mode=self.mode)
        try:
            about = self.note(TABLE)
            is_new = all(name.endswith("lock") for name in os.listdir(self.aside))
            if about.get("table", self.uri) != self.uri or not (about or is_new or self.is_local):
                other = f"the Delta table {about['table']}" if about else "an archive of Parquet files"
                text = f"{self.folder}: this is the staging folder of {other}"
                raise MQError(text, MQRC_OBJECT_IN_USE, hint="use a staging folder for each table")
            if not about:
                write_json(os.path.join(self.aside, f"{TABLE}.json"), {"table": self.uri}, self.mode)
        finally:
            os.close(lock)

    def _run(self, path: str, lock: int) -> DeltaRun:
        return DeltaRun(self.folder, path, self.mode, lock, target=self)

    def number(self, name: str) -> int:
        """Return the number of the last transaction with the name of a record, -1 where Spark's writer knows it."""
        return -1 if self.spark is not None else delta.transaction(self.uri, _named(name))


@dataclass(slots=True)
class DeltaRun(OutputRun):
    """One run into a Delta table."""

    target: Any = None

    def place(self, manifest: dict[str, Any]) -> None:
        """Add the files to the table. Raises MQError and what Spark raises; then the next run finishes this one."""
        names = manifest.get("files", ())
        if not names:
            return
        once = self._transactions(manifest.get("notes", {}))
        if self.target.spark is not None:
            append_by_spark(self.target.spark, self.target.uri, self.data, *next(iter(once.items())))
            return
        if self.target.is_local:
            OutputRun.place(self, manifest)
        folder = self.folder if self.target.is_local else self.data
        footers = in_parallel(lambda name: pq.read_metadata(os.path.join(folder, name)), names)
        if not self.target.is_local:
            in_parallel(self._upload, names)
        files = [
            delta.NewFile(name, os.path.getsize(os.path.join(folder, name)), footer.num_rows)
            for name, footer in zip(names, footers, strict=True)
        ]
        version = delta.append(self.target.uri, files, footers[0].schema.to_arrow_schema(), once)
        if self.target.is_local and version is not None:
            log = os.path.join(self.folder, DELTA_LOG)
            flush_path(os.path.join(log, f"{version:020}.json"))
            flush_path(log)

    def _upload(self, name: str) -> None:
        """Copy a file into the object store of the table."""
        with (
            errors_of(self.target.uri),
            open(os.path.join(self.data, name), "rb") as source,
            # The store takes bytes, which a buffered stream makes of Arrow's buffers.
            pa.BufferedOutputStream(file_system(self.target.uri).open_output_stream(name), 2 * _PIECE) as sink,
        ):
            shutil.copyfileobj(source, sink, _PIECE)

    def _transactions(self, notes: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
        """Return the transactions of the run: a stream counts its batches, an archive of events has their last."""
        counted = {name: note.get("batch", note.get("last")) for name, note in notes.items()}
        found = {_named(name): int(number) for name, number in counted.items() if number is not None}
        return found or {_named(os.path.basename(self.path)): 1}


def _named(name: str) -> str:
    return f"mqx-{name}"


def read_delta(spark: SparkSession, uri: str) -> DataFrame:
    """Read a Delta table by Spark's own Delta. Raises MQError where Spark lacks it."""
    try:
        return spark.read.format("delta").load(uri)
    except Exception as error:
        if condition_of(error) not in _MISSING:
            raise
        text = f"{uri}: Spark does not have the format delta"
        raise MQError(text, MQRC_FUNCTION_NOT_SUPPORTED, hint=f"{SETTINGS} gives it to Spark") from error


def append_by_spark(spark: SparkSession, uri: str, folder: str, name: str, number: int) -> None:
    """Append the files of a run by Spark's Delta writer, which passes over a transaction that the table has."""
    there = schema_by_spark(spark, uri)
    reader = spark.read.option("pathGlobFilter", "*.parquet")
    fields = reader.parquet(spark_path(folder)).schema
    texts = [StructField(each.name, StringType()) if each.name in PARTITIONS else each for each in fields]
    rows = _aligned(reader.schema(StructType(texts)).parquet(spark_path(folder)), there)
    once = {"txnAppId": name, "txnVersion": str(number), "mergeSchema": "true"}
    writer = rows.write.format("delta").mode("append").options(**once)
    (writer if there is not None else writer.partitionBy(*PARTITIONS)).save(uri)


def schema_by_spark(spark: SparkSession, uri: str) -> StructType | None:
    """Return the schema of a table, None if it does not exist. Raises MQError where Spark lacks the format."""
    try:
        return read_delta(spark, uri).schema
    except MQError:
        raise
    except Exception as error:
        if condition_of(error) not in _NO_TABLE:
            raise
        return None


def _aligned(frame: DataFrame, schema: StructType | None) -> DataFrame:
    """Return rows with the types of a table, and null for columns of it that they lack. schema: None for a new one."""
    if schema is None:
        return frame.withColumn(PARTITIONS[-1], F.col(PARTITIONS[-1]).cast("date"))
    own = [F.col(name) for name in frame.columns if name not in schema.names]
    of_table = [
        (F.col(field.name) if field.name in frame.columns else F.lit(None)).cast(field.dataType).alias(field.name)
        for field in schema
    ]
    return frame.select(*of_table, *own)
