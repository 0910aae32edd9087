"""Fixed-length character fields (MQCHAR): bytes to text and back without the loss of a byte.

A field holds any bytes. The text has an escape character for each byte that is not text in the field's CCSID: U+10FF00
plus the byte. Such a text is valid Unicode, so memory, the store, selectors and Spark treat it like any other. Only
readers and writers of bytes, JSON and terminals know the escapes.

Invariant: ``encode_field(decode_field(raw, codec), codec) == raw``. A field whose text contains characters of the
range of escapes is therefore escaped as a whole.
"""

from __future__ import annotations

from itertools import groupby

#: The first of the 256 escape characters, in the last row of plane 16 (private use).
ESCAPE = 0x10FF00
_FIRST = chr(ESCAPE)
_FROM_SURROGATES = {0xDC00 + byte: ESCAPE + byte for byte in range(0x80, 0x100)}


def is_escaped(text: str) -> bool:
    """Return whether a text has escape characters: the field is no text in its CCSID."""
    return not text.isascii() and max(text) >= _FIRST


def escape(raw: bytes) -> str:
    """Return bytes as escape characters, all of them."""
    return "".join(chr(ESCAPE + byte) for byte in raw)


def decode_field(raw: bytes, codec: str) -> str:
    """Read the bytes of a character field as text; what is no text in the codec becomes escape characters."""
    try:
        text = raw.decode(codec)
    except UnicodeError:
        return _decode_escaped(raw, codec)
    if text.isascii() and codec == "utf_8":
        return text
    is_exact = not is_escaped(text) and (codec == "utf_8" or _is_exact(text, raw, codec))
    return text if is_exact else _decode_escaped(raw, codec)


def _decode_escaped(raw: bytes, codec: str) -> str:
    try:
        text = raw.decode(codec, "surrogateescape").translate(_FROM_SURROGATES)
    except UnicodeError:
        return escape(raw)
    return text if _is_exact(text, raw, codec) else escape(raw)


def _is_exact(text: str, raw: bytes, codec: str) -> bool:
    try:
        return encode_field(text, codec) == raw
    except UnicodeError:
        return False


def encode_field(text: str, codec: str) -> bytes:
    """Write the text of a character field as bytes, not padded. Raises UnicodeError."""
    if not is_escaped(text):
        return text.encode(codec)
    runs = groupby(text, lambda character: character >= _FIRST)
    return b"".join(
        bytes(ord(character) - ESCAPE for character in run) if escaped else "".join(run).encode(codec)
        for escaped, run in runs
    )


def field_bytes(text: str, codec: str) -> bytes:
    """Write the text of a character field as bytes; a text that the codec cannot write is written in UTF-8."""
    try:
        return encode_field(text, codec)
    except UnicodeError:
        return encode_field(text, "utf_8")


def field_as_text(text: str, codec: str) -> str | None:
    """Return the value of a field as text, None where the codec cannot decode it."""
    if not is_escaped(text):
        return text
    try:
        return encode_field(text, codec).decode(codec)
    except UnicodeError:
        return None
