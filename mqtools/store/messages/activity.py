"""Activity of a queue in its journal: how many messages came and went over time, and the events beside an instant.

A message comes when it is put or its put is committed, and goes when it is removed for good. What an edit replaces does
neither. Events of version 3 of the schema, which have no states, do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqtools.store.database import Database

#: Events by which somebody gets a message: a program, or a channel that sends it.
_IS_GET = "event in ('get', 'channel_send')"
_COMES = (
    "(event not in ('backout', 'edit') and state_after is not null and (state_before is null or"
    " (state_before = 0 and state_after <> 0)))"
)
_GOES = "(event not in ('backout', 'edit') and state_after is null and state_before is not null)"
_OF_QUEUE = "from journal indexed by journal_queue where queue = :queue"


def latest(db: Database, q_name: str, number: int) -> tuple[int, int] | None:
    """Return number and time of the first of the latest events of a queue, None where it has no event."""
    row = db.one(
        f"select event_seq, event_at {_OF_QUEUE} and event_seq >= coalesce((select event_seq {_OF_QUEUE}"
        " order by event_seq desc limit 1 offset :number - 1), 0) order by event_seq limit 1",
        {"queue": q_name, "number": number},
    )
    return None if row is None else (row[0], row[1])


def bars(db: Database, q_name: str, first: int, begin_ms: int, span_ms: int, number: int) -> list[tuple[int, int, int]]:
    """Count what came and went in intervals of equal length: index, came and went, of those with an event.

    first: number of the first event that counts.  begin_ms, span_ms: begin and length of all intervals.
    """
    rows = db.all(
        "select max(0, min(:number - 1, (event_at - :begin) * :number / :span)) as bar,"
        f" total({_COMES}), total({_GOES}) {_OF_QUEUE} and event_seq >= :first group by bar",
        {"queue": q_name, "first": first, "begin": begin_ms, "span": span_ms, "number": number},
    )
    return [(row[0], int(row[1]), int(row[2])) for row in rows]


def event_until(db: Database, q_name: str, event_seq: int) -> int | None:
    """Return the time of the last event of a queue up to a number, None without one."""
    row = db.one(
        f"select event_at {_OF_QUEUE} and event_seq <= :last order by event_seq desc limit 1",
        {"queue": q_name, "last": event_seq},
    )
    return None if row is None else int(row[0])


def event_after(db: Database, q_name: str, event_seq: int) -> int | None:
    """Return the time of the first event of a queue behind a number, None without one."""
    row = db.one(
        f"select event_at {_OF_QUEUE} and event_seq > :after order by event_seq limit 1",
        {"queue": q_name, "after": event_seq},
    )
    return None if row is None else int(row[0])


def last_times(db: Database, q_name: str, first: int, last: int) -> tuple[int | None, int | None]:
    """Return when a message came last, and when one was got last, among the events between two numbers."""
    found = []
    for which in (_COMES, f"{_GOES} and {_IS_GET}"):
        row = db.one(
            f"select event_at {_OF_QUEUE} and event_seq >= :first and event_seq <= :last and {which}"
            " order by event_seq desc limit 1",
            {"queue": q_name, "first": first, "last": last},
        )
        found.append(None if row is None else int(row[0]))
    return found[0], found[1]
