"""Locks of a consuming archive: as many messages of a queue as make a file of a good size."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqtools.arrow import columns
from mqtools.arrow.damage import Damage
from mqtools.arrow.queue_reader import batches, schema_of
from mqtools.arrow.read_options import Options
from mqtools.arrow.reader import RowQuery
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import NoMessageAvailable, StorageError
from mqtools.lifecycle.locks import LockedMessages, browse_messages_and_lock, unlock_message
from mqtools.mqi.connection import Connection

#: Most messages that are locked in one transaction, and in one run.
AT_ONCE, MOST = 50_000, 1_000_000
#: Bytes of a run: its file has 64 to 256 MB, unless its data can be compressed to less than a third.
GOAL = 192_000_000
#: Messages of the first lock, which tell how long they are; bytes of one in a file besides its data.
_FIRST, _DESCRIPTOR = 1_000, 64
#: Columns whose value may be read again and again without a look at a header.
_NAMES = tuple(name for name in (*columns.MESSAGE, *columns.EXACT) if name not in ("data", "dlh", "dlh_exact"))


@dataclass(slots=True)
class BatchLock:
    """Messages that one run has locked. seqs: their keys, by lock id."""

    seqs: dict[bytes, list[int]] = field(default_factory=dict)

    @property
    def ids(self) -> str:
        """Return the lock ids, as the option ``lock`` of a read takes them."""
        return ",".join(lock_id.hex() for lock_id in self.seqs)

    @property
    def number(self) -> int:
        """Return how many messages are locked."""
        return sum(map(len, self.seqs.values()))


def lock_batch(connection: Connection, q_name: str, confirm_id: int, damage: Damage) -> BatchLock:
    """Lock messages of a queue until their file is large enough, or none is left; not those that could not be read.

    Raises MQError: NoMessageAvailable if there is none at all.
    """
    batch, size, wanted = BatchLock(), 0, min(_FIRST, AT_ONCE)
    while size < GOAL and batch.number < MOST:
        try:
            locked = _lock(connection, q_name, confirm_id, damage, wanted)
        except NoMessageAvailable:
            if not batch.seqs:
                raise
            break
        batch.seqs[locked.lock_id] = [stored.seq for stored in locked.messages]
        size += sum(stored.data_length + _DESCRIPTOR for stored in locked.messages)
        wanted = max(1, min(AT_ONCE, MOST - batch.number, (GOAL - size) * batch.number // size))
    return batch


def _lock(connection: Connection, q_name: str, confirm_id: int, damage: Damage, number: int) -> LockedMessages:
    is_quarantined = damage.quarantine_filter(connection.db.path, q_name)
    accept = (lambda stored: not is_quarantined(stored.seq)) if damage.is_quarantine else None
    try:
        return browse_messages_and_lock(connection, q_name, accept=accept, limit=number, confirm_id=confirm_id)
    except StorageError as error:
        if not damage.is_quarantine or error.reason != MQRC_OBJECT_DAMAGED:
            raise
    seqs = _find_readable(connection.db.path, q_name, damage, number)
    return browse_messages_and_lock(connection, q_name, seqs, confirm_id=confirm_id)


def _find_readable(path: str, q_name: str, damage: Damage, number: int) -> list[int]:
    """Return readable messages, where these could not be locked together with others; quarantine the others."""
    is_quarantined = damage.quarantine_filter(path, q_name)
    options = Options.parse({"qmgr": path, "queue": q_name})
    free: list[int] = []
    for batch in batches(options, RowQuery(schema_of(_NAMES), options.table, damage=damage)):
        found = zip(batch["seq"].to_pylist(), batch["state"].to_pylist(), strict=True)
        free += [seq for seq, state in found if state == "unlocked" and not is_quarantined(seq)]
        if len(free) >= number:
            break
    return free[:number]


def unlock_damaged(connection: Connection, q_name: str, batch: BatchLock, damage: Damage) -> int:
    """Unlock the messages of a batch that could not be read, so that they stay on the queue; return how many."""
    is_quarantined = damage.quarantine_filter(connection.db.path, q_name)
    kept = 0
    for lock_id, seqs in batch.seqs.items():
        if damaged := set(filter(is_quarantined, seqs)):
            kept += len(damaged)
            with connection.work() as work:
                unlock_message(connection, q_name, lock_id, seqs=damaged)
                work.durable = True  # before the run may be finished by another one
    return kept
