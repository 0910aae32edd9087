"""Scans: long reads of many messages or events by ranges of their keys, for those who read all there is.

A scan names columns and conditions; the statements are put together from the tables below, and every value is a bound
parameter. Most columns of most queues never change from row to row: a caller names the columns that it takes for
constant, and gets with each row a number that says which of them differ.
"""

from __future__ import annotations

import sqlite3
from _thread import get_ident
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mqtools.errors import StorageError
from mqtools.message import BYTE_FIELDS
from mqtools.predicates import Condition
from mqtools.store import Row
from mqtools.store.database import Database, Reading
from mqtools.store.failures import storage_error
from mqtools.store.messages import journal, messages
from mqtools.store.messages.stored_message import (
    DESCRIPTOR_COLUMNS,
    FROZEN,
    ID_INDEXES,
    M_COLUMNS,
    StoredMessage,
    from_row,
)
from mqtools.store.scans.predicates import Clause

if TYPE_CHECKING:
    import pyarrow as pa

    from mqtools.predicates import Predicate
    from mqtools.store.scans.columnar import ColumnarDatabase

MESSAGES, JOURNAL = "messages", "journal"

#: Table to the column that is its key, in the order of arrival.
_KEYS = {MESSAGES: "seq", JOURNAL: "event_seq"}

#: Bytes of a file that are mapped at most; SQLite may have a lower limit.
_MAPPED = 1 << 40

#: Columns that are given as they are stored.
PLAIN = (
    *(name for name in DESCRIPTOR_COLUMNS if name not in BYTE_FIELDS),
    *("seq", "state", "put_at", "data_length", "data"),
    *("event", "event_at", "event_seq", "holder", "appl_name", "outcome", "queue", "has_body"),
)

#: Bytes of data that are read with the other columns of a row at most.
_SHORT = 16_384

#: Column to what is selected for it: identifiers are bytes or null, times milliseconds since 1970, a header its bytes;
#: short data is null where it is longer, or in pieces.
_SELECTED = {name: f"m.{name}" for name in (*PLAIN, *BYTE_FIELDS)} | {
    "version": "2",
    "expiry": "iif(m.expires_at is null, -1, max(1, (m.expires_at"
    f" - iif(m.expires_at < {FROZEN}, max(:now, m.put_at), {FROZEN}) + 99) / 100))",
    "properties": "m.properties",
    "short_data": f"iif(m.data_length <= {_SHORT}, m.data, null)",
}
_SELECTED |= {name: f"m.{name}" for name in ("state_before", "state_after", "held_at", "undone", "detail")}
_DEAD_LETTER_HEADS = {MESSAGES: journal.DEAD_LETTER_HEAD, JOURNAL: "m.head"}


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan of a table, of one queue or of all (journal only), under conditions that must all hold.

    now_ms: the instant for expiry; messages that have expired by then are not there.  lock_id: holder of a lock, to
    read just what it holds; that does not expire.
    columns: read of each row, in addition to its key.  constants: columns that are only compared with a value each.
    """

    table: str
    queue_id: int | None = None
    conditions: Sequence[Predicate] = ()
    now_ms: int = 0
    lock_id: int | None = None
    columns: Sequence[str] = ()
    constants: Mapping[str, object] = field(default_factory=dict)

    @property
    def index(self) -> str | None:
        """Return the index that finds the rows, where a condition asks for one identifier of a queue."""
        if self.table == MESSAGES and self.queue_id is not None:
            for condition in self.conditions:
                if not isinstance(condition, Condition) or condition.operator != "=" or condition.negated:
                    continue
                if condition.column in ID_INDEXES:
                    return ID_INDEXES[condition.column]
        return None


class Snapshot(Reading):
    """A block of queries that see one state of the file; SQLite does not commit one in which it met a damaged page."""

    __slots__ = ()

    def __exit__(self, *_: object) -> None:
        self._database.end_block(keep=False, writing=False)


def key_name(table: str) -> str:
    """Return the column that is the key of a table."""
    return _KEYS[table]


def rows(db: Database, scan: Scan, after: int, last: int, page: int, limit: int = -1) -> Iterator[list[Row]]:
    """Yield rows behind a key up to another, in the order of the keys: key, columns, and what is not constant.

    The last value of a row has a bit set for each of the constants, in their order, that differs in the row.
    page: rows of a list.  limit: of rows; with it the scan ends at the last row.
    Belongs into a ``Snapshot`` of the caller. Raises StorageError: also for a damaged text in the page.
    """
    db.runs_in = get_ident()
    try:
        found = db.sql.execute(*_rows(scan, after, last, limit))
        while rows := found.fetchmany(page):
            db.runs_in = 0
            yield rows
            db.runs_in = get_ident()
    except (sqlite3.Error, OverflowError, UnicodeEncodeError) as error:
        raise storage_error(error, db.path) from error
    finally:
        db.runs_in = 0


def batches(db: ColumnarDatabase, scan: Scan, after: int, last: int, page: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of ``rows`` as Arrow batches; all that is null may have any type. Raises StorageError."""
    begun = after
    while True:
        try:
            for batch in db.batches(*_rows(scan, after, last), page):
                if batch.num_rows:
                    yield batch
                    after = batch.column(0)[-1].as_py()
            return
        except StorageError:
            if after == begun:
                raise
            begun = after  # the first values of a column behind nulls have a type that is not known yet


