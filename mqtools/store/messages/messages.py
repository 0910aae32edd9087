"""Messages: one function, one statement. The rows know states, keys and order, and no other rule of MQ."""

from __future__ import annotations

from _operator import itemgetter  # what ``operator`` has it from, without its functions in Python
from collections.abc import Container
from io import BytesIO

from mqtools.constants.objects import MQMDS_PRIORITY
from mqtools.constants.states import ALL, ALONE
from mqtools.store.database import Database
from mqtools.store.messages.checksums import check, damage_error
from mqtools.store.messages.stored_message import CHUNK, COLUMNS, ID_INDEXES, NUMBER_BITS, StoredMessage, from_row

#: Data of at most so many bytes is always read whole.
SHORT = 65_536

#: Behind every place in the order of delivery.
END = 10 << NUMBER_BITS

#: Fields of a search without an index, in addition to ``ID_INDEXES``. The first one that is given finds the rows.
_OTHER_FIELDS = ("msg_seq_number", "offset", "priority")

_searches: dict[tuple[tuple[str, ...], tuple[int, ...], str], str] = {}
#: Short data is read along with the row.
_WITH_DATA = f"{COLUMNS}, iif(data_length <= 4096, data, null), iif(data_length <= 4096, checksum, null)"

_UNLOCKED = " and state = 1"
#: Messages in any state, without a required completeness.
_ANY_STATE = (-1,)


def _search(fields: tuple[str, ...], completeness: tuple[int, ...], columns: str = COLUMNS) -> str:
    """Return the statement that finds messages by identifiers, available or in any state, in the order of delivery."""
    key = (fields, completeness, columns)
    if key not in _searches:
        index = next(index for field, index in ID_INDEXES.items() if field in fields)
        wanted = "" if completeness == _ANY_STATE else _UNLOCKED
        wanted += "".join(f" and {field} = :{field}" for field in fields)
        if completeness != _ANY_STATE and len(completeness) < len(ALL):
            wanted += f" and completeness in ({', '.join(map(str, completeness))})"
        _searches[key] = (
            f"select {columns} from messages indexed by {index}"  # noqa: S608 - names and our own numbers only
            f" where queue_id = :queue_id and order_key > :after{wanted}"
            " order by order_key limit :limit"
        )
    return _searches[key]


def _walk(fields: tuple[str, ...]) -> str:
    """Return the statement that finds available messages of one completeness, in the order of delivery."""
    key = (fields, (), COLUMNS)
    if key not in _searches:
        wanted = "".join(f" and {field} = :{field}" for field in fields)
        if "priority" in fields:
            wanted = f" and order_key < :end{wanted}"
        _searches[key] = _NEXT.replace(" order by", f"{wanted} order by")
    return _searches[key]


def next_available(
    db: Database,
    queue_id: int,
    wanted: dict[str, object] | None = None,
    after: int = -1,
    completeness: tuple[int, ...] = (ALONE,),
) -> StoredMessage | None:
    """Find the next unlocked message with the wanted fields, with its data where an index leads to it.

    wanted, after: see ``available``.  completeness: which ones; without it, those in no group.
    """
    wanted = wanted or {}
    if not wanted and completeness == _ALONE:
        row = db.one(_NEXT_ALONE, (queue_id, after))
    elif is_sought(wanted):
        fields = tuple([field for field in _SEARCHABLE if field in wanted])
        statement = _search(fields, ALL if completeness == _ALONE else completeness, _WITH_DATA)
        row = db.one(statement, {"queue_id": queue_id, "after": after, "limit": 1, **wanted})
    else:
        found = available(db, queue_id, wanted, after=after, completeness=completeness)
        return found[0] if found else None
    return None if row is None else from_row(row)


def bounds_of_priority(db: Database, queue_id: int, priority: int, after: int) -> dict[str, object]:
    """Return the range of order keys of a priority: its own on a priority queue, all keys on a FIFO queue."""
    row = db.one("select msg_delivery_sequence from queues where id = ?", (queue_id,))
    if row is None or row[0] != MQMDS_PRIORITY:
        return {"after": after, "end": END}
    first = (9 - min(max(priority, 0), 9)) << NUMBER_BITS
    return {"after": max(after, first), "end": first + (1 << NUMBER_BITS)}


