"""Relocation: messages that go to another queue, or away, many at a time, as rows of which no objects are made.

Only ordinary ones: available, short, in no group, and without a request for a report.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from mqtools.constants.completeness import ALONE
from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import MQCI_NONE
from mqtools.store.messages.by_keys import AMONG, in_portions
from mqtools.store.messages.checksums import (
    around_put_time,
    around_times,
    checksums_around_times,
    checksums_of_row,
)
from mqtools.store.messages.messages import SHORT
from mqtools.store.messages.stored_message import COLUMNS, from_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mqtools.store.database import Database
    from mqtools.store.types import Row

_AT = {name.strip(): at for at, name in enumerate(COLUMNS.split(","))}
_EXPIRES_AT, _PUT_AT, _DATA_LENGTH = _AT["expires_at"], _AT["put_at"], _AT["data_length"]
_PERSISTENCE, _PRIORITY = _AT["persistence"], _AT["priority"]
_DATA = len(_AT)
_CHECKSUM = _DATA + 1

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

#: Columns that are summed and that most messages of a queue have alike.
_ALIKE = (
    "properties, msg_type, feedback, encoding, coded_char_set_id, format, priority, persistence, reply_to_q, "
    "reply_to_q_mgr, user_identifier, accounting_token, appl_identity_data, put_appl_type, put_appl_name, "
    "appl_origin_data, msg_seq_number, offset, msg_flags, original_length"
)
_alike = itemgetter(*(_AT[name] for name in _ALIKE.split(", ")))
#: What is summed in front of put and expiry time is put together here. To give all columns takes twice the time.
_READ_ALIKE = (
    "select seq, data_length, expires_at, put_at, data, checksum,"
    f" cast(msg_id || ifnull(correl_id, zeroblob({len(MQCI_NONE)})) || ? || put_date || char(0) || put_time || ?"
    f" as blob), ({_ALIKE}) is ({', '.join('?' * (_ALIKE.count(',') + 1))}) {AMONG} {_THERE}"
)


class Relocated(NamedTuple):
    """A message that is put again now, unlocked.

    expires_at: what is left of its expiry begins anew, in whole tenths of a second.  checksum: for that; None where the
    message is damaged.  row: all of it, ``COLUMNS``, data and checksum; empty where it is not read.
    """

    seq: int
    persistence: int
    priority: int
    data_length: int
    expires_at: int | None
    checksum: int | None
    row: Row = ()


class _Kind:
    """What messages have in common: values of ``_ALIKE``, and what is summed of these."""

    def __init__(self, row: Row) -> None:
        stored = from_row(row)
        self.persistence, self.priority = stored.md.persistence, stored.md.priority
        self.numbers = around_times(stored)[1]
        self.parameters = (around_put_time(stored)[0], around_times(stored)[0], *_alike(row))


#: Kind of the last message that was read by itself: most are like one before.
_last_kind: _Kind | None = None


def copyable(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, Relocated]:
    """Return the ordinary ones of some messages of a queue, with their rows."""
    return {row[0]: _relocated(row, now_ms) for row in _rows(db, queue_id, seqs, now_ms)}


def movable(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, Relocated]:
    """Return the ordinary ones of some messages of a queue, without the rows of those that are like others."""
    global _last_kind
    found: dict[int, Relocated] = {}
    for some in in_portions(seqs):
        unlike = some if _last_kind is None else _add_alike(found, db, _last_kind, (*some, queue_id, now_ms))
        row: Row = ()
        for row in _rows(db, queue_id, unlike, now_ms):
            found[row[0]] = _relocated(row, now_ms)
        if row:
            _last_kind = _Kind(row)
    return found


def _add_alike(found: dict[int, Relocated], db: Database, kind: _Kind, parameters: Row) -> list[int]:
    """Add the messages that are of a kind; return the keys of the others. parameters: of ``_THERE``."""
    unlike: list[int] = []
    now_ms, numbers, persistence, priority = parameters[-1], kind.numbers, kind.persistence, kind.priority
    for seq, length, expires_at, put_at, data, known, begun, is_alike in db.all(
        _READ_ALIKE, (*kind.parameters, *parameters)
    ):
        if not is_alike:
            unlike.append(seq)
            continue
        anew = None if expires_at is None else _begun_anew(expires_at, now_ms)
        before, after = checksums_around_times(begun, numbers, data, (put_at, expires_at or 0), (now_ms, anew or 0))
        is_sound = (known is None or known == before) and len(data) == length
        found[seq] = Relocated(seq, persistence, priority, length, anew, after if is_sound else None)
    return unlike


def _rows(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> list[Row]:
    return [row for some in in_portions(seqs) for row in db.all(_READ, (*some, queue_id, now_ms))]


def _relocated(row: Row, now_ms: int) -> Relocated:
    expires_at, length = row[_EXPIRES_AT], row[_DATA_LENGTH]
    anew = None if expires_at is None else _begun_anew(expires_at, now_ms)
    before, after = checksums_of_row(row, now_ms, anew)
    is_sound = row[_CHECKSUM] in (None, before) and len(row[_DATA]) == length
    return Relocated(row[0], row[_PERSISTENCE], row[_PRIORITY], length, anew, after if is_sound else None, row)


def _begun_anew(expires_at: int, now_ms: int) -> int:
    return now_ms + max(1, (expires_at - now_ms + 99) // 100) * 100


def ordinary_sizes(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> dict[int, tuple[int, int]]:
    """Return the persistence of the ordinary ones of some messages, and the bytes of their data and properties."""
    return {
        seq: (persistence, length + (len(properties.encode("utf-8")) if properties else 0))
        for some in in_portions(seqs)
        for seq, persistence, length, properties in db.all(_READ_PLACE, (*some, queue_id, now_ms))
    }


def copied(given: Relocated, seq: int, queue_id: int, order_key: int, now_ms: int) -> Row:
    """Return the row of a copy of a message of ``copyable`` at another place."""
    place = (seq, queue_id, UNLOCKED, ALONE, order_key, None, None, given.expires_at, now_ms)
    return (*place, *given.row[_PUT_AT + 1 : _CHECKSUM], given.checksum)


def moved(given: Relocated, seq: int, queue_id: int, order_key: int, now_ms: int) -> Row:
    """Return what ``move`` takes of a message that gets another place."""
    return seq, queue_id, order_key, given.expires_at, now_ms, given.checksum, given.seq


def move(db: Database, moves: Iterable[Row]) -> None:
    """Move messages to other places, in their own rows. moves: of ``moved``."""
    db.run_many(_MOVE, moves)


def remove_ordinary(db: Database, queue_id: int, seqs: Iterable[int], now_ms: int) -> int:
    """Delete those of some messages that are ordinary; return their number."""
    return sum(db.run(_DELETE_ORDINARY, (*some, queue_id, now_ms)) for some in in_portions(seqs))


def remove(db: Database, seqs: Iterable[int]) -> None:
    """Delete messages that are short and unlocked."""
    for some in in_portions(seqs):
        db.run(_DELETE, some)
