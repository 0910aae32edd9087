"""Writing of a dump as dmpmqmsg writes it: a header, and for each message its attribute lines and data lines."""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Iterator

from mqtools.formats.descriptor import FLAGS, characters_to_json
from mqtools.formats.dump.data_lines import data_lines
from mqtools.formats.dump.display import Display
from mqtools.formats.dump.fields import BYTES, CODES, EXTRA, NUMBER, shown_field
from mqtools.formats.jsontext import dumps
from mqtools.headers.charsets import DEFAULT_CCSID, field_codec
from mqtools.message import MQMD

#: Rows of ``CODES`` without one of the two codes for application data.
_READABLE, _EXACT = (
    [(code.encode("ascii"), field, kind, length) for code, field, kind, length in CODES if code not in left_out]
    for left_out in (("AIX", "AOX"), ("AID", "AOD"))
)


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
        lines, inexact = _attribute_lines(md, ccsid, application_text=display.application_text)
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


def _attribute_lines(md: MQMD, ccsid: int, *, application_text: bool) -> tuple[bytes, dict[str, object]]:
    """Return the attribute lines, and the character fields that they cannot hold, as values of JSON.

    application_text: of the two codes for application data the readable one.
    """
    codec = field_codec(ccsid)
    lines: list[bytes] = []
    inexact: dict[str, object] = {}
    for code, field, kind, length in _READABLE if application_text else _EXACT:
        value = getattr(md, field)
        if kind == NUMBER:
            lines.append(b"A %b %d\n" % (code, _signed(value) if field in FLAGS else value))
        elif kind == BYTES:
            lines.append(b"A %b %b\n" % (code, hexlify(value).upper()))
        else:
            shown, is_exact = shown_field(value, length, kind, codec)
            lines.append(b"A %b %b\n" % (code, shown))
            if not is_exact:
                inexact[field] = characters_to_json(value, ccsid)
    return b"".join(lines), inexact


def _extra_line(extra: dict[str, object], inexact: dict[str, object], *, descriptor: bool) -> bytes:
    md = extra.get("md")
    fields = {**inexact, **(md if isinstance(md, dict) else {})}
    whole = {key: value for key, value in extra.items() if key != "md"}
    if descriptor and fields:
        whole["md"] = fields
    return EXTRA + dumps(whole).encode("utf-8")[1:] + b"\n"
