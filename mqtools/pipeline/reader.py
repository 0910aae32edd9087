"""Reading of one range into Arrow batches.

Most columns of a queue are the same in all its rows. Each column is taken for constant until a row says otherwise; then
it is read for every row from there on. What is constant costs a comparison in SQLite, and no object in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqtools.errors import MQError
from mqtools.pipeline import arrow
from mqtools.qmgr.identity import now_ms
from mqtools.qmgr.search import selects
from mqtools.store import scan
from mqtools.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from mqtools.demands import Condition
    from mqtools.pipeline.ranges import Range
    from mqtools.rules.selector import Selector
    from mqtools.store.database import Database, Row

#: Rows of a batch at most, without and with data; bytes of data in a batch, beyond which it ends.
_ROWS, _ROWS_WITH_DATA, _BYTES = 8192, 2048, 4_000_000
#: Rows that are fetched at a time where they carry data.
_STEP = 64

#: Columns that differ from row to row. What they say is never taken for constant.
_CHANGING = frozenset(("seq", "msg_id", "put_at", "data", "data_length", "put_time", "event_seq", "event_at"))
#: Columns of a range, not of its rows.
_OF_RANGE = ("qmgr", "queue")
#: Column to those it is made of, where these are others.
_MADE_OF = {
    "dlh": ("dlh", "encoding", "coded_char_set_id"),
    "dlh_exact": ("dlh", "encoding", "coded_char_set_id"),
    "properties_json": ("properties",),
    "data": ("data", "data_length"),
}


class Damaged(ValueError):
    """Raised where a row cannot be read; key: of the row."""

    def __init__(self, path: str, queue: str, key: int, reason: str) -> None:
        super().__init__(f"{path}: message {key} of queue {queue or '(journal)'} is damaged: {reason}")


def read_ranges(
    ranges: Sequence[Range],
    schema: pa.Schema,
    table: str,
    conditions: Sequence[Condition] = (),
    selector_text: str = "",
    begun: Callable[[Database], object] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read ranges of one file, in one transaction of it, into batches of a schema.

    begun: called first in that transaction, with what all of it sees.
    Raises MQError: as ``open_database`` does, and for a selector with a mistake; Damaged.
    """
    selector = None
    if selector_text:
        from mqtools.rules.selector import compile_selector

        selector = compile_selector(selector_text)
    db = open_database(ranges[0].path, read_only=True)
    try:
        with db.reading():
            if begun is not None:
                begun(db)
            for each in ranges:
                wanted = scan.Scan(table, each.queue_id, conditions, now_ms(), each.lock_id)
                yield from _Reading(db, wanted, each, schema).batches(selector)
    finally:
        db.close()


