"""Python's own values as messages, properties and identifiers to match: for the front door (``queue_manager``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.message import MQFMT_STRING
from mqtools.constants.options import MQMO_MATCH_CORREL_ID, MQMO_MATCH_GROUP_ID, MQMO_MATCH_MSG_ID
from mqtools.formats.properties import evident_type
from mqtools.message import MQMD, Message, Property

if TYPE_CHECKING:
    from mqtools.message import PropertyValue

#: CCSID of UTF-8.
_UTF_8 = 1208


def message_of(data: str | bytes | Message) -> Message:
    """Return a message of its own: one that is put again is not changed by the second put."""
    if isinstance(data, Message):
        return Message(data.data, data.md.replace(), dict(data.properties), data.deliver_at)
    if isinstance(data, str):
        return Message(data.encode("utf-8"), MQMD(format=MQFMT_STRING, coded_char_set_id=_UTF_8))
    return Message(bytes(memoryview(data)))  # bytes(5) would be five zeros


def property_of(value: PropertyValue | Property) -> Property:
    """Return a property; a plain value has the type that it is of by itself. Raises MQRC_PROPERTY_TYPE_ERROR."""
    if isinstance(value, Property):
        return value
    return Property(evident_type(value), value)


def match_fields(
    msg_id: bytes | None, correl_id: bytes | None, group_id: bytes | None
) -> tuple[MQMD | None, int | None]:
    """Return the descriptor and the match options of a get by identifiers; None for both without any."""
    md, match = MQMD(), 0
    for field, value, option in (
        ("msg_id", msg_id, MQMO_MATCH_MSG_ID),
        ("correl_id", correl_id, MQMO_MATCH_CORREL_ID),
        ("group_id", group_id, MQMO_MATCH_GROUP_ID),
    ):
        if value is not None:
            setattr(md, field, value)
            match |= option
    return (md, match) if match else (None, None)
