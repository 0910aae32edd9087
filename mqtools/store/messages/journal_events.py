"""Events of the journal by the identifiers of their messages, and what else is known of those messages now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages import queue_events
from mqtools.store.messages.journal import COPY_OF, last_counted
from mqtools.store.messages.stored_message import COLUMNS, ID_INDEXES, StoredMessage, from_row

#: Identifiers that find a message, each with its index of the messages.

#: The events whose ids are not in journal_ids yet: a few hundred.
_IS_NEW = "event_seq > (select counted from journal_status where id = 1)"

_OF_MESSAGE = (
    "msg_id, correl_id, group_id, msg_type, feedback, report, format, backout_count, user_identifier, put_appl_name,"
    " put_at, expires_at"
)
_EVENT = (
    f"event_seq, event_at, event, holder, appl_name, outcome, queue, seq, state_before, state_after, held_at, undone,"
    f" detail, {_OF_MESSAGE}"
)
_M = ", ".join(f"m.{name.strip()}" for name in _OF_MESSAGE.split(","))

#: Events that record the state of a queue instead of a change.
SNAPSHOTS = ("recorded",)

#: Most events of one identifier, and most candidates for a prefix, that are read.
MOST_EVENTS, _MOST_CANDIDATES = 1_000_000, 12

#: Events that are read at a time.
_PAGE = 4096


@dataclass(slots=True)
class Event:
    """An event of the journal of a queue manager, with what a trace needs of its message.

    event_seq: 0 for what is uncommitted now, and for a message on a queue without an event.
    event_at, held_at, put_at, expires_at: milliseconds since 1970; put_at is the arrival on the queue.  outcome:
    MQRC_*.
    state_before, state_after: None where the message was not, or is no longer, on the queue.
    """

    event_seq: int
    event_at: int
    event: str
    holder: str
    appl_name: str
    outcome: int
    queue: str
    seq: int
    state_before: int | None
    state_after: int | None
    held_at: int | None
    undone: str | None
    detail: str | None
    msg_id: bytes
    correl_id: bytes | None
    group_id: bytes | None
    msg_type: int
    feedback: int
    report: int
    format: str
    backout_count: int
    user_identifier: str
    put_appl_name: str
    put_at: int
    expires_at: int | None = None
    qmgr: str = ""


def of_ids(db: Database, field: str, ids: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of the messages with one of some identifiers. Index: the key of journal_ids."""
    for each in ids:
        yield from (Event(*row) for row in _with_id(db, _EVENT, f"{field} = ?1", each))


def replays_of_ids(db: Database, ids: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of replays that gave a new id to a message with one of some ids."""
    for each in ids:
        which = f"event = 'replay' and instr(detail, '{COPY_OF}{each.hex().upper()}') > 0"
        yield from (Event(*row) for row in _with_id(db, _EVENT, which, each))


def messages_of_id(db: Database, field: str, value: bytes) -> list[StoredMessage]:
    """List the messages of the events with an identifier, once for each event. Index: the key of journal_ids."""
    return [from_row(row) for row in _with_id(db, COLUMNS, f"{field} = ?1", value)]


def _with_id(db: Database, columns: str, which: str, value: bytes) -> list[Row]:
    """Return the rows of the events that have an identifier. which: SQL, in which ?1 is the identifier."""
    statement = (
        f"select {columns} from journal where {which} and event_seq in"  # noqa: S608 - our own names
        f" (select event_seq from journal_ids where id = ?1 limit {MOST_EVENTS})"
        f" union all select {columns} from journal where {_IS_NEW} and {which}"
    )
    return db.all(statement, (value,))


@dataclass(slots=True)
class Step:
    """An event with what statistics need of it. event_at, put_at: milliseconds since 1970."""

    event_seq: int
    event_at: int
    event: str
    seq: int
    state_before: int | None
    state_after: int | None
    msg_id: bytes
    put_at: int


_STEP = "event_seq, event_at, event, seq, state_before, state_after, msg_id, put_at"


def steps_of_queue(db: Database, q_name: str, first: int) -> Iterator[Step]:
    """Yield the events of a queue from a number on, page after page."""
    while page := queue_events.select(db, _STEP, q_name, first, limit=_PAGE):
        yield from (Step(*row) for row in page)
        first = page[-1][0] + 1


def first_whole(db: Database, event_seq: int) -> int:
    """Return a number up to the given one. The indexes of identifiers have every event before it."""
    return min(event_seq, last_counted(db) + 1)


def steps_of_message(db: Database, msg_id: bytes, seq: int, before: int) -> list[Step]:
    """List the events of a message before a number of ``first_whole``. Index: the key of journal_ids."""
    columns = ", ".join(f"j.{name}" for name in _STEP.split(", "))
    rows = db.all(
        f"select {columns} from journal_ids as i cross join journal as j on j.event_seq = i.event_seq"  # noqa: S608
        " where i.id = ? and i.event_seq < ? and j.seq = ? order by i.event_seq",
        (msg_id, before, seq),
    )
    return [Step(*row) for row in rows]


def held_of_ids(db: Database, field: str, ids: Iterable[bytes]) -> Iterator[Event]:
    """Yield what is uncommitted now of the messages with one of some identifiers, as events without a number."""
    statement = (
        "select 0, p.held_at, p.event, p.holder, p.appl_name, p.outcome, p.queue, m.seq,"
        f" iif(m.state = 0, null, m.state - 2), m.state, p.held_at, null, p.detail, {_M} {_on_queues(field)}"
        " join journal_pending as p on p.seq = m.seq"
    )
    for each in ids:
        yield from (Event(*row) for row in db.all(statement, (each,)))


def on_queues(db: Database, field: str, ids: Iterable[bytes]) -> list[Event]:
    """List the messages on queues that have one of some identifiers, each as an event without a name."""
    statement = (
        "select 0, m.put_at, '', '', m.put_appl_name, 0, q.name, m.seq, null, m.state, null, null, null,"
        f" {_M} {_on_queues(field)}"
    )
    return [Event(*row) for each in ids for row in db.all(statement, (each,))]


def _on_queues(field: str) -> str:
    index = ID_INDEXES[field]
    return (
        "from queues as q cross join messages as m indexed by"
        f" {index} on q.q_type = 1 and m.queue_id = q.id and m.{field} = ?"
    )


def ids_between(db: Database, low: bytes, high: bytes) -> set[bytes]:
    """Return identifiers of messages from one on and up to another, both included; a few of them if there are many."""
    statements = [f"select distinct id from journal_ids where id >= ? and id <= ? limit {_MOST_CANDIDATES}"]  # noqa: S608
    for field, index in ID_INDEXES.items():
        statements += [
            f"select distinct {field} from journal where {_IS_NEW} and {field} >= ? and {field} <= ?"  # noqa: S608
            f" limit {_MOST_CANDIDATES}",
            f"select distinct m.{field} from queues as q cross join messages as m indexed by {index}"  # noqa: S608
            f" on q.q_type = 1 and m.queue_id = q.id and m.{field} >= ? and m.{field} <= ? limit {_MOST_CANDIDATES}",
        ]
    return {bytes(row[0]) for statement in statements for row in db.all(statement, (low, high))}


def levels(db: Database) -> dict[str, list[tuple[int, int]]]:
    """Return for each queue the values that its attribute JOURNAL has had, each with since when."""
    found: dict[str, list[tuple[int, int]]] = {}
    for name, level, since in db.all("select queue, level, since from journal_levels order by number"):
        found.setdefault(name, []).append((level, since))
    return found
