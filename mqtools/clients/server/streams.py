"""Streaming gets: a client asks for messages of a handle, and they are sent as they come.

A request is answered by messages only. One that asks for a confirmation is one search, and a notification ends it.
"""

from __future__ import annotations

import time
from collections import deque

from mqtools.calls.outstanding_gets import OutstandingGet
from mqtools.clients.server.conversation import Conversation, StreamingGet, like
from mqtools.clients.wire.codes import Flags, Notice, SegmentType
from mqtools.clients.wire.pieces import Cursor, Values
from mqtools.clients.wire.segments import WireSegment
from mqtools.clients.wire.streaming import (
    CONSUMER,
    NOTIFICATION,
    REQUEST_MSGS,
    AsyncMessage,
    selected_gmo,
    selected_md,
)
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQGS_LAST_MSG_IN_GROUP,
    MQGS_MSG_IN_GROUP,
    MQSEG_ALLOWED,
    MQSS_LAST_SEGMENT,
    MQSS_SEGMENT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_MD_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.fields import WIRE
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle

_BOTH_BROWSES = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
#: Bits of the status of a message.
_PRESENT = 1
_SEGMENTATION_BITS = {MQSEG_ALLOWED: 2}
_SEGMENT_BITS = {MQSS_SEGMENT: 4, MQSS_LAST_SEGMENT: 8}
_GROUP_BITS = {MQGS_MSG_IN_GROUP: 16, MQGS_LAST_MSG_IN_GROUP: 32}
#: Request id of what answers no request, and of a request that is answered by messages only.
_UNASKED = 1
#: Bytes of messages that are held to be sent together.
_BURST = 1 << 20
#: Seconds between two looks of a consumer at a queue that inhibits gets.
_INHIBITED_S = 1.0
#: States of a connection in NOTIFICATION: its consumers are started.
STARTED = 2


