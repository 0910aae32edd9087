"""Records of a queue manager for tests: read them, and add them up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from mqtools.mqi.connection import Connection
from mqtools.mqi.statistics.intervals import write_statistics
from mqtools.operations.instrumentation_messages import browse
from mqtools.rules.statistics import ACCOUNTING_QUEUE, STATISTICS_QUEUE

MQI, QUEUES, CHANNELS = "MQI statistics", "Queue statistics", "Channel statistics"
ACCOUNT, QUEUE_ACCOUNT = "MQI accounting", "Queue accounting"


def records(connection: Connection, kind: str) -> list[dict[str, Any]]:
    """Return the records of a kind."""
    q_name = ACCOUNTING_QUEUE if kind in (ACCOUNT, QUEUE_ACCOUNT) else STATISTICS_QUEUE
    rows: Iterable[dict[str, Any]] = browse(connection, q_name)
    return [row["parameters"] for row in rows if row["event"] == kind]


def reset(connection: Connection) -> None:
    """Write the statistics of the interval."""
    with connection.work() as work:
        write_statistics(work)


def total(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Return the sums of the counters of records, lists added up."""
    sums: dict[str, int] = defaultdict(int)
    for row in rows:
        for name, value in row.items():
            if name.endswith(("_count", "_bytes")) and isinstance(value, (int, list)):
                sums[name] += sum(value) if isinstance(value, list) else value
    return sums


def of_queue(connection: Connection, kind: str, q_name: str = "Q") -> dict[str, int]:
    """Return the sums of the counters of a queue in the records of a kind."""
    groups = [group for record in records(connection, kind) for group in record["objects"]]
    return total(group for group in groups if group["q_name"] == q_name)
