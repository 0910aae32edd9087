"""Writing of a dump as dmpmqmsg writes it: a header, and for each message its attribute lines and data lines."""

from __future__ import annotations

from binascii import hexlify
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from mqtools.formats.descriptor import FLAGS, characters_to_json
from mqtools.formats.dump.data_lines import data_lines
from mqtools.formats.dump.fields import BYTES, CHARACTERS, CHARACTERS_IN_HEX, CODES, EXTRA, NUMBER, fits, padded_field
from mqtools.formats.jsontext import dumps
from mqtools.headers.charsets import DEFAULT_CCSID, field_codec
from mqtools.message import MQMD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.formats.dump.display import Display


#: Fields that each message has for itself though it is of the same kind as others, and their codes in order.
_OWN = ("msg_id", "correl_id", "put_date", "put_time")
_OWN_CODES = (b"MSI", b"COI", b"PTD", b"PTT")
_kind = attrgetter(*(name for name in MQMD.__slots__ if name not in _OWN))
_MOST_KINDS = 256


def dump_header(q_mgr_name: str, q_name: str, created: str) -> bytes:
    """Return the comments at the top of a dump, with the blank line behind them. created: as C's ctime writes it."""
    return f"* QLOAD Version:8.0 Created:{created}\n* Qmgr  = {q_mgr_name}\n* Queue = {q_name}\n\n".encode()


def dump_message(
    md: MQMD,
    data: bytes,
    display: Display,
    *,
    number: int = 0,
    extra: dict[str, object] | None = None,
    ccsid: int = DEFAULT_CCSID,
) -> Iterator[bytes]:
    """Write a message in blocks of lines, a blank line at its end.

    number: of the message, for its index.  extra: what the form has no line for (``fields.EXTRA``).
    ccsid: of the character fields: the queue manager's.
    """
    lines = b"N\n"
    inexact: dict[str, object] = {}
    if display.descriptor:
        lines, inexact = _writer(ccsid, application_text=display.application_text).write(md)
    if extra or inexact:
        yield _extra_line(extra or {}, inexact, descriptor=display.descriptor)
    if display.index:
        yield b"* Index %d\n" % number
    yield lines
    yield from data_lines(data, display.data, display.width)
    yield b"\n"


def _signed(value: int) -> int:
    """Return a flag word as the signed integer on the wire."""
    return value - (1 << 32) if value >= 1 << 31 else value


@lru_cache(maxsize=4096)
def _characters(text: str, length: int, codec: str) -> bytes:
    return padded_field(text, length, codec).replace(b"\n", b" ").replace(b"\0", b" ")


@lru_cache(maxsize=4096)
def _in_hex(text: str, length: int, codec: str) -> bytes:
    return padded_field(text, length, codec).hex().upper().encode("ascii")


class _Attributes:
    """The attribute lines of a message.

    ccsid: of the character fields.  application_text: of the two codes for application data the readable one.
    """

    def __init__(self, ccsid: int, *, application_text: bool) -> None:
        self._ccsid = ccsid
        self._codec = field_codec(ccsid)
        left_out = ("AIX", "AOX") if application_text else ("AID", "AOD")
        rows = [row for row in CODES if row[0] not in left_out]
        self._values = attrgetter(*(field for _, field, _, _ in rows))
        lines = (f"A {code} %{'d' if kind == NUMBER else 'b'}\n" for code, _, kind, _ in rows)
        self._template = "".join(lines).encode("ascii")
        places = list(enumerate(rows))
        #: Kinds of descriptors to their lines, and to what these cannot hold.
        self._known: dict[tuple[object, ...], tuple[bytes, dict[str, object]]] = {}
        self._flags = [at for at, (_, field, _, _) in places if field in FLAGS]
        self._bytes = [at for at, (_, _, kind, _) in places if kind == BYTES]
        self._texts = [
            (at, field, length, kind, _in_hex if kind == CHARACTERS_IN_HEX else _characters)
            for at, (_, field, kind, length) in places
            if kind in (CHARACTERS, CHARACTERS_IN_HEX)
        ]

    def write(self, md: MQMD) -> tuple[bytes, dict[str, object]]:
        """Write a descriptor; return its lines, and the character fields that they cannot hold, as values of JSON."""
        kind = _kind(md)
        known = self._known.get(kind)
        if known is None:
            if len(self._known) >= _MOST_KINDS:
                self._known.clear()
            known = self._known[kind] = (self._lines_of_kind(md), self.inexact(md.replace(put_date="", put_time="")))
        lines, inexact = known
        date, time = md.put_date, md.put_time
        if not (fits(date, 8, CHARACTERS, self._codec) and fits(time, 8, CHARACTERS, self._codec)):
            inexact = self.inexact(md)
        return lines % (
            hexlify(md.msg_id).upper(),
            hexlify(md.correl_id).upper(),
            _characters(date, 8, self._codec),
            _characters(time, 8, self._codec),
        ), inexact

    def _lines_of_kind(self, md: MQMD) -> bytes:
        """Return the lines of messages of a kind, with places for what each has for itself."""
        own = md.replace(msg_id=b"", correl_id=b"", put_date="", put_time="")
        lines = self.lines(own).replace(b"%", b"%%").split(b"\n")
        for at, line in enumerate(lines):
            if line[2:5] in _OWN_CODES:
                lines[at] = line[:6] + b"%b"
        return b"\n".join(lines)

    def lines(self, md: MQMD) -> bytes:
        """Write a descriptor, all of it."""
        values = list(self._values(md))
        for at in self._flags:
            values[at] = _signed(values[at])
        for at in self._bytes:
            values[at] = hexlify(values[at]).upper()
        for at, _, length, _, write in self._texts:
            values[at] = write(values[at], length, self._codec)
        return self._template % tuple(values)

    def inexact(self, md: MQMD) -> dict[str, object]:
        """Return the character fields that their lines cannot hold as they are, as values of JSON."""
        values = self._values(md)
        return {
            field: characters_to_json(values[at], self._ccsid)
            for at, field, length, kind, _ in self._texts
            if values[at] and not fits(values[at], length, kind, self._codec)
        }


@lru_cache
def _writer(ccsid: int, *, application_text: bool) -> _Attributes:
    return _Attributes(ccsid, application_text=application_text)


def _extra_line(extra: dict[str, object], inexact: dict[str, object], *, descriptor: bool) -> bytes:
    md = extra.get("md")
    fields = {**inexact, **(md if isinstance(md, dict) else {})}
    whole = {key: value for key, value in extra.items() if key != "md"}
    if descriptor and fields:
        whole["md"] = fields
    return EXTRA + dumps(whole).encode("utf-8")[1:] + b"\n"
