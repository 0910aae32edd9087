"""Metrics of a queue manager besides the depths: counters of its queues, channels, and the room on its disk."""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.admin import channel_status
from mqtools.admin.room_checks import measure_room
from mqtools.mqi.statistics.intervals import TOTALS
from mqtools.store import objects, queues
from mqtools.store.account_ends import STATISTICS
from mqtools.store.source import Source


def queue_counters(source: Source, q_name: str) -> Mapping[str, object]:
    """Return the counters of a queue: arrivals, and those that its statistics have collected, with STATQ(ON)."""
    queue = queues.by_name(source.db, q_name)
    if queue is None:
        return {}
    totals = (objects.definition(source.db, STATISTICS, q_name) or {}).get("totals")
    counters: dict[str, object] = {"arrivals": queue.last_number}
    if totals is not None:
        found = {name: sum(number or 0 for number in totals.get(name, ())) for name in TOTALS}
        counters |= {
            "puts": found["put_count"] + found["put1_count"],
            "gets": found["get_count"],
            "put_bytes": found["put_bytes"],
            "get_bytes": found["get_bytes"],
        }
    return counters


def channel_rows(source: Source) -> list[dict[str, object]]:
    """Return a row for each channel and its partner; instances of a client from one place are one row."""
    found: dict[tuple[str, str], dict[str, object]] = {}
    for status in channel_status.statuses(source):
        before = found.get((status.name, status.peer), {"messages": 0, "bytes": 0})
        found[status.name, status.peer] = {
            "channel": status.name,
            "partner": status.peer,
            "state": status.state,
            "messages": int(str(before["messages"])) + status.messages,
            "bytes": int(str(before["bytes"])) + status.bytes,
        }
    return list(found.values())


def disk_row(source: Source) -> dict[str, object]:
    """Return what the gauges of the disk of a queue manager show. Raises as ``measure_room``."""
    room = measure_room(source)
    return {"disk_free": room.free, "disk_limit": room.limit, "puts_refused": room.is_low}