def places(db: Database, scan: Scan, after: int, last: int, limit: int) -> list[tuple[int, int]]:
    """Return the next keys of a range, each with the length of its data in bytes."""
    where, parameters = _where(scan, after, last)
    statement = f"select m.{_KEYS[scan.table]}, m.data_length {where} limit :limit"
    return [(row[0], row[1]) for row in db.all(statement, {**parameters, "limit": limit})]


def map_memory(db: Database) -> None:
    """Read the file where the system has it in memory, not by copies of it: a third less time for a long scan.

    A disk that fails then ends the process (SIGBUS); without this it is an error.
    """
    db.run(f"pragma mmap_size = {_MAPPED}")


def first(db: Database, scan: Scan, columns: Sequence[str], after: int, last: int) -> Row | None:
    """Return the first row of a range, None where there is none."""
    where, parameters = _where(scan, after, last)
    return db.one(f"select {', '.join(_expression(scan, name) for name in columns)} {where} limit 1", parameters)


def stored_messages(db: Database, scan: Scan, after: int, last: int, limit: int) -> list[tuple[int, StoredMessage]]:
    """Return key and message of the next rows of a range."""
    where, parameters = _where(scan, after, last)
    found = db.all(f"select m.{_KEYS[scan.table]}, {M_COLUMNS} {where} limit :limit", {**parameters, "limit": limit})
    return [(row[0], from_row(row[1:])) for row in found]


def check_messages(db: Database, scan: Scan, after: int, last: int, limit: int) -> None:
    """Compare the next messages of a range with their checksums. Raises MessageDamaged: for the first that differs."""
    where, parameters = _where(scan, after, last)
    for row in db.all(f"select {M_COLUMNS}, m.data, m.checksum {where} limit :limit", {**parameters, "limit": limit}):
        messages.data_of(db, from_row(row))


def journal_bounds(db: Database) -> tuple[int, int]:
    """Return the number of the oldest event that is kept, and that of the last; 1 and 0 where there is none."""
    return journal.first_event(db) or 1, journal.last_event(db)


def load_data(db: Database, scan: Scan, key: int) -> bytes | None:
    """Read data that is kept in pieces, as far as it exists; None for an event without data."""
    if scan.table == JOURNAL:
        return journal.load_data(db, key)
    return b"".join(db.column("select data from message_chunks where seq = ? order by number", (key,)))


def _rows(scan: Scan, after: int, last: int, limit: int = -1) -> tuple[str, dict[str, object]]:
    selected = ["m." + _KEYS[scan.table], *(_expression(scan, name) for name in scan.columns), _differences(scan)]
    where, parameters = _where(scan, after, last)
    parameters |= {f"constant{n}": value for n, value in enumerate(scan.constants.values())} | {"limit": limit}
    return f"select {', '.join(selected)} {where} limit :limit", parameters


def _expression(scan: Scan, name: str) -> str:
    return _DEAD_LETTER_HEADS[scan.table] if name == "dlh" else _SELECTED[name]


def _differences(scan: Scan) -> str:
    """Return SQL for a number with a bit for each constant that differs, computed only where any differs."""
    if not scan.constants:
        return "0"
    expressions = [_expression(scan, name) for name in scan.constants]
    given = [f":constant{n}" for n in range(len(expressions))]
    bits = " | ".join(f"(({one} is not :constant{n}) << {n})" for n, one in enumerate(expressions))
    return f"iif(({', '.join(expressions)}) is ({', '.join(given)}), 0, {bits})"


def _where(scan: Scan, after: int, last: int) -> tuple[str, dict[str, object]]:
    key = f"m.{_KEYS[scan.table]}"
    # Not "> :after": that would look at the page of the key before, which may be damaged.
    parameters: dict[str, object] = {"first": after + 1, "last": last, "now": scan.now_ms}
    words = [f"{key} >= :first and {key} <= :last"]
    if scan.lock_id is not None:
        words.append("m.lock_id = :lock_id")
        parameters["lock_id"] = scan.lock_id
    elif scan.table == MESSAGES:
        words.append("(m.expires_at is null or m.expires_at > :now)")
    if scan.index is not None:
        words.append("m.queue_id = :queue_id")
        parameters["queue_id"] = scan.queue_id
    clause = Clause()
    words += map(clause.sql, scan.conditions)
    by = f" indexed by {scan.index}" if scan.index else ""
    statement = f"from {scan.table} as m{by} where {' and '.join(words)} order by {key}"
    return statement, {**parameters, **clause.parameters}
