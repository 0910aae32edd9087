"""Read of queues into Arrow, without Spark: ``mqtools.arrow.read``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from mqtools.arrow.arrays import type_of
from mqtools.arrow.columns import MESSAGE, readable_columns
from mqtools.arrow.masks import Mask, mask_of
from mqtools.arrow.ranges import check_named, find_paths, ranges_of_file
from mqtools.arrow.read_options import Options, queue_conditions
from mqtools.arrow.reader import RowQuery, read_file
from mqtools.constants.states import UNLOCKED
from mqtools.predicates import Condition, Predicate
from mqtools.rules.selector.selector import compile_selector

#: Messages that any program could get.
AVAILABLE = (Condition("state", "=", UNLOCKED),)


def read(
    qmgr: str = "",
    queue: str = "",
    columns: Sequence[str] | None = None,
    selector: str | None = None,
    *,
    mask: Sequence[str] = (),
    alone: bool = False,
) -> pa.RecordBatchReader:
    """Return the messages of queues that any program could get, in the order of their keys.

    qmgr, queue: names or patterns, with commas; empty for the default queue manager, and for all its queues but
    SYSTEM.*.  columns: in their order, None for those of a message; ``text`` is the body as text.  selector: SQL-92,
    evaluated in the store.  mask: columns, and ``property:NAME``, that have a keyed digest instead of the value.
    alone: this process does not open the files otherwise meanwhile, which makes the read faster.
    Each queue manager is read as it is when its first batch is read.
    Raises ValueError for unknown columns, MQError for an unknown queue manager or queue, and for a selector with a
    mistake; reading raises Damaged.
    """
    options = replace(Options.parse({"qmgr": qmgr, "queue": queue, "selector": selector or ""}), mask=tuple(mask))
    schema = schema_of(MESSAGE if columns is None else columns)
    query = replace(query_of(options, schema, AVAILABLE, mask_of(mask)), is_alone=alone)
    compile_selector(options.selector)
    check_named(options)
    return pa.RecordBatchReader.from_batches(schema, batches(options, query))


def schema_of(names: Sequence[str] | dict[str, str]) -> pa.Schema:
    """Return the Arrow schema of columns of messages. Raises ValueError for an unknown column."""
    known = readable_columns(journal=False)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"unknown column: {', '.join(unknown)}; the columns are {', '.join(known)}")
    return pa.schema([(name, type_of(known[name])) for name in names])


def query_of(
    options: Options, schema: pa.Schema, conditions: Sequence[Predicate] = (), mask: Mask | None = None
) -> RowQuery:
    """Return the query of rows for the options of a read."""
    query = RowQuery(
        schema,
        options.table,
        [*conditions, *queue_conditions(options)],
        options.selector,
        damage=options.damage,
        verifies=options.verify,
    )
    return query if mask is None else replace(query, convert=mask.array)


def batches(options: Options, query: RowQuery) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a read, file by file."""
    for path in find_paths(options.qmgr):
        yield from read_file(path, lambda db: ranges_of_file(db, options), query)
