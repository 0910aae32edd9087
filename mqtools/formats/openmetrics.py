"""Metrics of queues, channels and disks as OpenMetrics text, for Prometheus and its relatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

GAUGE, COUNTER = "gauge", "counter"
Row = Mapping[str, object]


class Family(NamedTuple):
    """A metric. key: of its value in a row.  labels: key of a row to the label that it is."""

    key: str
    name: str
    about: str
    labels: Mapping[str, str]
    kind: str = GAUGE


_QUEUE, _CHANNEL = {"name": "queue"}, {"channel": "channel", "partner": "partner"}
#: Key of the state of a channel, and its values. Each is a sample: the textfile collector knows no sets of states.
_STATE = "state"
_CHANNEL_STATES = ("inactive", "binding", "running", "retrying", "stopping", "stopped", "indoubt")
#: Metrics in their order. A key that no row has is not exported; a row without the key, or with null there, has no
#: sample.
_FAMILIES = (
    *(
        Family(key, f"mqx_queue_{name}", about, _QUEUE)
        for key, name, about in (
            ("depth", "depth", "Messages on the queue, uncommitted puts included."),
            ("max_depth", "max_depth", "Messages the queue can hold."),
            ("percent_full", "percent_full", "Depth in percent of the maximum depth."),
            ("uncommitted", "uncommitted", "Uncommitted puts and gets."),
            ("locked", "locked", "Messages that are locked for browse."),
            ("oldest_age_s", "oldest_age_seconds", "Age of the oldest message in any state."),
            ("oldest_lock_s", "oldest_lock_seconds", "Age of the oldest lock."),
            ("oldest_uow_s", "oldest_uow_seconds", "Age of the oldest unit of work with messages of the queue."),
            ("without_lease", "without_lease", "Lock ids and confirm ids that have no lease."),
            ("open_input", "open_input", "Handles that have the queue open for input."),
            ("open_output", "open_output", "Handles that have the queue open for output."),
            ("last_put", "last_put_timestamp_seconds", "When the last message was put, Unix time."),
            ("last_get", "last_get_timestamp_seconds", "When the last get was, Unix time."),
        )
    ),
    *(
        Family(key, f"mqx_queue_{key}", about, _QUEUE, COUNTER)
        for key, about in (
            ("arrivals", "Messages that arrived on the queue by any way."),
            ("puts", "MQPUT and MQPUT1 calls, while STATQ was on."),
            ("gets", "Destructive MQGET calls, while STATQ was on."),
            ("put_bytes", "Bytes of data that were put, while STATQ was on."),
            ("get_bytes", "Bytes of data that gets returned, while STATQ was on."),
        )
    ),
    Family(_STATE, "mqx_channel_state", "1 for the state of the channel, else 0.", _CHANNEL),
    Family("messages", "mqx_channel_messages", "Messages, or calls of clients.", _CHANNEL, COUNTER),
    Family("bytes", "mqx_channel_bytes", "Bytes of the messages, or sent to clients.", _CHANNEL, COUNTER),
    Family("disk_free", "mqx_disk_free_bytes", "Free bytes of the disk of the queue manager.", {}),
    Family("disk_limit", "mqx_disk_free_limit_bytes", "Free bytes below which mqx warns (disk_free_limit).", {}),
    Family("puts_refused", "mqx_disk_full", "1 while the disk is full and puts are refused, else 0.", {}),
)
_UNITS = ("seconds", "bytes")


def exposition(rows: Sequence[Row], *, qmgr: str) -> Iterator[str]:
    """Write rows as OpenMetrics lines without their newlines, ``# EOF`` last.

    rows: of queues, with the keys of the JSON of ``qdepth`` and those of ``admin.metrics``; of channels; and of the
    disk. last_put and last_get are RFC 3339 texts. A row's own ``qmgr`` goes before the one given.
    """
    for family in _FAMILIES:
        listed = [row for row in rows if family.key in row and family.labels.keys() <= row.keys()]
        if not listed:
            continue
        yield f"# TYPE {family.name} {family.kind}"
        unit = family.name.rpartition("_")[2]
        if unit in _UNITS:
            yield f"# UNIT {family.name} {unit}"
        yield f"# HELP {family.name} {family.about}"
        for row in listed:
            labels = {"qmgr": row.get("qmgr", qmgr), **{label: row[key] for key, label in family.labels.items()}}
            if family.key == _STATE:
                for state in _CHANNEL_STATES:
                    yield _line(family.name, {**labels, _STATE: state}, str(int(row[family.key] == state)))
                continue
            sample = _sample(row[family.key])
            if sample is not None:
                yield _line(family.name + "_total" * (family.kind == COUNTER), labels, sample)
    yield "# EOF"


def _line(name: str, labels: Mapping[str, object], sample: str) -> str:
    pairs = [f'{label}="{_escaped(str(value))}"' for label, value in labels.items()]
    return f"{name}{{{','.join(pairs)}}} {sample}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


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
