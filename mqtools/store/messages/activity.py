"""Activity of a queue in its journal: how many messages came and went over time, and the events around an instant.

A message comes when it is put or its put is committed, and goes when it is removed for good. An edit does neither.
Where the trash gives a message back in exchange for its edited version, one comes and one goes.
Events of version 3 of the schema, which have no states, do not count.
"""

from __future__ import annotations

from typing import Any

from mqtools.store.database import Database
from mqtools.store.messages import queue_events

#: Events of a get: by a program, or by a channel that sends the message.
_IS_GET = "event in ('get', 'channel_send')"
_COMES = (
    "(event not in ('backout', 'edit') and state_after is not null and (state_before is null or"
    " (state_before = 0 and state_after <> 0)))"
)
_GOES = (
    "((event not in ('backout', 'edit') or (event = 'edit' and detail like 'replaced by %'))"
    " and state_after is null and state_before is not null)"
)


def latest(db: Database, q_name: str, number: int) -> tuple[int, int] | None:
    """Return number and time of the first of the latest events of a queue, None where it has no event."""
    first = queue_events.first_of_last(db, q_name, number)
    row = None if first is None else db.one("select event_seq, event_at from journal where event_seq = ?", (first,))
    return None if row is None else (row[0], row[1])


def bars(db: Database, q_name: str, first: int, begin_ms: int, span_ms: int, number: int) -> list[tuple[int, int, int]]:
    """Count what came and went in intervals of equal length: index, came and went, of those with an event.

    first: number of the first event that counts.  begin_ms, span_ms: begin and length of all intervals.
    """
    found: dict[int, tuple[int, int]] = {}
    for bar, came, went in queue_events.totals(
        db,
        "max(0, min(:number - 1, (event_at - :begin) * :number / :span)) as bar,"
        f" cast(total({_COMES}) as integer), cast(total({_GOES}) as integer)",
        q_name,
        first,
        {"begin": begin_ms, "span": span_ms, "number": number},
        "bar",
    ):
        before = found.get(bar, (0, 0))
        found[bar] = before[0] + came, before[1] + went
    return [(bar, *counts) for bar, counts in found.items()]


def event_until(db: Database, q_name: str, event_seq: int) -> int | None:
    """Return the time of the last event of a queue up to a number, None without one."""
    return _first_time(db, q_name, last=event_seq, backwards=True)


def event_after(db: Database, q_name: str, event_seq: int) -> int | None:
    """Return the time of the first event of a queue behind a number, None without one."""
    return _first_time(db, q_name, event_seq + 1)


def last_times(db: Database, q_name: str, first: int, last: int) -> tuple[int | None, int | None]:
    """Return the times of the last arrival and the last get among the events between two numbers."""
    last_put = _first_time(db, q_name, first, last, which=_COMES, backwards=True)
    return last_put, _first_time(db, q_name, first, last, which=f"{_GOES} and {_IS_GET}", backwards=True)


def _first_time(db: Database, q_name: str, *span: int, **how: Any) -> int | None:
    """Return the time of the first of some events of a queue, None without one. span, how: of ``queue_events``."""
    rows = queue_events.select(db, "event_at", q_name, *span, limit=1, **how)
    return int(rows[0][0]) if rows else None
