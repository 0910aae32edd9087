"""Messages by their keys: those of several that are unlocked, or still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages.messages import SHORT
from mqtools.store.messages.stored_message import CHUNK, COLUMNS, StoredMessage, from_row
from mqtools.store.messages.units_of_work import HELD_COLUMNS, Held

#: Keys that one statement names; where there are fewer, one is named again. And its condition.
_KEYS = 64
AMONG = f"from messages not indexed where seq in ({', '.join('?' * _KEYS)})"
_THERE_AMONG = f"select seq {AMONG}"
_READ_AMONG = f"select {COLUMNS}, case when data_length <= {SHORT} then data end, checksum {AMONG} and state = 1"

_HELD_AMONG = f"select {HELD_COLUMNS} {AMONG} and holder_id = ?"
_DELETE_AMONG = f"delete {AMONG} and holder_id = ?"
_DELETE_CHUNKS_AMONG = (
    f"delete from message_chunks where seq in (select seq {AMONG} and holder_id = ? and data_length > ?)"  # noqa: S608
)


def read_among(db: Database, seqs: Iterable[int]) -> dict[int, StoredMessage]:
    """Return the unlocked ones of some messages by their keys, with their data where it is short."""
    found = (from_row(row) for row in among(db, _READ_AMONG, seqs))
    return {stored.seq: stored for stored in found}


def existing_among(db: Database, seqs: Iterable[int]) -> set[int]:
    """Return the keys of some messages that are still there in any state."""
    return {row[0] for row in among(db, _THERE_AMONG, seqs)}


def held_among(db: Database, holder_id: int, seqs: Iterable[int]) -> list[Held]:
    """Find those of some messages by their keys that a holder has uncommitted."""
    return [Held(row) for some in in_portions(seqs) for row in db.all(_HELD_AMONG, (*some, holder_id))]


def delete_held(db: Database, holder_id: int, seqs: Iterable[int]) -> None:
    """Delete those of some messages by their keys that a holder has uncommitted."""
    for some in in_portions(seqs):
        db.run(_DELETE_CHUNKS_AMONG, (*some, holder_id, CHUNK))
        db.run(_DELETE_AMONG, (*some, holder_id))


def among(db: Database, statement: str, seqs: Iterable[int]) -> Iterator[Row]:
    """Yield the rows of a query on some messages by their keys, whose condition is ``AMONG``."""
    for some in in_portions(seqs):
        yield from db.all(statement, some)


def in_portions(seqs: Iterable[int]) -> Iterator[list[int]]:
    """Yield keys in lists that a statement with ``AMONG`` takes."""
    keys = sorted(seqs)
    for at in range(0, len(keys), _KEYS):
        some = keys[at : at + _KEYS]
        yield some + some[-1:] * (_KEYS - len(some))
