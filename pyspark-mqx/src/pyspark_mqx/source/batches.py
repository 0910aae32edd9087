"""Columnar load: rows of Arrow batches become messages on a queue, column by column.

Each value of a column is parsed once, however many rows have it. Each descriptor that rows share, apart from fields
that no rule examines, is checked and completed once. A row with anything unusual is a single: it becomes a message
object of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from mqtools.constants.structures import MQMI_NONE
from mqtools.errors import MQError
from mqtools.formats.properties import properties_to_json
from mqtools.message import BYTE_FIELDS, MQMD, Message
from mqtools.operations.load import Loader
from mqtools.rules.properties import check_properties
from pyspark_mqx.source import rows

if TYPE_CHECKING:
    import pyarrow as pa


#: Fields that no rule examines apart from their length, which is checked when they are parsed: rows that differ only in
#: these share a descriptor.
_FREE = frozenset(
    (
        "msg_id",
        "correl_id",
        "accounting_token",
        "user_identifier",
        "appl_identity_data",
        "put_appl_name",
        "put_date",
        "put_time",
        "appl_origin_data",
    )
)

#: Columns that are ignored if they are empty.
_SAYING = rows.KNOWN | {rows.UNREADABLE}


class RowBatch:
    """The rows of a batch. number: how many, at least one."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.number: int = batch.num_rows
        self._columns: dict[str, list[Any]] = {
            name: column.to_pylist()
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
            if name in (rows.LINE, *rows.PLACE) or (name in _SAYING and column.null_count < self.number)
        }

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def values(self, name: str) -> list[Any]:
        """Return a column; nulls if it is absent or empty."""
        return self._columns.get(name) or [None] * self.number

    def row(self, n: int) -> dict[str, Any]:
        """Return one row."""
        return {name: values[n] for name, values in self._columns.items()}


#: Descriptors that rows share, as they are stored, by the form of the data and the fields common to all; None if each
#: of the rows is a single.
DescriptorCache: TypeAlias = "dict[tuple[Any, ...], MQMD | None]"


def _complete(loader: Loader, md: MQMD) -> MQMD | None:
    try:
        rows.check(Message(b"", md))
    except MQError:
        return None
    return loader.complete_for_all(md)


