"""Gets of a client by streaming: requests for messages of a handle, and the messages as they come.

A get asks for one message. A browse asks for more than the program has asked for, and for more again while the
program reads them: so the delay of a network counts once.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace

from mqtools.clients.client.calls import ClientCalls
from mqtools.clients.client.errors import words_for
from mqtools.clients.wire import streaming
from mqtools.clients.wire.codes import Flags, Notice, SegmentType
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.segments import ProtocolError, WireSegment
from mqtools.clients.wire.streaming import REQUEST_MSGS, SELECTION, AsyncMessage
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_WAIT, MQWI_UNLIMITED
from mqtools.constants.reasons import MQRC_CALL_IN_PROGRESS, MQRC_Q_MGR_QUIESCING
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.rules.options.get import browses

#: Bytes of messages that a browse has asked for in advance.
AHEAD = 1 << 20
#: Flags of a request, as the Java client sends them: of any, of one that looks once, of one that reads ahead.
_ANY, _ONCE, _READS_AHEAD = 0x08, 0x06, 0x02
#: Request ids: of a request that is answered by messages only, and the first of those that are confirmed. They are odd.
_UNCONFIRMED, _FIRST_CONFIRMED = 1, 3
_MOST_REQUESTS = 1 << 30


@dataclass(frozen=True, slots=True)
class MessageRequestOptions:
    """Arguments of a get. options: MQGMO_* without MQGMO_WAIT.  selection: fields of the selection.

    max_length: in bytes, -1 without limit.  is_ahead: more than one message is requested.
    """

    options: int
    selection: Values
    max_length: int = -1
    is_ahead: bool = False

    @property
    def window(self) -> int:
        """Return how many bytes are requested: of one message only where it is 1."""
        return AHEAD if self.is_ahead else 1


class MessageReader:
    """The messages of one handle."""

    def __init__(self, calls: ClientCalls, handle: int, q_name: str = "") -> None:
        """q_name: for the words of errors."""
        self._q_name = q_name
        self._is_in_doubt = self._is_waiting = False
        self._calls = calls
        self._handle = handle
        self._arrived: deque[AsyncMessage] = deque()
        self._parts: streaming.MessageParts | None = None
        self._asked: MessageRequestOptions | None = None
        self._kept: tuple[MessageRequestOptions, deque[AsyncMessage]] | None = None
        self._selection_index = 0
        self._is_selection_sent = False
        self._is_at_start = True
        self._taken = self._waiting_bytes = self._reason = 0
        self._request_id = self._confirmed_id = _UNCONFIRMED
        self._came = 0

    @property
    def is_ahead(self) -> bool:
        """Return whether the other end's browse cursor may be ahead of the program."""
        return self._kept is not None or (self._asked is not None and self._asked.is_ahead)

    def continues(self, asked: MessageRequestOptions) -> bool:
        """Return whether a browse continues with what was requested in advance."""
        known = self._asked if self._kept is None else self._kept[0]
        return asked.is_ahead and not asked.options & MQGMO_BROWSE_FIRST and asked == known

    def next(self, asked: MessageRequestOptions, wait_ms: int) -> AsyncMessage:
        """Return the next message. wait_ms: 0 for a get without wait, -1 without limit.

        Raises NoMessageAvailable; MQError: the reason that the other end gives; ConnectionBroken.
        """
        with self._calls.checked():
            if self._is_waiting:
                raise MQError("another thread waits for a message with this handle", MQRC_CALL_IN_PROGRESS)
            if asked != self._asked or not self.continues(asked):
                self._begin(asked)
            if not self._arrived:
                self._fetch(wait_ms)
            message = self._arrived.popleft()
            length = _length(message)
            self._waiting_bytes -= length
            self._taken += length
            assert self._asked is not None
            if self._asked.is_ahead and self._taken > self._asked.window // 2 and not self._reason:
                self._request(0, is_confirmed=True)
            return message

    def forget(self, token: bytes) -> None:
        """Forget a message that was read ahead: the program has removed it."""
        if self._kept is not None:
            asked, arrived = self._kept
            self._kept = asked, deque(message for message in arrived if message.token != token)

    def settle(self) -> bool:
        """Return whether a get was interrupted since the last call of this: its message may have been taken."""
        was_in_doubt, self._is_in_doubt = self._is_in_doubt, False
        return was_in_doubt

    def _begin(self, asked: MessageRequestOptions) -> None:
        """Receive the rest of an earlier request: the other end counts unread messages.

        Messages that a browse asked for in advance are kept while the program gets by other calls.
        """
        while self._is_outstanding:
            self._take_next(None)
        if self._asked is not None and self._asked.is_ahead:
            self._kept = self._asked, self._arrived
        self._arrived = deque()
        if self._kept is not None and browses(asked.options):
            if self.continues(asked):
                self._arrived = self._kept[1]
            self._kept = None
        self._waiting_bytes = sum(map(_length, self._arrived))
        self._taken = self._reason = 0
        self._selection_index = self._selection_index % 0xFFFF + 1
        self._is_selection_sent = False
        self._is_at_start = bool(asked.options & MQGMO_BROWSE_FIRST)
        options = asked.options
        if asked.is_ahead and self._is_at_start:
            options = options & ~MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
        self._asked = replace(asked, options=options)

    def _fetch(self, wait_ms: int) -> None:
        """Ask for messages until one is there."""
        assert self._asked is not None
        self._raise_reason()
        is_done = False
        try:
            if not wait_ms or self._asked.is_ahead:
                self._look()
            if wait_ms and not self._arrived and not self._reason:
                limit_s = float("inf") if wait_ms == MQWI_UNLIMITED else wait_ms / 1000
                self._request(wait_ms, is_confirmed=False)
                self._wait(time.monotonic() + limit_s)
                self._look()
            is_done = True
        finally:
            self._is_in_doubt = self._is_in_doubt or not (is_done or browses(self._asked.options))
        if not self._arrived:
            self._raise_reason()
            raise NoMessageAvailable("no message is available")

    def _raise_reason(self) -> None:
        if self._reason:
            reason, self._reason = self._reason, 0
            raise MQError(words_for(reason, self._q_name, "the get failed"), reason, q_name=self._q_name or None)

    def _look(self) -> None:
        """Ask for present messages, until one comes or the other end confirms that there is none."""
        came = -1
        while not self._arrived and not self._reason and came:
            if not self._is_outstanding:
                self._request(0, is_confirmed=True)
            while not self._arrived and not self._reason and self._is_outstanding:
                self._take_next(None)
            came = self._came

    @property
    def _is_outstanding(self) -> bool:
        """Return whether a request has not been confirmed yet."""
        return self._request_id != self._confirmed_id

    def _wait(self, deadline: float) -> None:
        """Take segments until there is a message, or a deadline has passed. Other threads make calls meanwhile."""
        self._is_waiting = True
        try:
            while not self._arrived and not self._reason:
                if not self._take_next(time.monotonic()):
                    if time.monotonic() >= deadline:
                        return
                    self._calls.wire.sleep(deadline)
        finally:
            self._is_waiting = False

    def _take_next(self, deadline: float | None) -> bool:
        segment = self._calls.wire.receive(deadline)
        if segment is not None:
            self._calls.dispatch(segment)
        return segment is not None

    def _request(self, wait_ms: int, *, is_confirmed: bool) -> None:
        asked = self._asked
        assert asked is not None
        options, flags = asked.options, _ANY
        if asked.is_ahead:
            flags |= _READS_AHEAD
            options |= MQGMO_BROWSE_FIRST if self._is_at_start else 0
        if wait_ms:
            options |= MQGMO_WAIT
        selection: Values | None = None
        if not self._is_selection_sent:
            flags |= SELECTION
            selection = {"SelectionIndex": self._selection_index, **asked.selection}
        if is_confirmed:
            flags |= _READS_AHEAD if asked.is_ahead else _ONCE
            self._request_id = max(_FIRST_CONFIRMED, (self._request_id + 2) % _MOST_REQUESTS)
        values: Values = {
            "Version": 1,
            "Handle": self._handle,
            "ReceivedBytes": self._taken,
            "RequestedBytes": asked.window,
            "MaxMsgLength": asked.max_length,
            "Options": options,
            "WaitInterval": wait_ms,
            "QueueStatus": int(asked.is_ahead),
            "RequestFlags": flags,
            "GlobalMessageIndex": self._calls.messages_received & 0xFFFFFFFF,
            "selection": selection,
        }
        wire = self._calls.wire
        wire.send(
            SegmentType.REQUEST_MSGS,
            REQUEST_MSGS.write(values, wire.order),
            request=self._request_id if is_confirmed else _UNCONFIRMED,
            flags=Flags.WHOLE | (Flags.CONFIRM_REQUEST if is_confirmed else 0),
        )
        self._is_selection_sent = True
        self._taken = self._came = 0

    def take(self, segment: WireSegment) -> None:
        """Take a segment of a message. Raises ProtocolError."""
        if self._parts is None:
            self._parts = streaming.MessageParts(self._calls.wire.terms.max_msg_length)
        message = self._parts.add(segment)
        if message is None:
            return
        self._parts = None
        self._calls.messages_received = message.global_index
        if self._asked is None or message.selection_index != self._selection_index:
            self._calls.wire.count_unasked()  # of a request that was replaced
            return
        self._is_at_start = False
        self._came += 1
        self._arrived.append(message)
        self._waiting_bytes += _length(message)
        most = 2 * self._asked.window + self._calls.wire.terms.max_msg_length
        if self._waiting_bytes > most or (len(self._arrived) > 1 and not self._asked.is_ahead):
            raise ProtocolError("more messages than were requested")

    def notice(self, code: int, value: int, request: int) -> None:
        """Take a notification. request: that it is about."""
        if code == Notice.CHECK_MSG and request == self._request_id:
            self._confirmed_id = request
        elif code in (Notice.STREAMING_FAILURE, Notice.GET_INHIBITED):
            self._reason = value
        elif code == Notice.QM_QUIESCING:
            self._reason = MQRC_Q_MGR_QUIESCING
        else:
            self._calls.wire.count_unasked()


def _length(message: AsyncMessage) -> int:
    return len(message.md) + len(message.data)
