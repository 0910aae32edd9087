"""Read of archives without Spark's own Parquet and Delta: ``spark.read.format("mqx").option("archive", PLACE)``.

It reaches what ``deltalake`` reaches, with the credentials of the environment, and needs no jar.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql.datasource import DataSourceReader, InputPartition

from pyspark_mqx.source.object_store import archive_files, file_system
from pyspark_mqx.source.read_schema import arrow_schema, as_named, check_schema

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_ROWS = 4096
#: Columns that are folders of an archive.
_FOLDERS = ("qmgr", "queue")


class ArchiveReader(DataSourceReader):
    """Reader of the Parquet files of an archive; a column that a file does not have is null."""

    def __init__(self, uri: str, schema: StructType) -> None:
        self.uri = uri
        self.schema = schema
        check_schema(schema, journal=True)

    def partitions(self) -> list[InputPartition]:
        """Plan a task for each file."""
        return [InputPartition(name) for name in archive_files(self.uri)] or [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read one file."""
        name = partition.value
        if name is None:
            return
        schema = arrow_schema(self.schema)
        folders = ds.partitioning(pa.schema([field for field in schema if field.name in _FOLDERS]), flavor="hive")
        rows = ds.dataset([name], schema, "parquet", filesystem=file_system(self.uri), partitioning=folders)
        yield from as_named(rows.to_batches(batch_size=_ROWS), self.schema)
