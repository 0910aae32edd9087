"""Queue definitions and their counters: one function, one statement."""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.records import Record
from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.definition_cache import EVENT_SWITCHES, DefinitionCache, QueueManager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


_STATUS = ("depth", "uncommitted", "waiters", "marks", "grouped", "last_number")


class Queue(Record):
    """A queue as the verbs need it: the attributes they obey, and its counters.

    depth, uncommitted, waiters, marks, grouped and last_number are None where the queue holds no messages (alias,
    remote, model).  base_type: MQOT_* of an alias.  next_delivery: when the next delayed message becomes available,
    milliseconds since 1970, or None.
    """

    id: int
    name: str
    q_type: int
    definition_type: int
    creator_id: int | None
    inhibit_get: int
    inhibit_put: int
    def_persistence: int
    def_priority: int
    def_input_open_option: int
    shareability: int
    max_q_depth: int
    max_msg_length: int
    msg_delivery_sequence: int
    usage: int
    property_control: int
    index_type: int
    base_q_name: str
    remote_q_name: str
    remote_q_mgr_name: str
    xmit_q_name: str
    journal: int
    base_type: int | None
    depth: int
    uncommitted: int
    waiters: int
    marks: int
    grouped: int
    last_number: int
    next_delivery: int | None

    __slots__ = tuple(__annotations__)

    def __init__(self, definition: Row, counters: Row) -> None:
        (
            _, self.depth, self.uncommitted, self.waiters, self.marks, self.grouped, self.last_number,
            self.next_delivery,
        ) = counters  # fmt: skip
        (
            self.id,
            self.name,
            self.q_type,
            self.definition_type,
            self.creator_id,
            self.inhibit_get,
            self.inhibit_put,
            self.def_persistence,
            self.def_priority,
            self.def_input_open_option,
            self.shareability,
            self.max_q_depth,
            self.max_msg_length,
            self.msg_delivery_sequence,
            self.usage,
            self.property_control,
            self.index_type,
            self.base_q_name,
            self.remote_q_name,
            self.remote_q_mgr_name,
            self.xmit_q_name,
            self.journal,
            self.base_type,
        ) = definition

    @classmethod
    def not_stored(cls, values: Mapping[str, object]) -> Self:
        """Return a queue that the file does not contain, with id 0."""
        definition = {**values, "id": 0, "creator_id": None}
        return cls(tuple(map(definition.get, _DEFINITION)), (0,) * (len(_STATUS) + 1) + (None,))


_DEFINITION = tuple(name for name in Queue.__slots__ if name not in (*_STATUS, "next_delivery"))
#: Delivery time of the next delayed message: a seek in the index.
_NEXT_DELIVERY = "(select min(deliver_at) from messages indexed by messages_delayed where queue_id = {} and state = 5)"
_BY_NAME = (
    "select version, "  # noqa: S608 - column names only
    + ", ".join(f"queue_status.{name}" for name in _STATUS)
    + f", {_NEXT_DELIVERY.format('queues.id')}, "
    + ", ".join(f"queues.{name}" for name in _DEFINITION[:-1])
    + ", json_extract(queues.attributes, '$.base_type')"
    + " from definitions cross join queues left join queue_status on queue_status.queue_id = queues.id"
    " where definitions.id = 1 and queues.name = ?"
)
_VERSION = "select version from definitions where id = 1"
_COUNTERS = (
    f"select version, {', '.join(_STATUS)}, {_NEXT_DELIVERY.format('?1')}"  # noqa: S608 - column names only
    " from definitions left join queue_status on queue_id = ?1 where id = 1"
)


def by_name(db: Database, name: str) -> Queue | None:
    """Find a queue: the cached definition, unless definitions have changed, with the counters as they are now."""
    known = db.known.by_name.get(name)
    if known is not None:
        counters = db.one(_COUNTERS, (known[0],))
        if counters is not None and counters[0] == db.known.version:
            return Queue(known, counters)
    row = db.one(_BY_NAME, (name,))
    if row is None:
        return None
    if db.known.version != row[0]:
        db.known = DefinitionCache(row[0])
    counters, definition = row[: len(_STATUS) + 2], row[len(_STATUS) + 2 :]
    queue = Queue(definition, counters)
    db.known.by_id[queue.id] = db.known.by_name[queue.name] = definition
    return queue


def by_id(db: Database, queue_id: int) -> Queue | None:
    """Find a queue by its id; None when it was deleted. A queue keeps its name."""
    named = db.known.by_id.get(queue_id) or db.one("select id, name from queues where id = ?", (queue_id,))
    queue = None if named is None else by_name(db, named[1])
    return queue if queue is not None and queue.id == queue_id else None


def next_delivery(db: Database, queue_id: int) -> int | None:
    """Return the delivery time of the next delayed message of a queue, in milliseconds since 1970; None without one."""
    end: int | None = db.all(f"select {_NEXT_DELIVERY.format('?')}", (queue_id,))[0][0]
    return end


