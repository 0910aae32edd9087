"""View of queues as they were at an instant, made from the present and the journal's events since.

An event has the message as it was before it. So a message was, at an instant, as the first event after it says; one
without such an event is as it is now, or was not there. The journal keeps nothing extra for it, and what is older than
the journal is shown too. The view is made of temporary tables in front of those of the file, which is only read; bodies
are read from it one by one.

No state of the file is kept, so that a reader that is paused does not keep its log. Invariant: ``sources`` says where
the bodies are in the state that a block reads; what the journal has got since the last block is added as one begins.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import re

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import StorageError
from mqtools.store import Parameters, Row, sql_files
from mqtools.store.database import Database
from mqtools.store.definition_cache import DefinitionCache
from mqtools.store.failures import storage_error
from mqtools.store.messages import journal
from mqtools.store.messages.delivery_order import STEP
from mqtools.store.messages.queue_events import END, PARTS
from mqtools.store.messages.stored_message import COLUMNS
from mqtools.store.queues import Queue

#: Tables and views of the schema that are temporary here; all others are the file's.
_TEMPORARY = frozenset(
    (
        *("messages", "logical_messages", "groups", "group_members", "group_arrivals", "group_departures"),
        *("group_settlements", "queue_status", "holders", "marks"),
    )
)
_TABLE = r"create (table|view) (\w+)"
_ON_TABLE = r"create (?:unique )?(?:index|trigger) \w+ (?:\w+ )*?on (\w+)"

#: sources: of each message the event (0: the present row) that has it as it was, its state (-1: it was not there), and
#: whether it is in a group.
_PREPARE = """
create temp table sources (
    seq integer primary key, queue_id integer not null, event_seq integer not null, state integer not null,
    is_grouped integer not null
);
create temp view message_chunks as
    select o.seq as seq, 0 as number, j.data as data from sources as o cross join main.journal as j
        on j.event_seq = o.event_seq where j.data is not null
    union all select o.seq, c.number, c.data from sources as o cross join main.journal_chunks as c
        on c.event_seq = o.event_seq
    union all select o.seq, 0, m.data from sources as o cross join main.messages as m
        on m.seq = o.seq where o.event_seq = 0 and m.data is not null
    union all select o.seq, c.number, c.data from sources as o cross join main.message_chunks as c
        on c.seq = o.seq where o.event_seq = 0;
insert into temp.queue_status select * from main.queue_status;
update temp.queue_status set depth = 0, uncommitted = 0, waiters = 0, marks = 0, grouped = 0, locked = 0,
    last_put_at = null, last_get_at = null;
