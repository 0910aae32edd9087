"""Bodies in the formats that the queue manager knows, from one character set and encoding to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
from mqtools.headers.pcf import CFGR, CFSF, CFSL, CFST, Parameter, PCFError
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf

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

#: Bytes in front of the text of an IMS variable string, which its length counts, and the greatest length.
_LLZZ, _MOST_LL = 4, 32_767


def convert_trigger(data: bytes, source: Form, target: Form) -> bytes:
    """Convert a trigger message (MQTM).

    Raises MQError: MQRC_FORMAT_ERROR for any other body, and all that Fields raises.
    """
    fields = Fields(source, target)
    is_trigger = data[:4] == MQTM_STRUC_ID.encode(fields.source) and len(data) == MQTM_LENGTH_1
    if not is_trigger or fields.numbers.read(data, 4) != MQTM_VERSION_1:
        raise MQError("MQTM: StrucId, Version or length is wrong", MQRC_FORMAT_ERROR)
    return bytes(fields.convert_fields(TRIGGER_FIELDS, data))


def convert_pcf(data: bytes, source: Form, target: Form) -> bytes:
    """Convert a PCF message: MQCFH and as many parameters as it announces, those of groups included.

    A text is read in its own CodedCharSetId; 0 there is that of the message. The strings of a list stay as long as
    they are when they fit.
    Raises MQError: MQRC_FORMAT_ERROR when the data is not that, and all that Numbers and convert_text raise.
    """
    Numbers(source, target)
    try:
        header, parameters = unpack_pcf(data, source.encoding)
        converted = [_converted(parameter, source, target) for parameter in parameters]
        return pack_pcf(header, converted, target.encoding)
    except PCFError as error:
        raise MQError(f"PCF: {error.text}", MQRC_FORMAT_ERROR) from error


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


def _converted(parameter: Parameter, source: Form, target: Form) -> Parameter:
    match parameter:
        case CFGR():
            return parameter.replace(parameters=[_converted(each, source, target) for each in parameter.parameters])
        case CFST() | CFSF() | CFSL():
            own = parameter.coded_char_set_id
            source = Form(own or source.ccsid, source.encoding)
            changes: dict[str, object] = {"coded_char_set_id": target.ccsid if own else 0}
            if isinstance(parameter, CFST):
                changes["string"] = convert_text(parameter.string, source, target)
            elif isinstance(parameter, CFSF):
                changes["filter_value"] = convert_text(parameter.filter_value, source, target)
            elif any(parameter.strings) and not is_same_text(source, target):
                changes["strings"] = _of_one_length(parameter.strings, source, target)
            return parameter.replace(**changes)
    return parameter


def _of_one_length(strings: Sequence[bytes], source: Form, target: Form) -> list[bytes]:
    """Convert strings of one length; they stay as long or, when one does not fit, become as long as the longest."""
    blank = encode(" ", target)
    written = [encode(decode(each, source).rstrip(PADDING), target) for each in strings]
    length = max(map(len, (*strings, *written)))
    length += -length % len(blank)
    return [raw + blank * ((length - len(raw)) // len(blank)) for raw in written]
