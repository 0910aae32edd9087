"""Units of work: commit or backout of the puts and gets of a holder, in a few statements for any number."""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.records import RowRecord
from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages.stored_message import CHUNK


def summary(db: Database, holder_id: int) -> list[tuple[int, int, int, int, int | None]]:
    """Count what a holder has uncommitted: queue id, state, number, highest persistence, last delivery time.

    Index: messages_holder.
    """
    rows = db.all(
        "select queue_id, state, count(*), max(persistence), max(deliver_at) from messages indexed by messages_holder"
        " where holder_id = ? group by queue_id, state",
        (holder_id,),
    )
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]


def move(db: Database, holder_id: int, queue_id: int, before: int, after: int, *, backout: bool) -> None:
    """Move all messages of a holder on a queue from one state to another, and end its hold.

    backout: count it in their backout count (BEY-33).
    """
    db.run(
        "update messages indexed by messages_holder set state = ?, holder_id = null, backout_count = backout_count + ?"
        " where holder_id = ? and queue_id = ? and state = ?",
        (after, int(backout), holder_id, queue_id, before),
    )


def delay(db: Database, holder_id: int, queue_id: int, before: int, after: int, now_ms: int) -> int:
    """Move the messages of a holder whose delivery time is to come to another state; return their number."""
    return db.run(
        "update messages indexed by messages_holder set state = ?, holder_id = null"
        " where holder_id = ? and queue_id = ? and state = ? and deliver_at > ?",
        (after, holder_id, queue_id, before, now_ms),
    )


def set_holder(db: Database, seq: int, holder_id: int | None) -> None:
    """Set the unit of work of one message, or none."""
    db.run("update messages set holder_id = ? where seq = ?", (holder_id, seq))


def set_place(db: Database, seq: int, order_key: int) -> None:
    """Set the order key of a message."""
    db.run("update messages set order_key = ? where seq = ?", (order_key, seq))


def count_backout(db: Database, seq: int) -> None:
    """Add one to the backout count of a message (BEY-33)."""
    db.run("update messages set backout_count = backout_count + 1 where seq = ?", (seq,))


def transfer(db: Database, holder_id: int, to_holder_id: int) -> int:
    """Transfer all uncommitted messages of a holder to another one; return their number."""
    return db.run(
        "update messages indexed by messages_holder set holder_id = ? where holder_id = ?", (to_holder_id, holder_id)
    )


def delete(db: Database, holder_id: int, queue_id: int, state: int) -> None:
    """Delete all messages of a holder on a queue that are in a state."""
    db.run(
        "delete from message_chunks where seq in (select seq from messages indexed by messages_holder"
        " where holder_id = ? and queue_id = ? and state = ? and data_length > ?)",
        (holder_id, queue_id, state, CHUNK),
    )
    db.run(
        "delete from messages indexed by messages_holder where holder_id = ? and queue_id = ? and state = ?",
        (holder_id, queue_id, state),
    )


def unlock(db: Database, lock_id: int, before: int, after: int) -> list[int]:
    """Release all messages of a lock that are in a state; return the ids of their queues."""
    if db.one("select 1 from messages indexed by messages_lock where lock_id = ? limit 1", (lock_id,)) is None:
        return []  # the statement below takes longer to compile than to run
    found = db.column(
        "update messages indexed by messages_lock set state = ?, lock_id = null where lock_id = ? and state = ?"
        " returning queue_id",
        (after, lock_id, before),
    )
    return sorted(set(found))


class Held(RowRecord):
    """A held message as commit and backout need it: its place and its state, without its descriptor."""

    seq: int
    queue_id: int
    state: int
    order_key: int
    lock_id: int | None
    priority: int
    persistence: int
    deliver_at: int | None

    __slots__ = tuple(__annotations__)


HELD_COLUMNS = ", ".join(Held.__slots__)
_SELECT = f"select {HELD_COLUMNS} from messages"  # noqa: S608 - column names only
_HELD = (
    f"{_SELECT} indexed by messages_{{column}}"
    " where {column}_id = ?1 and (?2 is null or msg_id = ?2) order by queue_id, seq"
)
_OF_HOLDER = _HELD.format(column="holder")
_OF_LOCK = _HELD.format(column="lock")


