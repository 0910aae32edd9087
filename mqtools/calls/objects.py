"""MQOPEN and MQCLOSE of queues, topics and the queue manager; MQINQ and MQSET."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mqtools.calls.sessions import CallSession
from mqtools.calls.topics import TopicObject, open_alias, open_topic
from mqtools.constants import cmqc, objects
from mqtools.constants.objects import COMMAND_QUEUE, MQCA_FIRST, MQOT_Q, MQOT_Q_MGR, MQOT_TOPIC
from mqtools.constants.options import MQOO_ALTERNATE_USER_AUTHORITY, MQOO_BROWSE, MQOO_INQUIRE, MQOO_OUTPUT
from mqtools.constants.reasons import (
    MQRC_CHAR_ATTRS_TOO_SHORT,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_SELECTOR_ERROR,
    MQRC_SELECTOR_LIMIT_EXCEEDED,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.fields import NATIVE, StructureForm, field, read_characters
from mqtools.headers.structures_message import OD
from mqtools.mqi import authority
from mqtools.mqi.handle import Handle
from mqtools.mqi.resolution import AliasOfTopic, resolve_for_put
from mqtools.rules.attributes.table import Attribute, by_selector, character_length
from mqtools.rules.options.open import INPUT_OPTIONS, check_open_options
from mqtools.rules.security.authorities import needed_to_open
from mqtools.store import queues

#: Attributes that programs ask a queue manager for and ours does not keep: selector to value.
Q_MGR_ATTRIBUTES: dict[int, int | str] = {
    objects.MQCA_COMMAND_INPUT_Q_NAME: COMMAND_QUEUE,
    objects.MQCA_VERSION: "09040000",
    cmqc.MQIA_ADVANCED_CAPABILITY: cmqc.MQCAP_SUPPORTED,
}
_MOST_SELECTORS = 256


@dataclass(slots=True, eq=False)
class QueueManagerObject:
    """Queue manager that has been opened. options: MQOO_*."""

    options: int

    def close(self, options: int = 0) -> int:  # noqa: ARG002 - as of a queue
        """MQCLOSE."""
        return MQRC_NONE


def open_object(session: CallSession, od: bytes, options: int, form: StructureForm = NATIVE) -> tuple[int, bytes, int]:
    """MQOPEN: return the handle, the object descriptor and the reason."""
    values = fields.read(OD, od, form)
    kind = values["ObjectType"]
    values["KnownDestCount"] = 1
    open_kind = _OPENERS.get(kind)
    if open_kind is None:
        raise MQError(f"objects of type {kind} cannot be opened", MQRC_OBJECT_TYPE_ERROR)
    check_room(session)
    with session.acting_for(values, is_alternate=bool(options & MQOO_ALTERNATE_USER_AUTHORITY)):
        opened = open_kind(session, values, options)
    return session.add(opened), fields.write(OD, values, form), MQRC_NONE


def check_room(session: CallSession) -> None:
    """Check that a connection may have another handle: MAXHANDS. Raises MQError: MQRC_HANDLE_NOT_AVAILABLE."""
    with session.connection.db.reading():
        most = q_mgr_attribute(queues.read_qmgr(session.connection.db), objects.MQIA_MAX_HANDLES)
    if len(session.objects) >= int(most):
        raise MQError(f"the connection has {most} handles: MAXHANDS", MQRC_HANDLE_NOT_AVAILABLE)


def _open_q_mgr(session: CallSession, values: dict[str, Any], options: int) -> QueueManagerObject:
    check_open_options(options)
    name = fields.name_in(values, "ObjectQMgrName") or fields.name_in(values, "ObjectName")
    if name not in ("", session.connection.name):
        raise MQError(f"queue manager {name} is not this one", MQRC_UNKNOWN_OBJECT_NAME)
    authority.check(session.connection, MQOT_Q_MGR, session.connection.name, needed_to_open(options & MQOO_INQUIRE))
    return QueueManagerObject(options)


def _open_queue(session: CallSession, values: dict[str, Any], options: int) -> Handle | TopicObject:
    connection = session.connection
    name = fields.name_in(values, "ObjectName")
    try:
        handle = connection.open(
            name,
            options,
            q_mgr_name=fields.name_in(values, "ObjectQMgrName"),
            dynamic_q_name=fields.name_in(values, "DynamicQName"),
            selector=values.get("SelectionString", ""),
        )
    except AliasOfTopic as error:
        return open_alias(session, error, values, options)
    if handle.made_its_queue:
        fields.set_names(values, ObjectName=handle.q_name, ObjectQMgrName=connection.name)
    if values["Version"] >= 3:
        _say_resolved(session, values, handle)
    return handle


_OPENERS: dict[int, Callable[[CallSession, dict[str, Any], int], object]] = {
    MQOT_Q_MGR: _open_q_mgr,
    MQOT_TOPIC: open_topic,
    MQOT_Q: _open_queue,
}


def _say_resolved(session: CallSession, values: dict[str, Any], handle: Handle) -> None:
    if not handle.options & (INPUT_OPTIONS | MQOO_BROWSE | MQOO_OUTPUT):
        fields.set_names(values, ResolvedQName="", ResolvedQMgrName="")
        return
    with session.connection.db.reading():
        q_mgr = queues.qmgr(session.connection.db)
        target = resolve_for_put(session.connection.db, q_mgr, handle.q_name, handle.q_mgr_name)
    if target.is_remote:
        q_name, q_mgr_name = target.remote_q_name, target.remote_q_mgr_name
        values["KnownDestCount"], values["UnknownDestCount"] = 0, 1
    else:
        q_name, q_mgr_name = target.queue.name, q_mgr.name
    fields.set_names(values, ResolvedQName=q_name, ResolvedQMgrName=q_mgr_name)
    if values["Version"] >= 4:
        values["ResolvedType"] = MQOT_Q


def close_object(session: CallSession, handle: int, options: int) -> tuple[int]:
    """MQCLOSE."""
    if session.consumers is not None:
        session.consumers.forget(handle)  # which may wait for a call that closes it
    opened = session.open_object(handle, object)
    reason = opened.close(options)
    del session.objects[handle]
    session.getting.pop(handle, None)
    return (reason,)


def inquire(session: CallSession, handle: int, selectors: Sequence[int]) -> tuple[list[int | bytes], int]:
    """MQINQ: return the values in the order of the selectors, character attributes at full length.

    Of an attribute that the type of queue lacks it is -1 or asterisks; the reason warns of it.
    """
    opened = session.open_object(handle, (session.queue_class, QueueManagerObject))
    _check_number(selectors)
    values: Sequence[int | str | None]
    if isinstance(opened, QueueManagerObject):
        table, values = "QMGR", _inquire_q_mgr(session, opened, selectors)
    else:
        table, values = opened.table, opened.inquire(selectors)
    reason = MQRC_SELECTOR_NOT_FOR_TYPE if None in values else MQRC_NONE
    return [_full(value, by_selector(table, one), one) for one, value in zip(selectors, values, strict=True)], reason


def _check_number(selectors: Sequence[int]) -> None:
    """Raises MQError: MQRC_SELECTOR_LIMIT_EXCEEDED."""
    if len(selectors) > _MOST_SELECTORS:
        raise MQError(f"a call has at most {_MOST_SELECTORS} selectors", MQRC_SELECTOR_LIMIT_EXCEEDED)


def _inquire_q_mgr(session: CallSession, opened: QueueManagerObject, selectors: Sequence[int]) -> list[int | str]:
    if not opened.options & MQOO_INQUIRE:
        raise MQError("the queue manager is not open for inquire", MQRC_NOT_OPEN_FOR_INQUIRE)
    with session.connection.db.reading():
        known = queues.read_qmgr(session.connection.db)
    return [q_mgr_attribute(known, one) for one in selectors]


def q_mgr_attribute(known: dict[str, Any], selector: int) -> int | str:
    """Return an attribute of the queue manager. Raises MQError: MQRC_SELECTOR_ERROR."""
    if selector in Q_MGR_ATTRIBUTES:
        return Q_MGR_ATTRIBUTES[selector]
    attribute = by_selector("QMGR", selector)
    if attribute is None:
        raise MQError(f"selector {selector} names no attribute of a queue manager", MQRC_SELECTOR_ERROR)
    value = known.get(attribute.name, attribute.default)
    return value if isinstance(value, int) else str(value or "")


def _full(value: int | str | None, attribute: Attribute | None, selector: int) -> int | bytes:
    if isinstance(value, int):
        return value
    length = character_length(attribute, selector)
    if value is not None:
        return field(value, length)
    return b"*" * length if selector >= MQCA_FIRST else cmqc.MQIAV_NOT_APPLICABLE


def set_attributes(session: CallSession, handle: int, selectors: Sequence[int], values: Sequence[Any]) -> tuple[int]:
    """MQSET. values: an integer or bytes for each selector."""
    opened = session.open_object(handle, session.queue_class)
    texts = [read_characters(value) if isinstance(value, bytes) else value for value in values]
    opened.set(dict(zip(selectors, texts, strict=True)))
    return (MQRC_NONE,)


def set_from_arrays(
    session: CallSession, handle: int, selectors: Sequence[int], integers: Sequence[int], characters: bytes
) -> tuple[int]:
    """MQSET with the integers, and the character attributes concatenated.

    Raises MQError: MQRC_CHAR_ATTRS_TOO_SHORT when there are fewer than the selectors need.
    """
    _check_number(selectors)
    numbers, at = iter(integers), 0
    values: list[int | bytes] = []
    for selector in selectors:
        if selector < MQCA_FIRST:
            values.append(next(numbers, 0))
            continue
        length = character_length(by_selector("QUEUE", selector), selector)
        if at >= len(characters):
            raise MQError("a character attribute is missing", MQRC_CHAR_ATTRS_TOO_SHORT)
        values.append(characters[at : at + length])
        at += length
    return set_attributes(session, handle, selectors, values)
