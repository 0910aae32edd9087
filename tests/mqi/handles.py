"""Message handles for tests."""

from __future__ import annotations

from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.errors import MQError
from mqtools.mqi.message_handles.handle import MessageHandle

FIRST, NEXT, HERE = p.MQIMPO_INQ_FIRST, p.MQIMPO_INQ_NEXT, p.MQIMPO_INQ_PROP_UNDER_CURSOR


def handle_of(**values: object) -> MessageHandle:
    handle = MessageHandle()
    for name, value in values.items():
        handle.set(name.replace("__", "."), value)
    return handle


def walk(handle: MessageHandle, name: str = "%") -> list[str]:
    """The names that an inquiry walks over, to the end."""
    found = []
    option = FIRST
    while True:
        try:
            found.append(handle.inquire(name, options=option).name)
        except MQError as error:
            assert error.reason == r.MQRC_PROPERTY_NOT_AVAILABLE  # noqa: PT017
            return found
        option = NEXT
