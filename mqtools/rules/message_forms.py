"""Forms of one message: its properties next to its data, or in an MQRFH2 in front of it."""

from __future__ import annotations

from mqtools.constants.message import MQFMT_RF_HEADER_2
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.rules.properties import from_rfh2, from_sound_rfh2, full_name, into_rfh2, merge_properties, other_name


def plain_form(message: Message) -> Message:
    """Return a message with all its properties next to the data, each with its folder: the same for all forms.

    A damaged MQRFH2 is data like any other.
    """
    md, data, carried = from_sound_rfh2(message.md, message.data)
    merged = merge_properties(carried, message.properties)
    return Message(data, md, {full_name(name): value for name, value in merged.items()})


def stored_form(message: Message) -> Message:
    """Return a message that came with its properties in an MQRFH2 as it is stored here, without losing a byte.

    An MQRFH2 that ``into_rfh2`` would write just so goes: it may have been made of properties. Any other stays, and its
    properties are known in addition.
    """
    if message.md.format != MQFMT_RF_HEADER_2:
        return message
    try:
        md, data, carried = from_rfh2(message.md, message.data)
        properties = {other_name(name) if name.startswith("usr.") else name: carried[name] for name in carried}
        rebuilt = into_rfh2(md, data, properties, ccsid=md.coded_char_set_id, encoding=md.encoding)
    except MQError:
        return message
    if rebuilt == (message.md, message.data):
        return Message(data, md, properties)
    return message.replace(properties=carried)


def has_rfh2_of_properties(message: Message) -> bool:
    """Return whether the data begins with an MQRFH2 that has all properties of a message already."""
    if message.md.format != MQFMT_RF_HEADER_2:
        return False
    carried = from_sound_rfh2(message.md, message.data)[2]
    return merge_properties(carried, message.properties) == carried
