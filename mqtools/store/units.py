"""Units of work: what a holder has put and got, published or undone in a few statements whatever its size."""

from __future__ import annotations

from mqtools.store.messages import CHUNK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Database


def summary(db: Database, holder_id: int) -> list[tuple[int, int, int, int]]:
    """Count what a holder has uncommitted: queue id, state, number, highest persistence. Index: messages_holder."""
    rows = db.all(
        "select queue_id, state, count(*), max(persistence) from messages indexed by messages_holder"
        " where holder_id = ? group by queue_id, state",
        (holder_id,),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def move(db: Database, holder_id: int, queue_id: int, before: int, after: int, *, backout: bool) -> None:
    """Move all messages of a holder on a queue from one state to another and let go of them.

    backout: count it in their backout count (BEY-33).
    """
    db.run(
        "update messages indexed by messages_holder set state = ?, holder_id = null, backout_count = backout_count + ?"
        " where holder_id = ? and queue_id = ? and state = ?",
        (after, int(backout), holder_id, queue_id, before),
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
    """Unlock all messages of a lock that are in a state; give the ids of their queues."""
    rows = db.all(
        "update messages indexed by messages_lock set state = ?, lock_id = null where lock_id = ? and state = ?"
        " returning queue_id",
        (after, lock_id, before),
    )
    return sorted({row[0] for row in rows})
