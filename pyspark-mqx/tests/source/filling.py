"""Messages on the queues of a file, and reads of them without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mqtools.arrow.queue_reader import query_of, schema_of
from mqtools.arrow.ranges import cut, plan
from mqtools.arrow.read_options import Options
from mqtools.arrow.reader import read_file
from mqtools.predicates import Condition


def fill(qm: Any, number: int = 10) -> list[bytes]:
    """Put messages on Q and R; return their data in the order in which they are read."""
    sent = [b"%s %d" % (queue, n) for queue in (b"Q", b"R") for n in range(number)]
    for each in sent:
        qm.put(each, each[:1].decode())
    return sent


def read_rows(
    path: str, *names: str, conditions: Sequence[Condition] = (), is_alone: bool = False, **options: str
) -> list[dict[str, Any]]:
    """Read columns of the messages or events of files."""
    given = Options.parse({"qmgr": path, **options})
    query = replace(query_of(given, schema_of(names), conditions), is_alone=is_alone)
    rows: list[dict[str, Any]] = []
    for span in cut(plan(given), given.partitions):
        for batch in read_file(span.path, lambda _, span=span: [span], query):
            assert batch.schema == query.schema
            rows += batch.to_pylist()
    return rows
