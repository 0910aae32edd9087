"""MQOPEN of topics and MQPUT to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.calls.sessions import CallSession
from mqtools.constants import cmqc
from mqtools.constants.objects import MQOT_TOPIC
from mqtools.constants.options import MQOO_BROWSE, MQOO_INQUIRE, MQOO_OUTPUT, MQOO_SET
from mqtools.constants.reasons import (
    MQRC_NO_SUBS_MATCHED,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_OD_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
)
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.message import Message
from mqtools.mqi.publish_subscribe import publications
from mqtools.mqi.publish_subscribe.topics import check_publish, full_topic_string, topic_of_alias
from mqtools.mqi.resolution import AliasOfTopic
from mqtools.rules.options.open import INPUT_OPTIONS, check_open_options

_FIRST_VERSION = 4


@dataclass(slots=True, eq=False)
class TopicObject:
    """Topic that has been opened. options: MQOO_*."""

    topic: str
    options: int

    def close(self, options: int = 0) -> int:  # noqa: ARG002 - as of a queue
        """MQCLOSE."""
        return MQRC_NONE


def topic_of(session: CallSession, values: dict[str, Any], options: int = MQOO_OUTPUT) -> TopicObject:
    """Return the topic of an object descriptor. Raises MQError: MQRC_OD_ERROR, as ``full_topic_string``."""
    if values["Version"] < _FIRST_VERSION:
        raise MQError("a topic needs version 4 of MQOD", MQRC_OD_ERROR)
    with session.connection.db.reading():
        added, name = values["ObjectString"], fields.name_in(values, "ObjectName")
        return TopicObject(full_topic_string(session.connection.db, name, added), options)


def open_topic(session: CallSession, values: dict[str, Any], options: int) -> TopicObject:
    """MQOPEN of a topic."""
    check_open_options(options)
    opened = topic_of(session, values, options)
    if options & MQOO_OUTPUT:
        check_publish(session.connection, opened.topic)
    values["ResObjectString"], values["ResolvedType"] = opened.topic, MQOT_TOPIC
    return opened


def open_alias(
    session: CallSession, alias: AliasOfTopic, values: dict[str, Any], options: int = MQOO_OUTPUT
) -> TopicObject:
    """MQOPEN of an alias whose target is a topic, for output alone. values: of its object descriptor.

    Raises MQError: MQRC_OPTION_NOT_VALID_FOR_TYPE, as ``topic_of_alias`` and ``check_publish``.
    """
    if options & (INPUT_OPTIONS | MQOO_BROWSE | MQOO_INQUIRE | MQOO_SET):
        raise MQError(f"alias {alias.alias.name} of a topic is for puts only", MQRC_OPTION_NOT_VALID_FOR_TYPE)
    check_open_options(options)
    opened = TopicObject(topic_of_alias(session.connection, alias.alias), options)
    check_publish(session.connection, opened.topic)
    values.update(ResObjectString=opened.topic, ResolvedType=MQOT_TOPIC)
    return opened


def publish(session: CallSession, topic: TopicObject, message: Message, pmo: dict[str, Any]) -> int:
    """MQPUT to a topic: return the reason of a warning, or MQRC_NONE. Raises MQError."""
    if not topic.options & MQOO_OUTPUT:
        raise MQError("the topic is not open for output", MQRC_NOT_OPEN_FOR_OUTPUT)
    if pmo["Version"] >= 3:
        for member in ("OriginalMsgHandle", "NewMsgHandle"):
            handle = session.message_handle(pmo[member])
            if handle is not None:
                message.properties.update(handle.properties)
    deliveries, warning = publications.publish(session.connection, topic.topic, message, pmo["Options"], message.md)
    warns = pmo["Options"] & cmqc.MQPMO_WARN_IF_NO_SUBS_MATCHED and not deliveries
    return MQRC_NO_SUBS_MATCHED if warns else warning
