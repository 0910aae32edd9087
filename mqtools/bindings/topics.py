"""Topics."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.bindings.sessions import Session
    from mqtools.message import Message


class TopicObject:
    """A topic that has been opened."""

    def __init__(self, topic_string: str, options: int) -> None:
        self.topic_string = topic_string
        self.options = options


def open_topic(session: Session, values: dict[str, Any], options: int) -> TopicObject:  # noqa: ARG001
    """Not yet."""
    raise MQError("there are no topics", MQRC_FUNCTION_NOT_SUPPORTED)


def topic_of(session: Session, values: dict[str, Any]) -> TopicObject:  # noqa: ARG001
    """Not yet."""
    raise MQError("there are no topics", MQRC_FUNCTION_NOT_SUPPORTED)


def publish(session: Session, topic: TopicObject, message: Message, pmo: dict[str, Any]) -> int:  # noqa: ARG001
    """Not yet."""
    raise MQError("there are no topics", MQRC_FUNCTION_NOT_SUPPORTED)
