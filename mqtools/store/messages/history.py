"""Extent of the journal of a queue: its levels, what retention has removed, and the orders of delivery."""

from __future__ import annotations

from mqtools.store.database import Database
from mqtools.store.messages import journal


def levels(db: Database, q_name: str) -> list[tuple[int, int, int]]:
    """List the values that the attribute JOURNAL of a queue has had: value, since when, number of the event before."""
    rows = db.all("select level, since, event_seq from journal_levels where queue = ? order by number", (q_name,))
    return [(row[0], row[1], row[2]) for row in rows]


def removed_at(db: Database) -> int:
    """Return the time of the latest removed event, 0 if all are kept."""
    return db.number("select removed_at from journal_status")


def last_until(db: Database, at_ms: int) -> int:
    """Return the number of the last event at or before an instant. Times do not go back with the numbers."""
    first = journal.first_event(db)
    if not first:
        return 0
    low, high = first - 1, journal.last_event(db)  # the answer is one of these and those between
    while low < high:
        middle = (low + high + 1) // 2
        row = db.one(
            "select event_seq, event_at from journal where event_seq <= ? order by event_seq desc limit 1", (middle,)
        )
        if row is None or row[1] <= at_ms:
            low = middle
        else:
            high = row[0] - 1
    return low


def was_by_priority(db: Database, q_name: str, at_ms: int) -> bool | None:
    """Return whether a queue was ordered by priority at an instant; None: as it is now."""
    row = db.one(
        "select by_priority from journal_orders where queue = ? and since > ? order by number limit 1", (q_name, at_ms)
    )
    return None if row is None else bool(row[0])


def note_order(db: Database, q_name: str, now_ms: int, *, by_priority: bool) -> None:
    """Record that the order of delivery of a queue changes. by_priority: whether it was by priority before."""
    db.run(
        "insert into journal_orders (queue, since, by_priority) values (?, ?, ?)", (q_name, now_ms, int(by_priority))
    )
