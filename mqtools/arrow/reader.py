"""Read of ranges into Arrow batches.

Most columns of a queue have one value in all its rows. Each column is assumed constant until a row differs; then it is
read for every row from there on. A constant column costs a comparison in SQLite, and no value anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, replace
from dataclasses import field as default
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mqtools.arrow import arrays
from mqtools.arrow.damage import Damage
from mqtools.arrow.key_range import Range
from mqtools.arrow.pages import Page, pages, values_of
from mqtools.arrow.put_times import put_times
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import MQError, StorageError
from mqtools.mqi.get.search import selects
from mqtools.mqi.identity import now_ms
from mqtools.rules.selector.selector import Selector, compile_selector
from mqtools.store.database import Database
from mqtools.store.open_database import open_database
from mqtools.store.scans import scan
from mqtools.store.scans.columnar import ColumnarDatabase

if TYPE_CHECKING:
    from mqtools.predicates import Predicate

#: Maximum of rows in a batch, without and with data, and of bytes of data. The cost of a batch, half a millisecond, is
#: then small against that of its rows, and the batch still fits the processor's cache.
_ROWS, _ROWS_WITH_DATA, _BYTES = 4096, 2048, 4_000_000

#: Columns that differ from row to row, never assumed constant.
_CHANGING = frozenset(("msg_id", "put_at", "put_time", "event_at", "short_data"))
#: Columns of a range, not of its rows.
_OF_RANGE = ("qmgr", "queue")
#: Column to the stored columns it is computed from, if these are others.
_MADE_OF = {
    "dlh": ("dlh", "encoding", "coded_char_set_id"),
    "dlh_exact": ("dlh", "encoding", "coded_char_set_id"),
    "properties_json": ("properties",),
    "data": ("data_length", "short_data"),
    "text": ("data_length", "short_data", "format", "encoding", "coded_char_set_id"),
    "put_at": ("put_date", "put_time", "put_at"),
    "arrived_at": ("put_at",),
}

#: Rows that are bisected if one of them is damaged.
_BISECTED_ROWS = 64
#: Errors that a damaged row raises.
_UNREADABLE = (MQError, ValueError, RecursionError)


@dataclass(frozen=True, slots=True)
class RowQuery:
    """Rows to read.

    conditions: that a row may have to satisfy.  damage: policy for damaged data.  is_alone: this process does not use
    the file otherwise meanwhile, so that it may be read in columns.  now: the time for expiry in milliseconds, 0 for
    the present.  verifies: compare each message whose data is read with its checksum.  convert: as ``arrays.array``.
    """

    schema: pa.Schema
    table: str
    conditions: Sequence[Predicate] = ()
    selector_text: str = ""
    _: KW_ONLY
    damage: Damage = default(default_factory=Damage)
    is_alone: bool = False
    now: int = 0
    verifies: bool = False
    convert: Callable[[str, Any, pa.DataType], pa.Array] = arrays.array


def read_file(path: str, find: Callable[[Database], Sequence[Range]], query: RowQuery) -> Iterator[pa.RecordBatch]:
    """Read ranges of one file, in one transaction, into batches of a schema. find: returns them in this transaction.

    Raises MQError: as ``open_database`` does, and for a selector with a mistake; Damaged.
    """
    damage = query.damage
    selector = compile_selector(query.selector_text) if query.selector_text else None
    narrow = query.conditions if selector is None else (*query.conditions, selector.predicate)
    in_columns = query.is_alone and not damage.is_quarantine and not query.verifies and not Database.is_open(path)
    try:
        db = open_database(path, read_only=True, kind=ColumnarDatabase if in_columns else Database)
    except StorageError as error:
        damage.file(path, error)
        return
    with closing(db):
        if not damage.is_quarantine:
            scan.map_memory(db)
        with scan.Snapshot(db):
            try:
                ranges = find(db)
            except StorageError as error:
                damage.file(path, error)
                return
            now = query.now or now_ms()
            for each in ranges:
                wanted = scan.Scan(query.table, each.queue_id, narrow, now, each.lock_id)
                reading = _Reading(db, wanted, each, query, selector)
                unread = yield from reading.batches()
                if unread is not None:
                    break
            else:
                return
    _diagnose(path, reading, unread)


def _diagnose(path: str, reading: _Reading, error: Exception) -> None:
    """Read row by row what could not be read in columns. Raises the error of the damaged row, else the given one."""
    with closing(open_database(path, read_only=True)) as db, scan.Snapshot(db):
        for _ in reading.rest(db).batches():
            pass
    raise error


class _Reading:
    """Progress of one range: the last key read, which columns are constant, and which are read."""

    def __init__(
        self, db: Database, wanted: scan.Scan, span: Range, query: RowQuery, selector: Selector | None = None
    ) -> None:
        self._span = span
        self._query = query
        self._selector = selector
        self._db = db
        self._scan = wanted
        self._schema = schema = query.schema
        self._of_range = _OF_RANGE if wanted.table == scan.MESSAGES else ("qmgr",)
        self._key = scan.key_name(wanted.table)
        self._with_data = not {"data", "text"}.isdisjoint(schema.names)
        self._after = span.after
        self._stable: list[str] = []
        self._changing: list[str] = []
        self._constants: dict[str, Any] = {}
        self._repeated: dict[str, pa.Array] = {}
        self._made: list[pa.Array | None] = []
        self._made_for = (0, 0)
        self._differing: list[tuple[int, pa.Field]] = []
        own = [name for name in schema.names if name not in self._of_range]
        needed = list(dict.fromkeys(part for name in own for part in _MADE_OF.get(name, (name,))))
        if self._with_data and wanted.table == scan.JOURNAL:
            needed.append("has_body")
        for name in needed:
            is_changing = name in _CHANGING or (name == "data_length" and self._with_data)
            if name != self._key:
                (self._changing if is_changing else self._stable).append(name)

    def rest(self, db: Database) -> _Reading:
        """Return a new reading of the rest, whatever the selector accepts."""
        return _Reading(db, self._scan, replace(self._span, after=self._after), self._query)

    def batches(self) -> Generator[pa.RecordBatch, None, Exception | None]:
        """Yield the batches of the range, around damaged rows; in columns, stop there and return the error."""
        while self._after < self._span.last:
            try:
                yield from self._read_until_change()
            except _UNREADABLE as error:
                if isinstance(self._db, ColumnarDatabase):
                    return error
                if not _is_damage(error):
                    raise
                yield from self._read_around_damage()
        return None

    def _read_until_change(self) -> Iterator[pa.RecordBatch]:
        """Yield batches to the end, or until a column turned out not to be constant."""
        if self._stable:
            row = scan.first(self._db, self._scan, self._stable, self._after, self._span.last)
            if row is None:
                self._after = self._span.last
                return
            self._constants, self._stable = dict(zip(self._stable, row, strict=True)), []
        for page in self._pages(self._after, self._span.last):
            batch = self._batch(page)
            self._after = page.last
            if batch.num_rows:
                yield batch
            if page.differing:
                return
        self._after = self._span.last

    def _read_around_damage(self) -> Iterator[pa.RecordBatch]:
        """Yield the next rows so that damaged rows are isolated, or skip damaged pages of the file."""
        try:
            keys = self._next_keys(_BISECTED_ROWS)
        except StorageError:
            try:
                keys = self._next_keys(1)
            except StorageError as error:
                self._skip_damaged_pages(error)
                return
        changing = self._changing
        if self._stable:  # the first row could not be read: nothing is known to be constant
            self._changing = [*changing, *self._stable]
        yield from self._bisect(keys)
        if self._stable:
            self._changing = changing
        self._after = keys[-1] if keys else self._span.last

    def _next_keys(self, number: int) -> list[int]:
        """Return the next keys, of at most the data of a batch, or one key."""
        found = scan.places(self._db, self._scan, self._after, self._span.last, number)
        size = 0
        for n, (_, length) in enumerate(found):
            size += length
            if size > _BYTES:
                return [key for key, _ in found[: max(n, 1)]]
        return [key for key, _ in found]

    def _bisect(self, keys: list[int]) -> Iterator[pa.RecordBatch]:
        """Read some rows; if that fails, each half of them."""
        if not keys:
            return
        try:
            batches = [self._batch(page) for page in self._pages(keys[0] - 1, keys[-1], len(keys))]
        except _UNREADABLE as error:
            if not _is_damage(error):
                raise
            if len(keys) == 1:
                self._query.damage.rows(self._span, keys[0], keys[0], error)
                return
            middle = len(keys) // 2
            yield from self._bisect(keys[:middle])
            yield from self._bisect(keys[middle:])
            return
        yield from batches

    def _skip_damaged_pages(self, error: StorageError) -> None:
        """Skip damaged pages of the file: continue at the next key that can be read."""
        if not _is_damage(error):
            raise error
        bad, good, step = self._after, self._span.last, 1
        while bad + step < good:
            if self._is_readable(bad + step):
                good = bad + step
            else:
                bad, step = bad + step, 2 * step
        while good - bad > 1:
            middle = (bad + good) // 2
            bad, good = (bad, middle) if self._is_readable(middle) else (middle, good)
        self._query.damage.rows(self._span, self._after + 1, good, error)
        self._after = good

    def _is_readable(self, after: int) -> bool:
        try:
            scan.places(self._db, self._scan, after, self._span.last, 1)
        except StorageError:
            return False
        return True

    def _pages(self, after: int, last: int, limit: int = -1) -> Iterator[Page]:
        """Return pages that are not larger than a batch may be. limit: of rows."""
        number = _ROWS_WITH_DATA if self._with_data else _ROWS
        wanted = replace(self._scan, columns=self._changing, constants=self._constants)
        found = pages(self._db, wanted, after, last, number, limit)
        return (part for page in found for part in page.parts(_BYTES)) if self._with_data else found

    def _batch(self, page: Page) -> pa.RecordBatch:
        """Return the batch of a page, in which other columns may turn out to change."""
        if page.differing:
            self._promote(page)
        arrays, differing = self._constant_arrays(page)
        for n, field in differing:
            arrays[n] = self._array(field, page)
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        if self._query.verifies and self._with_data:
            scan.check_messages(self._db, self._scan, page.first - 1, page.last, page.number)
        if self._selector is None:
            return batch
        found = scan.stored_messages(self._db, self._scan, page.first - 1, page.last, page.number)
        kept = [selects(self._selector, stored, self._scan.now_ms) for _, stored in found]
        return batch.filter(pa.array(kept, pa.bool_()))

    def _promote(self, page: Page) -> None:
        """Read columns from here on that were constant before."""
        names = [name for n, name in enumerate(self._constants) if page.differing >> n & 1]
        for name in names:
            del self._constants[name]
        self._changing += names
        page.columns |= self._read_columns(names, page)

    def _read_columns(self, names: Sequence[str], page: Page) -> dict[str, Any]:
        """Read more columns of the rows of a page."""
        wanted = replace(self._scan, columns=names)
        (found,) = pages(self._db, wanted, page.first - 1, page.last, page.number, page.number)
        return {name: found.columns[name] for name in names}

    def _constant_arrays(self, page: Page) -> tuple[list[pa.Array | None], list[tuple[int, pa.Field]]]:
        """Return the arrays of constant columns, None for others; and these others."""
        if self._made_for != (page.number, len(page.columns)):
            self._made = [self._constant(field, page) for field in self._schema]
            self._differing = [(n, self._schema.field(n)) for n, made in enumerate(self._made) if made is None]
            self._made_for = (page.number, len(page.columns))
        return self._made.copy(), self._differing

    def _constant(self, field: pa.Field, page: Page) -> pa.Array | None:
        name = field.name
        if name in self._of_range:
            return self._repeat(field, getattr(self._span, name), page.number)
        parts = _MADE_OF.get(name, (name,))
        if any(part in page.columns for part in parts):
            return None
        values = tuple(self._constants[part] for part in parts)
        return self._repeat(field, values if len(parts) > 1 else values[0], page.number)

    def _array(self, field: pa.Field, page: Page) -> pa.Array:
        name = field.name
        if name == "data":
            return self._query.convert(name, self._data(page), field.type)
        if name == "text":
            described = (self._values(part, page) for part in ("format", "encoding", "coded_char_set_id"))
            rows = zip(values_of(self._data(page)), *described, strict=True)
            return self._query.convert(name, [arrays.text_of_body(*row) for row in rows], field.type)
        parts = _MADE_OF.get(name, (name,))
        if name == "put_at":
            date = page.columns.get("put_date", self._constants.get("put_date"))
            return put_times(date, page.columns["put_time"], page.columns["put_at"], field.type)
        if len(parts) == 1:
            return self._query.convert(name, page.columns[parts[0]], field.type)
        return self._query.convert(
            name, list(zip(*(self._values(part, page) for part in parts), strict=True)), field.type
        )

    def _values(self, name: str, page: Page) -> Sequence[Any]:
        """Return the values of a column for all rows of a page, constant or not."""
        return values_of(page.columns[name]) if name in page.columns else [self._constants[name]] * page.number

    def _repeat(self, field: pa.Field, value: Any, number: int) -> pa.Array:
        """Return the array of a constant column, shared by all batches."""
        made = self._repeated.get(field.name)
        if made is None or len(made) < number:
            one = self._query.convert(field.name, [value], field.type)
            made = self._repeated[field.name] = arrays.repeat(one, number, field.type)
        return made if len(made) == number else made.slice(0, number)

    def _data(self, page: Page) -> Any:
        """Return the data of all rows, read again if some is in pieces, long, or of another length than stored."""
        short, lengths = page.columns["short_data"], page.columns["data_length"]
        if arrays.have_lengths(short, lengths):
            return short
        is_journal = self._scan.table == scan.JOURNAL
        bodies = self._values("has_body", page) if is_journal else [1] * page.number
        if not any(bodies):
            return [None] * page.number
        keys = values_of(page.columns[self._key])
        data = values_of(self._read_columns(["data"], page)["data"])
        rows = zip(keys, data, values_of(lengths), bodies, strict=True)
        return [self._assemble(*row[:3]) if row[3] else None for row in rows]

    def _assemble(self, key: int, data: bytes | None, length: int) -> bytes | None:
        """Return the data of one row, assembled if it is in pieces. Raises ValueError."""
        found = scan.load_data(self._db, self._scan, key) if data is None else data
        if found is not None and len(found) != length:
            raise ValueError(f"{len(found)} bytes of data are stored, not {length}")
        return found


def _is_damage(error: Exception) -> bool:
    """Return whether an error is about the rows, not about a busy file or a full disk."""
    return not isinstance(error, StorageError) or error.reason == MQRC_OBJECT_DAMAGED