def count_change(db: Database) -> None:
    """Count a change of definitions: connections then read their cached definitions again."""
    db.run("update definitions set version = version + 1 where id = 1")


def columns(db: Database, table: str) -> tuple[str, ...]:
    """Return the names of the columns of a table."""
    return tuple(db.column("select name from pragma_table_info(?)", (table,)))


def read_all(db: Database, name: str) -> dict[str, object] | None:
    """Read every attribute of a queue, those in JSON included."""
    rows = db.all("select * from queues where name = ?", (name,))
    return _spread(columns(db, "queues"), rows[0]) if rows else None


def journaled_names(db: Database) -> list[str]:
    """List the local queues that have a journal and drop nonpersistent messages at a restart, in order of name."""
    return db.column("select name from queues where journal > 0 and q_type = 1 and npm_class = 0 order by name")


def names(db: Database) -> list[str]:
    """List the names of all queues in order."""
    return db.column("select name from queues order by name")


def read_qmgr(db: Database) -> dict[str, object]:
    """Read every attribute of the queue manager, those in JSON included."""
    return _spread(columns(db, "qmgr"), db.all("select * from qmgr")[0])


def _spread(names: tuple[str, ...], row: Row) -> dict[str, object]:
    from json import loads

    values = dict(zip(names, row, strict=True))
    values.update(loads(values.pop("attributes")))
    return values


def _gather(db: Database, table: str, values: Mapping[str, object]) -> dict[str, object]:
    """Split attributes into columns and the JSON of the rest."""
    from json import dumps

    own = columns(db, table)
    row = {name: values[name] for name in own if name in values}
    row["attributes"] = dumps({name: value for name, value in values.items() if name not in own})
    return row


def define(db: Database, values: Mapping[str, object], *, holds_messages: bool) -> int:
    """Insert a queue with all its attributes; return its id."""
    row = _gather(db, "queues", values)
    queue_id = db.number(
        f"insert into queues ({', '.join(row)}) values ({', '.join(':' + name for name in row)}) returning id",  # noqa: S608
        row,
    )
    if holds_messages:
        db.run("insert into queue_status (queue_id) values (?)", (queue_id,))
    return queue_id


def redefine(db: Database, queue_id: int, values: Mapping[str, object]) -> None:
    """Replace all attributes of a queue."""
    row = _gather(db, "queues", {name: value for name, value in values.items() if name != "id"})
    changes = ", ".join(f"{name} = :{name}" for name in row)
    db.run(f"update queues set {changes} where id = :id", {**row, "id": queue_id})  # noqa: S608


def define_qmgr(db: Database, values: Mapping[str, object]) -> None:
    """Write all attributes of the queue manager; its row is made when there is none."""
    row = _gather(db, "qmgr", {**values, "id": 1})
    db.run(
        f"insert or replace into qmgr ({', '.join(row)}) values ({', '.join(':' + name for name in row)})",  # noqa: S608
        row,
    )


def backout_attributes(db: Database, queue_id: int) -> tuple[int, str]:
    """Read BackoutThreshold and BackoutRequeueQName of a queue."""
    row = db.all("select backout_threshold, backout_req_q_name from queues where id = ?", (queue_id,))[0]
    return row[0], row[1]


def drop(db: Database, queue_id: int) -> None:
    """Delete a queue with all its messages."""
    for statement in (
        "delete from message_chunks where seq >= ?1 << 40 and seq < (?1 + 1) << 40",
        "delete from journal_pending where seq >= ?1 << 40 and seq < (?1 + 1) << 40",
        "delete from marks where queue_id = ?",
        "delete from messages where seq >= ?1 << 40 and seq < (?1 + 1) << 40",
        "delete from waiters where queue_id = ?",
        "delete from holders where queue_id = ?",
        "delete from queue_status where queue_id = ?",
        "delete from once_keys where queue_id = ?",
        "delete from queues where id = ?",
    ):
        db.run(statement, (queue_id,))


_COUNT = (
    "update queue_status set high_depth = max(high_depth, depth + ?1), depth = depth + ?1,"
    " uncommitted = uncommitted + ?2"
)
_COUNT_PUT = f"{_COUNT}, last_number = last_number + ?3, last_put_at = ?4 where queue_id = ?5 and last_number = ?6"
_COUNT_OTHERS = f"{_COUNT}, last_get_at = coalesce(?3, last_get_at) where queue_id = ?4"


def count_arrivals(db: Database, queue: Queue, now_ms: int, number: int, *, held: bool) -> int:
    """Count messages that arrive, in the file and in the queue; return the arrival number of the last of them.

    held: they are uncommitted; those count in the depth, too (BEY-39).
    """
    uncommitted = number if held else 0
    while not db.run(_COUNT_PUT, (number, uncommitted, number, now_ms, queue.id, queue.last_number)):
        queue.last_number = last_number(db, queue.id)  # others have arrived since the queue was read
    queue.depth += number
    queue.uncommitted += uncommitted
    queue.last_number += number
    return queue.last_number


