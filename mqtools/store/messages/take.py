"""Removal of the first available message by the statement that finds it, for gets that ask for nothing else."""

from __future__ import annotations

from mqtools.constants.completeness import ALONE
from mqtools.store.messages.messages import CHUNK
from mqtools.store.messages.stored_message import COLUMNS, from_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage

#: The message must be in no group and have all its data in its row, and no time to end.
TAKE_FIRST = (
    "delete from messages where seq = ("  # noqa: S608 - column names only
    "select seq from messages indexed by messages_available"
    f" where queue_id = ? and standing = {ALONE} and state = 1 order by order_key limit 1"
    f") and expires_at is null and data_length <= {CHUNK} returning {COLUMNS}, data, checksum"
)


def take_first(db: Database, queue_id: int) -> StoredMessage | None:
    """Delete the first unlocked message that is in no group, and return it with its data.

    None when there is none, or when it has an expiry or its data lies in chunks; nothing has changed then.
    """
    row = db.change_one(TAKE_FIRST, (queue_id,))
    return None if row is None else from_row(row)
