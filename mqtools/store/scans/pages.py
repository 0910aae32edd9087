"""Pages of a queue as people turn them: every message in any state, both ways from any place.

A page is found by seeking in an index, however far from the beginning it is; nothing is counted to get there.
"""

from __future__ import annotations

from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages.delivery_order import STEP
from mqtools.store.messages.messages import completeness_on, held
from mqtools.store.messages.stored_message import COLUMNS, StoredMessage, from_row, seq_of

#: Place in a row of COLUMNS.
_ORDER_KEY = 4

_AVAILABLE = (
    "from messages indexed by messages_available"
    " where queue_id = :queue_id and completeness = :completeness and state = 1 and order_key"
)
_HELD = "from messages indexed by messages_held where queue_id = :queue_id and state <> 1 and order_key"

_BEHIND = f"select {COLUMNS} {_AVAILABLE} > :place order by order_key limit :limit"
_BEFORE = f"select {COLUMNS} {_AVAILABLE} < :place order by order_key desc limit :limit"
_HELD_BEFORE = f"select {COLUMNS} {_HELD} < :place order by order_key desc limit :limit"
_COUNT = f"select count(*) {_AVAILABLE} < :place"
_COUNT_HELD = f"select count(*) {_HELD} < :place"


def behind(db: Database, queue_id: int, place: int, limit: int) -> list[StoredMessage]:
    """Return the next messages behind an order key, in the order of delivery. Indexes: available, held."""
    found = [from_row(row) for row in _of_each(db, _BEHIND, queue_id, place, limit)]
    found += held(db, queue_id, after=place, limit=limit)
    found.sort(key=lambda stored: stored.order_key)
    return found[:limit]


def before(db: Database, queue_id: int, place: int, limit: int) -> list[StoredMessage]:
    """Return the last messages before an order key, in the order of delivery. Indexes: available, held."""
    rows = _of_each(db, _BEFORE, queue_id, place, limit)
    rows += db.all(_HELD_BEFORE, {"queue_id": queue_id, "place": place, "limit": limit})
    rows.sort(key=lambda row: int(row[_ORDER_KEY]))
    return [from_row(row) for row in rows[-limit:]]


def count_before(db: Database, queue_id: int, place: int) -> int:
    """Count the messages before an order key; the time grows with their number. Indexes: available, held."""
    rows = _of_each(db, _COUNT, queue_id, place, 1)
    rows += db.all(_COUNT_HELD, {"queue_id": queue_id, "place": place})
    return sum(row[0] for row in rows)


def _of_each(db: Database, statement: str, queue_id: int, place: int, limit: int) -> list[Row]:
    """Run a statement for each completeness that messages of the queue can have."""
    parameters = {"queue_id": queue_id, "place": place, "limit": limit}
    every = completeness_on(db, queue_id)
    return [row for value in every for row in db.all(statement, {**parameters, "completeness": value})]


def nth(db: Database, queue_id: int, place: int, away: int) -> int | None:
    """Return the order key of the message so many places behind an order key; None where there are fewer.

    away: negative for places before it, never 0.
    The time grows with the number of places, not with the depth. Indexes: available, held.
    """
    sign, direction = (">", "asc") if away > 0 else ("<", "desc")
    parts = [_AVAILABLE.replace(":completeness", str(value)) for value in completeness_on(db, queue_id)]
    union = " union all ".join(f"select order_key {part} {sign} :place" for part in (*parts, _HELD))
    statement = f"{union} order by order_key {direction} limit 1 offset :skipped"
    row = db.one(statement, {"queue_id": queue_id, "place": place, "skipped": abs(away) - 1})
    return None if row is None else int(row[0])


def priority_ranges(db: Database, queue_id: int) -> list[tuple[int, int]]:
    """Return first and last order key of each priority on a priority queue, of all messages on a FIFO queue.

    Belongs into a transaction of the caller. Indexes: available, held.
    """
    found = []
    first = behind(db, queue_id, -1, 1)
    while first:
        end = (first[0].order_key // STEP + 1) * STEP
        last = before(db, queue_id, end, 1)[0].order_key
        found.append((first[0].order_key, last))
        first = behind(db, queue_id, last, 1)
    return found


_PUT_AT = "select seq, put_at from messages where seq >= ? and seq < ? order by seq limit 1"


def first_since(db: Database, queue_id: int, at_ms: int) -> int | None:
    """Return the key of the first message that arrived at or after an instant; None where none has.

    at_ms: milliseconds since 1970. The numbers of arrival are halved until it is found; where the clock was set back,
    that is near the truth.
    """
    found = None
    low, high = seq_of(queue_id, 0), last_arrival(db, queue_id) + 1
    while low < high:
        middle = (low + high) // 2
        row = db.one(_PUT_AT, (middle, high))
        if row is not None and row[1] < at_ms:
            low = row[0] + 1
            continue
        high = middle
        if row is not None:
            found = int(row[0])
    return found


_ARRIVED = f"select {COLUMNS} from messages where seq > ? and seq < ? order by seq limit ?"  # noqa: S608


def arrived_after(db: Database, queue_id: int, seq: int, limit: int) -> list[StoredMessage]:
    """Return the messages that arrived after a message, in the order of arrival. seq: its key, 0 for none."""
    rows = db.all(_ARRIVED, (max(seq, seq_of(queue_id, 0)), seq_of(queue_id + 1, 0), limit))
    return [from_row(row) for row in rows]


def last_arrival(db: Database, queue_id: int) -> int:
    """Return the key of the message that arrived last; 0 when there is none."""
    return db.number(
        "select max(seq) from messages where seq > ? and seq < ?", (seq_of(queue_id, 0), seq_of(queue_id + 1, 0))
    )


def arrival_numbers(db: Database) -> dict[str, int]:
    """Return for each queue an upper bound of the messages that have arrived since it was defined."""
    rows = db.all("select name, last_number from queues join queue_status on queue_id = queues.id")
    return {row[0]: row[1] for row in rows}


def got_but_there(db: Database, queue_id: int) -> int:
    """Count the messages of uncommitted gets: they exist, and are not in the depth."""
    return db.number(
        "select count(*) from messages indexed by messages_holder"
        " where holder_id is not null and queue_id = ? and state in (3, 4)",
        (queue_id,),
    )
