"""In-memory view of queues as they were at an instant, made from the present and the journal's events since.

An event has the message as it was before it. So a message was, at an instant, as the first event after it says; one
without such an event is as it is now, or was not there. The journal keeps nothing extra for it, and what is older than
the journal is shown too. Bodies stay in the file and are read from it one by one.
"""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from mqtools.store.addresses import address
from mqtools.store.database import Database
from mqtools.store.failures import storage_error
from mqtools.store.messages.delivery_order import STEP
from mqtools.store.messages.stored_message import COLUMNS
from mqtools.store.queues import columns
from mqtools.store.schema.sql_files import read_sql

if TYPE_CHECKING:
    from mqtools.store.queues import Queue

#: Tables that are as they are now.
_PRESENT = ("qmgr", "queues", "queue_status", "objects")

#: The memory has the schema of a file, the file is ``was``. origins: of each message the event (0: the present row)
#: that has it as it was, its state (-1: it was not there), and whether it is in a group.
_PREPARE = f"""
pragma main.journal_mode = off;
{read_sql("schema.sql")}
drop table message_chunks;
drop table journal;
drop table journal_chunks;
drop table journal_pending;
drop table journal_levels;
drop table journal_orders;
drop table journal_status;
create temp table origins (
    seq integer primary key, queue_id integer not null, event_seq integer not null, state integer not null,
    is_grouped integer not null
);
create temp view message_chunks as
    select o.seq as seq, 0 as number, j.data as data from origins as o cross join was.journal as j
        on j.event_seq = o.event_seq where j.data is not null
    union all select o.seq, c.number, c.data from origins as o cross join was.journal_chunks as c
        on c.event_seq = o.event_seq
    union all select o.seq, 0, m.data from origins as o cross join was.messages as m
        on m.seq = o.seq where o.event_seq = 0 and m.data is not null
    union all select o.seq, c.number, c.data from origins as o cross join was.message_chunks as c
        on c.seq = o.seq where o.event_seq = 0;
"""  # noqa: S608 - our own text

#: State at an instant of what was uncommitted from ``held_at`` on, in the state ``{now}``: before, a put was not there.
_STATE = (
    "case when {now} is null then -1 when {held_at} is null or {held_at} <= :at then {now} when {now} = 0 then -1"
    " else {now} - 2 end"
)
_INTO_ORIGINS = "insert or ignore into origins select {name}.seq, :queue_id, {event}, {state}, {name}.group_id not null"
#: The first event of a message is the one that counts.
_FROM_EVENTS = (
    _INTO_ORIGINS.format(name="j", event="j.event_seq", state=_STATE.format(held_at="j.held_at", now="j.state_before"))
    + " from was.journal as j indexed by journal_queue"
    " where j.queue = :queue and j.event_seq > :first and j.event_seq <= :last order by j.event_seq"
)
_FROM_PRESENT = (
    _INTO_ORIGINS.format(name="m", event="0", state=_STATE.format(held_at="p.held_at", now="m.state"))
    + " from was.messages as m indexed by {index} left join was.journal_pending as p on p.seq = m.seq"
    " where m.queue_id = :queue_id and {which}"
)
_AVAILABLE = _FROM_PRESENT.format(index="messages_available", which="m.state = 1")
_HELD = _FROM_PRESENT.format(index="messages_held", which="m.state <> 1")

#: Where the stored value is not that of the instant. A put that was not confirmed had the place of its arrival.
_NUMBER = "iif(o.state = 0, m.seq & ((1 << 40) - 1), m.order_key & :numbers)"
_VALUES = {
    "queue_id": ":queue_id",
    "state": "o.state",
    "standing": "iif(m.group_id is null, m.standing, 1 + (m.standing - 1) / 3 * 3)",
    "order_key": f"{_NUMBER} + :by_priority * :step * (9 - min(max(m.priority, 0), 9))",
    "holder_id": "null",
    "lock_id": "null",
}
_SELECTED = ", ".join(_VALUES.get(name, f"m.{name}") for name in COLUMNS.split(", "))
_INSERT = f"insert into messages ({COLUMNS}) select {_SELECTED} from origins as o cross join was."  # noqa: S608
_WHICH = "where o.queue_id = :queue_id and o.state >= 0 and o.is_grouped = :is_grouped and o.event_seq"
_INSERT_EVENTS = f"{_INSERT}journal as m on m.event_seq = o.event_seq {_WHICH} > 0 order by o.seq"
_INSERT_PRESENT = f"{_INSERT}messages as m on m.seq = o.seq {_WHICH} = 0 order by o.seq"
_INDEXES = "select name, sql from main.sqlite_master where type = 'index' and tbl_name = 'messages'"