def available(
    db: Database,
    queue_id: int,
    wanted: dict[str, object] | None = None,
    *,
    after: int = -1,
    limit: int = 1,
    completeness: tuple[int, ...] | None = None,
) -> list[StoredMessage]:
    """Find unlocked messages in the order of delivery, by equality of the wanted fields.

    wanted: any of msg_id, correl_id, group_id, msg_seq_number, offset, priority.  after: order key to
    begin behind.  completeness: which ones (constants/completeness.py), None for any.
    Index: the one of ID_INDEXES; else messages_available once a value, which has the priority too.
    """
    wanted = wanted or {}
    if completeness is None:
        completeness = completeness_on(db, queue_id)
    fields = tuple(field for field in _SEARCHABLE if field in wanted)
    parameters = {"queue_id": queue_id, "after": after, "limit": limit, **wanted}
    if is_sought(wanted):
        rows = db.all(_search(fields, ALL if completeness == _ALONE else completeness), parameters)
        return [from_row(row) for row in rows]
    if isinstance(priority := wanted.get("priority"), int):
        parameters |= bounds_of_priority(db, queue_id, priority, after)
    if len(completeness) == 1:
        rows = db.all(_walk(fields), {**parameters, "completeness": completeness[0]})
    else:
        statement = _walk(fields)
        rows = [row for each in completeness for row in db.all(statement, {**parameters, "completeness": each})]
        rows.sort(key=_by_order_key)
        del rows[limit:]
    return [from_row(row) for row in rows]


def in_any_state(
    db: Database, queue_id: int, wanted: dict[str, object], *, after: int = -1, limit: int = 1
) -> list[StoredMessage]:
    """Find messages by an identifier and what else is wanted, held or not; see ``available``. ``is_sought`` is true."""
    fields = tuple(field for field in _SEARCHABLE if field in wanted)
    parameters = {"queue_id": queue_id, "after": after, "limit": limit, **wanted}
    return [from_row(row) for row in db.all(_search(fields, _ANY_STATE), parameters)]


def is_sought(wanted: Container[str]) -> bool:
    """Return whether one of the wanted fields has its own index, which leaves few messages."""
    return any(field in wanted for field in ID_INDEXES)


def completeness_on(db: Database, queue_id: int) -> tuple[int, ...]:
    """Return the completeness values that messages of a queue can have: on most queues there are no groups."""
    row = db.one("select grouped from queue_status where queue_id = ?", (queue_id,))
    return ALL if row is not None and row[0] > 0 else _ALONE


_ALONE = (ALONE,)
_SEARCHABLE = (*ID_INDEXES, *_OTHER_FIELDS)
_by_order_key = itemgetter(4)


_NEXT_ALONE = (
    f"select {COLUMNS}, data, checksum from messages indexed by messages_available"  # noqa: S608 - column names only
    f" where queue_id = ? and completeness = {ALONE} and state = 1 and order_key > ? order by order_key limit 1"
)
_NEXT = (
    f"select {COLUMNS} from messages indexed by messages_available"  # noqa: S608 - column names only
    " where queue_id = :queue_id and completeness = :completeness and state = 1 and order_key > :after"
    " order by order_key limit :limit"
)
_HELD = (
    f"select {COLUMNS} from messages indexed by messages_held"  # noqa: S608 - column names only
    " where queue_id = :queue_id and state <> 1 and order_key > :after order by order_key limit :limit"
)


def held(db: Database, queue_id: int, *, after: int = -1, limit: int = 100) -> list[StoredMessage]:
    """Find messages that are locked or uncommitted, in the order of delivery. Index: messages_held."""
    rows = db.all(_HELD, {"queue_id": queue_id, "after": after, "limit": limit})
    return [from_row(row) for row in rows]


_BY_SEQ = f"select {_WITH_DATA} from messages where seq = ?"  # noqa: S608 - column names only


def by_seq(db: Database, seq: int) -> StoredMessage | None:
    """Find one message by its key in any state, with its data where it is short."""
    row = db.one(_BY_SEQ, (seq,))
    return None if row is None else from_row(row)


_BY_ID = (
    f"select {COLUMNS} from messages indexed by messages_msg_id"  # noqa: S608 - column names only
    " where queue_id = ? and msg_id = ? order by order_key"
)


def by_msg_id(db: Database, queue_id: int, msg_id: bytes) -> list[StoredMessage]:
    """Find all messages with an id in any state. Index: messages_msg_id."""
    return [from_row(row) for row in db.all(_BY_ID, (queue_id, msg_id))]


#: Identifier to the statement that lists its values from a given one on: for prefixes.
_PREFIXES = {
    field: (
        f"select distinct {field} from messages indexed by {index}"  # noqa: S608 - column names only
        f" where queue_id = ? and {field} >= ? and {field} < ? limit ?"
    )
    for field, index in ID_INDEXES.items()
}


