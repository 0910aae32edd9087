"""Input files of a load as frames: each row with the file and the row number it comes from, in that order."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from mqtools.arrow.columns import known_columns
from mqtools.rules.reports import REPORT_KINDS
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.jobs.messages import messages_of
from pyspark_mqx.source.load_job import LoadJob
from pyspark_mqx.source.rows import ABOUT_ROW, KNOWN, LINE, UNREADABLE
from pyspark_mqx.source.writer import check_rows

#: Columns of an archive. Those that do not describe a message as it is put are not read.
_OF_AN_ARCHIVE = known_columns(journal=True)

#: The column of CSV with the text of a row that does not match the header; null for any other.
_MALFORMED = "_malformed"

#: Error for a message in an archive without its data.
_NO_DATA = "the archive does not have the data of its messages: it was written with --no-body, or of JOURNAL(YES)"


def read_input(spark: SparkSession, form: str, paths: list[str], where: str = "true") -> DataFrame:
    """Read files. form: ``parquet``, ``jsonl`` (our JSON lines), ``csv`` with a header of column names.

    where: condition in SQL on the columns of an archive, those of its folders included.

    Of an archive of events, only arrivals are read. A message without its data raises an error when it is read, as does
    a CSV file with another header than the first. Text that is not UTF-8 is in no column; the column
    ``rows.UNREADABLE`` of its row has the reason.
    """
    file = F.col("_metadata.file_path").alias("file")
    if form == "parquet":
        frame = spark.read.option("recursiveFileLookup", "true").parquet(*paths)
        if "event" in frame.columns:
            frame = messages_of(frame)
        names = frame.columns
        frame = _with_folders(frame).where(where)
        if "data_length" in frame.columns:
            frame = with_data(frame, _NO_DATA)
        own = [name for name in frame.columns if name in names or name == "data"]
        kept = [name for name in own if name in KNOWN or name not in _OF_AN_ARCHIVE] or own
        number = (F.col("_metadata.row_index") + 1).alias("row")
        return frame.select(*_payload_columns(kept), file, number, _unreadable())
    if form == "jsonl":
        is_text = F.is_valid_utf8("value")
        line = F.when(is_text, F.col("value")).alias(LINE)
        lines = spark.read.text(paths).select(line, file, _unreadable(F.when(~is_text, "the line is not UTF-8")))
        return _numbered(lines).where(F.col(LINE).isNull() | (F.trim(LINE) != ""))
    return _numbered(_read_csv(spark, paths, file))


def _with_folders(frame: DataFrame) -> DataFrame:
    """Return rows of an archive with the columns of its partition folders, from the paths of the files."""
    path = F.col("_metadata.file_path")
    names = [name for name in PARTITIONS if name not in frame.columns]
    # Twice: a path is a URI, and the names of folders are escaped.
    values = {name: F.url_decode(F.url_decode(F.regexp_extract(path, f"/{name}=([^/]*)/", 1))) for name in names}
    return frame.select("*", "_metadata", *(value.alias(name) for name, value in values.items()))


def without_reports(messages: DataFrame) -> DataFrame:
    """Return messages that request no reports: those that they requested were sent when they were first put."""
    if "report" not in messages.columns:
        return messages
    kinds = reduce(or_, (kind.mask for kind in REPORT_KINDS.values()))
    return messages.withColumn("report", F.col("report").bitwiseAND(~kinds))


def try_load(frame: DataFrame, job: LoadJob) -> tuple[int, list[Row]]:
    """Return how many rows a load would put, and file, row and reason of those that it would quarantine.

    Each batch is put and rolled back. Raises what a load raises.
    """
    found = frame.mapInArrow(partial(check_rows, job), "written long, file string, row long, reason string").collect()
    return sum(row.written or 0 for row in found), [row for row in found if row.written is None]


def _read_csv(spark: SparkSession, paths: list[str], file: Column) -> DataFrame:
    """Read CSV; mark as unreadable each row that has more or fewer values than the header."""
    table = spark.read.option("header", "true").option("multiLine", "true").option("escape", '"')
    table = table.option("nullValue", "\0").option("emptyValue", "").option("enforceSchema", "false")
    header = table.csv(paths).schema
    whole = StructType([*header.fields, StructField(_MALFORMED, StringType())])
    frame = table.schema(whole).option("columnNameOfCorruptRecord", _MALFORMED).csv(paths)
    names = _payload_columns(header.names)
    malformed = F.when(F.col(_MALFORMED).isNotNull(), "it has more or fewer values than the header")
    return frame.select(*names, file, _unreadable(F.coalesce(_not_utf8(spark, paths, names), malformed)))


def _payload_columns(names: list[str]) -> list[Column]:
    """Return the columns of a file, except those with reserved names."""
    return [F.col(_quoted(name)) for name in names if name not in ABOUT_ROW]


def _quoted(name: str) -> str:
    """Quote the name of a column."""
    return "`" + name.replace("`", "``") + "`"


def _unreadable(words: Column | None = None) -> Column:
    return (F.lit(None) if words is None else words).cast("string").alias(UNREADABLE)


def _not_utf8(spark: SparkSession, paths: list[str], names: list[Column]) -> Column:
    """Return a condition with words: true for a CSV row with bytes that are not UTF-8.

    Spark replaces such bytes by U+FFFD, which valid files may contain too: so it counts only in files with bytes that
    are not UTF-8.
    """
    lines = spark.read.text(paths).select("value", F.col("_metadata.file_path").alias("file"))
    files = [row.file for row in lines.where(~F.is_valid_utf8("value")).select("file").distinct().collect()]
    is_replaced = reduce(or_, (F.contains(name, F.lit("\ufffd")) for name in names), F.lit(False))
    return F.when(F.col("_metadata.file_path").isin(files) & is_replaced, "not all of the row is UTF-8")


def with_data(messages: DataFrame, words: str) -> DataFrame:
    """Return messages unchanged; one without its data ends the job. words: of the error."""
    data = F.col("data") if "data" in messages.columns else F.lit(None).cast("binary")
    there = data.isNotNull() | (F.col("data_length") == 0)
    return messages.withColumn("data", F.when(there, data).otherwise(F.raise_error(F.lit(words))))


def _numbered(frame: DataFrame) -> DataFrame:
    """Number the rows of each file, and sort by file and row."""
    order = Window.partitionBy("file").orderBy(F.monotonically_increasing_id())
    return frame.withColumn("row", F.row_number().over(order)).orderBy("file", "row")
