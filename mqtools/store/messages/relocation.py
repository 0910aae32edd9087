"""Relocation: ordinary messages that go to another queue, or away, many at a time.

Ordinary ones are available, short, in no group, and ask for no report.
"""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.constants.states import UNLOCKED
from mqtools.store.database import Database
from mqtools.store.messages.by_keys import AMONG, in_portions
from mqtools.store.messages.checksums import checksum
from mqtools.store.messages.messages import SHORT
from mqtools.store.messages.stored_message import COLUMNS, FROZEN, StoredMessage, from_row

_THERE = (
    f"and state = {UNLOCKED} and group_id is null and report = 0 and data_length <= {SHORT}"
    " and data is not null and queue_id = ? and (expires_at is null or expires_at > ?)"
)
_READ = f"select {COLUMNS}, data, checksum {AMONG} {_THERE}"
_READ_PLACE = f"select seq, persistence, data_length, properties {AMONG} {_THERE}"
_DELETE = f"delete {AMONG}"
_DELETE_ORDINARY = f"{_DELETE} {_THERE}"
_MOVE = (
    "update messages set seq = ?, queue_id = ?, order_key = ?, expires_at = ?, put_at = ?, checksum = ? where seq = ?"
)


def ordinary(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, StoredMessage]:
    """Return the ordinary ones of some messages of a queue by their keys, with data and checksum."""
    rows = (row for some in in_portions(seqs) for row in db.all(_READ, (*some, queue_id, now_ms)))
    return {row[0]: from_row(row) for row in rows}


def begin_anew(stored: StoredMessage, now_ms: int) -> bool:
    """Make a message of ``ordinary`` one that is put now; return False where it is damaged.

    Its remaining expiry restarts, in whole tenths of a second.
    """
    data = stored.data or b""
    if len(data) != stored.data_length or stored.checksum not in (None, checksum(stored, data)):
        return False
    if stored.expires_at is not None and stored.expires_at < FROZEN:
        stored.expires_at = now_ms + max(1, (stored.expires_at - now_ms + 99) // 100) * 100
    stored.put_at = now_ms
    stored.checksum = checksum(stored, data)
    return True


def move(db: Database, moves: Iterable[tuple[int, StoredMessage]]) -> None:
    """Move messages to other places, in their own rows. moves: the key before, and the message at its new place."""
    db.run_many(
        _MOVE,
        [
            (stored.seq, stored.queue_id, stored.order_key, stored.expires_at, stored.put_at, stored.checksum, before)
            for before, stored in moves
        ],
    )


def ordinary_sizes(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, tuple[int, int]]:
    """Return the persistence of the ordinary ones of some messages, and the bytes of their data and properties."""
    return {
        seq: (persistence, length + (len(properties.encode("utf-8")) if properties else 0))
        for some in in_portions(seqs)
        for seq, persistence, length, properties in db.all(_READ_PLACE, (*some, queue_id, now_ms))
    }


def remove_ordinary(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> int:
    """Delete those of some messages that are ordinary; return their number."""
    return sum(db.run(_DELETE_ORDINARY, (*some, queue_id, now_ms)) for some in in_portions(seqs))


def remove(db: Database, seqs: Iterable[int]) -> None:
    """Delete messages that are short and unlocked."""
    for some in in_portions(seqs):
        db.run(_DELETE, some)
