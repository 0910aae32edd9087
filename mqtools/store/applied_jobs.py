"""Units of work that are done once: their ids, written in the transaction that does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqtools.store.database import Database


def find(db: Database, kind: str, identifier: str) -> tuple[int, int] | None:
    """Give how many messages a unit wrote, and how many rows it set aside; None where it is not done."""
    row = db.one("select written, quarantined from applied where kind = ? and id = ?", (kind, identifier))
    return None if row is None else (row[0], row[1])


def add(db: Database, kind: str, identifier: str, now_ms: int, written: int, quarantined: int) -> None:
    """Note that a unit is done."""
    db.run("insert into applied values (?, ?, ?, ?, ?)", (kind, identifier, now_ms, written, quarantined))


def beginning(db: Database, kind: str, prefix: str) -> list[str]:
    """List the ids of a kind that begin so."""
    rows = db.all("select id from applied where kind = ? and id >= ? and id < ?", (kind, prefix, f"{prefix}\U0010ffff"))
    return [row[0] for row in rows]


def forget(db: Database, kind: str, identifier: str) -> None:
    """Forget that a unit is done, which will not be asked for again."""
    db.run("delete from applied where kind = ? and id = ?", (kind, identifier))
