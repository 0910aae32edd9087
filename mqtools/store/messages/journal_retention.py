"""Retention of the journal: its limits, its size, the ids of its events, and the removal of the oldest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqtools.store.database import Database
from mqtools.store.messages.journal import COPY_OF, last_counted, last_event


def retention(db: Database) -> tuple[int, int]:
    """Return how long events are kept (seconds) and how many bytes of them, -1 each without limit."""
    row = db.all("select journal_age_s, journal_size_bytes from qmgr")[0]
    return row[0], row[1]


_SIZE = "512 + length(coalesce(properties, '')) + has_body * data_length"


def status(db: Database) -> tuple[int, int]:
    """Return the number of events and the bytes that they count for."""
    row = db.all(
        f"select s.events + count(j.event_seq), s.bytes + coalesce(sum({_SIZE}), 0) from journal_status as s"  # noqa: S608
        " left join journal as j on j.event_seq > s.counted where s.id = 1"
    )[0]
    return row[0], row[1]


def count_new(db: Database, most: int = 1 << 60) -> tuple[int, bool]:
    """Enter the events that have come since the last count; return the bytes of all, and whether none is left.

    most: of the events that are added.
    """
    counted = last_counted(db)
    last = last_event(db)
    until = min(last, counted + most)
    span = (counted, until)
    if until > counted:
        new = db.all(
            f"select count(*), coalesce(sum({_SIZE}), 0) from journal where event_seq > ? and event_seq <= ?",  # noqa: S608
            span,
        )[0]
        for field in ("msg_id", "correl_id", "group_id"):
            db.run(
                f"insert or ignore into journal_ids select {field}, event_seq from journal"  # noqa: S608 - our own names
                f" where event_seq > ? and event_seq <= ? and {field} is not null",
                span,
            )
        for original in _originals(db, *span):
            db.run("insert or ignore into journal_ids values (?, ?)", original)
        db.run(
            "insert or ignore into journal_queues select queue, event_seq from journal"
            " where event_seq > ? and event_seq <= ?",
            span,
        )
        db.run(
            "update journal_status set events = events + ?, bytes = bytes + ?, counted = ? where id = 1",
            (new[0], new[1], until),
        )
    return db.number("select bytes from journal_status where id = 1"), until >= last


def _originals(db: Database, after: int, last: int) -> Iterator[tuple[bytes, int]]:
    """Yield the MsgId of the original of each replay with a new id, and the event's number."""
    replays = "select detail, event_seq from journal where event = 'replay' and event_seq > ? and event_seq <= ?"
    for detail, event_seq in db.all(replays, (after, last)):
        if found := re.search(f"{COPY_OF}(\\w{{48}})", detail):
            yield bytes.fromhex(found[1]), event_seq


def oldest(db: Database, limit: int) -> list[tuple[int, int, int]]:
    """List the oldest events: number, milliseconds since 1970, the bytes that it counts for."""
    rows = db.all(
        f"select event_seq, event_at, {_SIZE} from journal where event_seq > 0 order by event_seq limit ?",  # noqa: S608
        (limit,),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def remove_through(db: Database, event_seq: int) -> None:
    """Remove the events up to a number, and keep when the latest of them was."""
    count_new(db)
    removed = db.all(
        f"select count(*), coalesce(sum({_SIZE}), 0), max(event_at) from journal where event_seq <= ?",  # noqa: S608
        (event_seq,),
    )[0]
    db.run(
        "update journal_status set events = events - ?, bytes = bytes - ?,"
        " removed_at = max(coalesce(removed_at, 0), coalesce(?, removed_at, 0)) where id = 1",
        (removed[0], removed[1], removed[2]),
    )
    for field in ("msg_id", "correl_id", "group_id"):
        db.run(
            f"delete from journal_ids where (id, event_seq) in (select {field}, event_seq from journal"  # noqa: S608
            " where event_seq <= ?)",
            (event_seq,),
        )
    for original in _originals(db, 0, event_seq):
        db.run("delete from journal_ids where id = ? and event_seq = ?", original)
    db.run(
        "delete from journal_queues where (q_name, number) in (select queue, event_seq from journal"
        " where event_seq <= ?)",
        (event_seq,),
    )
    db.run("delete from journal_chunks where event_seq <= ?", (event_seq,))
    db.run("delete from journal where event_seq <= ?", (event_seq,))
