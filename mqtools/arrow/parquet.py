"""Parquet files of batches: private to their user, and under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

#: Bytes of a row group, before compression.
_GROUP = 64_000_000


def write_file(path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, replaces: bool) -> int:
    """Write a file, flushed to disk; return the number of rows. Without rows no file is made.

    replaces: an existing file, or a link, is replaced; else it raises FileExistsError.
    """
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.{os.urandom(8).hex()}")
    rows = 0
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            rows = write(file, schema, batches)
            file.flush()
            os.fsync(file.fileno())
        if rows and replaces:
            os.replace(draft, path)
        elif rows:
            os.link(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
    return rows


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
    kept: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        kept.append(batch)
        size += batch.nbytes
        if size >= _GROUP:
            yield pa.concat_batches(kept)
            kept, size = [], 0
    if kept:
        yield pa.concat_batches(kept)
