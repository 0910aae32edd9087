"""Bulk insert: messages that arrive on a queue together, by one statement."""

from __future__ import annotations

from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from mqtools.constants.structures import MQGI_NONE
from mqtools.store.messages import group_counts
from mqtools.store.messages.checksums import (
    around_put_time,
    checksum,
    checksum_of,
    checksum_of_row,
    put_time_summed,
)
from mqtools.store.messages.stored_message import (
    COLUMNS,
    INSERT,
    NULLS,
    correl_id_column,
    insert_statement,
    to_row,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

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
#: The columns that messages of one kind have each for itself, and those of them that come from a descriptor.
_OWN = ("seq", "order_key", "msg_id", "data_length", "data", "checksum", "put_date", "put_time", "correl_id")
_OWN_OF_KIND = frozenset(("msg_id", "correl_id", "put_date", "put_time", "data"))
#: Numbers that stand in no statement, because they are seldom the same again.
_BOUND = ("holder_id", "expires_at", "put_at")
#: Messages of one kind from which on it has a statement of its own.
_FEWEST = 8


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


def insert_alike(db: Database, number: int, like: Sequence[StoredMessage], own: Mapping[str, Sequence[Any]]) -> None:
    """Insert messages that have the same values in most columns.

    number: of the first arrival.  like: for each message one like it, with the number 0; the fewer different objects
    there are among them, the better.  own: column to its values, one for each message, where these are not those of
    ``like``, the data among them; identifiers as in a descriptor.
    """
    kinds: dict[int, list[int]] = {}
    for at, kind in enumerate(like):
        kinds.setdefault(id(kind), []).append(at)
    if "group_id" in own or any(like[places[0]].md.group_id != MQGI_NONE for places in kinds.values()):
        group_counts.begin(db)
    rest: list[int] = []
    for places in kinds.values():
        if len(places) < _FEWEST or not _OWN_OF_KIND.issuperset(own):
            rest += places
        elif len(kinds) == 1:
            _insert_kind(db, like[0], range(number, number + len(like)), own)
        else:
            _insert_kind(db, like[places[0]], [number + at for at in places], _some(own, places))
    if rest:
        rest.sort()
        _insert_any(db, [number + at for at in rest], [like[at] for at in rest], _some(own, rest))


def _some(own: Mapping[str, Sequence[Any]], places: Sequence[int]) -> dict[str, Sequence[Any]]:
    return {name: [values[at] for at in places] for name, values in own.items()}


def _insert_kind(db: Database, kind: StoredMessage, numbers: Sequence[int], own: Mapping[str, Sequence[Any]]) -> None:
    """Insert messages that differ in nothing but ``_OWN_OF_KIND``, with the numbers of their arrivals.

    What is the same in all stands in the statement where it can.
    """
    md = kind.md
    msg_ids, correl_ids = own.get("msg_id") or repeat(md.msg_id), own.get("correl_id") or repeat(md.correl_id)
    dates, times = own.get("put_date") or repeat(md.put_date), own.get("put_time") or repeat(md.put_time)
    begun, rest = around_put_time(kind)
    first_seq, first_key, columns = kind.seq, kind.order_key, dict(zip(_NAMES, to_row(kind, None, None), strict=False))
    for name in _OWN:
        columns.pop(name, None)
    bound = {name: value for name, value in columns.items() if name in _BOUND or _is_text(value)}
    values = tuple(bound.values())
    # No bytes: for a value that is neither a number nor text nor a bytearray, sqlite3 looks for an adapter.
    rows = (
        (
            first_seq + number, first_key + number, bytearray(msg_id), len(data), bytearray(data),
            checksum_of(b"".join((msg_id, correl_id, begun, put_time_summed(date, time), rest)), data),
            date, time, correl_id_column(correl_id), *values,
        )
        for number, data, msg_id, correl_id, date, time in zip(  # noqa: B905 - what is repeated has no end
            numbers, own["data"], msg_ids, correl_ids, dates, times
        )
    )  # fmt: skip
    alike = {name: value for name, value in columns.items() if name not in bound}
    db.run_many(insert_statement((*_OWN, *bound), alike), rows)


def _is_text(value: object) -> bool:
    return isinstance(value, (str, bytes)) and len(value) > 0


def _insert_any(
    db: Database, numbers: Sequence[int], like: Sequence[StoredMessage], own: Mapping[str, Sequence[Any]]
) -> None:
    made = {id(kind): to_row(kind, None, None) for kind in like}
    rows, kinds = [made[id(kind)] for kind in like], list(made.values())
    own = {**own, "data_length": [len(data) for data in own["data"]]}
    columns = [
        _stored(name, own[name]) if name in own else _values(name, at, numbers, kinds, rows)
        for at, name in enumerate(_NAMES)
    ]
    given = [at for at, name in enumerate(_NAMES) if name in own or any(row[at] is not None for row in kinds)]
    names = [*(_NAMES[at] for at in given), "checksum"]
    values = itemgetter(*given)
    whole = zip(*columns)  # noqa: B905 - a column that is the same in all has no end
    db.run_many(_insert(names), ((*values(row), checksum_of_row(row)) for row in whole))


def _values(name: str, at: int, numbers: Sequence[int], kinds: Sequence[Row], rows: Sequence[Row]) -> Iterable[object]:
    """Return the values of a column that the kinds of messages have."""
    if name in _NUMBERED:
        return [row[at] + number for row, number in zip(rows, numbers, strict=True)]
    first = kinds[0][at]
    return repeat(first) if all(row[at] == first for row in kinds) else [row[at] for row in rows]


def _stored(name: str, values: Sequence[object]) -> Iterable[object]:
    """Return the values of an identifier as rows have them."""
    if name not in NULLS:
        return values
    none = NULLS[name]
    return [None if value == none else value for value in values]
