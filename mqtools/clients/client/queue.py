"""Open queue of a queue manager elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from mqtools.clients.client import messages
from mqtools.clients.client.calls import ClientCalls
from mqtools.clients.client.reader import MessageReader, MessageRequestOptions
from mqtools.clients.wire import calls
from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.streaming import AsyncMessage
from mqtools.constants import cmqc
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.mqi.put import PutResult
from mqtools.rules.attributes.table import by_selector, character_length
from mqtools.rules.options.get import (
    BROWSE_OPTIONS,
    MARK_OPTIONS,
    PROPERTY_OPTIONS,
    UNDER_CURSOR_OPTIONS,
    check_get_options,
    effective_match_options,
)
from mqtools.rules.options.put import check_put_options

#: Options of a browse that cannot be requested in advance.
_NOT_AHEAD = cmqc.MQGMO_LOCK | MARK_OPTIONS | UNDER_CURSOR_OPTIONS
_MOVES = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT
#: Options of a get that begins at the cursor.
_FROM_CURSOR = cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR


class RemoteQueue:
    """The verbs on an open queue. As a context manager it closes.

    hobj: handle that the queue manager gave.  q_name: also of a dynamic queue that the open has created.
    is_q_mgr: it is the queue manager itself, which only can be inquired.
    """

    def __init__(
        self, connection: QueueManagerConnection, client_calls: ClientCalls, hobj: int, q_name: str, options: int
    ) -> None:
        self.connection = connection
        self.hobj = hobj
        self.q_name = q_name
        self.options = options
        self.closed = self.is_q_mgr = False
        self.reader = MessageReader(client_calls, hobj, q_name)
        self._client_calls = client_calls
        client_calls.streams[hobj] = self.reader
        #: Tokens of the last messages that were browsed, the cursor's last.
        self._seen: deque[bytes] = deque(maxlen=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.closed and self._client_calls.wire.is_open:
            self.close()

    @property
    def _calls(self) -> ClientCalls:
        if self.closed:
            raise MQError(f"queue {self.q_name} has been closed", cmqc.MQRC_HOBJ_ERROR)
        return self._client_calls

    def put(self, message: Message, options: int = 0, *, context: RemoteQueue | None = None) -> PutResult:
        """MQPUT. context: the queue whose context is passed on.  The message's descriptor is completed."""
        check_put_options(options, self.options, md_version=message.md.version)
        context_handle = 0 if context is None else context.hobj
        return messages.put(self._calls, self.hobj, message, options, context=context_handle, q_name=self.q_name)

    def get(
        self,
        options: int = 0,
        *,
        md: MQMD | None = None,
        match_options: int | None = None,
        wait_ms: int = 0,
        max_length: int | None = None,
        msg_token: bytes = b"",
        as_is: bool = False,
    ) -> GetResult:
        """MQGET: parameters and result are those of ``Handle.get``, without keys of a file.

        as_is: where no option says otherwise the properties come as the queue's PropertyControl says.
        Raises NoMessageAvailable, or MQError with the reason MQGET gives; ConnectionBroken.
        """
        client_calls = self._calls
        if md is None and match_options is None:
            match_options = 0
        else:
            match_options = effective_match_options(md, match_options, 4)
        check_get_options(options, match_options, self.options, wait_interval_ms=wait_ms)
        if options & cmqc.MQGMO_UNLOCK:
            return self._unlock(options)
        is_under_cursor = options & cmqc.MQGMO_MSG_UNDER_CURSOR
        if is_under_cursor and self.reader.is_ahead:
            options, match_options, msg_token = self._by_token(options)
        asked = messages.request_options(
            client_calls, options & ~cmqc.MQGMO_WAIT, md, match_options, msg_token, max_length
        )
        if as_is:
            asked = replace(asked, options=asked.options & ~PROPERTY_OPTIONS | options & PROPERTY_OPTIONS)
        wait = wait_ms if options & cmqc.MQGMO_WAIT else 0
        try:
            if client_calls.wire.is_multiplexed:
                found = self._get_streaming(asked, options, wait)
            else:
                found = messages.get_plain(client_calls, self.hobj, asked, wait)
        except NoMessageAvailable as error:
            raise NoMessageAvailable(f"no message is available on queue {self.q_name}") from error
        result = messages.result_of(found, options, self.q_name, extracts=not as_is)
        if options & BROWSE_OPTIONS:
            self._seen.append(result.msg_token)
        elif result.reason != cmqc.MQRC_TRUNCATED_MSG_FAILED:
            client_calls.note_got(options, result.message.md.persistence)
            self.reader.forget(result.msg_token)
        if md is not None:
            messages.copy_fields(md, result.message.md)
        return result

    def _get_streaming(self, asked: MessageRequestOptions, options: int, wait_ms: int) -> AsyncMessage:
        if options & _MOVES and not options & _NOT_AHEAD:
            asked = replace(asked, is_ahead=True)
        if options & _FROM_CURSOR and self.reader.is_ahead and not self.reader.continues(asked):
            asked = self._reposition(asked)
        return self.reader.next(asked, wait_ms)

    def _by_token(self, options: int) -> tuple[int, int, bytes]:
        """Return options, match options and token for the message that the program saw last.

        The queue manager's own cursor is at another message, which was read ahead.
        """
        if not self._seen:
            raise MQError("the browse cursor is at no message", cmqc.MQRC_NO_MSG_UNDER_CURSOR)
        return options & ~cmqc.MQGMO_MSG_UNDER_CURSOR, cmqc.MQMO_MATCH_MSG_TOKEN, self._seen.pop()

    def _reposition(self, asked: MessageRequestOptions) -> MessageRequestOptions:
        """Move the queue manager's browse cursor back to the message that the program saw last.

        Returns what to ask for then.  Raises MQError: MQRC_NO_MSG_UNDER_CURSOR where the message is gone.
        """
        if not self._seen:
            return replace(asked, options=asked.options & ~cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_FIRST)
        options = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_ACCEPT_TRUNCATED_MSG  # else the cursor stays where it is
        named = messages.request_options(self._calls, options, None, cmqc.MQMO_MATCH_MSG_TOKEN, self._seen[-1], 0)
        try:
            self.reader.next(named, 0)
        except NoMessageAvailable as error:
            raise MQError("the message under the browse cursor is gone", cmqc.MQRC_NO_MSG_UNDER_CURSOR) from error
        return asked

    def _unlock(self, options: int) -> GetResult:
        asked = messages.request_options(self._calls, options, None, 0, b"", None)
        if self._calls.wire.is_multiplexed:
            found = self.reader.next(asked, 0)
        else:
            found = messages.get_plain(self._calls, self.hobj, asked, 0)
        return messages.result_of(found, options, self.q_name)

    def get_each(
        self,
        number: int,
        options: int = 0,
        *,
        md: MQMD | None = None,
        match_options: int | None = None,
        wait_ms: int = 0,
        max_length: int | None = None,
        most_bytes: int = 1 << 26,
    ) -> tuple[list[GetResult], MQError | None]:
        """Get or browse up to a number of messages, and wait only for the first: see ``Handle.get_each``."""
        results: list[GetResult] = []
        size = 0
        while len(results) < number and size < most_bytes:
            wanted = None if md is None else md.replace()
            try:
                result = self.get(
                    options, md=wanted, match_options=match_options, wait_ms=wait_ms, max_length=max_length
                )
            except MQError as error:
                if not self._client_calls.wire.is_open:
                    raise
                return results, error
            results.append(result)
            if result.reason == cmqc.MQRC_TRUNCATED_MSG_FAILED:
                break
            size += len(result.message.data)
            options = options & ~(cmqc.MQGMO_WAIT | cmqc.MQGMO_BROWSE_FIRST) | (
                cmqc.MQGMO_BROWSE_NEXT if options & cmqc.MQGMO_BROWSE_FIRST else 0
            )
        return results, None

    def inquire(self, selectors: Sequence[int]) -> list[int | str | None]:
        """MQINQ: return the values of attributes by their selectors; None for one that this type of queue lacks."""
        lengths = [character_length(by_selector("QUEUE", one), one) for one in selectors if one >= cmqc.MQCA_FIRST]
        return messages.inquire(self._calls, self.hobj, selectors, lengths, f"queue {self.q_name}")

    def set(self, values: dict[int, int | str]) -> None:
        """MQSET: change attributes by selector."""
        texts = [
            str(value).encode().ljust(character_length(by_selector("QUEUE", one), one))
            for one, value in values.items()
            if one >= cmqc.MQCA_FIRST
        ]
        asked: Values = {
            "selectors": tuple(values),
            "integers": tuple(value for one, value in values.items() if one < cmqc.MQCA_FIRST),
            "characters": b"".join(texts),
        }
        reply = self._calls.call(SegmentType.MQSET, calls.SET, asked, handle=self.hobj)
        reply.check(f"cannot set attributes of queue {self.q_name}")

    def close(self, options: int = 0) -> int:
        """MQCLOSE. options: MQCO_*; a dynamic queue can be deleted. Returns the reason of a warning, or MQRC_NONE."""
        reply = self._calls.call(SegmentType.MQCLOSE, calls.CLOSE, {"options": options}, handle=self.hobj)
        reply.check(f"cannot close queue {self.q_name}")
        self.closed = True
        self._client_calls.streams.pop(self.hobj, None)
        return reply.api.reason
