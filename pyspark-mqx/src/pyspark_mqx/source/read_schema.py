"""Schema of a read: check of the columns that a query names, and the same schema for Arrow.

Names of columns are case-insensitive, as in Spark: the store has lower-case ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from mqtools.arrow import columns
from mqtools.arrow.arrays import type_of

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


def check_schema(schema: StructType, *, journal: bool) -> None:
    """Check that all columns exist and have the right types. Raises ValueError that names the others.

    A column of another type would be rejected row by row, as damaged. A struct may have fewer fields.
    """
    known = {name: kind.replace(" ", "") for name, kind in columns.readable_columns(journal=journal).items()}
    unknown = [name for name in schema.names if name.lower() not in known]
    if unknown:
        raise ValueError(f"unknown column: {', '.join(unknown)}; the columns are {', '.join(known)}")
    for field in schema.fields:
        kind, wanted = field.dataType.simpleString(), known[field.name.lower()]
        if kind != wanted and not _fields(kind) < _fields(wanted):
            raise ValueError(f"column {field.name} has type {wanted}, not {kind}")


def _fields(kind: str) -> set[str]:
    return set(kind.removeprefix("struct<").removesuffix(">").split(","))


def arrow_schema(schema: StructType) -> pa.Schema:
    """Return the schema of batches of the store."""
    return pa.schema([pa.field(each.name.lower(), type_of(each.dataType.simpleString())) for each in schema.fields])


def as_named(batches: Iterable[pa.RecordBatch], schema: StructType) -> Iterator[pa.RecordBatch]:
    """Yield batches with the names of columns exactly as Spark checks them."""
    for batch in batches:
        yield batch.rename_columns(schema.names)
