"""Queue depths as OpenMetrics text, for Prometheus and its relatives."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Key of a ``qdepth`` row, gauge, what it says. A key that is absent is not exported; a row without the key,
#: or with null there, has no sample.
_GAUGES = (
    ("depth", "mqx_queue_depth", "Messages on the queue, uncommitted puts included."),
    ("max_depth", "mqx_queue_max_depth", "Messages the queue can hold."),
    ("percent_full", "mqx_queue_percent_full", "Depth in percent of the maximum depth."),
    ("uncommitted", "mqx_queue_uncommitted", "Uncommitted puts and gets."),
    ("oldest_age_s", "mqx_queue_oldest_age_seconds", "Age of the oldest message."),
    ("open_input", "mqx_queue_open_input", "Handles that have the queue open for input."),
    ("open_output", "mqx_queue_open_output", "Handles that have the queue open for output."),
    ("last_put", "mqx_queue_last_put_timestamp_seconds", "When the last message was put, Unix time."),
    ("last_get", "mqx_queue_last_get_timestamp_seconds", "When the last message was got, Unix time."),
)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _labels(row: dict[str, object], qmgr: str) -> str:
    owner, queue = str(row.get("qmgr", qmgr)), str(row.get("name", ""))
    return f'qmgr="{_escaped(owner)}",queue="{_escaped(queue)}"'


def _sample(value: object) -> str | None:
    """Return a number as it is, an RFC 3339 time as Unix time; None for anything else."""
    if isinstance(value, (int, float)):
        return str(int(value) if isinstance(value, bool) else value)
    if not isinstance(value, str):
        return None
    try:
        return str(datetime.fromisoformat(value).timestamp())
    except ValueError:
        return None


def exposition(rows: Iterable[dict[str, object]], *, qmgr: str) -> Iterator[str]:
    """Write rows of ``qdepth`` as OpenMetrics lines without their newlines, ``# EOF`` last.

    rows: keys as in the JSON of ``qdepth``; last_put and last_get are RFC 3339 texts.
    A row's own ``qmgr`` goes before the one given.
    """
    listed = list(rows)
    for key, metric, about in _GAUGES:
        if not any(key in row for row in listed):
            continue
        yield f"# TYPE {metric} gauge"
        if metric.endswith("_seconds"):
            yield f"# UNIT {metric} seconds"
        yield f"# HELP {metric} {about}"
        for row in listed:
            sample = _sample(row.get(key))
            if sample is not None:
                yield f"{metric}{{{_labels(row, qmgr)}}} {sample}"
    yield "# EOF"
