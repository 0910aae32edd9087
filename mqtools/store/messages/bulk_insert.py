"""Bulk insert: messages that arrive on a queue together, by one statement."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from mqtools.store.messages.checksums import checksum, checksum_of_row
from mqtools.store.messages.stored_message import COLUMNS, INSERT, NULLS, to_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.types import Row

_NAMES = (*(name.strip() for name in COLUMNS.split(",")), "data")
#: Columns that count up with the number of the arrival.
_NUMBERED = ("seq", "order_key")


def whole_row(stored: StoredMessage, data: bytes) -> Row:
    """Return the row of a message with its data and its checksum."""
    return to_row(stored, data, checksum(stored, data))


def insert_rows(db: Database, rows: Iterable[Row]) -> None:
    """Insert messages. rows: of ``whole_row``."""
    db.run_many(INSERT, rows)


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
    rows = zip(*columns)  # noqa: B905 - a column that is the same in all has no end
    db.run_many(INSERT, ((*row, checksum_of_row(row)) for row in rows))


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
