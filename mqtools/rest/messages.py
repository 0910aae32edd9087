"""Messages of the messaging REST API: headers of HTTP to descriptor and properties, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from mqtools.constants.message import (
    MQEI_UNLIMITED,
    MQFMT_STRING,
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENT,
    MQPRI_PRIORITY_AS_Q_DEF,
)
from mqtools.constants.properties import MQTYPE_BOOLEAN, MQTYPE_BYTE_STRING, MQTYPE_STRING
from mqtools.errors import MQError
from mqtools.formats.properties import TYPE_NAMES, check_property_name, parse_property
from mqtools.headers.chain import walk
from mqtools.headers.charsets import decode_text
from mqtools.message import MQMD, Message, Property
from mqtools.rest.errors import RestError

PREFIX = "ibm-mq-md-"
USER_PROPERTIES = "ibm-mq-usr"
#: Version of the API that has priorities, properties and identifiers with the prefix ID:.
V3 = 3

_UTF_8 = 1208
_ID_LENGTH = 24
_ID_PREFIX = "ID:"
#: Priority of a message of versions 1 and 2.
_PRIORITY = 4
_LONGEST_EXPIRY_MS = 99_999_999_900
_PERSISTENCE = {"nonPersistent": MQPER_NOT_PERSISTENT, "persistent": MQPER_PERSISTENT}
#: Properties that mark a JMS text message, and a correlation id of the application.
_JMS_TYPE, _JMS_CORRELATION = "mcd.Msd", "jms.Cid"
_JMS_TEXT = "jms_text"
#: Type of a property in the API to ours. Any other type has our name.
_TYPES = {"boolean": "bool", "byte": "int8", "short": "int16", "integer": "int32", "long": "int64", "float": "float32",
          "double": "float64"}  # fmt: skip
_TYPE_NAMES = {ours: theirs for theirs, ours in _TYPES.items()}
#: A property: name, value and type, separated by semicolons; a value in quotes may have any characters.
_USER_PROPERTY = re.compile(r'([^;,"]*+);\s*+("(?:[^"\\]|\\.)*+"\s*+|[^;,"]*+);([^;,"]*+)(?:,|$)')


def message_of(headers: Mapping[str, str], body: bytes, version: int) -> Message:
    """Return the message that a request puts. Raises RestError."""
    _check_text(headers.get("content-type", ""), body)
    md = MQMD(format=MQFMT_STRING, coded_char_set_id=_UTF_8, expiry=_expiry(headers.get(f"{PREFIX}expiry")))
    persistence = headers.get(f"{PREFIX}persistence", "nonPersistent")
    if persistence not in _PERSISTENCE:
        raise _invalid("persistence", persistence)
    md.persistence = _PERSISTENCE[persistence]
    md.reply_to_q, _, md.reply_to_q_mgr = headers.get(f"{PREFIX}replyTo".lower(), "").partition("@")
    properties: dict[str, Property] = {}
    if version < V3:
        md.priority = _PRIORITY
    else:
        md.priority = _read_priority(headers.get(f"{PREFIX}priority", "asDestination"))
        properties = dict(_read_properties(headers.get(USER_PROPERTIES, "")))
    correlation = headers.get(f"{PREFIX}correlationid")
    if correlation is not None:
        md.correl_id = identifier_of(correlation, version, "correlationId")
        if version >= V3 and not correlation.startswith(_ID_PREFIX):
            properties[_JMS_CORRELATION] = Property(MQTYPE_STRING, correlation)
    if properties:
        properties[_JMS_TYPE] = Property(MQTYPE_STRING, _JMS_TEXT)
    return Message(body, md, properties)


def _check_text(content_type: str, body: bytes) -> None:
    media, _, parameters = content_type.partition(";")
    media = media.strip().lower()
    if media and not media.startswith("text/") and media not in ("application/json", "application/xml"):
        raise RestError("MQWB0306E", media)
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", parameters, re.IGNORECASE)
    if charset is not None and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise RestError("MQWB0305E", charset[1])
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise RestError("MQWB0901E", "The body is not UTF-8.") from error


def identifier_of(text: str, version: int, name: str) -> bytes:
    """Return a message or correlation id of a header or query. A correlation id of version 3 may be any text.

    Raises RestError.
    """
    digits = text.removeprefix(_ID_PREFIX) if version >= V3 else text
    if version >= V3 and digits == text and name == "correlationId":
        return text.encode("utf-8", "replace")[:_ID_LENGTH].ljust(_ID_LENGTH, b"\0")
    if not re.fullmatch(r"[0-9a-fA-F]{48}", digits) or (version >= V3 and digits == text):
        raise _invalid(name, text)
    return bytes.fromhex(digits)


def _expiry(text: str | None) -> int:
    """Return an expiry in tenths of a second of one in milliseconds."""
    if text is None or text == "unlimited" or text == "0":
        return MQEI_UNLIMITED
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= _LONGEST_EXPIRY_MS):
        raise _invalid("expiry", text)
    return (int(text) + 99) // 100


def _read_priority(text: str) -> int:
    if text == "asDestination":
        return MQPRI_PRIORITY_AS_Q_DEF
    if not (text.isascii() and text.isdigit() and len(text) == 1):
        raise _invalid("priority", text)
    return int(text)


def _read_properties(text: str) -> Iterator[tuple[str, Property]]:
    """Yield the properties of the header: ``name;value;type``, separated by commas. Quotes are as in JSON."""
    at = 0
    while at < len(text):
        found = _USER_PROPERTY.match(text, at)
        if found is None:
            raise RestError("MQWB0302E", f"{USER_PROPERTIES} is not name;value;type at {text[at : at + 80]!r}.")
        name, value, kind = map(str.strip, found.groups())
        try:
            check_property_name(name)
            if kind not in _TYPES and kind != "string":
                raise ValueError(f"{kind} is not one of string {' '.join(_TYPES)}")
            value = str(json.loads(value)) if value.startswith('"') else value
            yield name, parse_property(f"{name}:{_TYPES.get(kind, kind)}={value}")[1]
        except (MQError, ValueError) as error:
            raise RestError("MQWB0302E", f"{USER_PROPERTIES}: {error}") from error
        at = found.end()


def text_of(message: Message) -> str | None:
    """Return the text of a message; None for one that is not text. An MQRFH2 in front of it, as JMS has it, is none."""
    md = message.md
    chain = walk(message.data, md.format, md.encoding, md.coded_char_set_id)
    if chain.body_format != MQFMT_STRING or any(header.struc_id != "RFH2" for header in chain.headers):
        return None
    try:
        return decode_text(message.data[chain.body_offset :], chain.body_ccsid, chain.body_encoding)
    except MQError:
        return None


def headers_of(message: Message, version: int) -> dict[str, str]:
    """Return the headers of an answer with a message. A value that a header cannot have is left out."""
    md = message.md
    expiry = "unlimited" if md.expiry == MQEI_UNLIMITED else str(md.expiry * 100)
    persistence = next(word for word, value in _PERSISTENCE.items() if value == md.persistence)
    found = {"messageId": format_identifier(md.msg_id, version), "expiry": expiry, "persistence": persistence}
    if any(md.correl_id):
        found["correlationId"] = format_identifier(md.correl_id, version)
    if md.reply_to_q:
        found["replyTo"] = f"{md.reply_to_q}@{md.reply_to_q_mgr}" if md.reply_to_q_mgr else md.reply_to_q
    headers = {f"{PREFIX}{name}": value for name, value in found.items()}
    if version >= V3:
        headers[f"{PREFIX}priority"] = str(md.priority)
        own = message.properties.get(_JMS_CORRELATION)
        if own is not None:
            headers[f"{PREFIX}correlationId"] = str(own.value)
        own_properties = {name.removeprefix("usr."): each for name, each in message.properties.items()}
        shown = [_format_property(name, each) for name, each in own_properties.items() if "." not in name]
        if any(shown):
            headers[USER_PROPERTIES] = ", ".join(filter(None, shown))
    return {name: value for name, value in headers.items() if value.isascii() and value.isprintable()}


def format_identifier(identifier: bytes, version: int) -> str:
    """Return a message or correlation id as an answer has it."""
    return f"{_ID_PREFIX if version >= V3 else ''}{identifier.hex()}"


def _format_property(name: str, prop: Property) -> str:
    """Return a property as the header has it; empty for a null or bytes, which the API does not have."""
    if prop.value is None or prop.type == MQTYPE_BYTE_STRING:
        return ""
    kind, value = TYPE_NAMES[prop.type], str(prop.value)
    if prop.type == MQTYPE_STRING:
        value = json.dumps(value)
    if prop.type == MQTYPE_BOOLEAN:
        value = value.upper()
    return f"{name};{value};{_TYPE_NAMES.get(kind, kind)}"


def _invalid(name: str, value: str) -> RestError:
    return RestError("MQWB0302E", f"{PREFIX}{name} cannot be {value!r}.")
