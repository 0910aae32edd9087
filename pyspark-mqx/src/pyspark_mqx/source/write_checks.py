"""Checks of a write to a queue: its columns, its put times, and its target, which is a queue and not a table."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark import TaskContext

from mqtools.arrow.columns import known_columns
from mqtools.arrow.read_options import NO_TABLE
from pyspark_mqx.source.rows import ABOUT_ROW, KNOWN

#: Local properties of a task: its query, the one that runs that, and the stream.
_QUERIES = ("spark.sql.execution.id", "spark.sql.execution.root.id", "sql.streaming.queryId")


def check_no_table(context: TaskContext | None) -> None:
    """Check that a task does not write for a query that creates a table, as ``saveAsTable`` does. Raises ValueError.

    Spark passes the same options as for ``save``. Only the queries differ: one that creates a table runs the write as
    another, as each batch of a stream does. Without these properties nothing is refused.
    """
    query, outer, stream = ("", "", "") if context is None else map(context.getLocalProperty, _QUERIES)
    if outer and outer != query and not stream:
        raise ValueError(f"{NO_TABLE}; save() in place of saveAsTable() puts the rows on a queue")


def check_put_at(names: Sequence[str], *, keeps_context: bool) -> None:
    """Check that written put times are kept. Raises ValueError."""
    if "put_at" in names and not keeps_context:
        raise ValueError(
            "column put_at: the option keepcontext (true) makes it the put date and time of the messages; without it"
            " drop the column"
        )


def check_columns(names: Sequence[str]) -> None:
    """Check that every column has a meaning, and one belongs to messages. Raises ValueError.

    Columns of an archive that do not belong to the message, its queue and its time of arrival, are ignored.
    """
    known = {*KNOWN, *ABOUT_ROW, *known_columns(journal=True)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"unknown column: {', '.join(unknown)}; the columns are {', '.join(sorted(KNOWN))}")
    if KNOWN.isdisjoint(names):
        raise ValueError(f"no column belongs to a message: {', '.join(names)}")
