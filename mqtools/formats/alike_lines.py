"""JSON lines that are like one before but for MsgId, CorrelId, put time and data: no more than these is read."""

from __future__ import annotations

import re
from binascii import unhexlify
from json import JSONDecodeError, JSONDecoder, detect_encoding, loads
from typing import TYPE_CHECKING

from mqtools.errors import MQError
from mqtools.formats.descriptor import BYTE_FIELDS
from mqtools.formats.envelope.envelope import data_from_json
from mqtools.message import MQMD, Message, field_values

if TYPE_CHECKING:
    from typing import Any

#: Fields that each message has for itself, to texts of the same length as the field has in any line of a kind.
_OWN = {"msg_id": "A5" * 24, "correl_id": "5A" * 24, "put_date": "20010203", "put_time": "04050607"}
_DATA = ("data", "data_b64")
_SAMPLE_OF_DATA = "eHg="
_LENGTH = re.compile(r'"data_length"\s*:\s*(?=(0|[1-9][0-9]*),\s*"data(?:_b64)?"\s*:\s*\Z)')
_decode = JSONDecoder().raw_decode

#: Kinds that are kept at most, and lines one after the other that are of none before no more kinds are looked for.
_MOST, _TRIES = 8, 20


class AlikeLines:
    """Reads lines that are like others before."""

    def __init__(self) -> None:
        self._kinds: list[_Kind] = []
        self._tries = _TRIES

    def read(self, line: bytes) -> Message | None:
        """Read a message; None where its line is to be parsed as a whole."""
        if not self._kinds:
            return None
        try:
            text = line.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None
        for at, kind in enumerate(self._kinds):
            message = kind.read(text)
            if message is not None:
                self._tries = _TRIES
                if at:
                    self._kinds.insert(0, self._kinds.pop(at))
                return message
        return None

    def learn(self, line: bytes, envelope: dict[str, Any], message: Message) -> None:
        """Keep what tells lines like one that has been parsed."""
        if self._tries and not message.properties:
            self._tries -= 1
            kind = _kind_of(line, envelope, message.md)
            if kind is not None:
                self._kinds.insert(0, kind)
                del self._kinds[_MOST:]


class _Kind:
    """Lines that differ in the values of fields, all of one length, in ``data_length`` and in the data.

    pieces: each field with its length, and the text in front of its value.  before_length, before_data, end: the text
    from there to the length of the data if it is said, to the data, and behind it.
    """

    def __init__(
        self,
        md: MQMD,
        pieces: list[tuple[str, str, int]],
        before_length: str,
        before_data: str,
        data_key: str,
        end: str,
    ) -> None:
        self._values = field_values(md)
        self._pieces = pieces
        self._before_length = before_length
        self._before_data = before_data
        self._data_key = data_key
        self._end = end

    def read(self, text: str) -> Message | None:
        """Read a message; None where the line is not quite of this kind."""
        md, at = MQMD.of(self._values), 0
        for before, field, length in self._pieces:
            if not text.startswith(before, at):
                return None
            at += len(before)
            value = text[at : at + length]
            at += length
            if field in BYTE_FIELDS:
                try:
                    setattr(md, field, unhexlify(value))
                except ValueError:
                    return None
            elif value.isdigit() and value.isascii():
                setattr(md, field, value)
            else:
                return None
        if self._before_length:
            if not text.startswith(self._before_length, at):
                return None
            begin = at + len(self._before_length)
            at = text.find(",", begin)
            if not _is_number(text[begin:at]):
                return None
        if not text.startswith(self._before_data, at):
            return None
        at += len(self._before_data)
        if not text.startswith('"', at):
            return None
        try:
            value, at = _decode(text, at)
            return Message(data_from_json({self._data_key: value}, md), md) if text[at:] == self._end else None
        except (JSONDecodeError, MQError):
            return None


def _is_number(text: str) -> bool:
    return text.isdigit() and text.isascii() and (text == "0" or text[0] != "0")


def _kind_of(line: bytes, envelope: dict[str, Any], md: MQMD) -> _Kind | None:
    """Return the kind of a line that has been parsed, None where there is any doubt about a place in it."""
    given, keys = envelope.get("md") or {}, [key for key in _DATA if isinstance(envelope.get(key), str)]
    if len(keys) != 1 or detect_encoding(line) != "utf-8":
        return None
    text, places = line.decode("utf-8", "surrogatepass"), []
    for field, sample in _OWN.items():
        value = given.get(field)
        if value is None:
            continue
        found = re.search(rf'"{field}"\s*:\s*"(?={re.escape(str(value))}")', text)
        if found is None or len(value) != len(sample):
            return None
        places.append((found.end(), field, len(sample)))
    places.sort()
    found = re.compile(rf'"{keys[0]}"\s*:\s*(?=")').search(text, sum(places[-1][::2]) if places else 0)
    return None if found is None else _verified(text, envelope, md, places, keys[0], found.end())


def _verified(
    text: str, envelope: dict[str, Any], md: MQMD, places: list[tuple[int, str, int]], key: str, data_at: int
) -> _Kind | None:
    """Return the kind of a line if a line with other values at these places says just these values."""
    pieces, begin = [], 0
    for at, field, length in places:
        pieces.append((text[begin:at], field, length))
        begin = at + length
    before_length, before_data, end = "", text[begin:data_at], text[_decode(text, data_at)[1] :]
    sample = "".join(before + _OWN[field] for before, field, _ in pieces) + f'{before_data}"{_SAMPLE_OF_DATA}"{end}'
    expected = {**envelope, key: _SAMPLE_OF_DATA}
    if pieces:
        expected["md"] = {**envelope["md"], **{field: _OWN[field] for _, field, _ in pieces}}
    if loads(sample) != expected:
        return None
    if found := _LENGTH.search(before_data):
        before_length, before_data = before_data[: found.end()], before_data[found.end(1) :]
    return _Kind(md, pieces, before_length, before_data, key, end)
