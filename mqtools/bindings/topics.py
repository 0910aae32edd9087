"""MQOPEN of topics and MQPUT to them."""

from __future__ import annotations

from mqtools.bindings import fields, publications
from mqtools.bindings.structure import answer_variable, variable_text
from mqtools.constants.objects import MQOT_TOPIC
from mqtools.constants.options import MQOO_OUTPUT
from mqtools.constants.reasons import MQRC_NONE, MQRC_NOT_OPEN_FOR_OUTPUT, MQRC_OD_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.rules.options_open import check_open_options
from mqtools.rules.topics import topic_string
from mqtools.store import objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.bindings.sessions import Session
    from mqtools.message import Message
    from mqtools.store.database import Database

#: Topic objects that a queue manager has from birth, to their strings.
_BORN = {"SYSTEM.BASE.TOPIC": "", "SYSTEM.DEFAULT.TOPIC": "", "DEV.BASE.TOPIC": "dev"}
_FIRST_VERSION = 4


class TopicObject:
    """A topic that has been opened. options: MQOO_*."""

    def __init__(self, topic: str, options: int) -> None:
        self.topic = topic
        self.options = options

    def close(self, options: int = 0) -> int:  # noqa: ARG002 - as of a queue
        """MQCLOSE."""
        return MQRC_NONE


def string_of(db: Database, name: str, added: str) -> str:
    """Give the whole topic string of a topic object and a string, either of which may be empty.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_TOPIC_STRING_ERROR.
    """
    if not name:
        return topic_string("", added)
    kept = objects.definition(db, "topic", name)
    if kept is None and name not in _BORN:
        raise MQError(f"topic {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME)
    own = _BORN.get(name, "") if kept is None else str(kept.get("topic_string", ""))
    return topic_string(own.rstrip("/"), added)


def topic_of(session: Session, values: dict[str, Any], options: int = MQOO_OUTPUT) -> TopicObject:
    """Give the topic that an object descriptor names. Raises MQError: MQRC_OD_ERROR, and as ``string_of``."""
    if values["Version"] < _FIRST_VERSION:
        raise MQError("a topic needs version 4 of MQOD", MQRC_OD_ERROR)
    with session.connection.db.reading():
        added, name = variable_text(values, "ObjectString"), fields.name_in(values, "ObjectName")
        return TopicObject(string_of(session.connection.db, name, added), options)


def open_topic(session: Session, values: dict[str, Any], options: int) -> TopicObject:
    """MQOPEN of a topic."""
    check_open_options(options)
    opened = topic_of(session, values, options)
    answer_variable(values, "ResObjectString", opened.topic)
    values["ResolvedType"] = MQOT_TOPIC
    return opened


def publish(session: Session, topic: TopicObject, message: Message, pmo: dict[str, Any]) -> int:
    """MQPUT to a topic: give the reason of a warning, or MQRC_NONE. Raises MQError."""
    if not topic.options & MQOO_OUTPUT:
        raise MQError("the topic is not open for output", MQRC_NOT_OPEN_FOR_OUTPUT)
    if pmo["Version"] >= 3:
        for member in ("OriginalMsgHandle", "NewMsgHandle"):
            handle = session.message_handle(pmo[member])
            if handle is not None:
                message.properties.update(handle.properties)
    return publications.publish(session.connection, topic.topic, message, pmo["Options"], message.md)
