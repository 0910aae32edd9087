"""Insertion of messages; the groups of a file are counted from its first message of a group on."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.constants.structures import MQGI_NONE
from mqtools.message import MQMD
from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages.checksums import checksum
from mqtools.store.messages.stored_message import CHUNK, FROZEN, GROUP_ID, INSERT, StoredMessage, to_row


def insert(db: Database, stored: StoredMessage, data: bytes) -> None:
    """Insert a message."""
    inline = bytes(data) if len(data) <= CHUNK else None
    if stored.md.group_id != MQGI_NONE:
        _begin_counts(db)
    db.run(INSERT, to_row(stored, inline, checksum(stored, data)))
    if inline is None:
        view = memoryview(data)
        db.run_many(
            "insert into message_chunks (seq, number, data) values (?, ?, ?)",
            ((stored.seq, n, view[at : at + CHUNK]) for n, at in enumerate(range(0, len(data), CHUNK))),
        )


def expires_at(db: Database, md: MQMD, now_ms: int) -> int:
    """Return when a message that arrives now expires, ms since 1970; that of a pulled one stands still."""
    return (FROZEN if is_pulled(db, md) else now_ms) + md.expiry * 100  # from tenths of a second


def is_pulled(db: Database, md: MQMD) -> bool:
    """Return whether a message was pulled from another queue manager: found by its MsgId and put time."""
    found = "select 1 from origins where msg_id = ? and put_date = ? and put_time = ? limit 1"
    return db.one(found, (bytes(md.msg_id), md.put_date, md.put_time)) is not None


def insert_rows(db: Database, rows: Sequence[Row]) -> None:
    """Insert messages. rows: of ``to_row``."""
    if any(row[GROUP_ID] != MQGI_NONE for row in rows):
        _begin_counts(db)
    db.run_many(INSERT, rows)


def _begin_counts(db: Database) -> None:
    from mqtools.store.messages import group_counts

    group_counts.begin(db)
