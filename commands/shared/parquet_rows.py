"""Rows of a query as Parquet on stdout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import RawIOBase
from itertools import islice
from typing import Any

import pyarrow as pa

from mqtools.arrow.parquet import write

from . import command_session

#: Rows that are converted together.
_ROWS = 10_000
_TYPES = {int: pa.int64(), float: pa.float64(), bytes: pa.binary(), str: pa.string()}


class _Stdout(RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        command_session.write_out(bytes(data), flush=False)
        return len(data)


def write_parquet(names: Sequence[str], rows: Iterable[tuple[object, ...]]) -> None:
    """Write rows to stdout in batches. A column with values of several types is text. rows: are read twice."""
    kinds: list[set[type]] = [set() for _ in names]
    for row in rows:
        for kind, value in zip(kinds, row, strict=True):
            kind.add(type(value))
    schema = pa.schema(list(zip(names, map(_type_of, kinds), strict=True)))
    write(_Stdout(), schema, _batches(schema, iter(rows)))


def _type_of(kinds: set[type]) -> pa.DataType:
    found = kinds - {type(None)}
    if found == {int, float}:
        return pa.float64()
    return pa.null() if not found else _TYPES[found.pop()] if len(found) == 1 else pa.string()


def _batches(schema: pa.Schema, rows: Iterator[tuple[object, ...]]) -> Iterator[pa.RecordBatch]:
    while some := list(islice(rows, _ROWS)):
        columns = zip(*some, strict=True)
        arrays = [_array(values, kind) for values, kind in zip(columns, schema.types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.string():
        values = [value if value is None else str(value) for value in values]
    return pa.array(values, kind)