_COUNT = (
    "update queue_status set waiters = 0, marks = 0, last_put_at = null, last_get_at = null,"
    " depth = (select count(*) from messages where state in (0, 1, 2) and queue_id = :queue_id),"
    " uncommitted = (select count(*) from messages where state in (0, 3, 4) and queue_id = :queue_id)"
    " where queue_id = :queue_id"
)


class Past(Database):
    """A database in memory with the definitions of another one as they are now, and queues as they were.

    It has no messages but those of the queues that are shown; its journal is the file's. Nobody waits on it, and
    nothing is written anywhere.
    """

    __slots__ = ("_source",)

    def __init__(self, source: Database) -> None:
        """source: a file, open to be read; it is closed with this one."""
        self._source = source
        super().__init__(source.path)
        self.run_folder = os.devnull
        self._begin_reading()  # until the end: what is read later is of the same state of the file
        for table in _PRESENT:
            names = ", ".join(columns(self, table))
            self.run(f"insert into {table} ({names}) select {names} from was.{table}")  # noqa: S608 - our own names
        self.run("update queue_status set waiters = 0, marks = 0, grouped = 0")

    def show(self, queue: Queue, at_ms: int, first: int, last: int | None, *, by_priority: bool) -> None:
        """Show a queue as it was.

        at_ms: the instant.  first: number of the last event until then.  last: of the event up to which the journal
        is whole from there, None where it is so to the present.  by_priority: its order of delivery then.
        """
        about: dict[str, object] = {
            "queue": queue.name,
            "queue_id": queue.id,
            "at": at_ms,
            "first": first,
            "last": (1 << 63) - 1 if last is None else last,
            "numbers": STEP - 1,
            "step": STEP,
            "by_priority": int(by_priority),
        }
        self.run(_FROM_EVENTS, about)
        if last is None:
            self.run(_AVAILABLE, about)
            self.run(_HELD, about)
        self._insert({**about, "is_grouped": 0})
        for statement in (_INSERT_EVENTS, _INSERT_PRESENT):  # the triggers of groups need the indexes
            self.run(statement, {**about, "is_grouped": 1})
        self.run(_COUNT, about)
        self.known.forget()

    def _insert(self, about: dict[str, object]) -> None:
        """Insert the messages of a queue that are in no group; an index is made faster from all of them."""
        indexes = [] if self.one("select 1 from messages limit 1") else self.all(_INDEXES)
        for name, _ in indexes:
            self.run(f"drop index {name}")
        self.run(_INSERT_EVENTS, about)
        self.run(_INSERT_PRESENT, about)
        for _, statement in indexes:
            self.run(statement)

    def close(self) -> None:
        """Close the memory and the file."""
        super().close()
        self._source.close()

    def sync(self) -> None:
        """Do nothing: there is no disk."""

    def begin_writing(self) -> None:
        """Begin a transaction: nobody else writes here."""
        self._begin_reading()

    def _claim(self) -> None:
        """Claim nothing: the file is claimed by the database that it was opened with."""

    def _connect(self) -> sqlite3.Connection:
        sql = sqlite3.connect(
            ":memory:", uri=True, isolation_level=None, cached_statements=256, check_same_thread=False
        )
        try:
            sql.execute("attach ? as was", (address(self._source.path),))
            sql.executescript(_PREPARE)
        except sqlite3.Error as error:
            raise storage_error(error, self.path) from error
        return sql
