"""The data lines of a dump: hex (X), strings (S) and text (T), written and read. Bytes are never converted."""

from __future__ import annotations

import re
from binascii import hexlify, unhexlify
from collections.abc import Iterator

from mqtools.formats.dump.display import CHARACTERS, HEX, INVARIANT, PRINTABLE
from mqtools.formats.dump.fields import BadValue

#: Lines of hex that are made at once, so that a long message does not take many times its length.
_LINES_AT_ONCE = 4096

#: Runs of what a string holds: what every code page of ASCII's family has at the same place, or what C prints.
_RUNS = {
    INVARIANT: re.compile(rb"[A-Za-z0-9 '()+,\-./:=?_]+|[^A-Za-z0-9 '()+,\-./:=?_]+"),
    PRINTABLE: re.compile(rb"[ -~]+|[^ -~]+"),
}
_IN_STRING = {INVARIANT: re.compile(rb"[A-Za-z0-9 '()+,\-./:=?_]"), PRINTABLE: re.compile(rb"[ -~]")}

#: Pieces of a text: what prints, the end of a line, anything else.
_TEXT = re.compile(rb"([ -~]+)|(\n\r|\r\n|\n|\r)|([^ -~\n\r]+)")

_DIGITS = re.compile(rb"[0-9A-Fa-f]*")
_PRINTABLE = bytes(byte if 0x20 <= byte < 0x7F else 0x2E for byte in range(256))


def data_lines(data: bytes, form: str, width: int) -> Iterator[bytes]:
    """Write the data of a message as lines, in blocks of some lines; at least one line.

    form: of ``display``.  width: bytes in a line of hex.  TEXT loses the ends of lines.
    """
    if not data:
        return iter((b"X \n",))
    if form == HEX:
        return _hex(data, width)
    if form == CHARACTERS:
        return _hex_and_characters(data, width)
    return _strings(data, form, width) if form in _RUNS else _text(data, width)


def _hex(data: bytes, width: int) -> Iterator[bytes]:
    step = width * _LINES_AT_ONCE
    for at in range(0, len(data), step):
        # A negative number counts the groups of bytes from the left.
        digits = hexlify(data[at : at + step], b"\n", -width).upper()
        yield b"X " + digits.replace(b"\n", b"\nX ") + b"\n"


def _hex_and_characters(data: bytes, width: int) -> Iterator[bytes]:
    for at in range(0, len(data), width):
        row = data[at : at + width]
        blanks = b"  " * (width - len(row) + 1)
        yield b"X %b%b<%b>\n" % (row.hex().upper().encode("ascii"), blanks, row.translate(_PRINTABLE))


def _strings(data: bytes, form: str, width: int) -> Iterator[bytes]:
    most = 2 * width - 2
    for found in _RUNS[form].finditer(data):
        run = found[0]
        if _IN_STRING[form].match(run) is None:
            yield from _hex(run, width)
            continue
        for at in range(0, len(run), most):
            piece = run[at : at + most].replace(b"~", b"~~").replace(b'"', b'~"')
            yield b'S "%b"\n' % piece


def _text(data: bytes, width: int) -> Iterator[bytes]:
    line = None
    for found in _TEXT.finditer(data):
        text, end, other = found.groups()
        if end is not None:
            yield b"T %b\n" % (line or b"")
            line = None
            continue
        if line is not None:
            yield b"T %b\n" % line
        line = text
        if other is not None:
            yield from _hex(other, width)
    if line is not None:
        yield b"T %b\n" % line


def plain_hex(line: bytes) -> bytes | None:
    """Read a line of hex, with its end, that has nothing but a blank and digits; None where it may have more."""
    if line[1:2] != b" " or line[-1:] != b"\n":
        return None
    try:
        return unhexlify(line[2:-1])
    except ValueError:
        return None


def read_data(line: bytes) -> bytes:
    """Read a data line of any kind, without its end. Raises BadValue, its offset in the line."""
    kind = line[:1]
    if kind == b"X":
        return _read_hex(line)
    return _read_string(line) if kind == b"S" else line[2:] + b"\n"


def _read_hex(line: bytes) -> bytes:
    """Read hex with blanks in front, or something behind a blank or a ``<``."""
    begin = len(line) - len(line[1:].lstrip(b" "))
    found = _DIGITS.match(line, begin)
    end = begin if found is None else found.end()
    if line[end : end + 1] not in (b"", b" ", b"<"):
        raise BadValue(end, f"{line[end : end + 1].decode('latin-1')!r} is not a hexadecimal digit")
    if (end - begin) % 2:
        raise BadValue(end - 1, "the last hexadecimal digit has no second one")
    return unhexlify(line[begin:end])


def _read_string(line: bytes) -> bytes:
    begin = len(line) - len(line[1:].lstrip(b" "))
    if line[begin : begin + 1] != b'"':
        return line[begin:].rstrip(b" ")
    pieces = []
    at = begin + 1
    while True:
        end, escape = line.find(b'"', at), line.find(b"~", at)
        if escape >= 0 and (end < 0 or escape < end):
            if line[escape + 1 : escape + 2] not in (b'"', b"~"):
                raise BadValue(escape, 'after ~ must come " or ~')
            pieces.append(line[at:escape] + line[escape + 1 : escape + 2])
            at = escape + 2
        elif end < 0:
            raise BadValue(begin, "the string has no closing quote")
        else:
            return b"".join(pieces) + line[at:end]
