"""Ranges of the keys of a queue's messages, for work on all of them in steps."""

from __future__ import annotations

from mqtools.store.database import Database


def key_range(db: Database, queue_id: int) -> tuple[int, int]:
    """Return the keys from the first message of a queue on, and before the next one that arrives."""
    bounds = (queue_id << 40, (queue_id + 1) << 40)
    first = db.one("select seq from messages where seq >= ? and seq < ? order by seq limit 1", bounds)
    last = db.one("select seq from messages where seq >= ? and seq < ? order by seq desc limit 1", bounds)
    return (bounds[0], bounds[0]) if first is None or last is None else (first[0], last[0] + 1)


def end_of_step(db: Database, first: int, end: int, most: int, most_bytes: int) -> int:
    """Return the end of a step that begins at a key: so many messages, or so many bytes of data."""
    total: int = 0
    last: int = first
    rows = db.all(
        "select seq, data_length from messages where seq >= ? and seq < ? order by seq limit ?", (first, end, most)
    )
    for seq, length in rows:
        total, last = total + length, seq
        if total >= most_bytes:
            return last + 1
    return last + 1 if len(rows) == most else end


def clear_range(db: Database, queue_id: int, first: int, end: int) -> int:
    """Delete the messages of a queue, all unlocked, with keys from one on and before another; return their number."""
    parameters = (first, end)
    db.run("delete from message_chunks where seq >= ? and seq < ?", parameters)
    db.run("delete from journal_pending where seq >= ? and seq < ?", parameters)
    marks = db.run("delete from marks where queue_id = ? and seq >= ? and seq < ?", (queue_id, first, end))
    removed = db.run("delete from messages where seq >= ? and seq < ?", parameters)
    db.run(
        "update queue_status set depth = depth - ?, marks = marks - ? where queue_id = ?", (removed, marks, queue_id)
    )
    return removed
