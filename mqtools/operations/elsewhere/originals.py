"""Originals on a queue of any queue manager: the messages with some identifiers, and the get of one of them."""

from __future__ import annotations

import time

from mqtools.constants.objects import MQIA_OPEN_INPUT_COUNT, MQIA_OPEN_OUTPUT_COUNT
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
    MQOO_INQUIRE,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.rules.message_digest import message_digest

#: Seconds that a run may search again for missing messages. A queue manager elsewhere may not have backed out the unit
#: of work of an interrupted run yet, which holds them.
_PATIENCE_S, _PAUSE_S = 5.0, 0.1

_MATCHES = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID


class Originals:
    """Messages of a queue by their identifiers. The queue is opened for input when a message is first taken off."""

    def __init__(self, connection: QueueManagerConnection, q_name: str) -> None:
        """Raises MQError as an open for browsing does."""
        self._connection = connection
        self._q_name = q_name
        self._browsed = connection.open(q_name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
        self._input: OpenQueue | None = None
        self._until = 0.0
        self._is_settled = False

    @property
    def input(self) -> OpenQueue:
        """The queue, open for input; it keeps the context of the last message taken off."""
        if self._input is None:
            options = MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
            self._input = self._connection.open(self._q_name, options)
        return self._input

    def find_any(self, *ids: tuple[bytes, bytes]) -> list[Message]:
        """Return the messages of the first pair of MsgId and CorrelId that finds any: see ``find``.

        A search without a result repeats while another program has the queue open for input, in all for some seconds.
        """
        is_final = False
        while True:
            for each in dict.fromkeys(ids):
                if found := self.find(*each):
                    return found
            if is_final:
                return []
            self._until = self._until or time.monotonic() + _PATIENCE_S
            # Invariant: one search comes after the last reader has gone; otherwise its backout may be missed.
            is_final = time.monotonic() >= self._until or not self._is_open_elsewhere(
                MQIA_OPEN_INPUT_COUNT, self._input is not None
            )
            if not is_final:
                time.sleep(_PAUSE_S)

    def find_added(self, msg_id: bytes, correl_id: bytes, *, is_open: bool) -> list[Message]:
        """Return the messages with identifiers that an interrupted run may have added: see ``find``.

        The commit of such a run is decided when its queue is closed. Therefore the first search without a result waits
        while another program has the queue open for output, some seconds at most.  is_open: this one has it.
        """
        found = self.find(msg_id, correl_id)
        if found or self._is_settled:
            return found
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until and self._is_open_elsewhere(MQIA_OPEN_OUTPUT_COUNT, is_open):
            time.sleep(_PAUSE_S)
        self._is_settled = True
        return self.find(msg_id, correl_id)

    def _is_open_elsewhere(self, selector: int, is_open: bool) -> bool:
        """Return whether another program has the queue open, or may have. selector: of the count.  is_open: here."""
        try:
            with self._connection.open(self._q_name, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING) as queue:
                (number,) = queue.inquire([selector])
        except MQError as error:
            if error.reason != MQRC_NOT_AUTHORIZED:
                raise
            return True
        return number is None or int(number) > is_open

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
