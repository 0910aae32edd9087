"""Messages that a unit of work has got, and its puts and gets that are not written yet (``write_buffer``)."""

from __future__ import annotations

from mqtools.constants.states import PUT_UNCONFIRMED
from mqtools.records import Record
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import AS_COMMITTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.types import Row

HOLD = "update messages set state = ?, holder_id = ? where seq = ? and state = ?"


def hold(db: Database, stored: StoredMessage, state: int, holder_id: int) -> None:
    """Move a message that is being got to a state in which it is held, now or later (``write_buffer``)."""
    buffer, parameters = db.buffer, (state, holder_id, stored.seq, stored.state)
    if (
        buffer is not None
        and buffer.foremost == stored.seq
        and stored.data_length <= messages.CHUNK
        and db.change_later(HOLD, (stored.queue_id, stored.md.persistence, parameters))
    ):
        buffer.note_taken(stored.queue_id, stored.order_key)
    else:
        messages.set_state(db, stored, state, holder_id, stored.lock_id)


class Unwritten(Record):
    """What a unit of work has put on one queue, or got from it, in the transaction that is open, and is not written.

    statement: what would write it.  state: that of its messages, were they written.  persistence: the highest.
    rows: of the statement.
    """

    __slots__ = ("statement", "queue_id", "state", "persistence", "rows")

    def __init__(self, statement: str, queue_id: int, state: int) -> None:
        self.statement = statement
        self.queue_id = queue_id
        self.state = state
        self.persistence = 0
        self.rows: list[Row] = []


def take(db: Database) -> list[Unwritten]:
    """Return what is not written of the unit of work, which is being committed; ``publish`` or ``drop`` writes it."""
    found: dict[tuple[str, int, int], Unwritten] = {}
    for statement, changes in db.take_buffered().items():
        for queue_id, persistence, row in changes:
            kind = (statement, queue_id, row[0] if statement is HOLD else PUT_UNCONFIRMED)
            each = found.get(kind)
            if each is None:
                each = found[kind] = Unwritten(*kind)
            if persistence > each.persistence:
                each.persistence = persistence
            each.rows.append(row)
    return list(found.values())


def publish(db: Database, puts: Unwritten) -> None:
    """Insert what was put as the commit leaves it: available, and held by nobody."""
    db.change_many(AS_COMMITTED[puts.statement], puts.rows)


def drop(db: Database, gets: Unwritten) -> None:
    """Delete what was got."""
    db.change_many(messages.DELETE, [row[-2:] for row in gets.rows])
