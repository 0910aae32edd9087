"""Ids of jobs that must be applied once, written in the transaction that does the work."""

from __future__ import annotations

from mqtools.store.database import Database


def find(db: Database, kind: str, identifier: str) -> tuple[int, int] | None:
    """Return how many messages a job wrote and how many rows it quarantined; None where it is not applied."""
    row = db.one("select written, quarantined from applied where kind = ? and id = ?", (kind, identifier))
    return None if row is None else (row[0], row[1])


def add(db: Database, kind: str, identifier: str, now_ms: int, written: int, quarantined: int) -> None:
    """Record that a job is applied."""
    db.run("insert into applied values (?, ?, ?, ?, ?)", (kind, identifier, now_ms, written, quarantined))


def with_prefix(db: Database, kind: str, prefix: str) -> list[str]:
    """List the ids of a kind that begin with a prefix."""
    which = "select id from applied where kind = ? and id >= ? and id < ?"
    return db.column(which, (kind, prefix, f"{prefix}\U0010ffff"))


def forget(db: Database, kind: str, identifier: str) -> None:
    """Delete the record of a job."""
    db.run("delete from applied where kind = ? and id = ?", (kind, identifier))