class ColumnarBatch:
    """The part of a batch that can be stored without a message object for each row."""

    def __init__(self, batch: RowBatch, loader: Loader, shared: DescriptorCache) -> None:
        self._batch = batch
        self._loader = loader
        self._singles: set[int] = set()
        self._own: dict[str, list[Any]] = {}
        self._singles.update(n for n, words in enumerate(batch.values(rows.UNREADABLE)) if words)
        if rows.LINE in batch or any(isinstance(batch.values(name)[0], list) for name in MQMD.__slots__):
            self._singles.update(range(batch.number))
            return
        self._like = self._descriptors(shared)
        self._data = self._bodies()
        self._properties = self._property_texts()

    def runs(self) -> Iterator[tuple[bool, range]]:
        """Yield consecutive rows of one kind in order, each with whether they are singles."""
        if not self._singles:
            yield False, range(self._batch.number)
            return
        for is_single, run in groupby(range(self._batch.number), self._singles.__contains__):
            numbers = list(run)
            yield is_single, range(numbers[0], numbers[-1] + 1)

    def put(self, run: range) -> None:
        """Put rows that are not singles and fit the queue."""
        for n in run:
            like = self._like[n]
            assert like is not None
            md = like.replace(**{name: values[n] for name, values in self._own.items()})
            if md.msg_id == MQMI_NONE or "msg_id" not in self._own:
                md.msg_id = self._loader.new_id()
            properties = None if self._properties is None else self._properties[n]
            self._loader.intake.put(md, self._data[n], properties, is_ordinary=True)

    def _descriptors(self, shared: DescriptorCache) -> list[MQMD | None]:
        """Return the descriptors of the rows, without the fields that each row has for itself."""
        same: dict[str, Any] = {}
        other: dict[str, list[Any]] = {}
        for name in MQMD.__slots__:
            if name not in self._batch:
                continue
            values = self._batch.values(name)
            if name != "msg_id" and values.count(values[0]) == len(values):
                same[name] = self._read_value(name, values[0], values)
            else:
                (self._own if name in _FREE else other)[name] = self._read(name, values)
        forms = map(rows.data_form, self._batch.values("data"), self._batch.values("data_b64"))
        return self._share(shared, same, list(other), zip(forms, *other.values(), strict=True))

    def _share(
        self, shared: DescriptorCache, same: dict[str, Any], names: list[str], keys: Iterable[tuple[Any, ...]]
    ) -> list[MQMD | None]:
        """Return the descriptor of each row. same: common to all.  keys: forms, and values of other fields."""
        found: dict[tuple[Any, ...], MQMD | None] = {}
        like: list[MQMD | None] = []
        for n, key in enumerate(keys):
            if n in self._singles:
                like.append(None)
                continue
            if key not in found:
                fields = {**same, **dict(zip(names, key[1:], strict=True))}
                known = (key[0], *fields.items())
                if known not in shared:
                    shared[known] = _complete(self._loader, rows.complete_text(MQMD(**fields), key[0]))
                found[key] = shared[known]
            if found[key] is None:
                self._singles.add(n)
            like.append(found[key])
        return like

    def _read(self, name: str, values: list[Any]) -> list[Any]:
        """Read the values of a field."""
        if name in BYTE_FIELDS:
            read = _identifiers(values, BYTE_FIELDS[name])
            if read is not None:
                return read
        known = {value: self._read_value(name, value, values) for value in set(values)}
        return [known[value] for value in values]

    def _read_value(self, name: str, value: Any, values: list[Any]) -> Any:
        """Read one value of a field; None if it is unreadable, and the rows that have it become singles."""
        try:
            return rows.field(name, value)
        except ValueError:
            self._singles.update(n for n, each in enumerate(values) if each == value)
            return None

    def _bodies(self) -> list[bytes]:
        """Return the data of the rows; one whose data is too long or unreadable becomes a single."""
        given, base64 = self._batch.values("data"), self._batch.values("data_b64")
        if all(type(each) is bytes for each in given) and not any(base64):
            made = given
        else:
            made = [self._body(n, *each) for n, each in enumerate(zip(given, base64, self._like, strict=True))]
        longest = self._loader.intake.longest
        if max(map(len, made)) > longest:
            self._singles.update(n for n, data in enumerate(made) if len(data) > longest)
        return made

    def _body(self, n: int, data: object, base64: object, md: MQMD | None) -> bytes:
        if md is None:
            return b""
        try:
            return rows.read_data(data, base64, md)
        except MQError:
            self._singles.add(n)
            return b""

    def _property_texts(self) -> list[str | None] | None:
        """Return the properties of the rows as they are stored, None if no row has any."""
        exact, given = self._batch.values("properties_json"), self._batch.values("properties")
        if not any(exact) and not any(given):
            return None
        return [self._property_text(n, *each) for n, each in enumerate(zip(exact, given, strict=True))]

    def _property_text(self, n: int, exact: str | None, given: Any) -> str | None:
        if n in self._singles:
            return None
        try:
            properties = rows.read_properties(exact, given)
            if properties:
                check_properties(properties)
            return properties_to_json(properties)
        except (MQError, ValueError, RecursionError):
            self._singles.add(n)
            return None


def _identifiers(texts: list[Any], length: int) -> list[bytes] | None:
    """Read hexadecimal identifiers of full length; None if any is written in another way."""
    if not all(isinstance(text, str) and len(text) == 2 * length for text in texts):
        return None
    try:
        joined = bytes.fromhex("".join(texts))
    except ValueError:
        return None
    if len(joined) != length * len(texts):
        return None  # blanks among the digits
    return [joined[at : at + length] for at in range(0, len(joined), length)]