def ids_with_prefix(db: Database, queue_id: int, field: str, prefix: bytes, limit: int = 2) -> list[bytes]:
    """List different values of msg_id, correl_id or group_id that begin with a prefix."""
    from mqtools.predicates import last_with

    return db.column(_PREFIXES[field], (queue_id, bytes(prefix), last_with(prefix), limit))


_OF_GROUP = (
    f"select {COLUMNS} from messages indexed by messages_group"  # noqa: S608 - column names only
    " where queue_id = :queue_id and group_id = :group_id"
)


def of_group(db: Database, queue_id: int, group_id: bytes, msg_seq_number: int | None = None) -> list[StoredMessage]:
    """Find the members of a group, or of one logical message of it, in any state, in the order of delivery.

    Index: messages_group.
    """
    one = "" if msg_seq_number is None else " and msg_seq_number = :number"
    rows = db.all(
        f"{_OF_GROUP}{one} order by order_key",
        {"queue_id": queue_id, "group_id": group_id, "number": msg_seq_number},
    )
    return [from_row(row) for row in rows]


_OF_LOCK = f"select {COLUMNS} from messages indexed by messages_lock where lock_id = ? order by order_key"  # noqa: S608


def of_lock(db: Database, lock_id: int) -> list[StoredMessage]:
    """Find the messages that a lock holds, got ones included. Index: messages_lock."""
    return [from_row(row) for row in db.all(_OF_LOCK, (lock_id,))]


_LOCKED = (
    f"select {COLUMNS} from messages indexed by messages_held"  # noqa: S608 - column names only
    " where queue_id = ? and state <> 1 and state = ? and lock_id = ? and order_key > ? order by order_key limit ?"
)


def locked(
    db: Database, queue_id: int, state: int, lock_id: int, *, after: int = -1, limit: int = 1
) -> list[StoredMessage]:
    """Find the messages of a lock that are in a state, in the order of delivery. Index: messages_held."""
    return [from_row(row) for row in db.all(_LOCKED, (queue_id, state, lock_id, after, limit))]


def data_of(db: Database, stored: StoredMessage) -> bytes:
    """Return the data of a message, read and checked once. Raises MessageDamaged."""
    if stored.data is None:
        row = db.one("select data, checksum from messages where seq = ?", (stored.seq,))
        if row is None:
            return b""
        stored.data, stored.checksum = row
        if stored.data is None:
            stored.data = _join_chunks(db, stored, stored.data_length)
    if stored.checksum is not None:
        check(stored, stored.data)
        stored.checksum = None
    return stored.data


_WHOLE = f"select {COLUMNS}, data, checksum from messages where seq = ?"  # noqa: S608 - column names only


def load_data(db: Database, seq: int, limit: int | None = None) -> bytes:
    """Read the data of a message; limit: at most so many bytes of it.

    All of it is checked, unless only the beginning of a long one is read. Raises MessageDamaged.
    """
    if limit is not None:
        row = db.one("select substr(data, 1, ?), data_length from messages where seq = ?", (limit, seq))
        if row is not None and row[0] is not None and row[1] > max(limit, SHORT):
            return bytes(row[0])
    row = db.one(_WHOLE, (seq,))
    if row is None:
        return b""
    stored = from_row(row)
    if limit is not None and stored.data is None and limit < stored.data_length:
        return _join_chunks(db, stored, limit)
    return data_of(db, stored)[:limit]


def _join_chunks(db: Database, stored: StoredMessage, length: int) -> bytes:
    whole = BytesIO()  # which gives its bytes away without a copy
    for number in range((length + CHUNK - 1) // CHUNK):
        row = db.one("select data from message_chunks where seq = ? and number = ?", (stored.seq, number))
        if row is None:
            raise damage_error(stored, f"it should have {stored.data_length} bytes, and some of them are missing")
        whole.write(row[0])
    whole.truncate(length)
    return whole.getvalue()


DELETE = "delete from messages where seq = ? and state = ?"


def remove(db: Database, stored: StoredMessage) -> None:
    """Delete a message that is still in the state it was found in."""
    if stored.data_length > CHUNK:
        db.run("delete from message_chunks where seq = ?", (stored.seq,))
    db.run(DELETE, (stored.seq, stored.state))


def set_state(db: Database, stored: StoredMessage, state: int, holder_id: int | None, lock_id: int | None) -> None:
    """Move a message that is still in the state it was found in to another one, with its holders."""
    db.run(
        "update messages set state = ?, holder_id = ?, lock_id = ? where seq = ? and state = ?",
        (state, holder_id, lock_id, stored.seq, stored.state),
    )