def of_holder(db: Database, holder_id: int, msg_id: bytes | None = None) -> list[Held]:
    """Find what a holder has uncommitted, in the order of the puts; msg_id: only messages with it."""
    return [Held(row) for row in db.all(_OF_HOLDER, (holder_id, msg_id))]


def of_lock(db: Database, lock_id: int, msg_id: bytes | None = None) -> list[Held]:
    """Find what a lock holds, got messages included, in the order of the puts; msg_id: only messages with it."""
    return [Held(row) for row in db.all(_OF_LOCK, (lock_id, msg_id))]


def of_keys(db: Database, seqs: Iterable[int]) -> list[Held]:
    """Find what is still there of some messages, held or not, by their keys."""
    found = (db.one(f"{_SELECT} where seq = ?", (seq,)) for seq in seqs)
    return [Held(row) for row in found if row is not None]


#: Delayed messages that are made available at a time.
_PORTION = 1000
_DUE = (
    f"{_SELECT} indexed by messages_delayed where queue_id = ? and state = 5 and deliver_at <= ?"
    f" order by deliver_at limit {_PORTION}"
)


def due(db: Database, queue_id: int, now_ms: int) -> list[Held]:
    """Find delayed messages whose delivery time has come, in its order. Index: messages_delayed."""
    return [Held(row) for row in db.all(_DUE, (queue_id, now_ms))]


def queues_with_due(db: Database, now_ms: int) -> list[int]:
    """List the queues with delayed messages whose delivery time has come. Index: messages_delayed."""
    return db.column(
        "select id from queues where exists (select 1 from messages indexed by messages_delayed"
        " where queue_id = queues.id and state = 5 and deliver_at <= ?)",
        (now_ms,),
    )


def keys_of_lock(db: Database, lock_id: int, state: int, limit: int) -> list[int]:
    """Return the keys of some of the messages that a lock holds in a state. Index: messages_lock."""
    return db.column(
        "select seq from messages indexed by messages_lock where lock_id = ? and state = ? limit ?",
        (lock_id, state, limit),
    )


def move_each(db: Database, moved: Iterable[tuple[int, int, int | None, int, int]]) -> None:
    """Move messages to another state, and end the hold on them.

    moved: new state, order key, lock, what to add to the backout count, and the key of each message.
    """
    db.run_many(
        "update messages set state = ?, order_key = ?, holder_id = null, lock_id = ?,"
        " backout_count = backout_count + ? where seq = ?",
        moved,
    )


def delete_each(db: Database, seqs: Iterable[int]) -> None:
    """Delete messages by their keys."""
    keys = [(seq,) for seq in seqs]
    db.run_many("delete from message_chunks where seq = ?", keys)
    db.run_many("delete from messages where seq = ?", keys)


def draw_numbers(db: Database, queue_id: int, number: int) -> int:
    """Draw several numbers of a queue in one go; return the first (LIFE-10)."""
    last = db.number(
        "update queue_status set last_number = last_number + ? where queue_id = ? returning last_number",
        (number, queue_id),
    )
    return last - number + 1


def groups(db: Database, queue_id: int | None) -> list[Row]:
    """Count the held messages of a queue, or of all, by who holds them. Indexes: messages_holder, messages_lock.

    Returns rows of queue id, state, holder id, lock id, number. A held message is in exactly one of them.
    """
    return db.all(
        "select queue_id, state, holder_id, lock_id, count(*) from ("
        " select * from messages indexed by messages_holder where holder_id is not null"
        " union all select * from messages indexed by messages_lock where lock_id is not null and holder_id is null)"
        " where ?1 is null or queue_id = ?1"
        " group by queue_id, state, holder_id, lock_id order by queue_id, min(seq)",
        (queue_id,),
    )


def held_states(db: Database, queue_id: int, limit: int) -> list[int]:
    """Read the states of the uncommitted messages of a queue, up to a number. Index: messages_holder."""
    return db.column(
        "select state from messages indexed by messages_holder where holder_id is not null and queue_id = ? limit ?",
        (queue_id, limit),
    )


def ids_of_group(db: Database, group: Row, limit: int) -> list[Row]:
    """List key and message id of the first messages of a row of ``groups``."""
    return db.all(
        "select seq, msg_id from messages indexed by messages_held where state <> 1 and queue_id = ? and state = ?"
        " and holder_id is ? and lock_id is ? order by order_key limit ?",
        (*group[:4], limit),
    )