def count(db: Database, queue_id: int, depth: int, uncommitted: int, *, got_at: int | None = None) -> None:
    """Add what a transition of states changes to the counters. got_at: of a destructive get, ms since 1970."""
    if depth or uncommitted or got_at is not None:
        db.run(_COUNT_OTHERS, (depth, uncommitted, got_at, queue_id))


def reset_high_depth(db: Database, queue_id: int, depth: int) -> int:
    """Return the highest depth of a queue since the last reset, and set it to the present depth."""
    highest = db.number("select high_depth from queue_status where queue_id = ?", (queue_id,))
    db.run("update queue_status set high_depth = ? where queue_id = ?", (depth, queue_id))
    return highest


def last_number(db: Database, queue_id: int) -> int:
    """Read the number that the last message to arrive on a queue got."""
    return db.number("select last_number from queue_status where queue_id = ?", (queue_id,))


def status(db: Database, queue_id: int) -> Row:
    """Read depth, uncommitted, last_put_at, last_get_at, locked, and put_at of the oldest message in any state.

    Of a queue that is not in the file, numbers are 0 and times None.
    """
    row = db.one(
        "select depth, uncommitted, last_put_at, last_get_at, locked,"
        " (select put_at from messages where seq >= :first and seq < :end order by seq limit 1)"
        " from queue_status where queue_id = :id",
        {"id": queue_id, "first": queue_id << 40, "end": (queue_id + 1) << 40},
    )
    return (0, 0, None, None, 0, None) if row is None else row


_EVENTS = (f"{1 << bit} * coalesce(json_extract(attributes, '$.{name}'), 0)" for bit, name in enumerate(EVENT_SWITCHES))
_QMGR = (
    "select version, q_mgr_name, profile, state, starts, coded_char_set_id, "  # noqa: S608 - column names only
    "dead_letter_q_name, def_xmit_q_name, max_msg_length, max_uncommitted_msgs, msg_mark_browse_interval, journals,"
    f" coalesce(json_extract(attributes, '$.authority_check'), 0), {' + '.join(_EVENTS)},"
    " coalesce(json_extract(attributes, '$.collects'), 0)"
    " from definitions cross join qmgr where definitions.id = 1"
)


def qmgr(db: Database) -> QueueManager:
    """Read the attributes of the queue manager that the verbs obey. Raises StorageError: MQRC_OBJECT_DAMAGED."""
    known = db.known
    if known.qmgr is not None and db.one(_VERSION) == (known.version,):
        return known.qmgr
    row = db.one(_QMGR)
    if row is None:
        raise StorageError(f"{db.path}: the creation of the queue manager was interrupted", MQRC_OBJECT_DAMAGED)
    if db.known.version != row[0]:
        db.known = DefinitionCache(row[0])
    db.known.qmgr = found = QueueManager(*row[1:])
    return found


def count_messages(db: Database) -> int:
    """Count all messages of all queues in any state."""
    return db.number("select count(*) from messages")


def set_qmgr_state(db: Database, state: str) -> None:
    """Set the queue manager running, quiescing or ended."""
    db.run("update qmgr set state = ?", (state,))


def rename_qmgr(db: Database, name: str) -> None:
    """Rename the queue manager."""
    db.run("update qmgr set q_mgr_name = ?", (name,))


def start_qmgr(db: Database, now_ms: int) -> None:
    """Set the queue manager running; handles from before the restart become void. now_ms: time of the start."""
    started = "attributes = json_set(attributes, '$.started_at', ?)"
    db.run(f"update qmgr set state = 'running', starts = starts + 1, {started}", (now_ms,))  # noqa: S608 - our own text


def discard_nonpersistent(db: Database) -> int:
    """Delete the nonpersistent messages of all queues but those of class HIGH; return their number (BEY-46)."""
    keep = "queue_id in (select id from queues where npm_class = 0)"
    db.run(f"delete from message_chunks where seq in (select seq from messages where persistence = 0 and {keep})")  # noqa: S608
    removed = db.run(f"delete from messages where persistence = 0 and {keep}")  # noqa: S608
    db.run("delete from marks where seq not in (select seq from messages)")
    recount(db)
    return removed


def recount(db: Database) -> None:
    """Set the counters of all queues from their messages."""
    db.run(
        "update queue_status set"
        " depth = (select count(*) from messages where queue_id = queue_status.queue_id and state in (0, 1, 2, 5)),"
        " uncommitted = (select count(*) from messages where queue_id = queue_status.queue_id and state in (0, 3, 4)),"
        " locked = (select count(*) from messages where queue_id = queue_status.queue_id and state = 2),"
        " waiters = (select count(*) from waiters where queue_id = queue_status.queue_id),"
        " marks = (select count(*) from marks where queue_id = queue_status.queue_id),"
        " grouped = (select count(*) from messages where queue_id = queue_status.queue_id and group_id is not null)"
    )
