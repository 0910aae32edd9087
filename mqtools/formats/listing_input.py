"""Reading of browse listings (amqsbcg and ``-o listing``): the descriptor by name, the data from its hex."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mqtools.formats.dump.fields import field_text
from mqtools.formats.mistakes import Findings, ReadMessage, without_end
from mqtools.headers.charsets import DEFAULT_CCSID, field_codec
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD, Message, mq_name

_DESCRIPTOR = b"****Message descriptor****"
_SECTION = b"****"
_END = b" MQ"

#: Where in a listing a reader is: between messages, in the descriptor, in the properties, in the data.
_OUTSIDE, _FIELDS, _PROPERTIES, _DATA = range(4)

_NAME = re.compile(rb"\s*([A-Za-z]\w*)\s*:[ \t]*")
_NUMBER = re.compile(rb"(-?[0-9]{1,11})|'\s*(-?[0-9]{1,11})\s*'")
_BYTES = re.compile(rb"\s*X'([^']*)'")
_HEX_BYTES = re.compile(rb"\s*X'((?:[0-9A-Fa-f]{2})*)'")
_LENGTH = re.compile(rb"\s*length\s*-\s*([0-9]{1,10})\s+(?:of\s+([0-9]{1,10})\s+)?bytes")
_ANNOUNCED = re.compile(rb" MQ message with ([0-9]{1,10}) bytes of data")
_HEX = re.compile(rb"[0-9A-Fa-f \t]*")


#: A name in a listing to the field; StrucId says nothing.
_NAMES = {mq_name(field).encode("ascii"): field for field in MQMD.__slots__} | {b"StrucId": ""}


def read_listing(
    lines: Iterable[tuple[int, bytes]], findings: Findings, ccsid: int = DEFAULT_CCSID
) -> Iterator[ReadMessage]:
    """Read the messages of a listing one by one; none that has a mistake in it is given.

    A message begins at its descriptor and ends at a line that begins with blank, M, Q, or with the next.
    Its properties are not read: a listing does not say what types they have.  ccsid: of the character fields.
    """
    codec = field_codec(ccsid)
    reading = _Reading(findings, codec)
    for number, whole in lines:
        line = without_end(whole)
        if line.startswith((_END, _DESCRIPTOR)):
            if reading.place != _OUTSIDE:
                if done := reading.finish():
                    yield done
                reading = _Reading(findings, codec)
            reading.begin(number, line)
        elif reading.place != _OUTSIDE:
            reading.line(number, line)
    if done := reading.finish():
        yield done


class _Reading:
    """One message of a listing while it is read. place: the section of the line in hand."""

    def __init__(self, findings: Findings, codec: str) -> None:
        self.place = _OUTSIDE
        self._codec = codec
        self._findings = findings
        self._md = MQMD()
        self._pieces: list[bytes] = []
        self._first = self._last = 0
        self._length: tuple[int, int] | None = None
        self._pending = ""
        self._is_bad = False

    def begin(self, number: int, line: bytes) -> None:
        """Begin a message at its descriptor; the line in front of it may say how much data it has."""
        if line.startswith(_DESCRIPTOR):
            self.place = _FIELDS
            self._first = self._last = number
        elif found := _ANNOUNCED.match(line):
            self._length = (number, int(found[1]))

    def line(self, number: int, line: bytes) -> None:
        """Read a line of a message by the section it is in."""
        if line.startswith(_SECTION):
            self._section(number, line)
        elif self.place == _FIELDS:
            self._fields(number, line)
        elif self.place == _DATA:
            self._data(number, line)

    def _section(self, number: int, line: bytes) -> None:
        if b"propert" in line.lower():
            self.place = _PROPERTIES
            self._findings.warn((number, 1), "the properties of a listing are not read")
        else:
            self.place = _DATA

    def _fields(self, number: int, line: bytes) -> None:
        """Read what a line of the descriptor says: several fields, up to a comment."""
        at = 0
        if self._pending and (found := _BYTES.match(line)):
            at = self._value(number, line, found.start(1) - 2, self._pending)
        self._pending = ""
        while 0 <= at < len(line):
            rest = line[at:].lstrip()
            if not rest or rest.startswith(b"*"):
                return
            named = _NAME.match(line, at)
            if named is None:
                self._bad(number, len(line) - len(rest) + 1, "a field is written as Name : value")
                return
            field = _NAMES.get(named[1])
            if field is None:
                self._bad(number, named.start(1) + 1, f"the descriptor has no field {named[1].decode('latin-1')}")
                return
            at = self._value(number, line, named.end(), field)

    def _value(self, number: int, line: bytes, at: int, field: str) -> int:
        """Read a value at a place of the line; give where it ends, or -1 where it cannot be read."""
        self._last = number
        if not field:
            return self._quoted(number, line, at, "", 4)
        if field in CHARACTER_FIELDS:
            return self._characters(number, line, at, field)
        if field in BYTE_FIELDS:
            return self._identifier(number, line, at, field)
        found = _NUMBER.match(line, at)
        value = int(found[1] or found[2]) if found else 1 << 31
        if found is None or not -(1 << 31) <= value < 1 << 31:
            self._bad(number, at + 1, f"{mq_name(field)} needs a number that fits in an MQLONG")
            return -1
        setattr(self._md, field, value)
        return found.end()

    def _characters(self, number: int, line: bytes, at: int, field: str) -> int:
        """Read characters in quotes, or as X'hex' where they are no text."""
        found = _HEX_BYTES.match(line, at)
        if found is None:
            return self._quoted(number, line, at, field, CHARACTER_FIELDS[field])
        setattr(self._md, field, field_text(bytes.fromhex(found[1].decode("ascii")), self._codec))
        return found.end()

    def _quoted(self, number: int, line: bytes, at: int, field: str, length: int) -> int:
        """Read characters in quotes; a quote among them is one as long as the field continues behind it."""
        begin = at + 1
        end = begin + length if line[begin + length : begin + length + 1] == b"'" else line.find(b"'", begin)
        if line[at:begin] != b"'" or end < 0:
            self._bad(number, at + 1, "a text in quotes is needed")
            return -1
        if field:
            setattr(self._md, field, field_text(line[begin:end], self._codec))
        return end + 1

    def _identifier(self, number: int, line: bytes, at: int, field: str) -> int:
        """Read bytes as X'hex'; a line that ends without them continues in the next."""
        if not line[at:].strip():
            self._pending = field
            return len(line)
        found = _BYTES.match(line, at)
        try:
            value = bytes.fromhex(found[1].decode("ascii")) if found else b""
        except ValueError:
            self._bad(number, at + 1, "this is not hexadecimal all through")
            return -1
        if found is None or len(value) != BYTE_FIELDS[field]:
            self._bad(number, at + 1, f"{mq_name(field)} needs X'hex' of {BYTE_FIELDS[field]} bytes")
            return -1
        setattr(self._md, field, value)
        return found.end()

    def _data(self, number: int, line: bytes) -> None:
        """Read a line of the data: hex behind the first colon, up to the column of characters."""
        colon = line.find(b":")
        if colon < 0:
            if found := _LENGTH.match(line):
                self._length = (number, int(found[2] or found[1]))
            return
        self._last = number
        found_hex = _HEX.match(line, colon + 1)
        end = colon + 1 if found_hex is None else found_hex.end()
        digits = line[colon + 1 : end].replace(b" ", b"").replace(b"\t", b"")
        if line[end : end + 1] not in (b"", b"'"):
            self._bad(number, end + 1, f"{line[end : end + 1].decode('latin-1')!r} is not a hexadecimal digit")
        elif len(digits) % 2:
            self._bad(number, len(line[:end].rstrip()), "the last hexadecimal digit has no second one")
        else:
            self._pieces.append(bytes.fromhex(digits.decode("ascii")))

    def finish(self) -> ReadMessage | None:
        if self.place == _OUTSIDE:
            return None
        data = b"".join(self._pieces)
        if self._length is not None and self._length[1] != len(data) and not self._is_bad:
            line, length = self._length
            self._bad(line, 1, f"the message has {length} bytes, {len(data)} of them are listed")
        return None if self._is_bad else ReadMessage(Message(data, self._md), self._first, self._last)

    def _bad(self, number: int, column: int, text: str) -> None:
        self._findings.mistake((number, column), text)
        self._is_bad = True