"""

#: State at an instant of what was uncommitted from ``held_at`` on, in the state ``{now}``: before, a put was not there.
_STATE = (
    "case when {now} is null then -1 when {held_at} is null or {held_at} <= :at then {now} when {now} = 0 then -1"
    " else {now} - 2 end"
)
_INTO_SOURCES = "insert or ignore into sources select {name}.seq, :queue_id, {event}, {state}, {name}.group_id not null"
#: The first event of a message is the one that counts.
_FROM_EVENTS = tuple(
    _INTO_SOURCES.format(name="journal", event="event_seq", state=_STATE.format(held_at="held_at", now="state_before"))
    + f" {part} order by {number}"
    for part, number in PARTS
)
_FROM_PRESENT = (
    _INTO_SOURCES.format(name="m", event="0", state=_STATE.format(held_at="p.held_at", now="m.state"))
    + " from main.messages as m indexed by {index} left join main.journal_pending as p on p.seq = m.seq"
    " where m.queue_id = :queue_id and {which}"
)
_AVAILABLE = _FROM_PRESENT.format(index="messages_available", which="m.state = 1")
_HELD = _FROM_PRESENT.format(index="messages_held", which="m.state <> 1")

#: Where the stored value is not that of the instant. A put that was not confirmed had the place of its arrival.
_NUMBER = "iif(o.state = 0, m.seq & ((1 << 40) - 1), m.order_key & :numbers)"
_VALUES = {
    "queue_id": ":queue_id",
    "state": "o.state",
    "completeness": "iif(m.group_id is null, m.completeness, 1 + (m.completeness - 1) / 3 * 3)",
    "order_key": f"{_NUMBER} + :by_priority * :step * (9 - min(max(m.priority, 0), 9))",
    "holder_id": "null",
    "lock_id": "null",
}
_SELECTED = ", ".join(_VALUES.get(name, f"m.{name}") for name in COLUMNS.split(", "))
_INSERT = (
    f"insert into temp.messages ({COLUMNS}, checksum) select {_SELECTED}, m.checksum"  # noqa: S608 - column names only
    " from sources as o cross join main."
)
_WHICH = "where o.queue_id = :queue_id and o.state >= 0 and o.is_grouped = :is_grouped and o.event_seq"
_INSERT_EVENTS = f"{_INSERT}journal as m on m.event_seq = o.event_seq {_WHICH} > 0 order by o.seq"
_INSERT_PRESENT = f"{_INSERT}messages as m on m.seq = o.seq {_WHICH} = 0 order by o.seq"

#: A later event has the message as it was, and takes precedence over the message itself.
_FOLLOW = (
    "update temp.sources set event_seq = j.event_seq from (select seq, min(event_seq) as event_seq from main.journal"
    " where event_seq > ? group by seq) as j where sources.seq = j.seq and sources.event_seq = 0"
)

_COUNT = (
    "update temp.queue_status set"
    " depth = (select count(*) from messages where state in (0, 1, 2, 5) and queue_id = :queue_id),"
    " uncommitted = (select count(*) from messages where state in (0, 3, 4) and queue_id = :queue_id),"
    " locked = (select count(*) from messages where state = 2 and queue_id = :queue_id)"
    " where queue_id = :queue_id"
)


def _temporary_schema() -> tuple[list[str], list[str]]:
    """Return the statements that make the temporary tables and their triggers, and those of the indexes of messages."""
    tables: list[str] = []
    indexes: list[str] = []
    for statement in (*sql_files.statements("schema.sql"), *sql_files.statements("groups.sql")):
        made, on = re.match(_TABLE, statement), re.match(_ON_TABLE, statement)
        if (made and made[2] in _TEMPORARY) or (on and on[1] in _TEMPORARY and statement.startswith("create trigger")):
            tables.append(statement.replace("create ", "create temp ", 1))
        elif on and on[1] in _TEMPORARY:
            is_late = on[1] == "messages" and "messages_delayed" not in statement  # which the counters of a queue need
            (indexes if is_late else tables).append(statement.replace("index ", "index temp.", 1))
    return tables, indexes


class Past(Database):
    """A file open to be read, with queues as they were in front of its tables.

    It has only the messages of the shown queues, without holders and waiters.
    """

    __slots__ = ("_first_event", "_indexes", "_last_event", "_seen", "_shown_at")

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self._seen = self._first_event = 0
        self._last_event = self._shown_at = -1
        super().__init__(path, read_only=read_only)

    def prepare(self) -> None:
        """Make the temporary tables."""
        try:
            self.sql.execute("pragma temp_store = memory")
            tables, self._indexes = _temporary_schema()
            for statement in tables:
                self.sql.execute(statement)
            for statement in _PREPARE.split(";\n"):
                self.sql.execute(statement)
        except sqlite3.Error as error:
            raise storage_error(error, self.path) from error

    def show(self, queue: Queue, at_ms: int, first: int, last: int | None, *, by_priority: bool) -> None:
        """Show a queue as it was.

        at_ms: the instant.  first: number of the last event until then.  last: of the event up to which the journal
        is whole from there, None where it is so to the present.  by_priority: its order of delivery then.
        """
        about: dict[str, object] = {
            "queue": queue.name,
            "queue_id": queue.id,
            "at": at_ms,
            "first": first + 1,
            "last": END if last is None else last,
            "numbers": STEP - 1,
            "step": STEP,
            "by_priority": int(by_priority),
        }
        for statement in _FROM_EVENTS:
            self.run(statement, about)
        if last is None:
            self.run(_AVAILABLE, about)
            self.run(_HELD, about)
        self._insert({**about, "is_grouped": 0})
        for statement in (_INSERT_EVENTS, _INSERT_PRESENT):  # the triggers of groups need the indexes
            self.run(statement, {**about, "is_grouped": 1})
        self.run(_COUNT, about)
        self.known = DefinitionCache()
        self._begin_to_follow()

    def all(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """Run a query and return all its rows."""
        with self.reading():
            return super().all(statement, parameters)

    def one(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query and return its first row, or None."""
        with self.reading():
            return super().one(statement, parameters)

    def begin_reading(self) -> None:
        """Begin a block in which all queries see one state of the file. Raises StorageError as ``_follow``."""
        super().begin_reading()
        if self.blocks == 1 and self._last_event >= 0:
            try:
                self._follow()
            except BaseException:
                self.end_block(keep=False, writing=False)
                raise

    def begin_writing(self) -> None:
        """Begin a transaction on the temporary tables."""
        self.begin_reading()

    def end_block(self, *, keep: bool, writing: bool) -> None:  # noqa: ARG002 - nothing is written to the file
        """End a block."""
        super().end_block(keep=keep, writing=False)

    def _undo(self) -> None:
        super()._undo()
        self._seen, self._last_event = -1, self._shown_at  # what it had followed is undone too

    def _begin_to_follow(self) -> None:
        """Note what the shown messages need of the journal, in the block in which they were looked for."""
        self._seen = self.version()
        self._shown_at = self._last_event = journal.last_event(self)
        row = self.one("select min(event_seq) from sources where event_seq > 0")
        self._first_event = 0 if row is None or row[0] is None else int(row[0])

    def _follow(self) -> None:
        """Follow messages that have changed or gone since the last block: the event of that has them as they were.

        Raises StorageError when the journal no longer has an event that is needed.
        """
        version = self.version()
        if version == self._seen:
            return
        oldest, last = journal.span(self)
        if self._first_event and self._first_event < oldest:
            raise StorageError(
                f"{self.path}: the journal no longer has what is shown",
                MQRC_OBJECT_CHANGED,
                hint="JRNLAGE and JRNLSIZE of the queue manager keep events longer",
            )
        self.run(_FOLLOW, (self._last_event,))
        self._seen, self._last_event = version, last

    def _insert(self, about: dict[str, object]) -> None:
        """Insert the messages of a queue that are in no group; an index is made faster from all of them."""
        self.run(_INSERT_EVENTS, about)
        self.run(_INSERT_PRESENT, about)
        while self._indexes:
            self.run(self._indexes.pop())

    def interrupt(self) -> None:
        """End the statement that another thread runs, which raises StorageError."""
        self.sql.interrupt()

    def close(self, *, waits: bool = True) -> None:
        """Close the file. waits: as for ``Database.close``."""
        if self.in_transaction:
            self.sql.execute("rollback")
        super().close(waits=waits)
