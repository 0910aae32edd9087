"""The attribute lines of a dmpmqmsg dump: which code is which field of the descriptor, and how text gets into them.

A dump is bytes. Character fields of the descriptor are in the queue manager's CCSID, and keep the bytes that are no
text in it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mqtools import message
from mqtools.headers.characters import decode_field, field_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

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
#: of the two codes of one field a writer chooses one. What is not here is no attribute.
CODES = tuple(_rows())

#: The beginning of a comment in which mqx keeps what the text form has no line for: a JSON object. Its keys are
#: ``md`` (fields that an attribute line cannot hold exactly), ``properties`` and ``rfh2`` (bytes of the MQRFH2 in
#: front of the data that was made of the properties, for readers that know no such comment).
EXTRA = b"* mqx {"


@lru_cache(maxsize=4096)
def padded_field(text: str, length: int, codec: str) -> bytes:
    """Return a character field as MQ has it: so many bytes, padded with blanks, cut where a character ends."""
    raw = field_bytes(text, codec)
    if len(raw) > length:
        raw = next(cut for end in range(len(text), -1, -1) if len(cut := field_bytes(text[:end], codec)) <= length)
    return raw.ljust(length, " ".encode(codec))


@lru_cache(maxsize=4096)
def fits(text: str, length: int, kind: str, codec: str) -> bool:
    """Return whether an attribute line holds a text so that the same text is read from it again."""
    if not text:
        return True
    raw = field_bytes(text, codec)
    is_whole = text[-1] != " " and len(raw) <= length and (text.isascii() or field_text(raw, codec) == text)
    return is_whole and (kind == CHARACTERS_IN_HEX or (raw[-1:] != b"\r" and b"\n" not in raw and b"\0" not in raw))


@lru_cache(maxsize=4096)
def field_text(raw: bytes, codec: str) -> str:
    """Return the text of a character field without its trailing blanks."""
    return decode_field(raw, codec).rstrip(" ")
