"""Properties of messages as an Arrow map, page by page: one parse for all messages of a page.

Arrow parses a page in which each message has the properties of the first, ``orjson`` any other. Both pass over what
they do not know; then each message is read and checked by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json

from mqtools.arrow.pages import values_of
from mqtools.formats.properties import properties_from_json
from mqtools.formats.rows import cell_text

_TYPE_AND_VALUE = itemgetter("type", "value")
#: Integer type to its largest value; the smallest is one less below zero.
_LARGEST = {f"int{bits}": (1 << bits - 1) - 1 for bits in (8, 16, 32, 64)}
#: Type of a property with the class of its JSON value, where the value is plainly of the type.
_PLAIN = {
    ("string", str),
    ("bool", bool),
    ("float64", float),
    ("null", type(None)),
    *((name, int) for name in _LARGEST),
}
#: Class of a JSON value to the type of Arrow that has the same text.
_ARROW = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}
#: What other properties, and other JSON, cause.
_OTHER = (pa.ArrowException, ValueError, LookupError, TypeError, AttributeError)


class _NotPlainError(ValueError):
    """The properties are not plainly of their types."""


def property_maps(texts: Any, kind: pa.DataType) -> pa.Array:
    """Return the properties as texts by name. texts: as the store has them, a sequence or an array.

    Raises MQError: MQRC_PROPERTY_TYPE_ERROR for a text that is not properties.
    """
    for read in (_by_arrow, _plain):
        try:
            return _map(*read(_filled(texts)), kind)
        except _OTHER:
            continue
    return _map(*_checked(values_of(texts)), kind)


def _filled(texts: Any) -> pa.Array:
    """Return the texts as an array without nulls. Raises ValueError for invalid text."""
    given = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.string())
    given.validate(full=True)
    return given.fill_null("{}") if given.null_count < len(given) else pa.array(["{}"] * len(given))


def _map(offsets: pa.Array, names: pa.Array, values: pa.Array, kind: pa.DataType) -> pa.Array:
    return pa.MapArray.from_arrays(offsets, names, values, type=kind)


def _join(texts: pa.Array, by: str) -> pa.Buffer:
    one = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    joined: pa.Buffer = pc.binary_join(one, by)[0].as_buffer()
    return joined


def _by_arrow(texts: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return offsets, names and texts of properties, where each message has those of the first. Raises ValueError."""
    first = orjson.loads(texts[0].as_py())
    kinds = [
        (name, pa.struct([("type", pa.string()), ("value", _ARROW[type(of["value"])])])) for name, of in first.items()
    ]
    if not kinds:
        raise _NotPlainError
    lines = _join(texts, "\n")
    table = json.read_json(
        pa.BufferReader(lines),
        json.ReadOptions(use_threads=False, block_size=lines.size + 1),
        json.ParseOptions(explicit_schema=pa.schema(kinds), unexpected_field_behavior="error"),
    )
    if table.num_rows != len(texts):
        raise _NotPlainError
    values = [_texts(column.combine_chunks()) for column in table.columns]
    offsets, order = _places(len(texts), len(kinds))
    names = pa.array([name for name, _ in kinds]).take(order[1])
    return offsets, names, pa.concat_arrays(values).take(order[0])


def _texts(properties: pa.StructArray) -> pa.Array:
    """Return the values of one property as texts. Raises ValueError where one is not plainly of its type."""
    types, values = properties.flatten()
    if types.null_count or values.null_count:
        raise _NotPlainError
    its_class = next(each for each, kind in _ARROW.items() if kind == values.type)
    names = pc.unique(types).to_pylist()
    _check({(name, its_class) for name in names}, lambda: pc.min_max(values).as_py().values())
    return values.cast(pa.string())


@lru_cache(maxsize=16)
def _places(rows: int, each: int) -> tuple[pa.Array, tuple[pa.Array, pa.Array]]:
    """Return the offsets of rows with so many values each, and the row and column of each value."""
    order = [column * rows + row for row in range(rows) for column in range(each)]
    return pa.array(range(0, rows * each + 1, each), pa.int32()), (pa.array(order), pa.array([*range(each)] * rows))


def _check(kinds: set[tuple[Any, type]], ends: Any) -> None:
    """Check that values are plainly of their types. kinds: types with classes.  ends: returns least and greatest."""
    limits = [_LARGEST[name] for name, its_class in kinds if its_class is int and name in _LARGEST]
    least, greatest = ends() if limits else (0, 0)
    if not kinds <= _PLAIN or (limits and (greatest > min(limits) or least < -min(limits) - 1)):
        raise _NotPlainError


def _plain(texts: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return what ``_by_arrow`` does, for any properties. Raises ValueError, and what other JSON causes."""
    found: Sequence[dict[str, Any]] = orjson.loads(b"[%b]" % _join(texts, ",").to_pybytes())
    if len(found) != len(texts):
        raise _NotPlainError
    properties = list(chain.from_iterable(map(dict.values, found)))
    pairs = list(map(_TYPE_AND_VALUE, properties))
    values = [value for _, value in pairs]
    kinds = {(name, type(value)) for name, value in pairs}
    numbers = [value for value in values if type(value) is int]
    _check(kinds, lambda: (min(numbers), max(numbers)))
    is_simple = all(its_class in (str, int, float) for _, its_class in kinds)
    if max(map(len, properties), default=2) > 2:
        raise _NotPlainError
    made: Iterable[str | None] = map(str, values) if is_simple else map(text_of, values)
    return _arrays(map(len, found), list(chain.from_iterable(found)), made)


def _checked(texts: Sequence[str | None]) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return what ``_by_arrow`` does, message by message. Raises MQError."""
    found = list(map(properties_from_json, texts))
    values = (text_of(each.value) for properties in found for each in properties.values())
    return _arrays(map(len, found), list(chain.from_iterable(found)), values)


def _arrays(
    counts: Iterable[int], names: list[str], values: Iterable[str | None]
) -> tuple[pa.Array, pa.Array, pa.Array]:
    offsets = pa.array(accumulate(counts, initial=0), pa.int32())
    return offsets, pa.array(names, pa.string()), pa.array(values, pa.string())


def text_of(value: object) -> str | None:
    """Return the value of a property as text: bytes as hex, null as null."""
    return None if value is None else cell_text(value)
