"""A message listed for people: the descriptor field by field, the properties, the data in hex and characters.

The listing has the shape of the browse sample's (``Name : value``, comments from ``*`` on, ``****`` in front of
a section, hex behind the first colon), so what reads such listings can read it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.formats.descriptor import ENUMERATIONS, FLAGS, md_to_dict
from mqtools.formats.hexdump import hexdump
from mqtools.formats.properties import property_to_dict
from mqtools.formats.terminal import visible
from mqtools.headers.characters import field_as_text, field_bytes
from mqtools.headers.charsets import DEFAULT_CCSID, field_codec, is_ebcdic
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD, Message, Property, mq_name


def describe(message: Message, *, ccsid: int = DEFAULT_CCSID) -> Iterator[str]:
    """List a message line by line, without newlines, safe to show on a terminal.

    The data has an EBCDIC column if its CCSID is EBCDIC.  ccsid: of the character fields of the descriptor.
    """
    # A line that begins with blank, M, Q also ends the message in front of it for readers of listings.
    yield f" MQ message with {len(message.data)} bytes of data"
    yield from _section("Message descriptor")
    yield from describe_descriptor(message.md, ccsid)
    if message.properties:
        yield from _section("Message properties")
        for name, prop in message.properties.items():
            yield _property(name, prop)
    yield from _section("Message data")
    yield from hexdump(message.data, ebcdic=is_ebcdic(message.md.coded_char_set_id))


def _section(title: str) -> tuple[str, str, str]:
    return "", f"****{title}****", ""


def describe_descriptor(md: MQMD, ccsid: int = DEFAULT_CCSID) -> Iterator[str]:
    """List the fields of a descriptor line by line, as in a listing. ccsid: of the character fields."""
    named = md_to_dict(md, ccsid)
    yield f"  {'StrucId':16} : 'MD  '"
    for field in md.__slots__:
        yield f"  {mq_name(field):16} : {_value(field, getattr(md, field), ccsid)}{_comment(field, named[field])}"


def _value(field: str, value: object, ccsid: int) -> str:
    if field in BYTE_FIELDS and isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if field in CHARACTER_FIELDS and isinstance(value, str):
        codec = field_codec(ccsid)
        if field_as_text(value, codec) is None:
            return f"X'{field_bytes(value, codec).hex().upper()}'"
        return f"'{visible(value):{CHARACTER_FIELDS[field]}}'"
    return str(value)


def _comment(field: str, named: object) -> str:
    """Return the MQ names of a number as a comment; empty without a name."""
    if field in FLAGS and isinstance(named, list):
        return "  * " + " ".join(str(name) for name in named)
    return f"  * {named}" if field in ENUMERATIONS and isinstance(named, str) else ""


def _property(name: str, prop: Property) -> str:
    shown = property_to_dict(prop)
    value = prop.value
    text = f"'{visible(value)}'" if isinstance(value, str) else visible(str(shown["value"]))
    return f"  {visible(name)} : {text}  * {shown['type']}"
