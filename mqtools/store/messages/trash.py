"""The trash: messages that were removed on purpose, kept for a while with the name of their queue.

The oldest lie first, so that what has outlived its time or its room is found without a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import StorageError
from mqtools.records import Record
from mqtools.store import Row
from mqtools.store.database import Database
from mqtools.store.messages import group_counts
from mqtools.store.messages.checksums import check
from mqtools.store.messages.stored_message import CHUNK, COLUMNS, NUMBER_BITS, StoredMessage, from_row

#: Approximate bytes of a message in the file, in addition to its data and properties.
_ROW_BYTES = 512
_SIZE = f"(data_length + coalesce(length(cast(properties as blob)), 0) + {_ROW_BYTES})"
#: The part of an order key that is the number of the arrival.
_NUMBERS = (1 << NUMBER_BITS) - 1
_OWN = "number, removal, removed_at, removed_by, cause, queue, size"


@dataclass(slots=True)
class Trashed(Record):
    """A message in the trash.

    number: its key.  removal: of the operation that it went with.  removed_at: milliseconds since 1970.
    removed_by: user and process.  cause: delete, clear, purge, discard or edit.  q_name: of its queue.
    size: bytes that it counts for.  stored: the message as it lay on its queue.
    """

    number: int
    removal: int
    removed_at: int
    removed_by: str
    cause: str
    q_name: str
    size: int
    stored: StoredMessage


@dataclass(slots=True)
class Removal(Record):
    """All in the trash that one connection removed in one way from one queue.

    number: of the removal.  messages, size: how many, and the bytes they count for.  last_at: milliseconds
    since 1970.  removed_by, cause, q_name: as of ``Trashed``.
    """

    number: int
    messages: int
    size: int
    last_at: int
    removed_by: str
    cause: str
    q_name: str


def _trashed(row: Row) -> Trashed:
    number, removal, removed_at, removed_by, cause, q_name, size = row[:7]
    return Trashed(number, removal, removed_at, removed_by, cause, q_name, size, from_row(row[7:]))


def new_removal(db: Database) -> int:
    """Draw the number of a removal."""
    return db.number("update trash_status set last_removal = last_removal + 1 returning last_removal")


_KEEP = (
    f"insert into trash (removal, removed_at, removed_by, cause, queue, size, {COLUMNS}, data, checksum)"  # noqa: S608
    f" select :removal, :removed_at, :removed_by, :cause, :queue, {_SIZE}, {COLUMNS}, data, checksum"
    " from messages where"
)
_KEEP_CHUNKS = (
    "insert into trash_chunks select trash.number, message_chunks.number, message_chunks.data"
    " from trash cross join message_chunks on message_chunks.seq = trash.seq"
    " where trash.number > ? and trash.data is null"
)
_KEEP_ONE = f"{_KEEP} seq = :seq"
_KEEP_QUEUE = f"{_KEEP} seq >= :first and seq < :end order by seq"


def keep(db: Database, stored: StoredMessage, about: dict[str, object]) -> None:
    """Copy one message into the trash. about: removal, removed_at, removed_by, cause, queue."""
    if stored.data_length <= CHUNK:
        db.run(_KEEP_ONE, {**about, "seq": stored.seq})
        return
    before = _last_number(db)
    db.run(_KEEP_ONE, {**about, "seq": stored.seq})
    db.run(_KEEP_CHUNKS, (before,))


def keep_each(db: Database, seqs: Sequence[int], about: dict[str, object]) -> None:
    """Copy short messages into the trash, in the order of the keys; see ``keep``."""
    db.run_many(_KEEP_ONE, ({**about, "seq": seq} for seq in seqs))


def keep_queue(db: Database, queue_id: int, about: dict[str, object], most: int) -> int:
    """Copy the messages of a queue into the trash, those that came last if all together are more than ``most`` bytes.

    Gives their number; about: as for ``keep``.
    """
    return keep_range(db, about, first_that_fits(db, queue_id, most), (queue_id + 1) << 40)


def keep_range(db: Database, about: dict[str, object], first: int, end: int) -> int:
    """Copy the messages with keys from one on and before another into the trash; return their number."""
    before = _last_number(db)
    kept = db.run(_KEEP_QUEUE, {**about, "first": first, "end": end})
    db.run(_KEEP_CHUNKS, (before,))
    return kept


def _last_number(db: Database) -> int:
    return db.number("select number from trash where number > 0 order by number desc limit 1")


def first_that_fits(db: Database, queue_id: int, most: int) -> int:
    """Return the first key whose message and its successors have at most ``most`` bytes together."""
    bounds = (queue_id << 40, (queue_id + 1) << 40)
    if size_of_queue(db, queue_id) <= most:
        return bounds[0]
    first = db.number(
        f"select min(seq) from (select seq, sum({_SIZE}) over (order by seq desc) as together"  # noqa: S608
        " from messages where seq >= ? and seq < ?) where together <= ?",
        (*bounds, most),
    )
    return first or bounds[1]


def size_of_queue(db: Database, queue_id: int) -> int:
    """Return the bytes that the messages of a queue would count for."""
    return db.number(
        f"select sum({_SIZE}) from messages where seq >= ? and seq < ?",  # noqa: S608
        (queue_id << 40, (queue_id + 1) << 40),
    )


def size_of(stored: StoredMessage) -> int:
    """Return the bytes that a message would count for."""
    properties = 0 if stored.properties is None else len(stored.properties.encode("utf-8"))
    return counted_size(stored.data_length + properties)


def counted_size(length: int) -> int:
    """Return the bytes that a message would count for. length: of its data and properties, in bytes."""
    return length + _ROW_BYTES


def arrival_number(stored: StoredMessage) -> int:
    """Return the number that a message had in the order of arrival of its queue."""
    return stored.order_key & _NUMBERS


def status(db: Database) -> tuple[int, int]:
    """Return how many messages are in the trash, and the bytes they count for."""
    row = db.all("select messages, bytes from trash_status")[0]
    return row[0], row[1]


def is_due(db: Database, before: float, most: int) -> bool:
    """Return whether anything is older than an instant (milliseconds since 1970), or all exceeds ``most`` bytes."""
    row = db.one(
        "select bytes, (select removed_at from trash where number > 0 order by number limit 1) from trash_status"
    )
    return row is not None and (row[0] > most or (row[1] is not None and row[1] <= before))


def oldest(db: Database, limit: int) -> list[Row]:
    """List number, removed_at, size and removal of what has been in the trash longest."""
    return db.all(
        "select number, removed_at, size, removal from trash where number > 0 order by number limit ?", (limit,)
    )


def remove_through(db: Database, number: int) -> int:
    """Delete the messages with a number up to the given one; return how many."""
    return db.run("delete from trash where number <= ?", (number,))


def remove(db: Database, number: int) -> bool:
    """Delete one message; return whether it was there."""
    return db.run("delete from trash where number = ?", (number,)) > 0


def removals(db: Database) -> list[Removal]:
    """List what is in the trash by removal, the oldest first. Index: trash_removal."""
    rows = db.all(
        "select sums.*, removed_by, cause, queue from"
        " (select removal, count(*), sum(size), max(removed_at), min(number) as first"
        " from trash indexed by trash_removal group by removal) as sums"
        " join trash on trash.number = sums.first order by sums.removal"
    )
    return [Removal(*row[:4], *row[5:]) for row in rows]


_PAGE = f"select {_OWN}, {COLUMNS} from trash where number > :after order by number limit :limit"  # noqa: S608
_PAGE_OF_REMOVAL = (
    f"select {_OWN}, {COLUMNS} from trash indexed by trash_removal"  # noqa: S608
    " where removal = :removal and number > :after order by number limit :limit"
)


def page(db: Database, *, removal: int | None = None, after: int = 0, limit: int = 64) -> list[Trashed]:
    """Find what is in the trash behind a number, the oldest first. Index: the key, or trash_removal."""
    statement = _PAGE if removal is None else _PAGE_OF_REMOVAL
    return [_trashed(row) for row in db.all(statement, {"removal": removal, "after": after, "limit": limit})]


def by_number(db: Database, number: int) -> Trashed | None:
    """Find one message in the trash."""
    row = db.one(f"select {_OWN}, {COLUMNS} from trash where number = ?", (number,))  # noqa: S608
    return None if row is None else _trashed(row)


_WHOLE = f"select {COLUMNS}, data, checksum from trash where number = ?"  # noqa: S608


def load_data(db: Database, number: int, limit: int | None = None) -> bytes:
    """Read the data of a message in the trash; limit: at most so many bytes of it.

    All of it is checked, unless only the beginning is read. Raises MessageDamaged; StorageError (MQRC_OBJECT_DAMAGED)
    where a part of it is missing.
    """
    if limit is None:
        return _load_whole(db, number)
    row = db.one("select substr(data, 1, ?), data_length from trash where number = ?", (limit, number))
    if row is None:
        return b""
    return bytes(row[0]) if row[0] is not None else _join_chunks(db, number, min(limit, row[1]))


def _load_whole(db: Database, number: int) -> bytes:
    row = db.one(_WHOLE, (number,))
    if row is None:
        return b""
    stored = from_row(row)
    data = _join_chunks(db, number, stored.data_length) if stored.data is None else stored.data
    if stored.checksum is not None:
        check(stored, data, "trash: ")
    return data


def _join_chunks(db: Database, number: int, wanted: int) -> bytes:
    chunks = (wanted + CHUNK - 1) // CHUNK
    pieces = db.column(
        "select data from trash_chunks where trash_number = ? and number < ? order by number", (number, chunks)
    )
    if len(pieces) < chunks:
        raise StorageError(f"{db.path}: a part of a message in the trash is missing", MQRC_OBJECT_DAMAGED)
    return b"".join(pieces)[:wanted]


_PLACE = "seq, queue_id, state, completeness, order_key, holder_id, lock_id"
_PUT_BACK = (
    f"insert into messages ({COLUMNS}, data, checksum)"  # noqa: S608
    f" select {COLUMNS.replace(_PLACE, 'seq, queue_id, :state, :completeness, :order_key, null, null')}, data, checksum"
    " from trash where number = :number"
)


def put_back(db: Database, trashed: Trashed, *, state: int, completeness: int, order_key: int) -> None:
    """Restore a message to its queue without a holder, and delete it from the trash; its key must be free."""
    if trashed.stored.md.group_id != MQGI_NONE:
        group_counts.begin(db)
    db.run(_PUT_BACK, {"number": trashed.number, "state": state, "completeness": completeness, "order_key": order_key})
    db.run(
        "insert into message_chunks select ?, number, data from trash_chunks where trash_number = ?",
        (trashed.stored.seq, trashed.number),
    )
    remove(db, trashed.number)
