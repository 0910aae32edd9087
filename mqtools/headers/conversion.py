"""Conversion on get (MQGMO_CONVERT): a message in the character set and encoding that its reader asks for.

Built-in formats are converted here, others by exits. A program that never converts never imports this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mqtools.constants.message import MQCCSI_APPL, MQCCSI_Q_MGR, MQFMT_NONE
from mqtools.constants.reasons import MQRC_CONVERTED_MSG_TOO_BIG, MQRC_FORMAT_ERROR, MQRC_NONE, MQRC_NOT_CONVERTED
from mqtools.errors import MQError
from mqtools.headers.chain import RESERVED, Chain, walk
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.conversion_bodies import BODIES
from mqtools.headers.conversion_fields import Fields, Form
from mqtools.headers.conversion_headers import convert_header, describe_successor
from mqtools.headers.formats import is_header_format
from mqtools.message import MQMD
from mqtools.records import Record

#: A data-conversion exit: data, its CCSID and encoding, the CCSID and encoding wanted; gives the data in them.
Converter: TypeAlias = Callable[[bytes, int, int, int, int], bytes]

#: Format name to the exit of a program; a format in neither this table nor BODIES is not convertible.
_registered: dict[str, Converter] = {}


@dataclass(slots=True)
class Conversion(Record):
    """A message as it is returned: md always describes data.

    reason: 0 when all was converted or nothing had to be; else a warning.
    error: what stood in the way, with the reason of the part where it stood; None when nothing did.
    """

    md: MQMD
    data: bytes
    reason: int = MQRC_NONE
    error: MQError | None = None

    def within(self, md: MQMD, data: bytes, buffer_length: int) -> Conversion:
        """Return this, or the unconverted message with MQRC_CONVERTED_MSG_TOO_BIG when only that fits.

        md, data: the message as it was.  buffer_length: bytes. The caller truncates what does not fit.
        Source: TRUNC-20.
        """
        if len(self.data) <= buffer_length or len(data) > buffer_length:
            return self
        text = f"converted data is {len(self.data)} bytes long, {buffer_length} fit"
        return Conversion(md, data, MQRC_CONVERTED_MSG_TOO_BIG, MQError(text, MQRC_CONVERTED_MSG_TOO_BIG))


def register(format: str, converter: Converter) -> None:
    """Register the exit that converts the bodies of a format in this process; a later one replaces it.

    Raises MQError: MQRC_FORMAT_ERROR when the format is blank, built in, or a header's.  Source: TRUNC-13.
    """
    name = format.rstrip(" ")
    if not name or name in BODIES or is_header_format(name):
        raise MQError(f"format {format!r} is not one for an exit", MQRC_FORMAT_ERROR)
    _registered[name] = converter


def unregister(format: str) -> None:
    _registered.pop(format.rstrip(" "), None)


def needs_conversion(md: MQMD, to_ccsid: int, to_encoding: int, *, default_ccsid: int = DEFAULT_CCSID) -> bool:
    """Return whether the data of a message needs conversion, by its descriptor alone.

    Data that is empty never needs it, whatever the answer.
    to_ccsid, to_encoding, default_ccsid: as for convert.  Source: TRUNC-18.
    """
    wanted = Form(_resolved(to_ccsid, default_ccsid), to_encoding)
    return Form(_resolved(md.coded_char_set_id, default_ccsid), md.encoding) != wanted


def convert(
    md: MQMD,
    data: bytes,
    *,
    to_ccsid: int,
    to_encoding: int,
    default_ccsid: int = DEFAULT_CCSID,
) -> Conversion:
    """Convert a message, header by header and then its body. Bad data ends the conversion without an error.

    The descriptor, and in each converted header the fields that describe what follows it, tell afterwards what the
    data is written in. When the body or a header cannot be converted, it stays as it is with all that follows, and
    the reason is MQRC_NOT_CONVERTED if a header in front of it was converted, else the one of the part:
    MQRC_FORMAT_ERROR, MQRC_SOURCE_CCSID_ERROR, MQRC_SOURCE_INTEGER_ENC_ERROR, MQRC_TARGET_CCSID_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR, MQRC_NOT_CONVERTED, MQRC_CONVERTED_STRING_TOO_BIG or what an exit raises.
    A descriptor that already says what is requested ends it: headers are not searched for what they say.

    to_ccsid: 0 (MQCCSI_Q_MGR) and -3 (MQCCSI_APPL) are default_ccsid.
    Source: TRUNC-11 to TRUNC-16, TRUNC-18, TRUNC-19, TRUNC-22 to TRUNC-24, COMPL-25.
    """
    if not data or not needs_conversion(md, to_ccsid, to_encoding, default_ccsid=default_ccsid):
        return Conversion(md, data)
    target = Form(_resolved(to_ccsid, default_ccsid), to_encoding)
    chain = walk(data, md.format, md.encoding, _resolved(md.coded_char_set_id, default_ccsid))
    try:
        headers, body, error = _convert_parts(data, chain, target)
        if error is not None and not headers:
            return Conversion(md, data, error.reason, error)
        is_all = error is None and chain.body_offset < len(data)
        # Behind the last header nothing may follow: then it still tells of data that is elsewhere (MQRMH).
        _describe(chain, headers, target, target if is_all else _form_of(chain, len(headers)))
    except MQError as failure:
        return Conversion(md, data, failure.reason, failure)
    converted = md.replace(coded_char_set_id=target.ccsid, encoding=target.encoding)
    reason = MQRC_NONE if error is None else MQRC_NOT_CONVERTED
    return Conversion(converted, b"".join((*headers, body)), reason, error)


def _convert_parts(data: bytes, chain: Chain, target: Form) -> tuple[list[bytearray], bytes, MQError | None]:
    """Return the converted headers, all that follows them, and why that is not converted, or None."""
    headers: list[bytearray] = []
    try:
        for header in chain.headers:
            headers.append(convert_header(header, data, target))
        return headers, _converted_body(data[chain.body_offset :], chain, target), None
    except MQError as error:
        while headers and chain.headers[len(headers) - 1].format in RESERVED:
            headers.pop()
        is_body = len(headers) == len(chain.headers)
        offset = chain.body_offset if is_body else chain.headers[len(headers)].offset
        return headers, data[offset:], error


def _converted_body(body: bytes, chain: Chain, target: Form) -> bytes:
    source = Form(chain.body_ccsid, chain.body_encoding)
    if not body or source == target:
        return body
    convert_body = BODIES.get(chain.body_format)
    if convert_body is not None:
        return convert_body(body, source, target)
    if chain.error is not None:
        # An unknown character set or byte order also makes a header unreadable, and is the better reason.
        Fields(source, source)
        raise MQError(chain.error.text, MQRC_FORMAT_ERROR)
    converter = _registered.get(chain.body_format)
    if converter is None or chain.body_format == MQFMT_NONE:
        raise MQError(f"format {chain.body_format!r} has no conversion", MQRC_FORMAT_ERROR)
    return _from_exit(converter, body, source, target)


def _from_exit(converter: Converter, body: bytes, source: Form, target: Form) -> bytes:
    try:
        converted = converter(body, source.ccsid, source.encoding, target.ccsid, target.encoding)
    except MQError as error:
        raise MQError(error.text, error.reason or MQRC_NOT_CONVERTED) from error
    except Exception as error:  # an exit is a program's own: whatever it raises, its message must not be lost
        raise MQError(f"the conversion exit failed: {error!r}", MQRC_NOT_CONVERTED) from error
    if not isinstance(converted, (bytes, bytearray)):
        raise MQError(f"the conversion exit gave {type(converted).__name__}, not bytes", MQRC_NOT_CONVERTED)
    return bytes(converted)


def _describe(chain: Chain, headers: list[bytearray], target: Form, last: Form) -> None:
    """Set in each converted header the form of what follows it: a converted header, or the data behind the last."""
    for number, converted in enumerate(headers, 1):
        successor = target if number < len(headers) else last
        describe_successor(chain.headers[number - 1], converted, target, successor)


def _form_of(chain: Chain, number: int) -> Form:
    """Return the form of the header with this number as it came, or of the body behind the last."""
    if number < len(chain.headers):
        return Form(chain.headers[number].ccsid, chain.headers[number].encoding)
    return Form(chain.body_ccsid, chain.body_encoding)


def _resolved(ccsid: int, default_ccsid: int) -> int:
    return default_ccsid if ccsid in (MQCCSI_Q_MGR, MQCCSI_APPL) else ccsid
