"""Parquet files of batches: private to their user, and under their name only when they are complete."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from mqtools.arrow.whole_files import write_whole
from mqtools.operations.batches import in_batches

#: Bytes of a row group, before compression.
_GROUP = 64_000_000


def write_file(path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, replaces: bool) -> int:
    """Write a file, flushed to disk; return the number of rows. Without rows no file is made.

    replaces: as for ``write_whole``.
    """
    return write_whole(path, lambda file: write(file, schema, batches), replaces=replaces)


def write(sink: Any, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write batches to a binary file; return the number of rows."""
    rows = 0
    with ParquetWriter(sink, schema, store_schema=False) as writer:
        for batch in join(batches):
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def join(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join batches to ones that make a row group of a good size."""
    groups = in_batches(((batch, batch.nbytes) for batch in batches), sys.maxsize, _GROUP)
    return map(pa.concat_batches, groups)