class _Reading:
    """One range being read: which columns are constant, and which are read."""

    def __init__(self, db: Database, wanted: scan.Scan, span: Range, schema: pa.Schema) -> None:
        self._db = db
        self._scan = wanted
        self._range = span
        self._schema = schema
        self._of_range = _OF_RANGE if wanted.table == scan.MESSAGES else ("qmgr",)
        self._needed = _needed([name for name in schema.names if name not in self._of_range])
        self._changing = [name for name in self._needed if name in _CHANGING]
        self._constants: dict[str, Any] = {}
        self._repeated: dict[str, pa.Array] = {}

    def batches(self, selector: Selector | None) -> Iterator[pa.RecordBatch]:
        """Read the range to its end."""
        stable = [name for name in self._needed if name not in _CHANGING]
        row = scan.first(self._db, self._scan, [*stable, "seq"], self._range.after, self._range.last)
        if row is None:
            return
        self._constants = dict(zip(stable, row, strict=False))
        after = self._range.after
        while after < self._range.last:
            for page in self._pages(after):
                after, batch, is_changed = self._batch(page, selector)
                if batch.num_rows:
                    yield batch
                if is_changed:
                    break
            else:
                return

    def _pages(self, after: int) -> Iterator[list[Row]]:
        """Give rows in lists that are no larger than a batch may be."""
        found = scan.rows(self._db, self._scan, self._changing, self._constants, after, self._range.last)
        if "data" not in self._needed:
            yield from _lists(found, _ROWS)
            return
        at = 1 + self._changing.index("data_length")
        page: list[Row] = []
        size = 0
        for step in _lists(found, _STEP):
            page += step
            size += sum(row[at] for row in step)
            if size >= _BYTES or len(page) >= _ROWS_WITH_DATA:
                yield page
                page, size = [], 0
        if page:
            yield page

    def _batch(self, page: list[Row], selector: Selector | None) -> tuple[int, pa.RecordBatch, bool]:
        """Make a batch of rows: the last key, the batch, and whether other columns turned out to change."""
        keys, *lists, differences = zip(*page, strict=True)
        columns: dict[str, Sequence[Any]] = dict(zip(self._changing, lists, strict=True))
        is_changed = any(differences)
        if is_changed:
            columns |= self._promote(differences, keys[0] - 1, keys[-1])
        kept = None if selector is None else self._selected(selector, keys)
        return keys[-1], self._record_batch(keys, columns, kept), is_changed

    def _promote(self, differences: Sequence[int], after: int, last: int) -> dict[str, Sequence[Any]]:
        """Take columns for constant no more, and read them for the rows at hand."""
        bits = 0
        for each in differences:
            bits |= each
        names = [name for n, name in enumerate(self._constants) if bits >> n & 1]
        for name in names:
            del self._constants[name]
        self._changing += names
        found = scan.rows(self._db, self._scan, names, {}, after, last)
        return dict(zip(names, list(zip(*found, strict=True))[1:-1], strict=True))

    def _selected(self, selector: Selector, keys: Sequence[int]) -> list[bool]:
        found = scan.stored(self._db, self._scan, keys[0] - 1, keys[-1], len(keys))
        return [selects(selector, stored, self._scan.now_ms) for _, stored in found]

    def _record_batch(
        self, keys: Sequence[int], columns: dict[str, Sequence[Any]], kept: list[bool] | None
    ) -> pa.RecordBatch:
        import pyarrow as pa

        if "data" in columns:
            columns["data"] = self._whole(keys, columns)
        try:
            arrays = [self._array(field, columns, len(keys)) for field in self._schema]
        except (MQError, ValueError, pa.ArrowInvalid) as error:
            raise self._damage(keys, columns, error) from error
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        return batch if kept is None else batch.filter(pa.array(kept, pa.bool_()))

    def _array(self, field: pa.Field, columns: dict[str, Sequence[Any]], number: int) -> pa.Array:
        name = field.name
        if name in self._of_range:
            return self._repeat(field, getattr(self._range, name), number)
        parts = _MADE_OF.get(name, (name,))
        if name == "data" or len(parts) == 1:
            part = parts[0]
            if part in columns:
                return arrow.array(name, columns[part], field.type)
            return self._repeat(field, self._constants[part], number)
        if not any(part in columns for part in parts):
            return self._repeat(field, tuple(self._constants[part] for part in parts), number)
        lists = [columns[part] if part in columns else [self._constants[part]] * number for part in parts]
        return arrow.array(name, list(zip(*lists, strict=True)), field.type)

    def _repeat(self, field: pa.Field, value: Any, number: int) -> pa.Array:
        """A column that is the same in all rows: what one batch has, the next has too."""
        made = self._repeated.get(field.name)
        if made is None or len(made) < number:
            made = self._repeated[field.name] = arrow.repeated(field.name, value, number, field.type)
        return made.slice(0, number)

    def _whole(self, keys: Sequence[int], columns: dict[str, Sequence[Any]]) -> Sequence[Any]:
        """The data, that of long messages put together of its pieces."""
        data = columns["data"]
        if None not in data:
            return data
        return [
            scan.load_data(self._db, self._scan, key) if one is None and length else one
            for key, one, length in zip(keys, data, columns["data_length"], strict=True)
        ]

    def _damage(self, keys: Sequence[int], columns: dict[str, Sequence[Any]], error: Exception) -> Damaged:
        """Find the row that could not be read."""
        for n, key in enumerate(keys):
            try:
                for field in self._schema:
                    self._array(field, {name: values[n : n + 1] for name, values in columns.items()}, 1)
            except (MQError, ValueError) as reason:
                return Damaged(self._range.path, self._range.queue, key, str(reason))
        return Damaged(self._range.path, self._range.queue, keys[0], str(error))


def _needed(names: Sequence[str]) -> list[str]:
    """Give the columns of the store that columns are made of, each once."""
    return list(dict.fromkeys(part for name in names for part in _MADE_OF.get(name, (name,))))


def _lists(rows: Iterator[Row], number: int) -> Iterator[list[Row]]:
    from itertools import islice

    while page := list(islice(rows, number)):
        yield page
