"""Read of archives without Spark's own Parquet and Delta: ``spark.read.format("mqx").option("archive", PLACE)``.

It reaches what ``deltalake`` reaches, with the credentials of the environment, and needs no jar.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSourceReader, InputPartition

from pyspark_mqx.source.object_store import archive_files, file_system
from pyspark_mqx.source.read_schema import arrow_schema, as_named, check_schema

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_ROWS = 4096


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
        parts = {key: unquote(value) for key, _, value in (part.partition("=") for part in name.split("/")[:-1])}
        schema = arrow_schema(self.schema)
        with pq.ParquetFile(file_system(self.uri).open_input_file(name)) as file:
            there = [column for column in schema.names if column in file.schema_arrow.names]
            for batch in file.iter_batches(_ROWS, columns=there):
                arrays = [_column(field, batch, parts) for field in schema]
                yield from as_named([pa.RecordBatch.from_arrays(arrays, schema=schema)], self.schema)


def _column(field: pa.Field, batch: pa.RecordBatch, parts: dict[str, Any]) -> pa.Array:
    if field.name in batch.schema.names:
        return batch[field.name].cast(field.type)
    value = parts.get(field.name)
    return pa.nulls(batch.num_rows, field.type) if value is None else pa.repeat(pa.scalar(value), batch.num_rows)
