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


def _count(db: Database, queue_id: int, change: int) -> None:
    if change:
        db.run("update queue_status set marks = marks + ? where queue_id = ?", (change, queue_id))
