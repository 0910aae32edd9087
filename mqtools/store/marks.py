"""Browse marks: of a handle, or of the co-operating set of a queue."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Database

#: handle_id of a mark that belongs to the co-operating set.
CO_OPERATING = 0


def remove_of_handle(db: Database, queue_id: int, handle_id: int) -> None:
    """Remove all marks that a handle has on a queue (MARK-06)."""
    _count(db, queue_id, -db.run("delete from marks where queue_id = ? and handle_id = ?", (queue_id, handle_id)))


def remove_of_message(db: Database, queue_id: int, seq: int) -> None:
    """Remove all marks of a message that is got or gone (MARK-09, MARK-25)."""
    _count(db, queue_id, -db.run("delete from marks where seq = ?", (seq,)))


def add(db: Database, queue_id: int, seq: int, handle_id: int, until: int | None) -> None:
    """Mark a message for a handle or for the co-operating set; until: milliseconds since 1970, None without end."""
    remove(db, queue_id, seq, handle_id)
    db.run("insert into marks (seq, handle_id, queue_id, until) values (?, ?, ?, ?)", (seq, handle_id, queue_id, until))
    _count(db, queue_id, 1)


def remove(db: Database, queue_id: int, seq: int, handle_id: int) -> None:
    """Remove the mark of a handle, or of the co-operating set, from a message (MARK-33, MARK-39)."""
    _count(db, queue_id, -db.run("delete from marks where seq = ? and handle_id = ?", (seq, handle_id)))


def is_marked(db: Database, seq: int, handle_id: int, *, co_op: bool, now_ms: int) -> bool:
    """Tell whether a message is marked for a handle, or with co_op for the set; an ended mark is none (MARK-24)."""
    row = db.one(
        "select 1 from marks where seq = ? and (handle_id = ? or (handle_id = 0 and ?))"
        " and (until is null or until > ?)",
        (seq, handle_id, co_op, now_ms),
    )
    return row is not None


def next_end(db: Database, queue_id: int, now_ms: int) -> int | None:
    """Give the instant at which the first mark on a queue ends, milliseconds since 1970."""
    row = db.one("select min(until) from marks where queue_id = ? and until > ?", (queue_id, now_ms))
    return None if row is None else row[0]


def _count(db: Database, queue_id: int, change: int) -> None:
    if change:
        db.run("update queue_status set marks = marks + ? where queue_id = ?", (change, queue_id))
