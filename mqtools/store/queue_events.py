"""Activity of a queue, and the attributes that its performance events obey and change."""

from __future__ import annotations

from collections.abc import Mapping
from json import loads
from typing import Any

from mqtools.store import Row
from mqtools.store.database import Database


def activity(db: Database, queue_id: int) -> Row:
    """Read depth, last_number, and the time of the last get, in ms since 1970; None for an empty queue.

    The first put to the empty queue and the start of the queue manager count as a get.
    """
    row = db.one(
        "select depth, last_number, iif(depth > 0, max(coalesce(last_get_at, 0), coalesce("
        "  (select put_at from messages where seq >= :first and seq < :end order by seq limit 1), 0),"
        "  coalesce((select json_extract(attributes, '$.started_at') from qmgr), 0)), null)"
        " from queue_status where queue_id = :id",
        {"id": queue_id, "first": queue_id << 40, "end": (queue_id + 1) << 40},
    )
    return row or (0, 0, None)


def event_attributes(db: Database, queue_id: int) -> dict[str, Any]:
    """Read the attributes of a queue that its performance events obey, by name; empty where it has been deleted."""
    row = db.one("select name, max_q_depth, attributes from queues where id = ?", (queue_id,))
    return {} if row is None else {"name": row[0], "max_q_depth": row[1], **loads(row[2])}


def set_event_attributes(db: Database, queue_id: int, values: Mapping[str, int]) -> None:
    """Change attributes in JSON that an event changes, where they differ."""
    for name, value in values.items():
        db.run(
            "update queues set attributes = json_set(attributes, '$.' || ?1, ?2)"
            " where id = ?3 and json_extract(attributes, '$.' || ?1) is not ?2",
            (name, value, queue_id),
        )
