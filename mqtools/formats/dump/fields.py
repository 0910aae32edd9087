"""The attribute lines of a dmpmqmsg dump: which code is which field of the descriptor, and how text gets into them.

A dump is bytes. Character fields of the descriptor are in the queue manager's CCSID, and keep the bytes that are no
text in it.
"""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Iterator

from mqtools import message
from mqtools.headers.characters import decode_field, field_bytes

#: Kinds of values: a decimal number, characters padded with blanks, bytes in hex, characters as bytes in hex.
NUMBER, CHARACTERS, BYTES, CHARACTERS_IN_HEX = message.NUMBER, message.CHARACTERS, message.BYTES, "characters in hex"
#: Field that may hold what is no text, to its code for characters in hex.
_HEX_CODES = {"appl_identity_data": "AIX", "appl_origin_data": "AOX"}


def _rows() -> Iterator[tuple[str, str, str, int]]:
    for field, kind, length, code, _ in message.FIELDS:
        yield code, field, kind if kind in (CHARACTERS, BYTES) else NUMBER, length
        if field in _HEX_CODES:
            yield _HEX_CODES[field], field, CHARACTERS_IN_HEX, length


#: Code, field, kind and length in bytes, in the order in which they are written. Any code is read in any order;
#: of the two codes of one field a writer chooses one. Other fields are no attributes.
CODES = tuple(_rows())

#: The beginning of a comment in which mqx keeps what the text form has no line for: a JSON object. Its keys are
#: ``md`` (fields that an attribute line cannot hold exactly), ``properties`` and ``rfh2`` (bytes of the MQRFH2 in
#: front of the data that was made of the properties, for readers that know no such comment).
EXTRA = b"* mqx {"


def field_text(raw: bytes, codec: str) -> str:
    """Return the text of a character field without its trailing blanks."""
    return decode_field(raw, codec).rstrip(" ")


def shown_field(text: str, length: int, kind: str, codec: str) -> tuple[bytes, bool]:
    """Return a text as an attribute line shows it, and whether the same text is read from it again.

    A field has so many bytes, padded with blanks; a longer one is cut where a character ends.
    """
    raw = field_bytes(text, codec)
    is_whole = text[-1:] != " " and len(raw) <= length and (text.isascii() or field_text(raw, codec) == text)
    if len(raw) > length:
        raw = next(cut for end in range(len(text), -1, -1) if len(cut := field_bytes(text[:end], codec)) <= length)
    padded = raw.ljust(length, " ".encode(codec))
    if kind == CHARACTERS_IN_HEX:
        return hexlify(padded).upper(), is_whole
    plain = padded.replace(b"\n", b" ").replace(b"\0", b" ")
    return plain, is_whole and plain == padded and raw[-1:] != b"\r"


class BadValue(Exception):
    """Raised for a value that cannot be read, or not without doubt.

    offset: in the value, from 0.  value: what it is read as, None where it cannot be read.
    """

    def __init__(self, offset: int, text: str, value: object = None) -> None:
        super().__init__(text)
        self.offset = offset
        self.text = text
        self.value = value
