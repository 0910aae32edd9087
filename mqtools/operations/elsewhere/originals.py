"""Originals on a queue of any queue manager: the messages with some identifiers, and the get of one of them."""

from __future__ import annotations

from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.rules.message_digest import message_digest

_MATCHES = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID


class Originals:
    """Messages of a queue by their identifiers. The queue is opened for input when a message is first taken off."""

    def __init__(self, connection: QueueManagerConnection, q_name: str) -> None:
        """Raises MQError as an open for browsing does."""
        self._connection = connection
        self._q_name = q_name
        self._browsed = connection.open(q_name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
        self._input: OpenQueue | None = None

    @property
    def input(self) -> OpenQueue:
        """The queue, open for input; it keeps the context of the last message taken off."""
        if self._input is None:
            options = MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
            self._input = self._connection.open(self._q_name, options)
        return self._input

    def find(self, msg_id: bytes, correl_id: bytes) -> list[Message]:
        """Return the messages with these identifiers, two at most. Raises MQError."""
        found: list[Message] = []
        options = MQGMO_BROWSE_FIRST
        while len(found) < 2:
            md = MQMD(msg_id=msg_id, correl_id=correl_id)
            try:
                message = self._browsed.get(options | MQGMO_FAIL_IF_QUIESCING, md=md, match_options=_MATCHES).message
            except NoMessageAvailable:
                break
            if message.md.correl_id == correl_id:  # one of zeros matches any
                found.append(message)
            options = MQGMO_BROWSE_NEXT
        return found

    def take(self, original: Message) -> Message | None:
        """Take a message that was found off the queue, in the unit of work, and return it as it is now.

        Return None, with the unit of work backed out, if it has gone or changed meanwhile. Raises MQError.
        """
        md = MQMD(msg_id=original.md.msg_id, correl_id=original.md.correl_id)
        options = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
        try:
            taken = self.input.get(options, md=md, match_options=_MATCHES).message
        except NoMessageAvailable:
            return None
        if message_digest(taken) == message_digest(original):
            return taken
        self._connection.backout()
        return None

    def close(self) -> None:
        """Close the queue."""
        for queue in (self._browsed, self._input):
            if queue is not None:
                queue.close()
