"""Queue depths and disk space as OpenMetrics text, for Prometheus and its relatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

#: Key of a ``qdepth`` row, gauge, what it says. A key that is absent is not exported; a row without the key,
#: or with null there, has no sample.
_GAUGES = (
    ("depth", "mqx_queue_depth", "Messages on the queue, uncommitted puts included."),
    ("max_depth", "mqx_queue_max_depth", "Messages the queue can hold."),
    ("percent_full", "mqx_queue_percent_full", "Depth in percent of the maximum depth."),
    ("uncommitted", "mqx_queue_uncommitted", "Uncommitted puts and gets."),
    ("locked", "mqx_queue_locked", "Messages that are locked for browse."),
    ("oldest_age_s", "mqx_queue_oldest_age_seconds", "Age of the oldest message, whatever its state."),
    ("oldest_lock_s", "mqx_queue_oldest_lock_seconds", "Age of the oldest lock."),
    ("oldest_uow_s", "mqx_queue_oldest_uow_seconds", "Age of the oldest unit of work with messages of the queue."),
    ("without_lease", "mqx_queue_without_lease", "Lock ids and confirm ids that have no lease."),
    ("open_input", "mqx_queue_open_input", "Handles that have the queue open for input."),
    ("open_output", "mqx_queue_open_output", "Handles that have the queue open for output."),
    ("last_put", "mqx_queue_last_put_timestamp_seconds", "When the last message was put, Unix time."),
    ("last_get", "mqx_queue_last_get_timestamp_seconds", "When the last get removed a message, Unix time."),
)

#: The same of queue managers.
_QMGR_GAUGES = (
    ("disk_free", "mqx_disk_free_bytes", "Free bytes of the disk of the queue manager."),
    ("disk_limit", "mqx_disk_free_limit_bytes", "Free bytes below which mqx warns (disk_free_limit)."),
    ("puts_refused", "mqx_disk_full", "1 while the disk is full and puts are refused, else 0."),
)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _labels(row: dict[str, object], qmgr: str) -> str:
    owner = f'qmgr="{_escaped(str(row.get("qmgr", qmgr)))}"'
    return f'{owner},queue="{_escaped(str(row["name"]))}"' if "name" in row else owner


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


def exposition(
    rows: Iterable[dict[str, object]], *, qmgr: str, q_mgr_rows: Iterable[dict[str, object]] = ()
) -> Iterator[str]:
    """Write rows of ``qdepth`` as OpenMetrics lines without their newlines, ``# EOF`` last.

    rows: keys as in the JSON of ``qdepth``; last_put and last_get are RFC 3339 texts.
    A row's own ``qmgr`` goes before the one given.  q_mgr_rows: one for each queue manager: qmgr, disk_free,
    disk_limit, puts_refused.
    """
    queues, q_mgrs = list(rows), list(q_mgr_rows)
    for (key, metric, about), listed in (
        *((gauge, queues) for gauge in _GAUGES),
        *((gauge, q_mgrs) for gauge in _QMGR_GAUGES),
    ):
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