class MessageStream(StreamingGet):
    """The gets of one handle.

    outstanding: the get that waits, if one does.  is_started: consumers get messages.
    """

    def __init__(self, conversation: Conversation, handle: int) -> None:
        self.conversation = conversation
        self._handle = handle
        self._request: Values | None = None
        self._segment = WireSegment(eyecatcher=b"TSHM", kind=SegmentType.REQUEST_MSGS)
        self._selection: Values = {}
        self._window = 0
        self._has_browsed = False
        self._deadline: float | None = None
        self._sent: deque[tuple[int, int]] = deque()
        self._index = 0
        self._q_name = ""

    def ask(self, segment: WireSegment, request: Values) -> None:
        """Take a request, which replaces the one before."""
        self.end()
        self._segment, self._request = segment, request
        self._selection = request["selection"] or self._selection
        while self._sent and self._sent[0][0] <= request["GlobalMessageIndex"]:
            self._sent.popleft()
        # A message on its way to the client counts: the client asks for one message, and must get one.
        self._window = request["RequestedBytes"] - sum(length for _, length in self._sent)
        self._has_browsed = False
        self._deadline = None
        if self._waits and not self._is_consumer and request["WaitInterval"] != MQWI_UNLIMITED:
            self._deadline = time.monotonic() + max(0, request["WaitInterval"]) / 1000
        if request["Options"] & MQGMO_UNLOCK:
            self._unlock()
        else:
            self.look()

    def _unlock(self) -> None:
        """Unlock the message that a browse has locked; the client reads the reason from an empty message."""
        try:
            opened: Handle = self.conversation.connected.open_object(self._handle, Handle)
            self._send(opened.get(MQGMO_UNLOCK))
        except MQError as error:
            self._report(error)
        self._finish()

    @property
    def _is_consumer(self) -> bool:
        return self._request is not None and bool(self._request["RequestFlags"] & CONSUMER)

    @property
    def _is_confirmed(self) -> bool:
        return bool(self._segment.flags & Flags.CONFIRM_REQUEST)

    @property
    def _waits(self) -> bool:
        request = self._request
        return (
            request is not None
            and not self._is_confirmed
            and bool(self._is_consumer or request["Options"] & MQGMO_WAIT)
        )

    def look(self) -> None:
        """Send the present messages that fit the request; wait for more, or end it."""
        self.retry_at = None
        least_window = self._window - _BURST
        try:
            while self._request is not None and self._window > 0:
                if self._window < least_window:
                    self.retry_at = time.monotonic()  # after these have been sent
                    return
                if self._is_consumer and not self.conversation.is_started:
                    self.end()
                    return
                if self.outstanding is None:
                    self.outstanding = self._begin(self._request)
                result = self.outstanding.look()
                if result is None:
                    return
                self.outstanding = None
                self._send(result)
        except MQError as error:
            self.outstanding = None
            if self._is_consumer and error.reason == MQRC_GET_INHIBITED:
                self.retry_at = time.monotonic() + _INHIBITED_S
                return
            if error.reason != MQRC_NO_MSG_AVAILABLE:
                self._report(error)
        self._finish()

    def cancel(self, reason: int) -> None:
        """End the wait with a reason."""
        if self._request is not None:
            self.end()
            self._request = None
            self._notify(Notice.STREAMING_FAILURE, reason)

    def _begin(self, request: Values) -> OutstandingGet:
        """Return a get for one message. Raises MQError."""
        session, selection = self.conversation.connected, self._selection
        if not selection:
            raise MQError("a request without a selection", MQRC_MD_ERROR)
        options = request["Options"] & ~MQGMO_WAIT
        if options & _BOTH_BROWSES == _BOTH_BROWSES:
            options &= ~(MQGMO_BROWSE_FIRST if self._has_browsed else MQGMO_BROWSE_NEXT)
        wait_ms = 0
        if self._waits:
            options |= MQGMO_WAIT
            wait_ms = MQWI_UNLIMITED
        if self._deadline is not None:
            wait_ms = max(0, round((self._deadline - time.monotonic()) * 1000))
        md, gmo = selected_md(selection), selected_gmo(selection, options, wait_ms)
        opened: Handle = session.open_object(self._handle, Handle)
        most = request["MaxMsgLength"]
        return OutstandingGet(session, opened, gmo, md, None if most < 0 else most)

    def _send(self, result: GetResult) -> None:
        """Send a message, and count it."""
        conversation, segment = self.conversation, self._segment
        self._has_browsed = True
        self._index += 1
        conversation.messages_sent += 1
        message = result.message
        md = fields.write_md(message.md, b"", conversation.connected.connection.ccsid, WIRE[segment.order])
        q_name = "" if result.resolved_q_name == self._q_name else result.resolved_q_name
        self._q_name = result.resolved_q_name
        sent = AsyncMessage(
            handle=self._handle,
            index=self._index,
            global_index=conversation.messages_sent,
            selection_index=self._selection.get("SelectionIndex", 0),
            md=md,
            data=message.data,
            total_length=result.data_length,
            reason=result.reason,
            token=result.msg_token,
            status=_status(result),
            q_name=q_name.encode(),
        )
        for part in sent.segments(segment, conversation.instance.transmission_size):
            conversation.send(part)
        length = len(md) + len(message.data)
        self._sent.append((conversation.messages_sent, length))
        self._window -= length
        if result.held or result.reason == MQRC_TRUNCATED_MSG_FAILED:
            # One message of a unit of work at a time: the client may end it before it has seen a second one.
            self._window = 0

    def _report(self, error: MQError) -> None:
        is_quiescing = error.reason == MQRC_Q_MGR_QUIESCING
        self._notify(Notice.QM_QUIESCING if is_quiescing else Notice.STREAMING_FAILURE, error.reason)

    def _finish(self) -> None:
        """End the request; confirm that, if it asks for it."""
        if self._request is not None and self._is_confirmed:
            self._notify(Notice.CHECK_MSG, 0, self._segment.request)
        self._request = None

    def _notify(self, code: Notice, value: int, request: int = _UNASKED) -> None:
        notify(self.conversation, self._segment, {"Handle": self._handle, "Code": code, "Value": value}, request)


def _status(result: GetResult) -> int:
    return (
        _PRESENT
        | _SEGMENTATION_BITS.get(result.segmentation, 0)
        | _SEGMENT_BITS.get(result.segment_status, 0)
        | _GROUP_BITS.get(result.group_status, 0)
    )


def notify(conversation: Conversation, segment: WireSegment, values: Values, request: int) -> None:
    """Send a notification."""
    body = NOTIFICATION.write({"Version": 1, **values}, segment.order)
    conversation.send(like(segment, SegmentType.NOTIFICATION, body, request=request, flags=Flags.WHOLE))


def request_messages(conversation: Conversation, segment: WireSegment) -> None:
    """Take REQUEST_MSGS."""
    request = REQUEST_MSGS.read(Cursor(segment.body, segment.order))
    handle = request["Handle"]
    stream = conversation.streams.get(handle)
    if stream is None:
        stream = MessageStream(conversation, handle)
        if conversation.session is not None and handle in conversation.session.objects:
            conversation.streams[handle] = stream
    stream.ask(segment, request)


def take_notification(conversation: Conversation, segment: WireSegment) -> None:
    """Take NOTIFICATION: the client starts or stops its consumers. Others need nothing."""
    values = NOTIFICATION.read(Cursor(segment.body, segment.order))
    if values["Code"] != Notice.CONN_STATE:
        return
    conversation.is_started = values["Value"] == STARTED
    for stream in list(conversation.streams.values()):
        stream.look()
    if segment.flags & Flags.CONFIRM_REQUEST:
        notify(conversation, segment, {**values, "Code": Notice.CONN_STATE_REPLY}, segment.request)
