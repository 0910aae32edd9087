"""Records of a queue manager for tests: read them, and add them up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from mqtools.mqi.connection import Connection
from mqtools.mqi.statistics.intervals import write_statistics
from mqtools.operations.instrumentation_records import read_messages, read_record

MQI, QUEUES, ACCOUNT, QUEUE_ACCOUNT = "MQI statistics", "Queue statistics", "MQI accounting", "Queue accounting"


def records(connection: Connection, kind: str) -> list[dict[str, Any]]:
    """Return the records of a kind."""
    portions = read_messages(connection, is_accounting=kind in (ACCOUNT, QUEUE_ACCOUNT), removes=False)
    read = [read_record(message) for portion in portions for message in portion]
    return [record for record in read if record["record"] == kind]


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
