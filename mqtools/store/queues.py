"""Queue definitions and their counters: one function, one statement."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mqtools.store.database import Database, Row

_DEFINITION = (
    "id",
    "name",
    "q_type",
    "definition_type",
    "creator_id",
    "inhibit_get",
    "inhibit_put",
    "def_persistence",
    "def_priority",
    "def_input_open_option",
    "shareability",
    "max_q_depth",
    "max_msg_length",
    "msg_delivery_sequence",
    "usage",
    "property_control",
    "index_type",
    "base_q_name",
    "remote_q_name",
    "remote_q_mgr_name",
    "xmit_q_name",
    "journal",
)
_STATUS = ("depth", "uncommitted", "waiters", "marks", "grouped")
_HOT = (
    "select "  # noqa: S608 - column names only
    + ", ".join(f"queues.{name}" for name in _DEFINITION)
    + ", "
    + ", ".join(f"queue_status.{name}" for name in _STATUS)
    + " from queues left join queue_status on queue_status.queue_id = queues.id where queues."
)
_BY_NAME = _HOT + "name = ?"
_BY_ID = _HOT + "id = ?"


class Queue(Record):
    """What the verbs need to know of a queue: the attributes they obey, and its counters.

    depth, uncommitted, waiters, marks and grouped are None where the queue holds no messages (alias, remote, model).
    """

    __slots__ = (*_DEFINITION, *_STATUS)

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
    depth: int
    uncommitted: int
    waiters: int
    marks: int
    grouped: int

    def __init__(self, row: Row) -> None:
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
            self.depth,
            self.uncommitted,
            self.waiters,
            self.marks,
            self.grouped,
        ) = row


def by_name(db: Database, name: str) -> Queue | None:
    """Find a queue definition by its name."""
    row = db.one(_BY_NAME, (name,))
    return None if row is None else Queue(row)


def by_id(db: Database, queue_id: int) -> Queue | None:
    """Find a queue definition by its id; None when it was deleted."""
    row = db.one(_BY_ID, (queue_id,))
    return None if row is None else Queue(row)


def columns(db: Database, table: str) -> tuple[str, ...]:
    """Name the columns of queues or qmgr."""
    return tuple(row[0] for row in db.all("select name from pragma_table_info(?)", (table,)))


def read_all(db: Database, name: str) -> dict[str, object] | None:
    """Read every attribute of a queue, those in JSON included."""
    rows = db.all("select * from queues where name = ?", (name,))
    return _spread(columns(db, "queues"), rows[0]) if rows else None


def names(db: Database) -> list[str]:
    """List the names of all queues in order."""
    return [row[0] for row in db.all("select name from queues order by name")]


def read_qmgr(db: Database) -> dict[str, object]:
    """Read every attribute of the queue manager, those in JSON included."""
    return _spread(columns(db, "qmgr"), db.all("select * from qmgr")[0])


def _spread(names: tuple[str, ...], row: Row) -> dict[str, object]:
    from json import loads

    values = dict(zip(names, row, strict=True))
    values.update(loads(values.pop("attributes")))
    return values


def _gather(db: Database, table: str, values: Mapping[str, object]) -> dict[str, object]:
    """Sort attributes into columns and the JSON of the rest."""
    from json import dumps

    own = columns(db, table)
    row = {name: values[name] for name in own if name in values}
    row["attributes"] = dumps({name: value for name, value in values.items() if name not in own})
    return row


def define(db: Database, values: Mapping[str, object], *, holds_messages: bool) -> int:
    """Insert a queue with all its attributes; give its id."""
    row = _gather(db, "queues", values)
    queue_id = db.insert(
        f"insert into queues ({', '.join(row)}) values ({', '.join(':' + name for name in row)})",  # noqa: S608
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


def made_by(db: Database, connection_id: int, definition_type: int) -> list[int]:
    """List the dynamic queues of a kind that a connection made."""
    rows = db.all(
        "select id from queues where creator_id = ? and definition_type = ?", (connection_id, definition_type)
    )
    return [row[0] for row in rows]


def drop(db: Database, queue_id: int) -> None:
    """Delete a queue with all that lies on it."""
    clear(db, queue_id)
    for statement in (
        "delete from waiters where queue_id = ?",
        "delete from holders where queue_id = ?",
        "delete from queue_status where queue_id = ?",
        "delete from queues where id = ?",
    ):
        db.run(statement, (queue_id,))


def clear(db: Database, queue_id: int) -> int:
    """Delete all messages of a queue, whatever their state; give their number."""
    db.run("delete from message_chunks where seq >= ? and seq < ?", (queue_id << 40, (queue_id + 1) << 40))
    db.run("delete from journal_pending where seq >= ? and seq < ?", (queue_id << 40, (queue_id + 1) << 40))
    db.run("delete from marks where queue_id = ?", (queue_id,))
    removed = db.run("delete from messages where seq >= ? and seq < ?", (queue_id << 40, (queue_id + 1) << 40))
    db.run("update queue_status set depth = 0, uncommitted = 0, marks = 0 where queue_id = ?", (queue_id,))
    return removed


def count_put(db: Database, queue_id: int, now_ms: int, depth: int, uncommitted: int, arrivals: int = 1) -> int:
    """Count arrivals; give the number of the last of them on the queue."""
    return int(
        db.all(
            "update queue_status set depth = depth + ?, uncommitted = uncommitted + ?,"
            " last_number = last_number + ?, last_put_at = ? where queue_id = ? returning last_number",
            (depth, uncommitted, arrivals, now_ms, queue_id),
        )[0][0]
    )


def count_get(db: Database, queue_id: int, now_ms: int, depth: int, uncommitted: int) -> None:
    """Count a destructive get."""
    db.run(
        "update queue_status set depth = depth + ?, uncommitted = uncommitted + ?, last_get_at = ? where queue_id = ?",
        (depth, uncommitted, now_ms, queue_id),
    )


def count(db: Database, queue_id: int, depth: int, uncommitted: int) -> None:
    """Change the counters by what a transition of states adds."""
    if depth or uncommitted:
        db.run(
            "update queue_status set depth = depth + ?, uncommitted = uncommitted + ? where queue_id = ?",
            (depth, uncommitted, queue_id),
        )


def next_number(db: Database, queue_id: int) -> int:
    """Draw the next number of a queue: for a message that is confirmed after others arrived (LIFE-10)."""
    return int(
        db.all(
            "update queue_status set last_number = last_number + 1 where queue_id = ? returning last_number",
            (queue_id,),
        )[0][0]
    )


def last_number(db: Database, queue_id: int) -> int:
    """Read the number that the last message to arrive on a queue got."""
    return int(db.all("select last_number from queue_status where queue_id = ?", (queue_id,))[0][0])


def status(db: Database, queue_id: int) -> Row:
    """Read depth, uncommitted, last_put_at, last_get_at and put_at of the oldest available message."""
    return db.all(
        "select depth, uncommitted, last_put_at, last_get_at,"
        " (select put_at from messages not indexed where seq >= :first and seq < :end and state = 1"
        " order by seq limit 1)"
        " from queue_status where queue_id = :id",
        {"id": queue_id, "first": queue_id << 40, "end": (queue_id + 1) << 40},
    )[0]


class QueueManager(Record):
    """What the verbs read of the queue manager's own attributes. journals: whether any queue is journaled."""

    __slots__ = (
        "name",
        "profile",
        "state",
        "starts",
        "coded_char_set_id",
        "dead_letter_q_name",
        "def_xmit_q_name",
        "max_msg_length",
        "msg_mark_browse_interval",
        "journals",
    )

    name: str
    profile: str
    state: str
    starts: int
    coded_char_set_id: int
    dead_letter_q_name: str
    def_xmit_q_name: str
    max_msg_length: int
    msg_mark_browse_interval: int
    journals: int

    def __init__(self, row: Row) -> None:
        (
            self.name,
            self.profile,
            self.state,
            self.starts,
            self.coded_char_set_id,
            self.dead_letter_q_name,
            self.def_xmit_q_name,
            self.max_msg_length,
            self.msg_mark_browse_interval,
            self.journals,
        ) = row


