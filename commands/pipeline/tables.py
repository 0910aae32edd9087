"""Options of the jobs that append to a table of Delta or Iceberg, and tables among the sources of jobs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark_mqx.jobs.table_names import ICEBERG, TableName, TablePlace

from mqtools.operations.archive_files import DELTA_LOG, is_uri

from ..shared.command_session import UsageError
from .frames import check_writable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARQUET = "parquet"
#: Columns by which an archive is known.
_OF_AN_ARCHIVE = ("msg_id", "msg_type")
_NAME = "CATALOG.NAMESPACE.TABLE"


def place_of(place: str, to_format: str, staging: str | None) -> str | TablePlace:
    """Return the output of a job. staging: None for the folder of the table.  Raise UsageError."""
    if to_format == _PARQUET:
        if staging is not None:
            raise UsageError("--staging requires --to-format delta or iceberg")
        check_writable(place)
        if not is_uri(place) and os.path.isdir(os.path.join(place, DELTA_LOG)):
            raise UsageError(f"--to {place}: this is a table of Delta", "--to-format delta")
        return place
    if to_format == ICEBERG:
        parts = place.split(".")
        if len(parts) < 2 or not all(parts) or any(sign in place for sign in "/`"):
            raise UsageError(f"--to {place}: expected the name of a table of Iceberg, such as {_NAME}")
    elif not is_uri(place):
        _check_delta_folder(place)
        place = os.path.abspath(place)
        staging = staging or place
    if staging is None:
        raise UsageError(f"--to {place}: this requires --staging DIR, a local folder", "the same one for each run")
    check_writable(staging, "--staging")
    return TablePlace(TableName(to_format, place), os.path.abspath(staging))


def _check_delta_folder(place: str) -> None:
    """Raise UsageError for a folder that has other files."""
    check_writable(place)
    if os.path.isdir(place) and not os.path.isdir(os.path.join(place, DELTA_LOG)):
        visible = [name for name in sorted(os.listdir(place)) if not name.startswith((".", "_"))]
        if visible:
            raise UsageError(f"--to {place}: not a table of Delta: it has {visible[0]}", "use another folder")


def open_tables(spark: SparkSession, tables: tuple[TableName, ...]) -> tuple[set[str], int]:
    """Return the columns of archives that are tables, and how many rows they have.

    Raise UsageError for a table of something else, MQError where Spark does not have its format.
    """
    from pyspark_mqx.jobs.table_formats import open_table

    columns: set[str] = set()
    rows = 0
    for name in tables:
        table = open_table(spark, name)
        table.check()
        if not table.exists():
            raise UsageError(f"{name}: no such table")
        frame = table.frame()
        if missing := [column for column in _OF_AN_ARCHIVE if column not in frame.columns]:
            raise UsageError(f"{name}: not an archive of messages: it has no column {missing[0]}")
        columns.update(frame.columns)
        rows += frame.count()
    return columns, rows
