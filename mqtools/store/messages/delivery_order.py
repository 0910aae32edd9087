"""The order of delivery: the first messages of a queue, and the whole queue when its delivery sequence changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.completeness import ALONE
from mqtools.store.messages.messages import order_key_of, seq_of
from mqtools.store.messages.stored_message import COLUMNS, from_row

if TYPE_CHECKING:
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage

#: What one step of priority adds to an order key; below it is the number of the arrival, which never changes.
STEP = order_key_of(8, 0, by_priority=True)

#: Data of at most so many bytes is read with the others; what is longer may not be wanted.
_SHORT = 4096
_FIRST_ALONE = (
    f"select {COLUMNS}, case when data_length <= {_SHORT} then data end, checksum"  # noqa: S608 - names and numbers
    " from messages indexed by messages_available"
    f" where queue_id = ? and completeness = {ALONE} and state = 1 order by order_key limit ?"
)


def first_alone(db: Database, queue_id: int, limit: int) -> list[StoredMessage]:
    """Find the first unlocked messages that are in no group, with their data where it is short."""
    return [from_row(row) for row in db.all(_FIRST_ALONE, (queue_id, limit))]


def reorder(db: Database, queue_id: int, *, by_priority: bool) -> int:
    """Reorder all messages of a queue, whatever their state, by another sequence; return their number."""
    return db.run(
        "update messages set order_key ="
        " (order_key & :numbers) + :by_priority * :step * (9 - min(max(priority, 0), 9))"
        " where seq >= :first and seq < :end",
        {
            "numbers": STEP - 1,
            "by_priority": int(by_priority),
            "step": STEP,
            "first": seq_of(queue_id, 0),
            "end": seq_of(queue_id + 1, 0),
        },
    )
