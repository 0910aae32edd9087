"""Text that is safe to show: whatever could steer a terminal or hide is made visible.

Message data, property names, queue names of other queue managers are untrusted. Tables, errors and the TUI
all print them through ``visible``; files, raw and JSON output stay exact.
"""

from __future__ import annotations

from mqtools.errors import MQError
from mqtools.headers.charsets import decode_text

#: Code points that print nothing although Python calls them printable: fillers, joiners and the variation
#: selectors, as inclusive ranges. ``str.isprintable`` decides about all others.
_INVISIBLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)

#: Blanks other than U+0020 that take room on the screen, so need no marking; not "printable" to Python.
_BLANKS = frozenset((0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))

#: The first escape character of ``headers.characters``, which represent bytes that are not text.
_ESCAPE = 0x10FF00

#: The control pictures. They show C0 and DEL in the output, so in the input they are escaped.
_PICTURES = range(0x2400, 0x2422)


def is_harmless(code: int) -> bool:
    """Return whether a code point is safe to print: no control, format, bidi or private use character."""
    if code in _BLANKS:
        return True
    return chr(code).isprintable() and not any(low <= code <= high for low, high in _INVISIBLE)


def _shown(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if is_harmless(code) and code not in _PICTURES:
        return chr(code)
    if code >= _ESCAPE:
        return f"\\x{code - _ESCAPE:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Table(dict[int, str]):
    """A table for ``str.translate`` that fills itself with the characters it meets."""

    def __missing__(self, code: int) -> str:
        shown = self[code] = _shown(code)
        return shown


#: Characters kept unchanged, to the table for that; only newline and tab can be kept.
_tables: dict[str, _Table] = {}


def visible(text: str, keep: str = "") -> str:
    """Make everything visible that could steer a terminal or hide.

    C0 controls and DEL become their pictures (``␛``); C1, bidi controls, zero-width and format characters,
    private use, surrogates, tags, line and paragraph separators become ``\\x9b``, ``\\u202e``,
    ``\\U000e0041``. keep: which of newline and tab stay as they are; nothing else can be kept.
    Source: M5, M6.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = "".join(char for char in "\n\t" if char in keep)
    if kept not in _tables:
        _tables[kept] = _Table({ord(char): char for char in kept})
    return text.translate(_tables[kept])


def visible_bytes(data: bytes, ccsid: int, encoding: int = 546, keep: str = "") -> str:
    """Show bytes as the text they are in a CCSID, made visible.

    Bytes that are not text there show as ASCII with ``\\xNN`` for the rest, so this never fails.
    keep: as for ``visible``.
    """
    try:
        text = decode_text(data, ccsid, encoding)
    except MQError:
        text = data.decode("ascii", "backslashreplace")
    return visible(text, keep)
