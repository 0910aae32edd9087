"""Files of messages as frames for a load: each row with the file and the place it comes from, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from mqtools.pipeline.rows import KNOWN, LINE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_input(spark: SparkSession, form: str, paths: list[str]) -> DataFrame:
    """Read files. form: ``parquet``, ``jsonl`` (our JSON lines), ``csv`` with a header of column names."""
    file = F.col("_metadata.file_path").alias("file")
    if form == "parquet":
        frame = spark.read.option("recursiveFileLookup", "true").parquet(*paths)
        kept = [name for name in frame.columns if name in KNOWN] or frame.columns
        return frame.select(*kept, file, (F.col("_metadata.row_index") + 1).alias("row"))
    if form == "jsonl":
        lines = spark.read.text(paths).select(F.col("value").alias(LINE), file)
        return _numbered(lines).where(F.trim(LINE) != "")
    table = spark.read.option("header", "true").option("multiLine", "true").option("escape", '"')
    frame = table.option("nullValue", "\0").option("emptyValue", "").csv(paths)
    return _numbered(frame.select(*frame.columns, file))


def _numbered(frame: DataFrame) -> DataFrame:
    """Number the rows of each file, and bring them into that order."""
    order = Window.partitionBy("file").orderBy(F.monotonically_increasing_id())
    return frame.withColumn("row", F.row_number().over(order)).orderBy("file", "row")
