"""MQRFH, the rules and formatting header of version 1: names and values in one string."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.constants.message import MQCCSI_UNDEFINED, MQENC_NATIVE, MQFMT_NONE
from mqtools.constants.reasons import MQRC_RFH_ERROR, MQRC_RFH_STRING_ERROR
from mqtools.constants.structures import MQRFH_NONE, MQRFH_STRUC_ID, MQRFH_STRUC_LENGTH_FIXED, MQRFH_VERSION_1
from mqtools.errors import MQError
from mqtools.headers.characters import decode_field, encode_field
from mqtools.headers.layout import CHAR, LONG, Layout
from mqtools.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The fields of an MQRFH.
FIELDS = (
    ("struc_id", CHAR, 0, 4, MQRFH_STRUC_ID, 1),
    ("version", LONG, 4, 4, MQRFH_VERSION_1, 1),
    ("struc_length", LONG, 8, 4, MQRFH_STRUC_LENGTH_FIXED, 1),
    ("encoding", LONG, 12, 4, MQENC_NATIVE, 1),
    ("coded_char_set_id", LONG, 16, 4, MQCCSI_UNDEFINED, 1),
    ("format", CHAR, 20, 8, MQFMT_NONE, 1),
    ("flags", LONG, 28, 4, MQRFH_NONE, 1),
)
LAYOUT = Layout("MQRFH", MQRC_RFH_ERROR, FIELDS, (MQRFH_VERSION_1,))


@dataclass(slots=True, kw_only=True)
class MQRFH(Record):
    """Rules and formatting header, version 1."""

    version: int = MQRFH_VERSION_1
    encoding: int = MQENC_NATIVE
    coded_char_set_id: int = MQCCSI_UNDEFINED
    format: str = MQFMT_NONE
    flags: int = MQRFH_NONE
    name_value_string: str = ""


def pack_mqrfh(record: MQRFH, encoding: int, ccsid: int) -> bytes:
    """Write an MQRFH, padded with blanks to a multiple of 4 bytes.

    Raises MQError: MQRC_RFH_ERROR when a value does not fit its field.
    """
    codec = LAYOUT.codec(ccsid)
    try:
        tail = encode_field(record.name_value_string, codec)
    except UnicodeError as error:
        raise LAYOUT.error(f"name_value_string cannot be written in {codec}: {error}") from error
    tail += " ".encode(codec) * (-len(tail) % 4)
    return LAYOUT.pack(record, encoding, ccsid, tail)


def unpack_mqrfh(data: bytes, encoding: int, ccsid: int, offset: int = 0) -> MQRFH:
    """Read an MQRFH; trailing blanks and nulls of its string are padding.

    Raises MQError: MQRC_RFH_ERROR when StrucId, Version or a length is wrong.
    """
    record = MQRFH()
    tail = LAYOUT.unpack_into(record, data, encoding, ccsid, offset)
    record.name_value_string = decode_field(tail, LAYOUT.codec(ccsid)).rstrip(" \0")
    return record


def name_value_pairs(text: str) -> list[tuple[str, str]]:
    """Split a NameValueString into its names and values, in order; a name may come more than once.

    Raises MQError: MQRC_RFH_STRING_ERROR when a name has no value or a quotation mark no partner.
    """
    tokens = _tokens(text.replace("\0", " "))
    if len(tokens) % 2:
        raise MQError(f"MQRFH: {tokens[-1]!r} has no value", MQRC_RFH_STRING_ERROR)
    return list(zip(tokens[::2], tokens[1::2], strict=True))


def name_value_string(pairs: Iterable[tuple[str, str]]) -> str:
    """Write names and values as a NameValueString, quoted where blanks or quotation marks ask for it."""
    return " ".join(_quoted(token) for pair in pairs for token in pair)


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    while True:
        position += len(text) - position - len(text[position:].lstrip(" "))
        if position == len(text):
            return tokens
        token, position = _quoted_token(text, position) if text[position] == '"' else _bare_token(text, position)
        tokens.append(token)


def _bare_token(text: str, start: int) -> tuple[str, int]:
    end = text.find(" ", start)
    end = len(text) if end < 0 else end
    return text[start:end], end


def _quoted_token(text: str, start: int) -> tuple[str, int]:
    position = start + 1
    while True:
        end = text.find('"', position)
        if end < 0:
            raise MQError(f"MQRFH: no closing quotation mark for character {start + 1}", MQRC_RFH_STRING_ERROR)
        if text[end + 1 : end + 2] != '"':
            return text[start + 1 : end].replace('""', '"'), end + 1
        position = end + 2


def _quoted(token: str) -> str:
    if token and " " not in token and '"' not in token:
        return token
    return '"' + token.replace('"', '""') + '"'
