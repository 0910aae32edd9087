"""Bulk insert: messages that arrive on a queue together, by one statement."""

from __future__ import annotations

from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from mqtools.store.messages import group_counts
from mqtools.store.messages.checksums import checksum, checksum_of_row
from mqtools.store.messages.stored_message import COLUMNS, INSERT, NULLS, to_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.types import Row

_NAMES = (*(name.strip() for name in COLUMNS.split(",")), "data")
#: Columns that most messages have null. A null costs as much as two other values, and is not given where all are.
_OPTIONAL = ("holder_id", "lock_id", "expires_at", "properties", "correl_id", "accounting_token", "group_id")
_NO_OPTIONAL = (None,) * len(_OPTIONAL)
_optional = itemgetter(*map(_NAMES.index, _OPTIONAL))
_FILLED = [name for name in (*_NAMES, "checksum") if name not in _OPTIONAL]
_filled = itemgetter(*map((*_NAMES, "checksum").index, _FILLED))
_GROUP_ID = _NAMES.index("group_id")
#: Columns that count up with the number of the arrival.
_NUMBERED = ("seq", "order_key")


def _insert(names: Sequence[str]) -> str:
    return f"insert into messages ({', '.join(names)}) values ({', '.join('?' * len(names))})"  # noqa: S608


_INSERT_FILLED = _insert(_FILLED)


def whole_row(stored: StoredMessage, data: bytes) -> Row:
    """Return the row of a message with its data and its checksum."""
    return to_row(stored, data, checksum(stored, data))


def insert_rows(db: Database, rows: Iterable[Row]) -> None:
    """Insert messages. rows: of ``whole_row``."""
    filled, others = [], []
    for row in rows:
        if _optional(row) == _NO_OPTIONAL:
            filled.append(_filled(row))
        else:
            others.append(row)
    if any(row[_GROUP_ID] is not None for row in others):
        group_counts.begin(db)
    for statement, some in ((_INSERT_FILLED, filled), (INSERT, others)):
        if some:
            db.run_many(statement, some)


def insert_alike(db: Database, number: int, like: Sequence[Row], own: Mapping[str, Sequence[object]]) -> None:
    """Insert messages that have the same values in most columns.

    number: of the first arrival.  like: for each message the row of an arrival with the number 0 that is like it; the
    fewer different objects there are among them, the better.  own: column to its values, one for each message, where
    these are not those of ``like``; identifiers as in a descriptor.
    """
    kinds = list({id(row): row for row in like}.values())
    columns = [
        _values(name, at, number, kinds, like) if name not in own else _stored(name, own[name])
        for at, name in enumerate(_NAMES)
    ]
    given = [at for at, name in enumerate(_NAMES) if name in own or any(row[at] is not None for row in kinds)]
    names = [*(_NAMES[at] for at in given), "checksum"]
    if "group_id" in names:
        group_counts.begin(db)
    values = itemgetter(*given)
    rows = zip(*columns)  # noqa: B905 - a column that is the same in all has no end
    db.run_many(_insert(names), ((*values(row), checksum_of_row(row)) for row in rows))


def _values(name: str, at: int, number: int, kinds: Sequence[Row], like: Sequence[Row]) -> Iterable[object]:
    """Return the values of a column that the kinds of messages have."""
    first = kinds[0][at]
    is_same = all(row[at] == first for row in kinds)
    if name in _NUMBERED:
        if is_same:
            return range(first + number, first + number + len(like))
        return [row[at] + number + n for n, row in enumerate(like)]
    return repeat(first) if is_same else [row[at] for row in like]


def _stored(name: str, values: Sequence[object]) -> Iterable[object]:
    """Return the values of an identifier as rows have them."""
    if name not in NULLS:
        return values
    none = NULLS[name]
    return [None if value == none else value for value in values]
