"""Browse marks: of a handle, or of the co-operating set of a queue."""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.store.database import Database

#: handle_id of a mark of the co-operating set: it goes with the last handle of the set.
CO_OPERATING = 0
#: handle_id of a mark of the co-operating set that stays though no handle of the set is open, until its end.
STAYING = -1


def any_on(db: Database, queue_id: int) -> bool:
    """Return whether a queue has marks, ended ones included."""
    row = db.one("select marks from queue_status where queue_id = ?", (queue_id,))
    return row is not None and row[0] > 0


def remove_of_handle(db: Database, queue_id: int, handle_id: int) -> None:
    """Remove all marks that a handle has on a queue (MARK-06). Index: marks_queue."""
    _count(db, queue_id, -db.run("delete from marks where queue_id = ? and handle_id = ?", (queue_id, handle_id)))


def remove_of_deserted_set(db: Database, queue_id: int, member: int) -> None:
    """Remove the marks of the co-operating set if no handle of it is left (MARK-22). Index: marks_queue.

    member: the open option that makes a handle one of the set.
    """
    removed = db.run(
        "delete from marks where queue_id = :queue_id and handle_id = 0 and not exists ("
        " select 1 from holders where queue_id = :queue_id and kind = 'handle' and options & :member)",
        {"queue_id": queue_id, "member": member},
    )
    _count(db, queue_id, -removed)


def remove_ended(db: Database, queue_id: int, now_ms: int) -> None:
    """Remove the marks on a queue whose interval is over (MARK-24). Index: marks_queue."""
    removed = db.run("delete from marks where queue_id = ? and handle_id in (0, -1) and until <= ?", (queue_id, now_ms))
    _count(db, queue_id, -removed)


def remove_of_message(db: Database, queue_id: int, seq: int) -> None:
    """Remove all marks of a message that leaves its queue (MARK-09, MARK-25)."""
    _count(db, queue_id, -db.run("delete from marks where seq = ?", (seq,)))


def add(db: Database, queue_id: int, seq: int, handle_id: int, until: int | None) -> None:
    """Mark a message for a handle or for the co-operating set; until: milliseconds since 1970, None without end.

    Replaces an existing mark.
    """
    if handle_id > 0:
        remove(db, queue_id, seq, handle_id)
    else:
        remove_of_set(db, queue_id, seq)
    db.run("insert into marks (seq, handle_id, queue_id, until) values (?, ?, ?, ?)", (seq, handle_id, queue_id, until))
    _count(db, queue_id, 1)


def renew(db: Database, seqs: Iterable[int], until: int | None) -> None:
    """Set when marks of the co-operating set end; none is added."""
    db.run_many("update marks set until = ? where seq = ? and handle_id = 0", ((until, seq) for seq in seqs))


def remove(db: Database, queue_id: int, seq: int, handle_id: int) -> None:
    """Remove the mark of a handle from a message (MARK-39)."""
    _count(db, queue_id, -db.run("delete from marks where seq = ? and handle_id = ?", (seq, handle_id)))


def remove_of_set(db: Database, queue_id: int, seq: int) -> None:
    """Remove the mark of the co-operating set from a message, whether it stays or not (MARK-33)."""
    _count(db, queue_id, -db.run("delete from marks where seq = ? and handle_id in (0, -1)", (seq,)))


def remove_all_of_set(db: Database, queue_id: int, seqs: Iterable[int]) -> None:
    """Remove the marks of the co-operating set from many messages of a queue. Index: marks_queue."""
    db.run_many("delete from marks where seq = ? and handle_id in (0, -1)", ((seq,) for seq in seqs))
    db.run(
        "update queue_status set marks = (select count(*) from marks where queue_id = :queue_id)"
        " where queue_id = :queue_id",
        {"queue_id": queue_id},
    )


def is_marked(db: Database, seq: int, handle_id: int, *, co_op: bool, now_ms: int) -> bool:
    """Return whether a message is marked for a handle, or with co_op for the set; an ended mark is none (MARK-24)."""
    row = db.one(
        "select 1 from marks where seq = ? and (handle_id = ? or (handle_id in (0, -1) and ?))"
        " and (until is null or until > ?)",
        (seq, handle_id, co_op, now_ms),
    )
    return row is not None


def next_end(db: Database, queue_id: int, now_ms: int) -> int | None:
    """Return the end of the first mark on a queue, in milliseconds since 1970."""
    end: int | None = db.all("select min(until) from marks where queue_id = ? and until > ?", (queue_id, now_ms))[0][0]
    return end


def _count(db: Database, queue_id: int, change: int) -> None:
    if change:
        db.run("update queue_status set marks = marks + ? where queue_id = ?", (change, queue_id))
