"""The table of a name, in its format."""

from __future__ import annotations

from pyspark.sql import SparkSession

from mqtools.pipeline.jobs.delta_table import DeltaTable
from mqtools.pipeline.jobs.iceberg_table import IcebergTable
from mqtools.pipeline.jobs.table_names import DELTA, TableName
from mqtools.pipeline.jobs.tables import Table


def open_table(spark: SparkSession, table: TableName) -> Table:
    """Return a table, which need not exist yet."""
    return (DeltaTable if table.form == DELTA else IcebergTable)(spark, table.name)
