"""Events of one queue in the journal, in the order of their numbers.

Events are entered in the table journal_queues many at a time, behind the transaction that wrote them. The few hundred
that are not there yet are the last ones, and are read by their numbers.
"""

from __future__ import annotations

from mqtools.store import Row
from mqtools.store.database import Database

#: Behind the number of every event.
END = (1 << 63) - 1

_ENTERED = (
    "from journal_queues as x cross join journal on event_seq = x.number"
    " where x.q_name = :queue and x.number >= :first and x.number <= :last"
)
_NEW = (
    "from journal where event_seq > (select counted from journal_status where id = 1)"
    " and event_seq >= :first and event_seq <= :last and queue = :queue"
)
#: The two parts of the events of a queue, and what each is ordered by. Parameters: queue; first, last: numbers.
PARTS = ((_ENTERED, "x.number"), (_NEW, "event_seq"))


def select(
    db: Database,
    columns: str,
    q_name: str,
    first: int = 0,
    last: int = END,
    *,
    limit: int,
    which: str = "true",
    backwards: bool = False,
) -> list[Row]:
    """Return the rows of some events of a queue, in the order of their numbers.

    columns, which: SQL.  first, last: numbers, both included.  limit: of the rows.  backwards: the last ones first.
    """
    found: list[Row] = []
    direction = "desc" if backwards else "asc"
    with db.reading():
        for part, number in reversed(PARTS) if backwards else PARTS:
            found += db.all(
                f"select {columns} {part} and {which} order by {number} {direction} limit :limit",
                {"queue": q_name, "first": first, "last": last, "limit": limit - len(found)},
            )
            if len(found) >= limit:
                break
    return found


def first_of_last(db: Database, q_name: str, number: int) -> int | None:
    """Return the number of the first of the last events of a queue, None without events. number: of those events."""
    with db.reading():
        about: dict[str, object] = {"queue": q_name, "first": 0, "last": END, "limit": number}
        new = db.all(f"select event_seq {_NEW} order by event_seq desc limit :limit", about)
        if len(new) < number:
            entered = "select number from journal_queues where q_name = ? order by number"
            row = db.one(f"{entered} desc limit 1 offset ?", (q_name, number - len(new) - 1))
            row = row or db.one(f"{entered} limit 1", (q_name,))
            new += [row] if row else []
    return int(new[-1][0]) if new else None


def totals(db: Database, columns: str, q_name: str, first: int, others: dict[str, object], group_by: str) -> list[Row]:
    """Return the rows of a query that groups the events of a queue from a number on: those of each part.

    others: its parameters.
    """
    about = {**others, "queue": q_name, "first": first, "last": END}
    with db.reading():
        return [row for part, _ in PARTS for row in db.all(f"select {columns} {part} group by {group_by}", about)]
