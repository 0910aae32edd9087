"""Arrivals in the journal of a queue, to put them again, and how far each replay has come."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.store.database import Database
from mqtools.store.messages import queue_events
from mqtools.store.messages.stored_message import COLUMNS, StoredMessage, from_row

#: Events of an arrival. A row of version 3 has no states; a move was one event of both queues then.
_COME = "'put', 'dead_letter', 'report', 'channel_receive', 'move', 'copy', 'replay'"
#: What came for good: at once, or with the commit.
_ARRIVED = (
    f"(event in ({_COME}) and ((state_after = 1 and coalesce(state_before, 0) = 0)"
    " or (state_before is null and state_after is null and event <> 'move')))"
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event of an arrival. at_ms: milliseconds since 1970.  stored: the message, without its data."""

    event_seq: int
    at_ms: int
    stored: StoredMessage


@dataclass(slots=True)
class Progress:
    """How far a replay has come.

    position: the last event that was put again.  last_event: the last one to put.  messages: put so far.
    """

    job_id: str
    queue: str
    target: str
    position: int
    last_event: int
    messages: int


def arrivals(db: Database, q_name: str, after: int, last: int, limit: int) -> list[Arrival]:
    """Read the arrivals on a queue behind an event up to another, in the order of the commits."""
    columns = f"event_seq, event_at, {COLUMNS}"
    rows = queue_events.select(db, columns, q_name, after + 1, last, limit=limit, which=_ARRIVED)
    return [Arrival(row[0], row[1], from_row(row[2:])) for row in rows]


def lacks_bodies(db: Database, q_name: str, after: int, last: int) -> bool:
    """Return whether an arrival on a queue behind an event up to another has no data."""
    which = f"{_ARRIVED} and not has_body"
    return bool(queue_events.select(db, "1", q_name, after + 1, last, limit=1, which=which))


def find(db: Database, job_id: str) -> Progress | None:
    """Return how far a replay has come; None for one that was not begun."""
    row = db.one(
        "select job_id, queue, target, position, last_event, messages from replays where job_id = ?", (job_id,)
    )
    return None if row is None else Progress(*row)


def write(db: Database, progress: Progress) -> None:
    """Write how far a replay has come."""
    db.run(
        "insert or replace into replays (job_id, queue, target, position, last_event, messages)"
        " values (:job_id, :queue, :target, :position, :last_event, :messages)",
        {name: getattr(progress, name) for name in Progress.__slots__},
    )
