"""Bodies in the formats that the queue manager knows, from one character set and encoding to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.administration import (
    MQCFH_STRUC_LENGTH,
    MQCFT_BYTE_STRING,
    MQCFT_BYTE_STRING_FILTER,
    MQCFT_GROUP,
    MQCFT_INTEGER,
    MQCFT_INTEGER64,
    MQCFT_INTEGER64_LIST,
    MQCFT_INTEGER_FILTER,
    MQCFT_INTEGER_LIST,
    MQCFT_STRING,
    MQCFT_STRING_FILTER,
    MQCFT_STRING_LIST,
)
from mqtools.constants.message import (
    MQFMT_ADMIN,
    MQFMT_EVENT,
    MQFMT_IMS_VAR_STRING,
    MQFMT_PCF,
    MQFMT_STRING,
    MQFMT_TRIGGER,
)
from mqtools.constants.reasons import MQRC_CONVERTED_STRING_TOO_BIG, MQRC_FORMAT_ERROR
from mqtools.constants.structures import MQTM_LENGTH_1, MQTM_STRUC_ID, MQTM_VERSION_1
from mqtools.errors import MQError
from mqtools.headers.conversion_fields import (
    PADDING,
    Fields,
    Form,
    Numbers,
    convert_text,
    decode,
    encode,
    is_same_text,
)
from mqtools.headers.layout import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable

#: The fields of an MQTM.
TRIGGER_FIELDS = fields_of(
    [
        ("struc_id", "4s", MQTM_STRUC_ID),
        ("version", "i", MQTM_VERSION_1),
        ("q_name", "48s", ""),
        ("process_name", "48s", ""),
        ("trigger_data", "64s", ""),
        ("appl_type", "i", 0),
        ("appl_id", "256s", ""),
        ("env_data", "128s", ""),
        ("user_data", "128s", ""),
    ]
)

#: PCF structure to the number of integers that it begins with. Any other structure is not converted.
_INTEGERS = {
    MQCFT_INTEGER: 4,
    MQCFT_STRING: 5,
    MQCFT_INTEGER_LIST: 4,
    MQCFT_STRING_LIST: 6,
    MQCFT_BYTE_STRING: 4,
    MQCFT_INTEGER_FILTER: 5,
    MQCFT_STRING_FILTER: 6,
    MQCFT_BYTE_STRING_FILTER: 5,
    MQCFT_GROUP: 4,
    MQCFT_INTEGER64: 4,
    MQCFT_INTEGER64_LIST: 4,
}
#: Structures with numbers behind those integers, and the width of one in bytes.
_NUMBERS_BEHIND = {MQCFT_INTEGER_LIST: 4, MQCFT_INTEGER64: 8, MQCFT_INTEGER64_LIST: 8}
#: Structures with bytes behind them, which are never converted.
_BYTES_BEHIND = frozenset({MQCFT_BYTE_STRING, MQCFT_BYTE_STRING_FILTER})
#: Structures with text behind them, and which of the integers is its CodedCharSetId. The last one is its length.
_TEXT_BEHIND = {MQCFT_STRING: 3, MQCFT_STRING_FILTER: 4, MQCFT_STRING_LIST: 3}
#: Which of the integers of a string list is the number of strings, of a group the number of parameters in it.
_STRING_COUNT, _MEMBER_COUNT = 4, 3
_PARAMETER_COUNT_OFFSET = 32
#: Bytes in front of the text of an IMS variable string, which its length counts, and the greatest length.
_LLZZ, _MOST_LL = 4, 32_767


def convert_trigger(data: bytes, source: Form, target: Form) -> bytes:
    """Convert a trigger message (MQTM).

    Raises MQError: MQRC_FORMAT_ERROR when it is none, and all that Fields raises.
    """
    fields = Fields(source, target)
    is_trigger = data[:4] == MQTM_STRUC_ID.encode(fields.source) and len(data) == MQTM_LENGTH_1
    if not is_trigger or fields.numbers.read(data, 4) != MQTM_VERSION_1:
        raise MQError("MQTM: StrucId, Version or length is wrong", MQRC_FORMAT_ERROR)
    return bytes(fields.convert_fields(TRIGGER_FIELDS, data))


def convert_pcf(data: bytes, source: Form, target: Form) -> bytes:
    """Convert a PCF message: MQCFH and as many parameters as it announces, those of groups included.

    A text is read in its own CodedCharSetId; 0 there is that of the message. A text that changes its length changes
    its structure's; the strings of a list stay as long as they are when they fit.
    Raises MQError: MQRC_FORMAT_ERROR when the data is not that, and all that Numbers and convert_text raise.
    """
    numbers = Numbers(source, target)
    if len(data) < MQCFH_STRUC_LENGTH or numbers.read(data, 4) != MQCFH_STRUC_LENGTH:
        raise _error(f"no MQCFH of {MQCFH_STRUC_LENGTH} bytes")
    pieces = [numbers.swap(data[:MQCFH_STRUC_LENGTH])]
    position, left = MQCFH_STRUC_LENGTH, numbers.read(data, _PARAMETER_COUNT_OFFSET)
    while left > 0:
        integers, behind = _parameter(data, position, numbers)
        position += integers[1]
        left += _members(integers) - 1
        pieces.append(_converted(integers, behind, numbers, source, target))
    if left < 0 or position != len(data):
        raise _error(f"{len(data) - position} bytes are left after the last parameter")
    return b"".join(pieces)


def convert_ims_strings(data: bytes, source: Form, target: Form) -> bytes:
    """Convert IMS variable strings, one behind the other: a length of 2 bytes, flags of 2 bytes that stay, and text.

    Raises MQError: MQRC_FORMAT_ERROR when the data is not that, MQRC_CONVERTED_STRING_TOO_BIG when a text is too long
    for its length, and all that Numbers and convert_text raise.
    """
    numbers = Numbers(source, target)
    out = bytearray()
    position = 0
    while position < len(data):
        length = int.from_bytes(data[position : position + 2], numbers.source)
        if not _LLZZ <= length <= len(data) - position:
            raise MQError(f"IMS variable string: length {length} at offset {position}", MQRC_FORMAT_ERROR)
        text = convert_text(data[position + _LLZZ : position + length], source, target)
        if len(text) + _LLZZ > _MOST_LL:
            words = f"IMS variable string: {len(text)} bytes of text, {_MOST_LL - _LLZZ} fit"
            raise MQError(words, MQRC_CONVERTED_STRING_TOO_BIG)
        out += (len(text) + _LLZZ).to_bytes(2, numbers.target) + data[position + 2 : position + _LLZZ] + text
        position += length
    return bytes(out)


#: Format name to the function that converts the body; any other format needs an exit.
BODIES: dict[str, Callable[[bytes, Form, Form], bytes]] = {
    MQFMT_STRING: convert_text,
    MQFMT_IMS_VAR_STRING: convert_ims_strings,
    MQFMT_ADMIN: convert_pcf,
    MQFMT_PCF: convert_pcf,
    MQFMT_EVENT: convert_pcf,
    MQFMT_TRIGGER: convert_trigger,
}


def _parameter(data: bytes, position: int, numbers: Numbers) -> tuple[list[int], bytes]:
    """Return the integers of the structure at a position, and the bytes behind them."""
    available = len(data) - position
    count = _INTEGERS.get(numbers.read(data, position)) if available >= 8 else None
    if count is None:
        raise _error(f"no known structure at offset {position}")
    length = numbers.read(data, position + 4)
    if not count * 4 <= length <= available:
        raise _error(f"StrucLength {length} at offset {position}, {count * 4} to {available} possible")
    front = position + count * 4
    return [numbers.read(data, at) for at in range(position, front, 4)], data[front : position + length]


def _members(integers: list[int]) -> int:
    """Return how many more parameters a structure announces."""
    if integers[0] != MQCFT_GROUP:
        return 0
    if integers[_MEMBER_COUNT] < 0:
        raise _error(f"a group of {integers[_MEMBER_COUNT]} parameters")
    return integers[_MEMBER_COUNT]


def _converted(integers: list[int], behind: bytes, numbers: Numbers, source: Form, target: Form) -> bytes:
    kind = integers[0]
    if kind in _TEXT_BEHIND:
        behind = _text(integers, behind, source, target)
    elif kind in _NUMBERS_BEHIND:
        behind = numbers.swap(behind, _NUMBERS_BEHIND[kind])
    elif behind and kind not in _BYTES_BEHIND:
        raise _error(f"structure of type {kind} with StrucLength {integers[1]}")
    integers[1] = len(integers) * 4 + len(behind)
    return b"".join(map(numbers.write, integers)) + behind


def _text(integers: list[int], behind: bytes, source: Form, target: Form) -> bytes:
    """Convert the text behind integers, and set its length and CCSID among them; give it padded."""
    kind, length = integers[0], integers[-1]
    count = integers[_STRING_COUNT] if kind == MQCFT_STRING_LIST else 1
    if count < 0 or not 0 <= count * length <= len(behind):
        raise _error(f"{count} strings of {length} bytes in {len(behind)}")
    own = integers[_TEXT_BEHIND[kind]]
    if own:
        integers[_TEXT_BEHIND[kind]] = target.ccsid
        source = Form(own, source.encoding)
    text = behind[: count * length]
    if kind != MQCFT_STRING_LIST:
        text = convert_text(text, source, target)
        integers[-1] = len(text)
    elif text and not is_same_text(source, target):
        texts = [decode(text[start : start + length], source) for start in range(0, len(text), length)]
        text, integers[-1] = _of_one_length(texts, length, target)
    return text + bytes(-len(text) % 4)


def _of_one_length(texts: list[str], length: int, target: Form) -> tuple[bytes, int]:
    """Write texts, all of them this long or, when one does not fit, as long as the longest."""
    blank = encode(" ", target)
    written = [encode(text.rstrip(PADDING), target) for text in texts]
    length = max(length, *map(len, written))
    length += -length % len(blank)
    return b"".join(raw + blank * ((length - len(raw)) // len(blank)) for raw in written), length


def _error(text: str) -> MQError:
    return MQError(f"PCF: {text}", MQRC_FORMAT_ERROR)
