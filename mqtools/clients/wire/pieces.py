"""Pieces of messages: each reads its value from a body, with every length checked, and writes it."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, unpack_from
from typing import Any, Protocol, TypeAlias

from mqtools.clients.wire.codes import EBCDIC_CODEC, StatusCode
from mqtools.clients.wire.segments import ProtocolError
from mqtools.headers.fields import lengths_of
from mqtools.headers.layout import Structure
from mqtools.headers.structures_message import MD

#: Values of a piece by the names of its fields.
Values: TypeAlias = dict[str, Any]

_WORDS = {order: Struct(order + "I") for order in "<>"}
_INTEGERS = {order: Struct(order + "i") for order in "<>"}


class Cursor:
    """Cursor over the body of a segment.

    order: of its integers.  end: where it ends in the data.  is_cut: the data of its message may end early.
    """

    __slots__ = ("at", "data", "end", "is_cut", "order")

    def __init__(self, data: bytes, order: str, at: int = 0, end: int | None = None, *, is_cut: bool = False) -> None:
        self.data = data
        self.order = order
        self.at = at
        self.end = len(data) if end is None else end
        self.is_cut = is_cut

    @property
    def left(self) -> int:
        """Return the number of bytes that have not been read."""
        return self.end - self.at

    def take(self, length: int) -> bytes:
        """Read bytes. Raises ProtocolError: PROTOCOL_LENGTH_ERROR."""
        self.check(length)
        start, self.at = self.at, self.at + length
        return self.data[start : self.at]

    def take_data(self, length: int) -> bytes:
        """Read data of a message, as far as it is there if the message was cut. Raises ProtocolError: see ``take``."""
        return self.take(min(length, self.left) if self.is_cut else length)

    def check(self, length: int) -> None:
        """Check that so many bytes are left. Raises ProtocolError: PROTOCOL_LENGTH_ERROR."""
        if not 0 <= length <= self.end - self.at:
            raise ProtocolError(f"{length} bytes needed, {self.left} left", StatusCode.PROTOCOL_LENGTH_ERROR)

    def integer(self) -> int:
        """Read a signed integer of 4 bytes."""
        return INTEGER.read(self)

    def integers(self, count: int) -> tuple[int, ...]:
        """Read signed integers of 4 bytes."""
        raw = self.take(4 * count)
        return unpack_from(f"{self.order}{count}i", raw)

    def part(self, length: int) -> Cursor:
        """Return a cursor over the next bytes, which count as read."""
        self.check(length)
        start, self.at = self.at, self.at + length
        return Cursor(self.data, self.order, start, self.at)


class MessagePart(Protocol):
    """A part of a message."""

    def read(self, body: Cursor) -> Any:
        """Read the value. Raises ProtocolError."""

    def write(self, value: Any, order: str) -> bytes:
        """Return the value as bytes."""


class Integer:
    """Integer of 4 bytes."""

    def __init__(self, structs: Mapping[str, Struct] = _INTEGERS) -> None:
        self._structs = structs

    def read(self, body: Cursor) -> int:
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

    def read(self, body: Cursor) -> bytes:
        return body.take_data(body.integer())

    def write(self, value: bytes, order: str) -> bytes:
        return b"".join((_INTEGERS[order].pack(len(value)), value, bytes(-len(value) % 4)))


DATA = Data()


class Bytes:
    """Bytes of a fixed number, or all that are left."""

    def __init__(self, length: int | None = None) -> None:
        self._length = length

    def read(self, body: Cursor) -> bytes:
        return body.take(body.left if self._length is None else self._length)

    def write(self, value: bytes, order: str) -> bytes:  # noqa: ARG002 - see MessagePart
        return value


REST = Bytes()


class FixedStructure:
    """Structure of a fixed length.

    shortest: bytes that must be there; later fields that are missing are zeros. All by default.
    """

    def __init__(self, name: str, *rows: tuple[Any, ...], shortest: int | None = None) -> None:
        self.by_order = {order: Structure(name, *rows, order=order) for order in "<>"}
        self.length = self.by_order["<"].length
        self._shortest = self.length if shortest is None else shortest

    def initial(self) -> Values:
        return self.by_order["<"].initial()

    def read(self, body: Cursor) -> Values:
        body.check(self._shortest)
        return self.by_order[body.order].unpack(body.take(min(self.length, body.left)))

    def write(self, value: Values, order: str) -> bytes:
        return self.by_order[order].pack(value)


class MqiStructure:
    """Structure of the MQI and the strings behind it: bytes as they travel, which the calls read and write.

    An identifier in EBCDIC is read as if it were in ASCII.
    """

    def __init__(self, structure: Structure) -> None:
        self.lengths = lengths_of(structure)
        self._name = structure.name
        self._struc_id: bytes = structure.initial()["StrucId"]
        self._in_ebcdic = self._struc_id.decode().encode(EBCDIC_CODEC)
        self._keeps_id = structure is MD  # it is read with the character set of its segment
        members = {field.name: field.offset for field in structure.packed("<").fields}
        self._strings = [
            (members[f"{name}VSOffset"], members[f"{name}VSLength"])
            for name in (member[:-5] for member in members if member.endswith("VSPtr"))
        ]

    def read(self, body: Cursor) -> bytes:
        start = body.at
        body.check(8)
        (version,) = _INTEGERS[body.order].unpack_from(body.data, start + 4)
        struc_id, length = body.data[start : start + 4], self.lengths.get(version)
        if struc_id not in (self._struc_id, self._in_ebcdic) or length is None:
            raise ProtocolError(f"{struc_id!r} version {version} instead of an MQ{self._name}")
        end = length
        body.check(length)
        for offset_at, length_at in self._strings:
            if offset_at < length:
                offset, size = (
                    _INTEGERS[body.order].unpack_from(body.data, start + at)[0] for at in (offset_at, length_at)
                )
                if size > 0:
                    if not length <= offset <= offset + size <= body.left:
                        raise ProtocolError(f"a string outside of what was sent with an MQ{self._name}")
                    end = max(end, offset + size + -size % 4)
        raw = body.take(min(end, body.left))
        return raw if struc_id == self._struc_id or self._keeps_id else self._struc_id + raw[4:]

    def write(self, value: bytes, order: str) -> bytes:  # noqa: ARG002 - see MessagePart
        return value


class Sequence:
    """Consecutive pieces: values by name. Bytes after the last piece are ignored."""

    def __init__(self, **pieces: MessagePart) -> None:
        self.pieces = pieces

    def read(self, body: Cursor) -> Values:
        return {name: piece.read(body) for name, piece in self.pieces.items()}

    def write(self, value: Values, order: str) -> bytes:
        return b"".join(piece.write(value[name], order) for name, piece in self.pieces.items())


class Block(Sequence):
    """Structure of SPI: identifier, version and its length, which counts all that is in it."""

    def __init__(self, struc_id: bytes, **pieces: MessagePart) -> None:
        super().__init__(**pieces)
        self._struc_id = struc_id

    def read(self, body: Cursor) -> Values:
        struc_id = body.take(4)
        version, length = body.integer(), body.integer()
        if struc_id not in (self._struc_id, self._struc_id.decode().encode(EBCDIC_CODEC)):
            raise ProtocolError(f"{struc_id!r} instead of {self._struc_id!r}")
        return {"Version": version, **super().read(body.part(length - 12))}

    def write(self, value: Values, order: str) -> bytes:
        inside = super().write(value, order)
        pack = _INTEGERS[order].pack
        return b"".join((self._struc_id, pack(value["Version"]), pack(12 + len(inside)), inside))
