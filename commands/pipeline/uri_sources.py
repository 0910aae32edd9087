"""Archives of Spark jobs below URIs: found and checked through Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_mqx.jobs.archive_files import ArchiveFile, in_parallel, spark_path
from pyspark_mqx.jobs.hadoop_files import HadoopFiles
from pyspark_mqx.jobs.places import files_at, find_uri, uri_file
from pyspark_mqx.jobs.table_names import TableName

from mqtools.errors import MQError

from ..shared.command_session import UsageError
from .quarantine import QuarantineSummary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark_mqx.jobs.hadoop_files import Files


#: Columns by which an archive is known, and what to say where they are not there.
OF_AN_ARCHIVE = ("msg_id", "msg_type")
ARCHIVES = "mqx pipeline archive --to DIR creates an archive"


def open_uri(
    spark: SparkSession, word: str, aside: QuarantineSummary
) -> tuple[list[ArchiveFile], list[TableName], set[str], int]:
    """Return the files of the archives that a URI names, or a pattern of URIs, and tables of Delta.

    Then the columns of the files, and how many rows they have.

    Files that a log names are taken as they landed; of others the footers are read. With a quarantine each file is read
    to its end, and one that cannot be read is left out. Raise UsageError where there is no archive, MQError.
    """
    found: list[ArchiveFile] = []
    columns: set[str] = set()
    tables: list[TableName] = []
    rows = 0
    for uri in HadoopFiles(spark, word).expand() or [word]:
        files = files_at(spark, uri)
        there = find_uri(files)
        tables += there.tables
        if not there.files and not there.others and not there.tables:
            raise UsageError(f"{uri}: no Parquet files of an archive below this URI", ARCHIVES)
        columns |= there.columns
        rows += there.rows
        found += _readable(spark, files, there.files, aside)
        for name, (names, number) in _footers(files, there.others, aside).items():
            if missing := [column for column in OF_AN_ARCHIVE if column not in names]:
                raise UsageError(f"{uri}: not an archive of messages: {name} has no column {missing[0]}", ARCHIVES)
            columns.update(names)
            rows += number
            found += _readable(spark, files, [name], aside)
    return found, tables, columns, rows


def _footers(files: Files, names: list[str], aside: QuarantineSummary) -> dict[str, tuple[list[str], int]]:
    """Return columns and rows of files, without those that are set aside."""

    def read(name: str) -> tuple[list[str], int] | MQError:
        try:
            return files.footers([name])[0]
        except MQError as error:
            return error

    footers = {}
    for name, footer in zip(names, in_parallel(read, names), strict=True):
        if isinstance(footer, MQError):
            aside.leave_out(files.path(name), footer)
        else:
            footers[name] = footer
    return footers


def _readable(spark: SparkSession, files: Files, names: list[str], aside: QuarantineSummary) -> list[ArchiveFile]:
    """Return files; with a quarantine only those that Spark can read to their end."""
    if aside.folder is None:
        return [uri_file(files, name) for name in names]
    found = []
    for name in names:
        file = uri_file(files, name)
        try:
            spark.read.parquet(spark_path(file.path)).write.format("noop").mode("overwrite").save()
        except Exception as error:
            if not type(error).__module__.startswith(("pyspark", "py4j")):
                raise
            aside.leave_out(file.path, UsageError("the Parquet file is incomplete or damaged"))
        else:
            found.append(file)
    return found
