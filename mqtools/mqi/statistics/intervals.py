"""Statistics of the queue manager, its queues and channels since the begin of the interval, which all programs share.

They are definitions. The first transaction that adds to them after the end of the interval writes them as messages
first. Each count is therefore in one message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mqtools.mqi import system_queues
from mqtools.mqi.statistics import records
from mqtools.mqi.statistics.tallies import Tally, add_tally
from mqtools.mqi.transaction import Work
from mqtools.rules.statistics import STATISTICS_CHANNEL, STATISTICS_MQI, STATISTICS_Q
from mqtools.store import objects, queues
from mqtools.store.account_ends import STATISTICS
from mqtools.store.database import Database

#: Kind of the statistics of channels. Those of the queue manager have the begin of the interval, in milliseconds since
#: 1970, and no name; those of a queue have the sums of all intervals, too.
CHANNEL_KIND = "channel_statistics"
#: Counters of a queue whose sums of all intervals are kept.
TOTALS = ("put_count", "put1_count", "put_bytes", "get_count", "get_bytes")

_ARRIVALS, _REMOVALS = ("put_count", "put1_count"), ("get_count", "expired_msg_count", "purge_count")


def add_statistics(work: Work, interval_s: int, calls: Tally | None, by_queue: Mapping[str, Tally]) -> None:
    """Add counters of calls and of queues. interval_s: STATINT, 0 for an interval that no time ends."""
    own = _begin_or_end(work, interval_s)
    if calls is not None:
        add_tally(own.setdefault("counts", {}), calls)
        objects.define(work.db, STATISTICS, "", own)
    for q_name, counts in by_queue.items():
        found = objects.definition(work.db, STATISTICS, q_name) or {}
        counts = {**counts, **_depths(work.db, q_name, counts, is_first="counts" not in found)}
        add_tally(found.setdefault("counts", {}), counts)
        add_tally(found.setdefault("totals", {}), {name: counts[name] for name in TOTALS if name in counts})
        objects.define(work.db, STATISTICS, q_name, found)


def add_channel_statistics(work: Work, interval_s: int, name: str, values: Mapping[str, object], counts: Tally) -> None:
    """Add the counters of a channel. values: what its record says of it."""
    _begin_or_end(work, interval_s)
    found = objects.definition(work.db, CHANNEL_KIND, name) or {"counts": {}}
    add_tally(found["counts"], counts)
    objects.define(work.db, CHANNEL_KIND, name, {"counts": found["counts"], "values": values})


def _begin_or_end(work: Work, interval_s: int) -> dict[str, Any]:
    """Return the statistics of the queue manager; write all of an interval that has ended, and begin another."""
    own = objects.definition(work.db, STATISTICS, "")
    if own is not None and (not interval_s or work.now_ms < own["since"] + interval_s * 1000):
        return own
    if own is not None:
        write_statistics(work)
    own = {"since": work.now_ms}
    objects.define(work.db, STATISTICS, "", own)
    return own


def write_statistics(work: Work) -> None:
    """Write the statistics as messages, and begin another interval; where nothing was counted, nothing is written."""
    own = objects.definition(work.db, STATISTICS, "")
    if own is None:
        return
    if "counts" in own:
        records.write_record(work, STATISTICS_MQI, own["since"], {}, own["counts"])
    groups = []
    for q_name in objects.names(work.db, STATISTICS):
        found = objects.definition(work.db, STATISTICS, q_name) or {}
        if q_name and "counts" in found:
            groups.append((queue_values(work.db, q_name), with_average_time(found["counts"], "avg_time_on_q")))
            objects.define(work.db, STATISTICS, q_name, {"totals": found["totals"]})
        if q_name and queues.by_name(work.db, q_name) is None:
            objects.delete(work.db, STATISTICS, q_name)
    records.write_groups(work, STATISTICS_Q, own["since"], {}, groups)
    channels = objects.definitions(work.db, CHANNEL_KIND)
    records.write_groups(work, STATISTICS_CHANNEL, own["since"], {}, [_of_channel(found) for found in channels])
    for name in objects.names(work.db, CHANNEL_KIND):
        objects.delete(work.db, CHANNEL_KIND, name)
    objects.define(work.db, STATISTICS, "", {"since": work.now_ms})


def queue_values(db: Database, q_name: str) -> dict[str, object]:
    """Return what a record says of a queue; of one that was deleted, its name."""
    found = system_queues.attributes(db, q_name)
    names = {"create_date": "creation_date", "create_time": "creation_time", "q_type": "q_type",
             "q_definition_type": "definition_type"}  # fmt: skip
    return {"q_name": q_name, **{name: found[own] for name, own in names.items() if own in found}}


def with_average_time(counts: Tally, name: str) -> Tally:
    """Return the counters of a queue with the average time on the queue, in microseconds."""
    times, gets = counts.get("time_on_q", [None, None]), counts.get("get_count", [None, None])
    return {**counts, name: [(time or 0) // (number or 1) for time, number in zip(times, gets, strict=True)]}


def _of_channel(found: dict[str, Any]) -> tuple[Mapping[str, object], Tally]:
    counts = found["counts"]
    batches = _sum(counts, ("full_batches", "incomplete_batches"))
    return found["values"], {**counts, "avg_batch_size": [_sum(counts, ("msg_count",)) // (batches or 1)]}


def _depths(db: Database, q_name: str, counts: Tally, *, is_first: bool) -> Tally:
    """Return the depth of a queue as its least and greatest; in the first transaction with that before it."""
    queue = queues.by_name(db, q_name)
    if queue is None:
        return {}
    depths = [queue.depth]
    if is_first:
        arrived, left = _sum(counts, _ARRIVALS), _sum(counts, _REMOVALS)
        depths.append(max(0, queue.depth - arrived + left))
    return {"q_depth_min": [min(depths)], "q_depth_max": [max(depths)]}


def _sum(counts: Tally, names: tuple[str, ...]) -> int:
    return sum(number or 0 for name in names for number in counts.get(name, ()))
