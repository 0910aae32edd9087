"""Pieces of messages: each reads its value from a body, with every length checked, and writes it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from struct import Struct, unpack_from
from typing import Any, Protocol, TypeAlias

from mqtools.clients.wire.codes import Status
from mqtools.clients.wire.segments import ProtocolError
from mqtools.headers.layout import Structure

#: Values of a piece by the names of its fields.
Values: TypeAlias = dict[str, Any]

#: Byte order of this machine, as in ``struct``.
NATIVE_ORDER = "<" if sys.byteorder == "little" else ">"

_WORDS = {order: Struct(order + "I") for order in "<>"}
_INTEGERS = {order: Struct(order + "i") for order in "<>"}
#: CCSID of strings in replies.
_UTF_8 = 1208


class Body:
    """Cursor over the body of a segment. order: of its integers.  end: where it ends in the data."""

    __slots__ = ("at", "data", "end", "order")

    def __init__(self, data: bytes, order: str, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.order = order
        self.at = at
        self.end = len(data) if end is None else end

    @property
    def left(self) -> int:
        """Return the number of bytes that have not been read."""
        return self.end - self.at

    def take(self, length: int) -> bytes:
        """Read bytes. Raises ProtocolError: PROTOCOL_LENGTH_ERROR."""
        self.check(length)
        start, self.at = self.at, self.at + length
        return self.data[start : self.at]

    def check(self, length: int) -> None:
        """Check that so many bytes are left. Raises ProtocolError: PROTOCOL_LENGTH_ERROR."""
        if not 0 <= length <= self.end - self.at:
            raise ProtocolError(f"{length} bytes needed, {self.left} left", Status.PROTOCOL_LENGTH_ERROR)

    def integer(self) -> int:
        """Read a signed integer of 4 bytes."""
        self.check(4)
        self.at += 4
        return int(_INTEGERS[self.order].unpack_from(self.data, self.at - 4)[0])

    def integers(self, count: int) -> tuple[int, ...]:
        """Read signed integers of 4 bytes."""
        raw = self.take(4 * count)
        return unpack_from(f"{self.order}{count}i", raw)

    def part(self, length: int) -> Body:
        """Return a cursor over the next bytes, which count as read."""
        self.check(length)
        start, self.at = self.at, self.at + length
        return Body(self.data, self.order, start, self.at)


class Piece(Protocol):
    """A part of a message."""

    def read(self, body: Body) -> Any:
        """Read the value. Raises ProtocolError."""

    def write(self, value: Any, order: str) -> bytes:
        """Return the value as bytes."""


class Integer:
    """Integer of 4 bytes."""

    def __init__(self, structs: Mapping[str, Struct] = _INTEGERS) -> None:
        self._structs = structs

    def read(self, body: Body) -> int:
        body.check(4)
        body.at += 4
        return int(self._structs[body.order].unpack_from(body.data, body.at - 4)[0])

    def write(self, value: int, order: str) -> bytes:
        return self._structs[order].pack(value)


INTEGER = Integer()
#: Integer without a sign: options and handles.
WORD = Integer(_WORDS)


class Data:
    """Bytes with their length in front, padded to 4 bytes."""

    def read(self, body: Body) -> bytes:
        return body.take(body.integer())

    def write(self, value: bytes, order: str) -> bytes:
        return b"".join((_INTEGERS[order].pack(len(value)), value, bytes(-len(value) % 4)))


DATA = Data()


class Rest:
    """All bytes that are left."""

    def read(self, body: Body) -> bytes:
        return body.take(body.left)

    def write(self, value: bytes, order: str) -> bytes:  # noqa: ARG002 - see Piece
        return value


REST = Rest()


class Table:
    """Structure of a fixed length.

    shortest: bytes that must be there; later fields that are missing are zeros. All by default.
    """

    def __init__(self, name: str, *rows: tuple[Any, ...], shortest: int | None = None) -> None:
        self.by_order = {order: Structure(name, *rows, order=order) for order in "<>"}
        self.length = self.by_order["<"].length
        self._shortest = self.length if shortest is None else shortest

    def initial(self) -> Values:
        return self.by_order["<"].initial()

    def read(self, body: Body) -> Values:
        body.check(self._shortest)
        return self.by_order[body.order].unpack(body.take(min(self.length, body.left)))

    def write(self, value: Values, order: str) -> bytes:
        return self.by_order[order].pack(value)


class MqiTable:
    """Structure of the MQI as it travels: pointers have 4 bytes and mean nothing, its strings follow it.

    A string of variable length (MQCHARV) has its value under its own name, as bytes.
    native: as programs pass it.  lengths: version to length in bytes, without strings.
    """

    def __init__(self, native: Structure, lengths: Mapping[int, int]) -> None:
        self.native = native
        self.lengths = lengths
        rows = [(row.name, "I" if row.code == "P" else row.code, row.initial) for row in native.fields]
        widest = Table(native.name, *(row for row in rows if row[0] != "pad"))
        offsets = {field.name: field.offset for field in widest.by_order["<"].fields}
        self._tables = {
            version: Table(native.name, *(row for row in rows if offsets.get(row[0], length) < length))
            for version, length in lengths.items()
        }
        self.strings = tuple(row[0][:-5] for row in rows if row[0].endswith("VSPtr"))
        self._struc_id: bytes = native.initial()["StrucId"]

    def length_at(self, body: Body) -> int:
        """Return the length of the structure at the cursor. Raises ProtocolError for any other."""
        body.check(8)
        struc_id = body.data[body.at : body.at + 4]
        (version,) = _INTEGERS[body.order].unpack_from(body.data, body.at + 4)
        length = self.lengths.get(version)
        if struc_id != self._struc_id or length is None:
            raise ProtocolError(f"{struc_id!r} version {version} instead of an MQ{self.native.name}")
        return length

    def read(self, body: Body) -> Values:
        start, length = body.at, self.length_at(body)
        values = self.native.initial()
        (version,) = _INTEGERS[body.order].unpack_from(body.data, start + 4)
        values.update(self._tables[version].read(body))
        for name in self.strings:
            values[name] = b""
            size, offset = values[f"{name}VSLength"], values[f"{name}VSOffset"]
            if size > 0:
                if offset < length:
                    raise ProtocolError(f"{name} is inside its structure")
                text = Body(body.data, body.order, start, body.end)
                text.take(offset)
                values[name] = text.take(size)
                body.at = max(body.at, min(text.at + -size % 4, body.end))
        return values

    def write(self, value: Values, order: str) -> bytes:
        """Return the structure in its version, and its strings."""
        length = self.lengths[value["Version"]]
        values, tail = dict(value), b""
        for name in self.strings:
            text = value.get(name, b"")
            values[f"{name}VSPtr"] = 0
            values[f"{name}VSOffset"] = length + len(tail)
            values[f"{name}VSLength"] = len(text)
            values[f"{name}VSCCSID"] = _UTF_8
            tail += text + bytes(-len(text) % 4)
        return self._tables[value["Version"]].write(values, order) + tail

    def to_native(self, values: Values) -> bytes:
        """Return the structure as programs pass it, with its strings behind it at offsets.

        A string that the call returns has room as its buffer size says.
        """
        given, tail = dict(values), bytearray()
        for name in self.strings:
            text = values[name]
            room = max(min(values[f"{name}VSBufSize"], MOST_STRING), len(text))
            given[f"{name}VSPtr"] = 0
            given[f"{name}VSOffset"] = self.native.length + len(tail)
            given[f"{name}VSBufSize"], given[f"{name}VSLength"] = room, len(text)
            tail += text.ljust(room, b"\0") + bytes(-room % 4)
        return self.native.pack(given) + bytes(tail)

    def from_native(self, raw: bytes) -> Values:
        """Return the values of a structure that ``to_native`` made and a call has filled."""
        values = self.native.unpack(raw[: self.native.length])
        for name in self.strings:
            offset, size = values[f"{name}VSOffset"], values[f"{name}VSLength"]
            values[name] = raw[offset : offset + min(size, values[f"{name}VSBufSize"])]
        return values


#: Longest string (bytes) that a call returns.
MOST_STRING = 10_240


class Descriptor(MqiTable):
    """Message descriptor: bytes in the order of this machine, in the version that was sent."""

    def read(self, body: Body) -> bytes:  # type: ignore[override]
        if body.order == NATIVE_ORDER:
            return body.take(self.length_at(body))
        return self._swapped(super().read(body), NATIVE_ORDER)

    def write(self, value: bytes, order: str) -> bytes:  # type: ignore[override]
        if order == NATIVE_ORDER:
            return value
        return self._swapped(super().read(Body(value, NATIVE_ORDER)), order)

    def _swapped(self, values: Values, order: str) -> bytes:
        return self._tables[values["Version"]].write(values, order)


class Sequence:
    """Pieces one behind the other: values by name. What follows them is ignored."""

    def __init__(self, **pieces: Piece) -> None:
        self.pieces = pieces

    def read(self, body: Body) -> Values:
        return {name: piece.read(body) for name, piece in self.pieces.items()}

    def write(self, value: Values, order: str) -> bytes:
        return b"".join(piece.write(value[name], order) for name, piece in self.pieces.items())


class Block(Sequence):
    """Structure of SPI: identifier, version and its length, which counts all that is in it."""

    def __init__(self, struc_id: bytes, **pieces: Piece) -> None:
        super().__init__(**pieces)
        self._struc_id = struc_id

    def read(self, body: Body) -> Values:
        struc_id = body.take(4)
        version, length = body.integer(), body.integer()
        if struc_id != self._struc_id:
            raise ProtocolError(f"{struc_id!r} instead of {self._struc_id!r}")
        return {"Version": version, **super().read(body.part(length - 12))}

    def write(self, value: Values, order: str) -> bytes:
        inside = super().write(value, order)
        pack = _INTEGERS[order].pack
        return b"".join((self._struc_id, pack(value["Version"]), pack(12 + len(inside)), inside))
