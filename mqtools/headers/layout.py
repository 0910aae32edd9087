"""Field tables of MQ structures, and the one conversion between their bytes and values.

``Structure`` has values by name as they stand: the structures of the MQI, in the machine's own byte order and
alignment. ``Layout`` has records with texts, in the byte order and character set of a message: its headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import signature
from struct import Struct, calcsize
from struct import error as StructError
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from mqtools.errors import MQError
from mqtools.headers.characters import decode_field, encode_field
from mqtools.headers.charsets import byte_order, field_codec

#: Name, ``struct`` code and initial value of a field.
Row: TypeAlias = tuple[str, str, Any]

#: Types of the fields of a record, as the C header names them: a signed 32-bit integer in the byte order of the
#: encoding; characters, padded with blanks; bytes that are never converted. The number is the length.
MQLONG: TypeAlias = int
MQCHAR1: TypeAlias = str
MQCHAR4: TypeAlias = str
MQCHAR8: TypeAlias = str
MQCHAR28: TypeAlias = str
MQCHAR32: TypeAlias = str
MQCHAR48: TypeAlias = str
MQBYTE8: TypeAlias = bytes
MQBYTE16: TypeAlias = bytes
MQBYTE24: TypeAlias = bytes
_TYPE = re.compile(r"MQ(LONG|(?:CHAR|BYTE)(\d+))")

#: Members of a string of variable length (MQCHARV): its address or offset, the room there is, its length and CCSID.
_VARIABLE = (("VSPtr", "P"), ("VSOffset", "i"), ("VSBufSize", "i"), ("VSLength", "i"), ("VSCCSID", "i"))

R = TypeVar("R")


class Field(NamedTuple):
    """A field of a structure.

    code: of ``struct``.  initial: an integer or a tuple of integers; text for characters that have a character set,
    bytes for any others.  offset, length: in bytes, without alignment.
    """

    name: str
    code: str
    initial: Any
    offset: int
    length: int


def fields_of(rows: Iterable[Row]) -> tuple[Field, ...]:
    """Return the fields of a structure, one behind the other."""
    fields = []
    offset = 0
    for name, code, initial in rows:
        fields.append(Field(name, code, initial, offset, calcsize(code)))
        offset += calcsize(code)
    return tuple(fields)


def rows_of(record: type) -> list[Row]:
    """Return rows for the fields of a record that have a type of the C header; they are in the order of the record."""
    rows: list[Row] = []
    for name, parameter in signature(record).parameters.items():
        found = _TYPE.fullmatch(parameter.annotation)
        if found:
            rows.append((name, f"{found[2]}s" if found[2] else "i", parameter.default))
    return rows


class Structure:
    """A structure as values by name: integers, bytes, tuples of integers.

    rows: the initial value is empty or 0 where it is not given. A code ``V`` means the five members of a string of
    variable length.  order: of ``struct``; by default that of the machine, aligned as C does it.
    """

    def __init__(self, name: str, *rows: tuple[Any, ...], order: str = "@") -> None:
        self.name = name
        self.fields = fields_of(row for given in rows for row in _completed(*given))
        self._struct = Struct(order + "".join(field.code for field in self.fields))
        self._names = tuple(field.name for field in self.fields)
        self._has_tuples = any(isinstance(field.initial, tuple) for field in self.fields)
        self.length = self._struct.size

    def packed(self, order: str) -> Structure:
        """Return the same structure with pointers of 4 bytes and without alignment, as clients send it."""
        rows = [(name, code.replace("P", "I"), initial) for name, code, initial, *_ in self.fields if name != "pad"]
        return Structure(self.name, *rows, order=order)

    def initial(self) -> dict[str, Any]:
        return {field.name: field.initial for field in self.fields}

    def unpack(self, data: bytes) -> dict[str, Any]:
        """Read bytes into values by name; missing bytes are zeros, surplus bytes are ignored."""
        found = self._struct.unpack_from(data if len(data) >= self.length else data.ljust(self.length, b"\0"))
        if not self._has_tuples:
            return dict(zip(self._names, found, strict=True))
        flat = iter(found)
        return {
            field.name: tuple(next(flat) for _ in field.initial) if isinstance(field.initial, tuple) else next(flat)
            for field in self.fields
        }

    def pack(self, values: Mapping[str, Any]) -> bytes:
        if not self._has_tuples:
            return self._struct.pack(*map(values.__getitem__, self._names))
        flat: list[Any] = []
        for field in self.fields:
            value = values[field.name]
            flat.extend(value) if isinstance(field.initial, tuple) else flat.append(value)
        return self._struct.pack(*flat)


def versioned(struc_id: bytes, *rows: tuple[Any, ...], version: int = 1) -> Structure:
    """Return a structure of the MQI that begins with StrucId and Version."""
    return Structure(struc_id.decode().strip(), ("StrucId", "4s", struc_id), ("Version", "i", version), *rows)


def _completed(name: str, code: str, *initial: Any) -> Iterator[Row]:
    if code == "V":
        yield from ((name + suffix, kind, 0) for suffix, kind in _VARIABLE)
    else:
        yield name, code, initial[0] if initial else b"" if code.endswith("s") else 0


class Layout(Generic[R]):
    """A header of messages, or a message descriptor: its identifier, versions and fields, and its record.

    struc_id and struc_length follow from the rest and are no attributes of the record.
    reason: what MQError carries when it cannot be written or read.  lengths: version to length in bytes; a version has
    the fields within its length.  rows: the fields from version on; those of the record where they are not given.
    """

    def __init__(
        self,
        record: type[R],
        struc_id: str,
        reason: int,
        lengths: dict[int, int],
        rows: Iterable[Row] = (),
        *,
        has_length: bool = True,
    ) -> None:
        self.name = record.__name__
        self.record = record
        self.struc_id = struc_id.ljust(4)
        self.reason = reason
        version, *others = rows or rows_of(record)
        struc_length: list[Row] = [("struc_length", "i", 0)] if has_length else []
        self.fields = fields_of([("struc_id", "4s", self.struc_id), version, *struc_length, *others])
        self._shortest = min(lengths.values())
        self._has_length = has_length
        self._structures: dict[tuple[int, str], Structure] = {}
        for number, length in lengths.items():
            present = [field[:3] for field in self.fields if field.offset < length]
            for order in "<>":
                self._structures[number, order] = Structure(self.name, *present, order=order)

    def pack(
        self,
        record: Any,
        encoding: int,
        ccsid: int,
        tail: bytes = b"",
        version: int | None = None,
        *,
        keep_nulls: bool = False,
        derived: Mapping[str, object] = MappingProxyType({}),
    ) -> bytes:
        """Write a record as bytes; StrucLength counts the tail, which follows the fixed part.

        version: instead of the record's own.  derived: values of fields that the record lacks.
        Text is padded with blanks and byte fields with zeros; a null ends a text unless keep_nulls.
        Raises MQError: the structure's reason, when a value does not fit its field; nothing is cut.
        """
        if version is None:
            version = record.version
        structure = self._structure(version, byte_order(encoding, self.name, self.reason))
        given: dict[str, object] = {**derived, "struc_id": self.struc_id, "version": version}
        given["struc_length"] = structure.length + len(tail)
        codec = self.codec(ccsid)
        blank = " ".encode(codec)
        values: dict[str, object] = {}
        for field in structure.fields:
            value: Any = given[field.name] if field.name in given else getattr(record, field.name)
            if isinstance(field.initial, str):
                text = value if keep_nulls else value.partition("\0")[0]
                value = self._padded(field, text, codec, blank) if text else blank * field.length
            elif isinstance(field.initial, bytes) and len(value) > field.length:
                raise self.error(f"{field.name} has {len(value)} bytes, {field.length} fit")
            elif isinstance(field.initial, int) and not (isinstance(value, int) and -(2**31) <= value < 2**31):
                raise self.error(f"{field.name} is {value!r}, no signed 32-bit integer")
            values[field.name] = value
        try:
            return structure.pack(values) + tail
        except StructError as error:
            raise self.error(str(error)) from error

    def unpack(self, data: bytes, encoding: int, ccsid: int, offset: int = 0, *, keep_nulls: bool = False) -> R:
        """Read a record; fields of later versions have their initial values. Raises as ``unpack_values``."""
        return self.record(**self.unpack_values(data, encoding, ccsid, offset, keep_nulls=keep_nulls)[0])

    def unpack_values(
        self, data: bytes, encoding: int, ccsid: int, offset: int = 0, *, keep_nulls: bool = False
    ) -> tuple[dict[str, Any], bytes]:
        """Read bytes into values by name, and what StrucLength counts past the fixed part.

        Texts lose trailing blanks and what follows a null; bytes that are not text in the CCSID become escapes
        (``characters``).  keep_nulls: nulls and what follows stay in the texts, to compare unchanged fields.
        Raises MQError: the structure's reason, when StrucId, Version or a length is wrong.
        """
        order = byte_order(encoding, self.name, self.reason)
        codec = self.codec(ccsid)
        available = max(len(data) - offset, 0)
        if available < self._shortest:
            raise self.error(f"{available} bytes, {self._shortest} needed")
        struc_id, version = Struct(order + "4si").unpack_from(data, offset)
        if struc_id != self.struc_id.encode(codec):
            raise self.error(f"StrucId is {struc_id!r}, not {self.struc_id!r} in {codec}")
        structure = self._structure(version, order)
        end = offset + structure.length
        if available < structure.length:
            raise self.error(f"{available} bytes, {structure.length} needed")
        values = structure.unpack(data[offset:end])
        del values["struc_id"]
        for field in structure.fields[1:]:
            if isinstance(field.initial, str):
                raw = values[field.name]
                text = raw if keep_nulls else raw.partition(b"\0")[0]
                values[field.name] = decode_field(text, codec).rstrip(" ") if text else ""
        if not self._has_length:
            return values, b""
        struc_length = values.pop("struc_length")
        if struc_length < structure.length:
            raise self.error(f"StrucLength is {struc_length}, at least {structure.length} needed")
        if struc_length > available:
            raise self.error(f"StrucLength is {struc_length}, only {available} bytes are there")
        return values, data[end : offset + struc_length]

    def fields_in(self, version: int) -> tuple[Field, ...]:
        """Return the fields of a version. Raises MQError: the structure's reason."""
        return self._structure(version, ">").fields

    def error(self, text: str) -> MQError:
        """Make the error of this structure, its name in front."""
        return MQError(f"{self.name}: {text}", self.reason)

    def codec(self, ccsid: int) -> str:
        """Return the codec of the structure's character fields. Raises MQError: the structure's reason."""
        try:
            return field_codec(ccsid)
        except MQError as error:
            raise self.error(error.text) from error

    def encode(self, name: str, text: str, codec: str) -> bytes:
        """Write a text as bytes. Raises MQError: the structure's reason."""
        try:
            return encode_field(text, codec)
        except UnicodeError as error:
            raise self.error(f"{name} cannot be written in {codec}: {error}") from error

    def _structure(self, version: object, order: str) -> Structure:
        structure = self._structures.get((version, order))  # type: ignore[arg-type]
        if structure is None:
            known = " or ".join(str(number) for number, each in self._structures if each == order)
            raise self.error(f"version is {version}, not {known}")
        return structure

    def _padded(self, field: Field, text: str, codec: str, blank: bytes) -> bytes:
        raw = self.encode(field.name, text.rstrip(" "), codec)
        if len(raw) > field.length:
            raise self.error(f"{field.name} is {len(raw)} bytes long, {field.length} fit: {text!r}")
        return raw.ljust(field.length, blank)
