"""Text, numbers and the fixed fields of structures: from one character set and encoding to another.

Ends of lines go the way of the codecs. In most EBCDIC sets X'25' is the line feed and X'15' is NEL (U+0085), in 1047
it is the other way round; 277, 278, 280, 284, 285, 297, 420, 838, 870, 871, 1025, 1112, 1122, 1123 and 1141 to 1149
read both as a line feed, write X'25' and have no NEL. NEL is X'85' in 819 and X'C285' in 1208; a set without it, such
as 437, 850 or 1252, makes the text not convertible.
"""

from __future__ import annotations

from typing import NamedTuple

from mqtools.constants.message import MQENC_INTEGER_MASK, MQENC_NORMAL
from mqtools.constants.reasons import (
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_FORMAT_ERROR,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_SOURCE_INTEGER_ENC_ERROR,
    MQRC_TARGET_CCSID_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR,
)
from mqtools.errors import MQError
from mqtools.headers.charsets import codec_of, field_codec, integer_order, text_codec
from mqtools.headers.layout import Field

#: Characters that may follow the text of a field of fixed length.
PADDING = " \0"


class Form(NamedTuple):
    """The form of data: a coded character set and an encoding."""

    ccsid: int
    encoding: int


class Numbers:
    """Integers on their way from one byte order to another.

    Raises MQError: MQRC_SOURCE_INTEGER_ENC_ERROR or MQRC_TARGET_INTEGER_ENC_ERROR when an encoding has no byte order.
    """

    __slots__ = ("is_swapped", "source", "target")

    def __init__(self, source: Form, target: Form) -> None:
        self.source = integer_order(source.encoding, "conversion", MQRC_SOURCE_INTEGER_ENC_ERROR)
        self.target = integer_order(target.encoding, "conversion", MQRC_TARGET_INTEGER_ENC_ERROR)
        self.is_swapped = self.source != self.target

    def read(self, data: bytes, offset: int) -> int:
        """Read an MQLONG of the source."""
        return int.from_bytes(data[offset : offset + 4], self.source, signed=True)

    def write(self, value: int) -> bytes:
        """Write an MQLONG of the target. Raises MQError: MQRC_NOT_CONVERTED when it does not fit."""
        try:
            return value.to_bytes(4, self.target, signed=True)
        except OverflowError as error:
            raise MQError(f"{value} is not a signed 32-bit integer", MQRC_NOT_CONVERTED) from error

    def swap(self, raw: bytes, width: int = 4) -> bytes:
        """Convert numbers to the byte order of the target. width: bytes of each.

        Raises MQError: MQRC_FORMAT_ERROR when the last one is not complete.
        """
        if len(raw) % width:
            raise MQError(f"{len(raw)} bytes are not numbers of {width} bytes each", MQRC_FORMAT_ERROR)
        if not self.is_swapped:
            return raw
        swapped = bytearray(len(raw))
        for place in range(width):
            swapped[place::width] = raw[width - 1 - place :: width]
        return bytes(swapped)


class Fields:
    """Structures on their way from one form to another: the numbers, and the codecs of the character fields.

    Raises MQError: as Numbers; MQRC_SOURCE_CCSID_ERROR or MQRC_TARGET_CCSID_ERROR when a CCSID is not convertible.
    """

    __slots__ = ("numbers", "source", "target")

    def __init__(self, source: Form, target: Form) -> None:
        self.source = field_codec(source.ccsid, MQRC_SOURCE_CCSID_ERROR)
        self.numbers = Numbers(source, target)
        self.target = field_codec(target.ccsid, MQRC_TARGET_CCSID_ERROR)

    def convert_fields(self, fields: tuple[Field, ...], raw: bytes) -> bytearray:
        """Convert the fields of a structure; MQBYTE fields stay as they are.

        Raises MQError: MQRC_NOT_CONVERTED when a text has no equal in the target, MQRC_CONVERTED_STRING_TOO_BIG when
        it would be longer than its field.  Source: TRUNC-23.
        """
        out = bytearray()
        for field in fields:
            piece = raw[field.offset : field.offset + field.length]
            if isinstance(field.initial, int):
                piece = self.numbers.swap(piece)
            elif isinstance(field.initial, str):
                piece = self._characters(field.name, piece)
            out += piece
        return out

    def text(self, raw: bytes) -> bytes:
        """Convert a string of a header, which is as long as it is. Raises MQError: MQRC_NOT_CONVERTED."""
        return raw if self.source == self.target else _encode(_decode(raw, self.source), self.target)

    def _characters(self, name: str, raw: bytes) -> bytes:
        if self.source == self.target:
            return raw
        text = _decode(raw, self.source)
        fitted = _encode(text, self.target)
        if len(fitted) > len(raw):
            fitted = _encode(text.rstrip(PADDING), self.target)
        if len(fitted) > len(raw):
            raise MQError(f"{name} becomes {len(fitted)} bytes, {len(raw)} fit", MQRC_CONVERTED_STRING_TOO_BIG)
        filler = "\0" if text.endswith("\0") else " "
        return fitted.ljust(len(raw), _encode(filler, self.target))


def convert_text(data: bytes, source: Form, target: Form) -> bytes:
    """Convert text, all of it, from one coded character set to another.

    Raises MQError: MQRC_SOURCE_CCSID_ERROR or MQRC_TARGET_CCSID_ERROR when a CCSID is not convertible,
    MQRC_SOURCE_INTEGER_ENC_ERROR or MQRC_TARGET_INTEGER_ENC_ERROR when UTF-16 has no byte order, MQRC_NOT_CONVERTED
    when the data is not text or the target lacks a character: nothing is replaced.  Source: TRUNC-11.
    """
    if not data or is_same_text(source, target):
        return data
    return encode(decode(data, source), target)


def is_same_text(source: Form, target: Form) -> bool:
    """Return whether text is the same bytes in both: one CCSID, and for UTF-16 one byte order."""
    if source.ccsid != target.ccsid:
        return False
    return not _needs_order(source.ccsid) or not (source.encoding ^ target.encoding) & MQENC_INTEGER_MASK


def decode(data: bytes, source: Form) -> str:
    """Read text. Raises MQError: as convert_text, of the source."""
    return _decode(data, text_codec(*source, MQRC_SOURCE_CCSID_ERROR, MQRC_SOURCE_INTEGER_ENC_ERROR))


def encode(text: str, target: Form) -> bytes:
    """Write text. Raises MQError: as convert_text, of the target."""
    return _encode(text, text_codec(*target, MQRC_TARGET_CCSID_ERROR, MQRC_TARGET_INTEGER_ENC_ERROR))


def _needs_order(ccsid: int) -> bool:
    return codec_of(ccsid, MQENC_NORMAL) == "utf_16_be"


def _decode(raw: bytes, codec: str) -> str:
    try:
        return raw.decode(codec)
    except UnicodeError as error:
        raise MQError(f"data is not text in {codec}: {error}", MQRC_NOT_CONVERTED) from error


def _encode(text: str, codec: str) -> bytes:
    try:
        return text.encode(codec)
    except UnicodeError as error:
        raise MQError(f"text cannot be written in {codec}: {error}", MQRC_NOT_CONVERTED) from error
