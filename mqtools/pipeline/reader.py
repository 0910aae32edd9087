"""Reading of one range into Arrow batches.

Most columns of a queue are the same in all its rows. Each column is taken for constant until a row says otherwise; then
it is read for every row from there on. What is constant costs a comparison in SQLite, and no object in Python. Data is
one object a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import MQError, StorageError
from mqtools.pipeline import arrow
from mqtools.pipeline.damage import Damage
from mqtools.qmgr.identity import now_ms
from mqtools.qmgr.search import selects
from mqtools.store import scan
from mqtools.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pyarrow as pa

    from mqtools.demands import Condition
    from mqtools.pipeline.ranges import Range
    from mqtools.rules.selector import Selector
    from mqtools.store.database import Database, Row

#: Rows of a batch at most, without and with data, and bytes of data in it, beyond which it ends: more of them do not
#: stay in a processor's cache on their way.
_ROWS, _ROWS_WITH_DATA, _BYTES = 2048, 1024, 2_000_000

#: Columns that differ from row to row. What they say is never taken for constant.
_CHANGING = frozenset(("msg_id", "put_at", "put_time", "event_at"))
#: Columns of a range, not of its rows.
_OF_RANGE = ("qmgr", "queue")
#: Column to those it is made of, where these are others.
_MADE_OF = {
    "dlh": ("dlh", "encoding", "coded_char_set_id"),
    "dlh_exact": ("dlh", "encoding", "coded_char_set_id"),
    "properties_json": ("properties",),
    "data": ("data_length",),
}

#: Rows that are read again, fewer and fewer together, where one of them is damaged.
_APART = 64
#: What goes wrong where a row is damaged.
_UNREADABLE = (MQError, ValueError, RecursionError)


def read_ranges(
    ranges: Sequence[Range],
    schema: pa.Schema,
    table: str,
    conditions: Sequence[Condition] = (),
    selector_text: str = "",
    begun: Callable[[Database], object] | None = None,
    damage: Damage | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read ranges of one file, in one transaction of it, into batches of a schema.

    begun: called first in that transaction, with what all of it sees.  damage: what is done with what cannot be read.
    Raises MQError: as ``open_database`` does, and for a selector with a mistake; Damaged.
    """

    def in_transaction(db: Database) -> Sequence[Range]:
        if begun is not None:
            begun(db)
        return ranges

    return read_file(ranges[0].path, in_transaction, schema, table, conditions, selector_text, damage)