def qmgr(db: Database) -> QueueManager:
    """Read the attributes of the queue manager that the verbs obey. Raises StorageError: MQRC_OBJECT_DAMAGED."""
    rows = db.all(
        "select q_mgr_name, profile, state, starts, coded_char_set_id, dead_letter_q_name, def_xmit_q_name,"
        " max_msg_length, msg_mark_browse_interval, journals from qmgr"
    )
    if not rows:
        raise StorageError(f"{db.path}: the making of the queue manager was interrupted", MQRC_OBJECT_DAMAGED)
    return QueueManager(rows[0])


def count_messages(db: Database) -> int:
    """Count all messages of all queues, whatever their state."""
    return int(db.all("select count(*) from messages")[0][0])


def set_qmgr_state(db: Database, state: str) -> None:
    """Set the queue manager running, quiescing or ended."""
    db.run("update qmgr set state = ?", (state,))


def start_qmgr(db: Database) -> None:
    """Set the queue manager running; handles of its earlier life are void."""
    db.run("update qmgr set state = 'running', starts = starts + 1")


def discard_nonpersistent(db: Database) -> int:
    """Delete the nonpersistent messages of all queues but those of class HIGH; give their number (BEY-46)."""
    keep = "queue_id in (select id from queues where npm_class = 0)"
    db.run(f"delete from message_chunks where seq in (select seq from messages where persistence = 0 and {keep})")  # noqa: S608
    removed = db.run(f"delete from messages where persistence = 0 and {keep}")  # noqa: S608
    db.run("delete from marks where seq not in (select seq from messages)")
    recount(db)
    return removed


def recount(db: Database) -> None:
    """Set the counters of all queues from the messages that are there."""
    db.run(
        "update queue_status set"
        " depth = (select count(*) from messages where queue_id = queue_status.queue_id and state in (0, 1, 2)),"
        " uncommitted = (select count(*) from messages where queue_id = queue_status.queue_id and state in (0, 3, 4)),"
        " waiters = (select count(*) from waiters where queue_id = queue_status.queue_id),"
        " marks = (select count(*) from marks where queue_id = queue_status.queue_id),"
        " grouped = (select count(*) from messages where queue_id = queue_status.queue_id and group_id is not null)"
    )
