"""Digest of a message, and what it says about the original of a pulled message."""

from __future__ import annotations

import pytest

from mqtools.constants.properties import MQCOPY_ALL, MQTYPE_INT32, MQTYPE_STRING
from mqtools.message import MQMD, Message, Property
from mqtools.rules.message_digest import CONTEXT, has_same_content, message_digest
from mqtools.rules.origins import (
    CHANGED,
    GONE,
    REPLACED,
    SEVERAL,
    THERE,
    choose_origin,
    compare_original,
    origin_of,
)

from ..descriptors import FILLED

PROPERTIES = {"colour": Property(MQTYPE_STRING, "red"), "n": Property(MQTYPE_INT32, 1)}
MESSAGE = Message(b"\xff\0body", FILLED.replace(), PROPERTIES)
#: Fields that change while a message lies on its queue.
MOVING = ("version", "expiry", "backout_count")


def other(value: object) -> object:
    """Return another value of a field."""
    if isinstance(value, bytes):
        return bytes(255 - byte for byte in value)
    return value + "x" if isinstance(value, str) else int(value) ^ 1


@pytest.mark.parametrize("name", MQMD.__slots__)
def test_each_field_but_those_that_move_is_in_the_digest(name):
    changed = Message(MESSAGE.data, FILLED.replace(**{name: other(getattr(FILLED, name))}), PROPERTIES)
    assert (message_digest(changed) == message_digest(MESSAGE)) == (name in MOVING)
    assert has_same_content(changed, MESSAGE) == (name in (*MOVING, *CONTEXT))


@pytest.mark.parametrize(
    ("data", "properties"),
    [
        (b"\xff\0bodz", PROPERTIES),
        (b"", PROPERTIES),
        (MESSAGE.data, {}),
        (MESSAGE.data, {**PROPERTIES, "n": Property(MQTYPE_INT32, 2)}),
        (MESSAGE.data, {**PROPERTIES, "n": Property(MQTYPE_STRING, "1")}),
        (MESSAGE.data, {**PROPERTIES, "n": Property(MQTYPE_INT32, 1, copy_options=MQCOPY_ALL)}),
    ],
)
def test_data_and_properties_are_in_the_digest(data, properties):
    assert message_digest(Message(data, FILLED.replace(), properties)) != message_digest(MESSAGE)


def test_neither_the_order_of_properties_nor_the_sign_of_flags_counts():
    reordered = Message(MESSAGE.data, FILLED.replace(), dict(reversed(PROPERTIES.items())))
    assert message_digest(reordered) == message_digest(MESSAGE)
    high = Message(b"", MQMD(report=1 << 31))
    assert message_digest(high) == message_digest(Message(b"", MQMD(report=-(1 << 31))))


def edited(**md: object) -> Message:
    return Message(b"edited", FILLED.replace(**md), PROPERTIES)


#: What is found there, and what has become of the original. The message here was edited.
FOUND = [
    ([], GONE),
    ([MESSAGE], THERE),
    ([Message(MESSAGE.data, FILLED.replace(expiry=5, backout_count=9), PROPERTIES)], THERE),
    ([MESSAGE, MESSAGE], SEVERAL),
    ([Message(b"other", FILLED.replace(), PROPERTIES)], CHANGED),
    ([edited()], REPLACED),
    ([edited(put_time="00000000", user_identifier="x")], REPLACED),
    ([edited(correl_id=b"x" * 24)], CHANGED),
]


@pytest.mark.parametrize(("found", "result"), FOUND)
def test_what_has_become_of_an_original(found, result):
    assert compare_original(found, message_digest(MESSAGE), edited()) == result
    unknown = CHANGED if result == REPLACED else result
    assert compare_original(found, message_digest(MESSAGE)) == unknown


def test_the_origin_of_a_message_is_its_own_or_the_only_one():
    mine, twin = origin_of(MESSAGE, "PROD", "DLQ"), origin_of(edited(), "PROD", "DLQ")
    assert choose_origin([mine, twin], message_digest(MESSAGE)) == mine
    assert choose_origin([mine], b"edited since") == mine
    assert choose_origin([mine, twin], b"edited since") is None
    assert choose_origin([], b"") is None
