"""Messages that a unit of work has got, and its puts and gets that are not written yet (``write_buffer``)."""

from __future__ import annotations

from mqtools.records import Record
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import INSERT_PLAIN, INSERT_PLAIN_HELD

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

    state: that of its messages, were they written.  persistence: the highest.  rows: of the statement that writes it.
    """

    __slots__ = ("queue_id", "state", "persistence", "rows")

    def __init__(self, queue_id: int, state: int) -> None:
        self.queue_id = queue_id
        self.state = state
        self.persistence = 0
        self.rows: list[Row] = []


def take(db: Database) -> list[Unwritten]:
    """Return what is not written of the unit of work, which is being committed; ``publish`` or ``drop`` writes it."""
    found: dict[tuple[int, int], Unwritten] = {}
    for statement, changes in db.take_buffered().items():
        state_at = _STATE_IN[statement]
        for queue_id, persistence, row in changes:
            place = (queue_id, row[state_at])
            each = found.get(place) or found.setdefault(place, Unwritten(*place))
            each.persistence = max(each.persistence, persistence)
            each.rows.append(row)
    return list(found.values())


#: Where the rows of a statement that is buffered have the state.
_STATE_IN = {INSERT_PLAIN_HELD: -2, HOLD: 0}


def publish(db: Database, puts: Unwritten, state: int) -> None:
    """Insert what was put, in the state that the commit gives it."""
    db.change_many(INSERT_PLAIN, [(*row[:-2], state) for row in puts.rows])


def drop(db: Database, gets: Unwritten) -> None:
    """Delete what was got."""
    db.change_many(messages.DELETE, [row[-2:] for row in gets.rows])
