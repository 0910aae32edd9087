"""Output of runs into a table of Delta or Iceberg, through a staging folder on this machine.

A run is that of ``output_files``, in the staging folder: its manifest is written when its files are complete and on
disk, and from there on it is finished, by itself or by the next run. Only its step 4 differs: the files are not
renamed, but appended to the table in a transaction with the name of the run, which the table has once. So before the
manifest nothing of a run is in the table; after it, all of it will be, however often step 4 is repeated.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Self

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED, MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from pyspark_mqx.jobs import file_locks
from pyspark_mqx.jobs.archive_files import PARTITIONS, spark_path
from pyspark_mqx.jobs.output_files import PRIVATE, TABLE, FolderTarget, OutputRun, make_folders, write_json
from pyspark_mqx.jobs.table_formats import open_table
from pyspark_mqx.jobs.table_names import TablePlace
from pyspark_mqx.jobs.tables import AppendIdentity, Table


class TableTarget(FolderTarget):
    """Output of runs into a table. waits, is_shared, mode: of the staging folder, as of ``FolderTarget``."""

    def __init__(
        self,
        spark: SparkSession,
        place: TablePlace,
        *,
        waits: bool = False,
        is_shared: bool = False,
        mode: int = PRIVATE,
    ) -> None:
        super().__init__(place.staging, waits=waits, is_shared=is_shared, mode=mode)
        self.spark = spark
        self.table = open_table(spark, place.table)
        self._about = {"format": place.table.form, "table": place.table.name}

    def __enter__(self) -> Self:
        self.table.check()
        return super().__enter__()

    def _check_kind(self) -> None:
        """Check that the staging folder is of this table, and make it so if it is new. Raises MQError."""
        make_folders(self.aside, self.mode)
        lock = file_locks.take(os.path.join(self.aside, "table.lock"), is_shared=False, waits=True, mode=self.mode)
        assert lock is not None
        try:
            about = self.note(TABLE)
            if not about and all(name.endswith("lock") for name in os.listdir(self.aside)):
                write_json(os.path.join(self.aside, f"{TABLE}.json"), self._about, self.mode)
            elif about != self._about:
                other = f"the {about['format']} table {about['table']}" if about else "an archive of Parquet files"
                raise MQError(
                    f"{self.folder}: this is the staging folder of {other}",
                    MQRC_OBJECT_IN_USE,
                    hint="use a staging folder for each table",
                )
        finally:
            os.close(lock)

    def _run(self, path: str, lock: int) -> TableRun:
        return TableRun(self.folder, path, self.mode, lock, target=self)


@dataclass(slots=True)
class TableRun(OutputRun):
    """One run into a table. is_new: it was not killed before.  is_in_table: this process has appended its files."""

    target: Any = None
    is_new: bool = False
    is_in_table: bool = False

    def seal(self, *given: Any, **named: Any) -> int:
        """As ``run_target.AnyRun.seal``."""
        self.is_new = True
        return OutputRun.seal(self, *given, **named)

    def place(self, manifest: dict[str, Any]) -> None:
        """Append the files to the table. Raises MQError and what Spark raises; then the next run finishes this one."""
        if not manifest.get("files") or self.is_in_table:
            return
        table: Table = self.target.table
        since = None if self.is_new else os.stat(self.manifest_path).st_mtime
        try:
            table.append(read_run(self.target.spark, self.data), self._transaction(manifest), since)
        except MQError as error:
            if error.reason != MQRC_OBJECT_CHANGED:
                raise
            hint = f"look for its rows in the table; then remove {self.path}, and unlock or delete its messages"
            raise MQError(error.text, error.reason, hint=hint) from error
        self.is_in_table = True

    def _transaction(self, manifest: dict[str, Any]) -> AppendIdentity:
        """Return the identity of the run: a stream counts its batches, any other run is the only one of its name."""
        for name, note in manifest.get("notes", {}).items():
            if "batch" in note:
                return AppendIdentity(f"mqx-{name}", int(note["batch"]))
        return AppendIdentity(f"mqx-{os.path.basename(self.path)}", 0)


def read_run(spark: SparkSession, folder: str) -> DataFrame:
    """Read the files of a run; the columns of its folders are text."""
    reader = spark.read.option("pathGlobFilter", "*.parquet")
    found = reader.parquet(spark_path(folder)).schema
    fields = [StructField(each.name, StringType()) if each.name in PARTITIONS else each for each in found]
    return reader.schema(StructType(fields)).parquet(spark_path(folder))
