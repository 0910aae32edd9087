"""Calls of a client: requests and their replies on one conversation, and what comes in between."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from mqtools.clients.client.channel import ClientSocket
from mqtools.clients.client.errors import ConnectionBroken, words_for
from mqtools.clients.wire import spi
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import REPLY, SegmentType, Verb
from mqtools.clients.wire.pieces import Cursor, MessagePart, Sequence, Values
from mqtools.clients.wire.segments import ProtocolError, WireSegment
from mqtools.clients.wire.streaming import NOTIFICATION, handle_of
from mqtools.constants.options import MQGMO_SYNCPOINT, MQGMO_SYNCPOINT_IF_PERSISTENT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQCC_FAILED, MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.headers.fields import WIRE, StructureForm

#: Bytes that the header of a multiplexed segment is longer: the length in a request counts them.
_LONGER_HEADER = 8
#: Greatest reply of an SPI call that is requested, in bytes.
_SPI_REPLY = 20_480


class SegmentStream(Protocol):
    """The messages of one handle, as they come."""

    def take(self, segment: WireSegment) -> None:
        """Take a segment of a message. Raises ProtocolError."""

    def notice(self, code: int, value: int, request: int) -> None:
        """Take a notification. request: that it is about."""

    def settle(self) -> bool:
        """Return whether a get was interrupted since the last call of this: its message may have been taken."""


@dataclass(frozen=True, slots=True)
class CallReply:
    """Reply of a call. body: behind the API header.  ccsid: of its characters."""

    api: ApiHeader
    body: Cursor
    ccsid: int

    @property
    def has_failed(self) -> bool:
        return self.api.comp_code == MQCC_FAILED

    def check(self, words: str, q_name: str = "") -> CallReply:
        """Return the reply of a successful call. words: what cannot be done.  Raises MQError."""
        if self.has_failed:
            raise MQError(words_for(self.api.reason, q_name, words), self.api.reason, q_name=q_name or None)
        return self


class ClientCalls:
    """The calls of one connection.

    ccsid: of the queue manager.  streams: by handle.  messages_received: by all streams.
    in_unit_of_work: something was put or got that is not final.
    """

    def __init__(self, wire: ClientSocket, ccsid: int) -> None:
        self.wire = wire
        self.ccsid = ccsid
        self.streams: dict[int, SegmentStream] = {}
        self.messages_received = 0
        self.in_unit_of_work = False
        self._unread: deque[int] = deque()
        self._verbs: frozenset[int] | None = None

    @property
    def form(self) -> StructureForm:
        """Return the form of the structures that are sent."""
        return WIRE[self.wire.order]

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Make a call in the block: no other thread makes one, and what breaks the protocol ends the connection."""
        with self.wire.lock:
            try:
                yield
            except ProtocolError as error:
                self.wire.close()
                raise ConnectionBroken(f"the other end breaks the protocol: {error.text}") from error

    def call(
        self,
        kind: int,
        part: MessagePart | None = None,
        values: Values | None = None,
        *,
        handle: int = 0,
        wait_s: float = 0,
        room: int = 0,
    ) -> CallReply:
        """Make a call, and return its reply. part: what follows the API header, with the values.

        wait_s: time that the queue manager may wait before it replies.  room: bytes that the reply may be longer.
        Raises ConnectionBroken.
        """
        deadline = time.monotonic() + wait_s + self.wire.timeout_s if wait_s else None
        with self.checked():
            self._send(kind, b"" if part is None else part.write(values, self.wire.order), handle, room)
            self._unread.append(kind + REPLY)  # until it has been read: an interrupt may leave it there
            while True:
                segment = self.wire.receive(deadline)
                if segment is None:
                    self.wire.fail("the reply of a call does not come")
                if not self._unread or segment.kind != self._unread[0]:
                    self.dispatch(segment)
                    continue
                self._unread.popleft()
                if not self._unread:
                    api, body = read_api(segment)
                    return CallReply(api, body, segment.ccsid)

    def post(self, kind: int, part: MessagePart, values: Values, *, handle: int = 0) -> None:
        """Make a call that has no reply. Raises ConnectionBroken."""
        with self.checked():
            self._send(kind, part.write(values, self.wire.order), handle)

    def _send(self, kind: int, rest: bytes, handle: int, room: int = 0) -> None:
        header = _LONGER_HEADER if self.wire.is_multiplexed else 0
        self.wire.send(kind, ApiHeader(handle=handle).pack(rest, self.wire.order, header + room))

    def call_verb(self, verb: int, part: MessagePart, values: Values, *, handle: int = 0) -> CallReply:
        """Make an SPI call. Raises MQError: MQRC_FUNCTION_NOT_SUPPORTED where the queue manager does not offer it."""
        if not self.offers(verb):
            raise MQError(f"the queue manager does not offer verb {verb}", MQRC_FUNCTION_NOT_SUPPORTED)
        return self._call_verb(verb, part, values, handle)

    def offers(self, verb: int) -> bool:
        """Return whether the queue manager offers a verb of SPI."""
        if not self.wire.is_multiplexed:
            return False
        if self._verbs is None:
            asked: Values = {"inout": {"Version": 1}, "in": {"Version": 1}}
            reply = self._call_verb(Verb.QUERY, spi.QUERY_CALL, asked, 0)
            found = () if reply.has_failed else spi.QUERY_REPLY.read(reply.body)["out"]["verbs"]
            self._verbs = frozenset(row[0] for row in found)
        return verb in self._verbs

    def _call_verb(self, verb: int, part: MessagePart, values: Values, handle: int) -> CallReply:
        whole = Sequence(spi=spi.SPI, rest=part)
        start = {"Verb": verb, "Version": spi.VERSIONS.get(verb, 1), "MaxReplySize": _SPI_REPLY}
        reply = self.call(SegmentType.SPI, whole, {"spi": start, "rest": values}, handle=handle, room=_SPI_REPLY)
        spi.SPI.read(reply.body)
        return reply

    def note_put(self, options: int) -> None:
        """Note that a put has succeeded. options: MQPMO_*."""
        self.in_unit_of_work = self.in_unit_of_work or bool(options & MQPMO_SYNCPOINT)

    def note_got(self, options: int, persistence: int) -> None:
        """Note that a get has succeeded that removes its message. options: MQGMO_*."""
        is_held = options & MQGMO_SYNCPOINT or (options & MQGMO_SYNCPOINT_IF_PERSISTENT and persistence)
        self.in_unit_of_work = self.in_unit_of_work or bool(is_held)

    def dispatch(self, segment: WireSegment) -> None:
        """Take a message of a stream, or a notification. Raises ProtocolError for any other segment."""
        if segment.kind == SegmentType.ASYNC_MESSAGE:
            stream = self.streams.get(handle_of(segment))
            if stream is None:
                raise ProtocolError("a message for a handle that is not open")
            stream.take(segment)
        elif segment.kind == SegmentType.NOTIFICATION:
            values = NOTIFICATION.read(Cursor(segment.body, segment.order))
            if values["Handle"] in self.streams:
                self.streams[values["Handle"]].notice(values["Code"], values["Value"], segment.request)
            else:
                self.wire.count_unasked()
        else:
            raise ProtocolError(f"a segment of type {segment.name} that was not requested")
