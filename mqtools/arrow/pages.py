"""Pages of a range: rows in key order, column by column, as Python values or Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

import pyarrow.compute as pc

from mqtools.store.database import Database
from mqtools.store.scans import scan
from mqtools.store.scans.columnar import ColumnarDatabase


class Page:
    """Some rows. columns: by name, each a sequence or an array; the first has the keys.

    differing: a bit for each constant column of the read, in order, that differs in some row.
    """

    __slots__ = ("columns", "differing", "first", "last", "number")

    def __init__(self, columns: dict[str, Any], differing: int) -> None:
        keys = next(iter(columns.values()))
        self.columns = columns
        self.differing = differing
        self.number = len(keys)
        self.first, self.last = int_of(keys[0]), int_of(keys[-1])

    def parts(self, most: int) -> Iterator[Page]:
        """Split the page so that each part has at most some bytes of data, or one message."""
        lengths = self.columns["data_length"]
        if total(lengths) <= most:
            yield self
            return
        begin = size = 0
        for n, length in enumerate(values_of(lengths)):
            if size + length > most and n > begin:
                yield self._part(begin, n)
                begin, size = n, 0
            size += length
        yield self._part(begin, self.number)

    def _part(self, begin: int, end: int) -> Page:
        return Page({name: values[begin:end] for name, values in self.columns.items()}, self.differing)


def pages(db: Database, wanted: scan.Scan, after: int, last: int, number: int, limit: int = -1) -> Iterator[Page]:
    """Yield pages of at most some rows, as ``scan.rows`` reads them. Raises StorageError."""
    names = (scan.key_name(wanted.table), *wanted.columns)
    if isinstance(db, ColumnarDatabase):
        for batch in scan.batches(db, wanted, after, last, number):
            *arrays, differences = batch.columns
            differs = pc.any(differences.cast("bool")).as_py()
            bits = reduce(or_, pc.unique(differences).to_pylist()) if differs else 0
            yield Page(dict(zip(names, arrays, strict=True)), bits)
    else:
        for rows in scan.rows(db, wanted, after, last, number, limit):
            *lists, differences = zip(*rows, strict=True)
            bits = reduce(or_, differences) if any(differences) else 0
            yield Page(dict(zip(names, lists, strict=True)), bits)


def int_of(value: Any) -> int:
    """Return a value of a sequence or of an array as an integer."""
    return value if isinstance(value, int) else int(value.as_py())


def values_of(values: Any) -> Sequence[Any]:
    """Return the values of a sequence or of an array as Python values."""
    return values if isinstance(values, (tuple, list)) else values.to_pylist()


def total(values: Any) -> int:
    """Return the sum of a sequence or of an array of integers."""
    return sum(values) if isinstance(values, (tuple, list)) else int(pc.sum(values).as_py())
