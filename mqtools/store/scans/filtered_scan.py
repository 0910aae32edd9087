"""Filtered scan of a queue in batches of a limited number of messages: a predicate may match one in a million.

The end of a batch is found by counting in the index alone. So a batch takes about the same time whatever it finds,
and between two of them no transaction is open, unless the caller has one.
"""

from __future__ import annotations

from _operator import itemgetter  # what ``operator`` has it from, without its functions in Python
from collections.abc import Iterator, Sequence

from mqtools.predicates import Predicate
from mqtools.records import OptionRecord
from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import seq_of
from mqtools.store.scans.predicates import Clause

#: FROM clause, and its parameters.
Walk = tuple[str, dict[str, object]]

_AVAILABLE = (
    "from messages as m indexed by messages_available"
    " where queue_id = :queue_id and completeness = :completeness and state = 1"
    " and order_key > :after and order_key < :end"
)
_HELD = (
    "from messages as m indexed by messages_held"
    " where queue_id = :queue_id and state <> 1 and order_key > :after and order_key < :end"
)
_ARRIVED = "from messages as m not indexed where seq > :first and seq <= :last"
_in_order = itemgetter(0)

#: Column of the data where it is short, else null: a batch may find thousands of messages.
SHORT_DATA = "iif(data_length <= 4096, data, null)"
#: Its checksum: that of long data follows the data in the row, and would cost as much to read.
SHORT_CHECKSUM = "iif(data_length <= 4096, checksum, null)"

#: Messages read in the first batch and in the longest; matches in a batch that stop the growth.
_FIRST, _LONGEST, _ENOUGH = 64, 8192, 512


class ScanBatch(OptionRecord):
    """One batch of a filtered scan.

    rows: order key and the columns that were requested, in the order of delivery.  end: order key up to which all has
    been read, None at the end of the queue.  looked_at: number of messages read.
    """

    rows: list[Row]
    end: int | None
    looked_at: int


class QueueScan(OptionRecord):
    """Query of a filtered scan of a queue.

    columns: names with commas between.  held: also what is locked or uncommitted.  completeness: values, None for any.
    priority: no other.
    """

    queue_id: int
    predicate: Predicate
    columns: str
    held: bool = False
    completeness: Sequence[int] | None = None
    priority: int | None = None


def scan_batches(db: Database, scan: QueueScan, after: int = -1) -> Iterator[ScanBatch]:
    """Yield the batches of a queue to its end; see ``scan_batch``.

    Batches grow while little is found: the first message is found soon, and a long scan has few batches.
    """
    places = _FIRST
    place: int | None = after
    while place is not None:
        found = scan_batch(db, scan, place, places)
        place = found.end
        if len(found.rows) < _ENOUGH:
            places = min(2 * places, _LONGEST)
        yield found


def scan_batch(db: Database, scan: QueueScan, after: int, places: int) -> ScanBatch:
    """Find what matches a predicate among the next messages in the order of delivery, in one state of the file.

    Indexes: available, held.
    after: order key to begin behind.  places: how many to read, of each completeness.
    """
    with db.reading():
        walks = _walks(db, scan, after)
        end = min(_ends(db, walks, places), default=None)
        until = {} if end is None else {"end": end + 1}
        clause = Clause()
        wanted = clause.sql(scan.predicate)
        found = ScanBatch([], end, 0)
        for walk, parameters in walks:
            limits = {**parameters, **until}
            found.looked_at += db.all(f"select count(*) {walk}", limits)[0][0]
            statement = f"select order_key, {scan.columns} {walk} and {wanted} order by order_key"
            found.rows += db.all(statement, {**limits, **clause.parameters})
    found.rows.sort(key=_in_order)
    return found


def arrivals(db: Database, queue_id: int, predicate: Predicate, columns: str, *, after: int, last: int) -> list[Row]:
    """Find what matches a predicate among the arrivals behind a number up to another in any state.

    Gives the columns that were requested, in the order of arrival.
    """
    clause = Clause()
    limits = {"first": seq_of(queue_id, after), "last": seq_of(queue_id, last)}
    statement = f"select {columns} {_ARRIVED} and {clause.sql(predicate)} order by seq"
    return db.all(statement, {**limits, **clause.parameters})


def _ends(db: Database, walks: list[Walk], places: int) -> Iterator[int]:
    """Return the order keys where the walks have passed a number of places; nothing for shorter walks."""
    for walk, limits in walks:
        statement = f"select order_key {walk} order by order_key limit 1 offset :places - 1"
        for row in db.all(statement, {**limits, "places": places}):
            yield row[0]


def _walks(db: Database, scan: QueueScan, after: int) -> list[Walk]:
    """Return the walks through the indexes that make up the order of delivery, each with its limits."""
    bounds: dict[str, object] = {"after": after, "end": messages.END}
    if scan.priority is not None:
        bounds = messages.bounds_of_priority(db, scan.queue_id, scan.priority, after)
    limits = {"queue_id": scan.queue_id, **bounds}
    every = messages.completeness_on(db, scan.queue_id) if scan.completeness is None else scan.completeness
    walks = [(_AVAILABLE, {**limits, "completeness": value}) for value in every]
    return [*walks, (_HELD, limits)] if scan.held else walks
