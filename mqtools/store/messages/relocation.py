"""Relocation: messages that go to another queue, or away, many at a time, as rows of which no objects are made.

A row has the columns of ``COLUMNS``, the data and the checksum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.completeness import ALONE
from mqtools.constants.states import UNLOCKED
from mqtools.store.messages.by_keys import AMONG, among, in_portions
from mqtools.store.messages.checksums import checksums_of_row
from mqtools.store.messages.messages import SHORT
from mqtools.store.messages.stored_message import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mqtools.store.database import Database
    from mqtools.store.types import Row

_AT = {name.strip(): at for at, name in enumerate(COLUMNS.split(","))}
SEQ, _QUEUE_ID, PERSISTENCE, PRIORITY = _AT["seq"], _AT["queue_id"], _AT["persistence"], _AT["priority"]
DATA_LENGTH, _EXPIRES_AT, _PUT_AT = _AT["data_length"], _AT["expires_at"], _AT["put_at"]
_DATA = len(_AT)
_CHECKSUM = _DATA + 1

_ORDINARY = f"and state = {UNLOCKED} and group_id is null and report = 0 and data_length <= {SHORT}"
_READ = f"select {COLUMNS}, data, checksum {AMONG} {_ORDINARY}"
_READ_PLACE = f"select seq, queue_id, expires_at, persistence, data_length, properties {AMONG} {_ORDINARY}"
_DELETE = f"delete {AMONG}"
_MOVE = (
    "update messages set seq = ?, queue_id = ?, order_key = ?, expires_at = ?, put_at = ?, checksum = ? where seq = ?"
)


def ordinary(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, Row]:
    """Return those of some messages of a queue that are available, short, in no group, and ask for no report."""
    rows = among(db, _READ, seqs)
    return {row[SEQ]: row for row in rows if row[_QUEUE_ID] == queue_id and not _expired(row[_EXPIRES_AT], now_ms)}


def ordinary_sizes(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, tuple[int, int]]:
    """Return the persistence of such messages, and the bytes of their data and properties."""
    return {
        seq: (persistence, length + (len(properties.encode("utf-8")) if properties else 0))
        for seq, of_queue, expires_at, persistence, length, properties in among(db, _READ_PLACE, seqs)
        if of_queue == queue_id and not _expired(expires_at, now_ms)
    }


def _expired(expires_at: int | None, now_ms: int) -> bool:
    return expires_at is not None and expires_at <= now_ms


def copied(row: Row, seq: int, queue_id: int, order_key: int, now_ms: int) -> Row | None:
    """Return the row of a copy of a message at another place, unlocked, put now; None where it is damaged.

    What is left of its expiry begins anew, in whole tenths of a second.
    """
    put = _put_again(row, now_ms)
    if put is None:
        return None
    place = (seq, queue_id, UNLOCKED, ALONE, order_key, None, None, put[0], now_ms)
    return (*place, *row[_PUT_AT + 1 : _CHECKSUM], put[1])


def moved(row: Row, seq: int, queue_id: int, order_key: int, now_ms: int) -> Row | None:
    """Return what ``move`` takes of a message that gets another place, as ``copied`` has it."""
    put = _put_again(row, now_ms)
    return None if put is None else (seq, queue_id, order_key, put[0], now_ms, put[1], row[SEQ])


def _put_again(row: Row, now_ms: int) -> tuple[int | None, int] | None:
    """Return expiry time and checksum of a message that is put now; None where it is damaged."""
    expires_at = row[_EXPIRES_AT]
    if expires_at is not None:
        expires_at = now_ms + max(1, (expires_at - now_ms + 99) // 100) * 100
    before, after = checksums_of_row(row, now_ms, expires_at)
    if row[_CHECKSUM] not in (None, before) or len(row[_DATA]) != row[DATA_LENGTH]:
        return None
    return expires_at, after


def move(db: Database, moves: Iterable[Row]) -> None:
    """Move messages of ``ordinary`` to other places, in their own rows. moves: of ``moved``."""
    db.run_many(_MOVE, moves)


def remove(db: Database, seqs: Iterable[int]) -> None:
    """Delete messages that are short and unlocked."""
    for some in in_portions(seqs):
        db.run(_DELETE, some)
