"""Rows of a query as Parquet on stdout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from mqtools.arrow.parquet import write

from . import command_session


def write_parquet(names: Sequence[str], tuples: Iterable[tuple[object, ...]]) -> None:
    """Write rows to stdout. A column with values of several types is text."""
    columns: Sequence[Sequence[Any]] = list(zip(*tuples, strict=True)) or [()] * len(names)
    table = pa.table([_array(values) for values in columns], names=list(names))
    sink = pa.BufferOutputStream()
    write(sink, table.schema, table.to_batches())
    command_session.write_out(sink.getvalue().to_pybytes())


def _array(values: Sequence[Any]) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and kinds != {int, float}:
        values = [value if value is None else str(value) for value in values]
    return pa.array(values, pa.float64() if kinds == {int, float} else None)
