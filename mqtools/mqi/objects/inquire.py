"""MQINQ and MQSET on the attributes of a queue, by selector.

They are about the queue that was named in MQOPEN: of an alias its own attributes, not those of its base.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.constants.objects import (
    MQCA_TRIGGER_DATA,
    MQIA_INHIBIT_GET,
    MQIA_INHIBIT_PUT,
    MQIA_TRIGGER_CONTROL,
    MQIA_TRIGGER_DEPTH,
    MQIA_TRIGGER_MSG_PRIORITY,
    MQIA_TRIGGER_TYPE,
    MQQT_LOCAL,
)
from mqtools.constants.options import MQOO_INQUIRE, MQOO_SET
from mqtools.constants.reasons import (
    MQRC_CHAR_ATTRS_ERROR,
    MQRC_CONFIG_CHANGE_OBJECT,
    MQRC_INHIBIT_VALUE_ERROR,
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_Q_DELETED,
    MQRC_SELECTOR_ERROR,
    MQRC_TRIGGER_CONTROL_ERROR,
    MQRC_TRIGGER_DEPTH_ERROR,
    MQRC_TRIGGER_MSG_PRIORITY_ERR,
    MQRC_TRIGGER_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.mqi import events, recovery
from mqtools.mqi.handle_state import HandleState
from mqtools.mqi.objects.definitions import alter_queue, attributes_of_queue, object_type_of
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import INTEGER, TEXT, Attribute, attributes_of, by_selector
from mqtools.store import queues
from mqtools.store.queues import Queue

#: Selector that MQSET takes to the reason when the value is none of the attribute's. A selector that is not
#: here cannot be set (BEY-85).
_BAD_VALUE = {
    MQIA_INHIBIT_GET: MQRC_INHIBIT_VALUE_ERROR,
    MQIA_INHIBIT_PUT: MQRC_INHIBIT_VALUE_ERROR,
    MQIA_TRIGGER_CONTROL: MQRC_TRIGGER_CONTROL_ERROR,
    MQIA_TRIGGER_TYPE: MQRC_TRIGGER_TYPE_ERROR,
    MQIA_TRIGGER_DEPTH: MQRC_TRIGGER_DEPTH_ERROR,
    MQIA_TRIGGER_MSG_PRIORITY: MQRC_TRIGGER_MSG_PRIORITY_ERR,
    MQCA_TRIGGER_DATA: MQRC_CHAR_ATTRS_ERROR,
}


def inquire(handle: HandleState, selectors: Sequence[int]) -> list[int | str | None]:
    """Return attribute values in the order of the selectors (BEY-83); dead openers do not count (RPT-32).

    An attribute that only queues of another type have is None: MQRC_SELECTOR_NOT_FOR_TYPE warns of it.
    Raises MQError: MQRC_NOT_OPEN_FOR_INQUIRE, MQRC_SELECTOR_ERROR (BEY-84), MQRC_Q_DELETED.
    """
    if not handle.options & MQOO_INQUIRE:
        raise MQError(f"queue {handle.q_name} is not open for inquire", MQRC_NOT_OPEN_FOR_INQUIRE)
    with handle.connection.work() as work:
        queue = _named(handle, work)
        if queue.q_type == MQQT_LOCAL:
            recovery.recover_openers(work, queue)
        values = attributes_of_queue(work.db, queue.name)
    object_type = object_type_of(queue.q_type)
    return [_value(values, object_type, selector) for selector in selectors]


def _named(handle: HandleState, work: Work) -> Queue:
    """Return the queue that MQOPEN named, which may be an alias."""
    base = handle.fresh_queue(work)
    if handle.alias_name is None:
        return base
    alias = queues.by_name(work.db, handle.alias_name)
    if alias is None:
        raise MQError(f"queue {handle.alias_name} has been deleted", MQRC_Q_DELETED)
    return alias


def _value(values: dict[str, object], object_type: str, selector: int) -> int | str | None:
    attribute = by_selector(object_type, selector)
    value = None if attribute is None else values.get(attribute.name, attribute.default)
    if isinstance(value, int | str):
        return value
    if attribute is None and by_selector("QUEUE", selector) is None:
        raise MQError(f"selector {selector} names no attribute of a queue", MQRC_SELECTOR_ERROR)
    return None


def set_attributes(handle: HandleState, values: dict[int, int | str]) -> None:
    """Change the attributes that MQSET may change, all or none, at once for all handles (BEY-85).

    Raises MQError: MQRC_NOT_OPEN_FOR_SET, MQRC_SELECTOR_ERROR, MQRC_Q_DELETED, and for a value
    MQRC_INHIBIT_VALUE_ERROR, MQRC_TRIGGER_*_ERROR, MQRC_CHAR_ATTRS_ERROR.
    """
    if not handle.options & MQOO_SET:
        raise MQError(f"queue {handle.q_name} is not open for set", MQRC_NOT_OPEN_FOR_SET)
    with handle.connection.work() as work:
        queue = _named(handle, work)
        object_type = object_type_of(queue.q_type)
        changes = dict(_change(object_type, selector, value) for selector, value in values.items())
        before = attributes_of_queue(work.db, queue.name)
        alter_queue(work, object_type, queue.name, changes)
        if events.setting(work.db, MQRC_CONFIG_CHANGE_OBJECT):
            after = attributes_of_queue(work.db, queue.name)
            events.queue_was_set(work, attributes_of(object_type), before, after)


def _change(object_type: str, selector: int, value: int | str) -> tuple[str, object]:
    attribute = by_selector(object_type, selector)
    if attribute is None or not attribute.mqset:
        raise MQError(f"selector {selector} names no attribute that MQSET can change", MQRC_SELECTOR_ERROR)
    if isinstance(value, str):
        value = value.rstrip(" ")
    if not _fits(attribute, value):
        raise MQError(f"{attribute.keyword} cannot be {value!r}", _BAD_VALUE[selector])
    return attribute.name, value


def _fits(attribute: Attribute, value: int | str) -> bool:
    if attribute.kind == TEXT:
        return isinstance(value, str) and len(value.encode("utf-8", "replace")) <= attribute.maximum
    if attribute.kind == INTEGER:
        return isinstance(value, int) and attribute.minimum <= value <= attribute.maximum
    return any(value == known for _, known in attribute.words)
