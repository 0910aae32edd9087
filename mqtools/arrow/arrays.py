"""Conversion of the columns of a scan to Arrow arrays, of exactly the types that Spark asked for."""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqtools.arrow.pages import values_of
from mqtools.arrow.property_maps import property_maps
from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.names import name_or_number
from mqtools.constants.states import STATE_NAMES
from mqtools.errors import MQError
from mqtools.headers.chain import read_dlh, walk
from mqtools.headers.charsets import decode_text, known_ccsid
from mqtools.headers.formats import is_header_format
from mqtools.message import BYTE_FIELDS, MQMD

#: Times are milliseconds in the store.
_TIMES = ("arrived_at", "event_at", "held_at")


#: Type of a column, as ``columns`` has it, to that of Arrow.
_TYPES = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", "UTC"),
    "map<string,string>": pa.map_(pa.string(), pa.string()),
}


def type_of(kind: str) -> pa.DataType:
    """Return the Arrow type for the type of a column."""
    plain = kind.replace(" ", "")
    if not plain.startswith("struct<"):
        return _TYPES[plain]
    fields = (field.partition(":") for field in plain.removeprefix("struct<").removesuffix(">").split(","))
    return pa.struct([(name, type_of(of_field)) for name, _, of_field in fields])


def array(name: str, values: Any, kind: pa.DataType) -> pa.Array:
    """Return the array of a column.

    values: as the scan returns them, a sequence or an array; of a header: bytes, encoding and CCSID.
    Raises ValueError: for text that is not valid, for example.
    """
    if name in BYTE_FIELDS:
        return _hex(values, BYTE_FIELDS[name], kind)
    if name == "properties":
        return property_maps(values, kind)
    read = _READERS.get(name)
    if read is not None:
        return pa.array(_each(read, values_of(values)), kind)
    if name in ("dlh", "dlh_exact"):
        return pa.array([dead_letter(*value, exact=name == "dlh_exact") for value in values], kind)
    if name in _TIMES:
        return _array(values, pa.int64()).cast(pa.timestamp("ms", tz="UTC")).cast(kind)
    return _array(values, kind)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    if not isinstance(values, pa.Array):
        return pa.array(values, kind)
    if values.null_count == len(values):  # an array without values has no type of its own
        return pa.nulls(len(values), kind)
    if pa.types.is_string(values.type):
        values.validate(full=True)
    return values if values.type == kind else values.cast(kind)


def _hex(values: Any, length: int, kind: pa.DataType) -> pa.Array:
    """Return identifiers as hex, zeros for null: in one step, since all have the same length."""
    made = _array(values, pa.binary()).fill_null(bytes(length))
    if not have_lengths(made, length):
        raise ValueError(f"an identifier does not have {length} bytes")
    _, ends, data = made.buffers()
    begin = memoryview(ends).cast("i")[made.offset]
    digits = hexlify(memoryview(data)[begin : begin + len(made) * length]).upper()
    found = pa.StringArray.from_buffers(len(made), _even_offsets(len(made), 2 * length), pa.py_buffer(digits))
    return found if found.type == kind else found.cast(kind)


@lru_cache(maxsize=8)
def _even_offsets(number: int, length: int) -> pa.Buffer:
    """Return the offsets of values of one length, with the end of the last."""
    return pa.array(range(0, number * length + 1, length), pa.int32()).buffers()[1]


def have_lengths(values: Any, lengths: Any) -> bool:
    """Return whether no value is null and all have these lengths. values, lengths: sequences, arrays, or one length."""
    made = _array(values, pa.binary())
    if made.null_count:
        return False
    wanted = lengths if isinstance(lengths, int) else _array(lengths, pa.int32())
    return bool(pc.all(pc.equal(pc.binary_length(made), wanted)).as_py())


def repeat(one: pa.Array, number: int, kind: pa.DataType) -> pa.Array:
    """Return the array of a column that has one value in all rows. one: array of that value."""
    return pa.repeat(one[0], number) if one[0].is_valid else pa.nulls(number, kind)


def _each(read: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
    """Apply a function to each value, once to equal ones."""
    known = {value: read(value) for value in set(values)}
    return [known[value] for value in values]


def _state(number: int) -> str:
    if not 0 <= number < len(STATE_NAMES):
        raise ValueError(f"unknown state {number}")
    return STATE_NAMES[number]


def dead_letter(head: bytes | None, encoding: int, ccsid: int, *, exact: bool) -> dict[str, object] | None:
    """Read a dead-letter header, None if there is no valid one. exact: keep the NULs in its texts."""
    if head is None:
        return None
    md = MQMD(format=MQFMT_DEAD_LETTER_HEADER, encoding=encoding, coded_char_set_id=ccsid)
    try:
        dlh = read_dlh(md, head, keep_nulls=exact)
    except MQError:
        return None
    return {name: getattr(dlh, name) for name in dlh.__slots__}


def text_of_body(data: bytes | None, format: str, encoding: int, ccsid: int) -> str | None:
    """Decode the data behind the headers, None if it is not text. format, encoding, ccsid: of the first byte."""
    if data is not None and is_header_format(format):
        chain = walk(data, format, encoding, ccsid)
        data, encoding, ccsid = data[chain.body_offset :], chain.body_encoding, chain.body_ccsid
    try:
        return None if data is None else decode_text(data, known_ccsid(ccsid), encoding)
    except MQError:
        return None


#: Column to the function that converts its stored values. A column that is not here is unchanged.
_READERS: dict[str, Callable[[Any], Any]] = {
    "state": _state,
    "state_before": lambda state: None if state is None else _state(state),
    "state_after": lambda state: None if state is None else _state(state),
    "outcome": lambda reason: str(name_or_number("MQRC", reason)),
}
