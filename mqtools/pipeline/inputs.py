"""Files of messages as frames for a load: each row with the file and the place it comes from, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from mqtools.pipeline.columns import known_columns
from mqtools.pipeline.rows import KNOWN, LINE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Events by which a message comes to a queue.
ARRIVALS = ("put", "report", "channel_receive")

#: Columns of an archive. Those that say nothing of a message as it is put are not read.
_OF_AN_ARCHIVE = known_columns(journal=True)

#: What is said of a message in an archive that is without its data.
_NO_DATA = "the archive has not the data of its messages: it was made with --no-body, or of JOURNAL(YES)"


def read_input(spark: SparkSession, form: str, paths: list[str]) -> DataFrame:
    """Read files. form: ``parquet``, ``jsonl`` (our JSON lines), ``csv`` with a header of column names.

    Of an archive of events, the messages that came; one whose data is not there is an error when it is read, and so
    is a CSV file with another header than the first.
    """
    file = F.col("_metadata.file_path").alias("file")
    if form == "parquet":
        frame = spark.read.option("recursiveFileLookup", "true").parquet(*paths)
        if "event" in frame.columns:
            frame = frame.where(F.col("event").isNull() | F.col("event").isin(*ARRIVALS))
        if "data_length" in frame.columns:
            frame = with_data(frame, _NO_DATA)
        kept = [name for name in frame.columns if name in KNOWN or name not in _OF_AN_ARCHIVE] or frame.columns
        return frame.select(*kept, file, (F.col("_metadata.row_index") + 1).alias("row"))
    if form == "jsonl":
        lines = spark.read.text(paths).select(F.col("value").alias(LINE), file)
        return _numbered(lines).where(F.trim(LINE) != "")
    table = spark.read.option("header", "true").option("multiLine", "true").option("escape", '"')
    frame = table.option("nullValue", "\0").option("emptyValue", "").option("enforceSchema", "false").csv(paths)
    return _numbered(frame.select(*frame.columns, file))


def with_data(messages: DataFrame, words: str) -> DataFrame:
    """Give messages as they are; those whose data is not there end the job. words: what is said then."""
    data = F.col("data") if "data" in messages.columns else F.lit(None).cast("binary")
    there = data.isNotNull() | (F.col("data_length") == 0)
    return messages.withColumn("data", F.when(there, data).otherwise(F.raise_error(F.lit(words))))


def _numbered(frame: DataFrame) -> DataFrame:
    """Number the rows of each file, and bring them into that order."""
    order = Window.partitionBy("file").orderBy(F.monotonically_increasing_id())
    return frame.withColumn("row", F.row_number().over(order)).orderBy("file", "row")