def read_file(
    path: str,
    find: Callable[[Database], Sequence[Range]],
    schema: pa.Schema,
    table: str,
    conditions: Sequence[Condition] = (),
    selector_text: str = "",
    damage: Damage | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read ranges of one file that are found in the transaction that reads them, else as ``read_ranges``."""
    damage = damage or Damage()
    selector = _compiled(selector_text) if selector_text else None
    narrow = conditions if selector is None else (*conditions, selector.demand)
    try:
        db = open_database(path, read_only=True)
    except StorageError as error:
        damage.file(path, error)
        return
    try:
        if not damage.is_expected:
            scan.map_memory(db)
        with scan.Snapshot(db):
            try:
                ranges = find(db)
            except StorageError as error:
                damage.file(path, error)
                return
            now = now_ms()
            for each in ranges:
                wanted = scan.Scan(table, each.queue_id, narrow, now, each.lock_id)
                yield from _Reading(db, wanted, each, schema, selector, damage).batches()
    finally:
        db.close()


def _compiled(selector_text: str) -> Selector:
    from mqtools.rules.selector import compile_selector

    return compile_selector(selector_text)


class _Reading:
    """One range being read: how far it is, which columns are constant, and which are read."""

    def __init__(
        self, db: Database, wanted: scan.Scan, span: Range, schema: pa.Schema, selector: Selector | None, damage: Damage
    ) -> None:
        self._db = db
        self._scan = wanted
        self._range = span
        self._schema = schema
        self._selector = selector
        self._damage = damage
        self._of_range = _OF_RANGE if wanted.table == scan.MESSAGES else ("qmgr",)
        self._key = scan.key_name(wanted.table)
        self._with_data = "data" in schema.names
        self._after = span.after
        self._stable: list[str] = []
        self._changing: list[str] = []
        self._constants: dict[str, Any] = {}
        self._repeated: dict[str, pa.Array] = {}
        self._made: list[pa.Array | None] = []
        self._made_for = (0, 0)
        self._differing: list[tuple[int, pa.Field]] = []
        for name in _needed([name for name in schema.names if name not in self._of_range]):
            is_changing = name in _CHANGING or (name == "data_length" and self._with_data)
            if name != self._key:
                (self._changing if is_changing else self._stable).append(name)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Read the range to its end, around what cannot be read."""
        while self._after < self._range.last:
            try:
                yield from self._until_change()
            except _UNREADABLE as error:
                if not _is_damage(error):
                    raise
                yield from self._around()

    def _until_change(self) -> Iterator[pa.RecordBatch]:
        """Read to the end, or to the rows in which a column turned out not to be constant."""
        if self._stable:
            row = scan.first(self._db, self._scan, self._stable, self._after, self._range.last)
            if row is None:
                self._after = self._range.last
                return
            self._constants, self._stable = dict(zip(self._stable, row, strict=True)), []
        for page in self._pages(self._after, self._range.last):
            batch, is_changed = self._batch(page)
            self._after = page[-1][0]
            if batch.num_rows:
                yield batch
            if is_changed:
                return
        self._after = self._range.last

    def _around(self) -> Iterator[pa.RecordBatch]:
        """Read the next rows apart, so that those that cannot be read are alone; or skip those that cannot be found."""
        try:
            keys = self._next(_APART)
        except StorageError:
            try:
                keys = self._next(1)
            except StorageError as error:
                self._skip(error)
                return
        changing = self._changing
        if self._stable:  # the first row could not be read: nothing is known to be constant
            self._changing = [*changing, *self._stable]
        yield from self._apart(keys)
        if self._stable:
            self._changing = changing
        self._after = keys[-1] if keys else self._range.last

    def _next(self, number: int) -> list[int]:
        """Give the next keys, of no more data than a batch may have, or one."""
        found = scan.places(self._db, self._scan, self._after, self._range.last, number)
        size = 0
        for n, (_, length) in enumerate(found):
            size += length
            if size > _BYTES:
                return [key for key, _ in found[: max(n, 1)]]
        return [key for key, _ in found]

    def _apart(self, keys: list[int]) -> Iterator[pa.RecordBatch]:
        """Read some rows; where that fails each half of them."""
        if not keys:
            return
        try:
            batches = [self._batch(page)[0] for page in self._pages(keys[0] - 1, keys[-1], len(keys))]
        except _UNREADABLE as error:
            if not _is_damage(error):
                raise
            if len(keys) == 1:
                self._damage.rows(self._range, keys[0], keys[0], error)
                return
            middle = len(keys) // 2
            yield from self._apart(keys[:middle])
            yield from self._apart(keys[middle:])
            return
        yield from batches

    def _skip(self, error: StorageError) -> None:
        """Go on behind the pages of the file that are damaged: to the first key from which more can be found."""
        if not _is_damage(error):
            raise error
        bad, good, step = self._after, self._range.last, 1
        while bad + step < good:
            if self._is_readable(bad + step):
                good = bad + step
            else:
                bad, step = bad + step, 2 * step
        while good - bad > 1:
            middle = (bad + good) // 2
            bad, good = (bad, middle) if self._is_readable(middle) else (middle, good)
        self._damage.rows(self._range, self._after + 1, good, error)
        self._after = good

    def _is_readable(self, after: int) -> bool:
        try:
            scan.places(self._db, self._scan, after, self._range.last, 1)
        except StorageError:
            return False
        return True

    def _pages(self, after: int, last: int, limit: int = -1) -> Iterator[list[Row]]:
        """Give rows in lists that are no larger than a batch may be. limit: of rows."""
        number = _ROWS_WITH_DATA if self._with_data else _ROWS
        found = scan.rows(self._db, self._scan, self._changing, self._constants, after, last, number, limit)
        if not self._with_data:
            return found
        at = 1 + self._changing.index("data_length")
        return (part for page in found for part in _parts(page, at))

    def _batch(self, page: list[Row]) -> tuple[pa.RecordBatch, bool]:
        """Make a batch of rows; tell whether other columns turned out to change."""
        keys, *lists, differences = zip(*page, strict=True)
        columns: dict[str, Sequence[Any]] = {self._key: keys, **dict(zip(self._changing, lists, strict=True))}
        is_changed = any(differences)
        if is_changed:
            columns |= self._promote(differences, keys)
        return self._record_batch(keys, columns), is_changed

    def _promote(self, differences: Sequence[int], keys: Sequence[int]) -> dict[str, Sequence[Any]]:
        """Take columns for constant no more, and read them for the rows at hand."""
        bits = 0
        for each in differences:
            bits |= each
        names = [name for n, name in enumerate(self._constants) if bits >> n & 1]
        for name in names:
            del self._constants[name]
        self._changing += names
        found = self._rows_of(names, keys)
        return dict(zip(names, list(zip(*found, strict=True))[1:-1], strict=True))

    def _record_batch(self, keys: Sequence[int], columns: dict[str, Sequence[Any]]) -> pa.RecordBatch:
        import pyarrow as pa

        arrays, differing = self._alike(columns, len(keys))
        for n, field in differing:
            arrays[n] = self._array(field, columns, keys)
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        if self._selector is None:
            return batch
        found = scan.stored(self._db, self._scan, keys[0] - 1, keys[-1], len(keys))
        kept = [selects(self._selector, stored, self._scan.now_ms) for _, stored in found]
        return batch.filter(pa.array(kept, pa.bool_()))

    def _alike(self, columns: Collection[str], number: int) -> tuple[list[pa.Array | None], list[tuple[int, pa.Field]]]:
        """Give the arrays of the columns that are the same in all rows, None for others; and these others."""
        if self._made_for != (number, len(columns)):
            self._made = [self._constant(field, columns, number) for field in self._schema]
            self._differing = [(n, self._schema.field(n)) for n, made in enumerate(self._made) if made is None]
            self._made_for = (number, len(columns))
        return self._made.copy(), self._differing

    def _constant(self, field: pa.Field, columns: Collection[str], number: int) -> pa.Array | None:
        name = field.name
        if name in self._of_range:
            return self._repeat(field, getattr(self._range, name), number)
        parts = _MADE_OF.get(name, (name,))
        if name == "data" or any(part in columns for part in parts):
            return None
        values = tuple(self._constants[part] for part in parts)
        return self._repeat(field, values if len(parts) > 1 else values[0], number)

    def _array(self, field: pa.Field, columns: dict[str, Sequence[Any]], keys: Sequence[int]) -> pa.Array:
        name = field.name
        if name == "data":
            return self._data(field, keys, columns["data_length"])
        parts = _MADE_OF.get(name, (name,))
        if len(parts) == 1:
            return arrow.array(name, columns[parts[0]], field.type)
        lists = [columns[part] if part in columns else [self._constants[part]] * len(keys) for part in parts]
        return arrow.array(name, list(zip(*lists, strict=True)), field.type)

    def _repeat(self, field: pa.Field, value: Any, number: int) -> pa.Array:
        """A column that is the same in all rows: what one batch has, the next has too."""
        made = self._repeated.get(field.name)
        if made is None or len(made) < number:
            made = self._repeated[field.name] = arrow.repeated(field.name, value, number, field.type)
        return made if len(made) == number else made.slice(0, number)

    def _data(self, field: pa.Field, keys: Sequence[int], lengths: Sequence[int]) -> pa.Array:
        """The data of all rows at once, unless some have it in pieces, or none, or not what their lengths say."""
        if self._scan.index is None:
            joined, whole = scan.joined_data(self._db, self._scan, keys[0] - 1, keys[-1], len(keys))
            if whole == len(keys):
                return arrow.joined(joined, lengths, field.type)
        found = zip(self._rows_of(["data"], keys), lengths, strict=True)
        return arrow.array("data", [self._whole(row[0], row[1], length) for row, length in found], field.type)

    def _rows_of(self, names: Sequence[str], keys: Sequence[int]) -> list[Row]:
        """Read more columns of rows."""
        number = len(keys)
        (found,) = scan.rows(self._db, self._scan, names, {}, keys[0] - 1, keys[-1], number, number)
        return found

    def _whole(self, key: int, data: bytes | None, length: int) -> bytes | None:
        """Data as its length says, put together where it is in pieces. Raises ValueError."""
        found = scan.load_data(self._db, self._scan, key) if data is None else data
        if found is not None and len(found) != length:
            raise ValueError(f"{len(found)} bytes of data are there, not {length}")
        return found


def _is_damage(error: Exception) -> bool:
    """Tell whether an error is one of the rows, not of a file that is busy or of a disk that is full."""
    return not isinstance(error, StorageError) or error.reason == MQRC_OBJECT_DAMAGED


def _needed(names: Sequence[str]) -> list[str]:
    """Give the columns of the store that columns are made of, each once."""
    return list(dict.fromkeys(part for name in names for part in _MADE_OF.get(name, (name,))))


def _parts(page: list[Row], at: int) -> Iterator[list[Row]]:
    """Cut rows so that the data of each part is no more than a batch may have, or one message. at: of its length."""
    begin = size = 0
    for n, row in enumerate(page):
        if size + row[at] > _BYTES and n > begin:
            yield page[begin:n]
            begin, size = n, 0
        size += row[at]
    yield page[begin:]
