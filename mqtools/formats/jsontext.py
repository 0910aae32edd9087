"""JSON text as all output has it: compact, UTF-8, and safe to look at without losing a character."""

from __future__ import annotations

import json

from mqtools.formats.terminal import is_harmless


class _Escapes(dict[int, str]):
    """A table for ``str.translate`` that fills itself: harmless characters stay, the rest become JSON escapes."""

    def __missing__(self, code: int) -> str:
        shown = self[code] = chr(code) if is_harmless(code) else _escape(code)
        return shown


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


_escapes = _Escapes()


def dumps(obj: object) -> str:
    """Write a value as compact JSON on one line: non-ASCII text kept, what could steer a terminal escaped.

    Lone surrogates are escaped too, so the text is always UTF-8; bytes become upper-case hex.
    Raises ValueError for NaN and infinities.
    """
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_other)
    return text if text.isascii() and text.isprintable() else text.translate(_escapes)


def pretty(obj: object) -> str:
    """Write a value as JSON on many lines, as safe to look at as ``dumps``; lines end with a newline, but the last."""
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False, indent=2, default=_other)
    return "\n".join(line.translate(_escapes) for line in text.split("\n"))


def _other(value: object) -> str:
    return bytes(value).hex().upper() if isinstance(value, (bytes, bytearray, memoryview)) else str(value)
