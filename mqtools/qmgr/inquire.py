"""MQINQ and MQSET on the attributes of a queue, by selector."""

from __future__ import annotations

from mqtools.constants.objects import MQIA_INHIBIT_GET, MQIA_INHIBIT_PUT
from mqtools.constants.options import MQOO_INQUIRE, MQOO_SET
from mqtools.constants.reasons import (
    MQRC_INHIBIT_VALUE_ERROR,
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_SELECTOR_ERROR,
)
from mqtools.errors import MQError
from mqtools.qmgr.definitions import alter_queue, display_queue, object_type_of
from mqtools.rules.attributes import by_selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.qmgr.handle import Handle


def inquire(handle: Handle, selectors: Sequence[int]) -> list[int | str]:
    """Give attribute values in the order of the selectors (BEY-83).

    Raises MQError: MQRC_NOT_OPEN_FOR_INQUIRE, MQRC_SELECTOR_ERROR (BEY-84).
    """
    if not handle.options & MQOO_INQUIRE:
        raise MQError(f"queue {handle.q_name} is not open for inquire", MQRC_NOT_OPEN_FOR_INQUIRE)
    with handle.connection.work() as work:
        queue = handle.fresh_queue(work)
        values = display_queue(work, queue.name)
    object_type = object_type_of(queue.q_type)
    found: list[int | str] = []
    for selector in selectors:
        attribute = by_selector(object_type, selector)
        value = values.get(attribute.name) if attribute is not None else None
        if not isinstance(value, int | str):
            raise MQError(f"selector {selector} names no attribute of queue {queue.name}", MQRC_SELECTOR_ERROR)
        found.append(value)
    return found


def set_attributes(handle: Handle, values: dict[int, int | str]) -> None:
    """Change the attributes that MQSET may change, at once for all handles (BEY-85).

    Raises MQError: MQRC_NOT_OPEN_FOR_SET, MQRC_SELECTOR_ERROR, MQRC_INHIBIT_VALUE_ERROR.
    """
    if not handle.options & MQOO_SET:
        raise MQError(f"queue {handle.q_name} is not open for set", MQRC_NOT_OPEN_FOR_SET)
    with handle.connection.work() as work:
        queue = handle.fresh_queue(work)
        object_type = object_type_of(queue.q_type)
        changes: dict[str, object] = {}
        for selector, value in values.items():
            attribute = by_selector(object_type, selector)
            if attribute is None or not attribute.mqset:
                raise MQError(f"selector {selector} names nothing that MQSET changes", MQRC_SELECTOR_ERROR)
            if selector in (MQIA_INHIBIT_GET, MQIA_INHIBIT_PUT) and value not in (0, 1):
                raise MQError(f"an inhibit attribute is 0 or 1, not {value}", MQRC_INHIBIT_VALUE_ERROR)
            changes[attribute.name] = value
        alter_queue(work, object_type, queue.name, changes)
