"""A table of Delta. Its log keeps the last number of each named transaction, and refuses one that it has.

That holds for two writers at the same time too: whoever has looked for a transaction that another one commits before
it does, fails in the conflict check of Delta.
"""

from __future__ import annotations

import os

from pyspark.sql import DataFrame, SparkSession

from mqtools.operations.archive_files import DELTA_LOG, is_uri
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.jobs.hadoop_files import HadoopFiles
from pyspark_mqx.jobs.table_names import DELTA
from pyspark_mqx.jobs.tables import AppendIdentity, aligned, unsupported

#: What Spark says of a format that it does not have, and Delta of a session that is not set up for it.
_MISSING = ("DATA_SOURCE_NOT_FOUND", "DELTA_CONFIGURE_SPARK_SESSION")
#: The settings that bring Delta.
SETTINGS = (
    "--conf spark.jars.packages=io.delta:delta-spark_2.13:VERSION"
    " --conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension"
    " --conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"
)


class DeltaTable:
    """A table of Delta in a folder, or below a URI. As ``tables.Table``."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._path = path if is_uri(path) else os.path.abspath(path)

    def check(self) -> None:
        try:
            self.frame()
        except Exception as error:
            if any(word in str(error) for word in _MISSING):
                raise unsupported(self._path, DELTA, SETTINGS) from error
            if self.exists():
                raise

    def exists(self) -> bool:
        if is_uri(self._path):
            return HadoopFiles(self._spark, self._path).exists(DELTA_LOG)
        return os.path.isdir(os.path.join(self._path, DELTA_LOG))

    def frame(self) -> DataFrame:
        return self._spark.read.format(DELTA).load(self._path)

    def append(self, frame: DataFrame, transaction: AppendIdentity, since_s: float | None = None) -> None:  # noqa: ARG002
        is_there = self.exists()
        rows = aligned(frame, self.frame().schema if is_there else None)
        once = {"txnAppId": transaction.name, "txnVersion": str(transaction.number)}
        writer = rows.write.format(DELTA).mode("append").options(mergeSchema="true", **once)
        (writer if is_there else writer.partitionBy(*PARTITIONS)).save(self._path)
