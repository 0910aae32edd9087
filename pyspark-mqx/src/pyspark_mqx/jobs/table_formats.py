"""The table of a name, in its format."""

from __future__ import annotations

from pyspark.sql import SparkSession

from pyspark_mqx.jobs.delta_table import DeltaTable
from pyspark_mqx.jobs.iceberg_table import IcebergTable
from pyspark_mqx.jobs.table_names import DELTA, TableName
from pyspark_mqx.jobs.tables import Table


def open_table(spark: SparkSession, table: TableName) -> Table:
    """Return a table, which need not exist yet."""
    return (DeltaTable if table.form == DELTA else IcebergTable)(spark, table.name)
