"""Overview of the local queues for display: depth and status, what is special about each, and what is held on it."""

from __future__ import annotations

from typing import Any

from mqtools.admin.depths import depths
from mqtools.constants.objects import MQUS_TRANSMISSION
from mqtools.store import queues
from mqtools.store.database import Database


def overview(db: Database) -> list[dict[str, Any]]:
    """Return one row for each local queue that the file contains, as ``depths`` does, with more fields.

    inhibit_put, inhibit_get, is_transmission, is_dead_letter: of the definition.
    """
    dead_letter_q_name = queues.qmgr(db).dead_letter_q_name
    return [_with_state(db, row, dead_letter_q_name) for row in depths(db, (), has_system=True)]


def _with_state(db: Database, row: dict[str, Any], dead_letter_q_name: str) -> dict[str, Any]:
    queue = queues.by_name(db, row["name"])
    return {
        **row,
        "inhibit_put": queue is not None and bool(queue.inhibit_put),
        "inhibit_get": queue is not None and bool(queue.inhibit_get),
        "is_transmission": queue is not None and queue.usage == MQUS_TRANSMISSION,
        "is_dead_letter": row["name"] == dead_letter_q_name,
    }
