"""Open queue of a queue manager elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

from mqtools.clients.client import messages
from mqtools.clients.client.calls import ClientCalls
from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.reader import MessageReader, MessageRequestOptions
from mqtools.clients.wire import calls
from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.streaming import AsyncMessage
from mqtools.configuration.change_log import ChangeLog
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
    UNDER_CURSOR_OPTIONS,
    check_get_options,
    effective_match_options,
)
from mqtools.rules.options.open import INPUT_OPTIONS
from mqtools.rules.options.put import check_put_options

#: Options of a browse that cannot be requested in advance.
_NOT_AHEAD = cmqc.MQGMO_LOCK | MARK_OPTIONS | UNDER_CURSOR_OPTIONS
_MOVES = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT
#: Options of an open whose handle may hold something that ends with the connection.
_BEYOND_BROWSE = INPUT_OPTIONS | cmqc.MQOO_OUTPUT | cmqc.MQOO_SET | cmqc.MQOO_CO_OP
#: Number of messages whose places are known.
_MOST_SEEN = 1000
#: Milliseconds of one get of a wait in which something else is to be done every second.
_SLICE_MS = 1000
#: Options of a get that begins at the cursor.
_FROM_CURSOR = cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR


class RemoteQueue:
    """The verbs on an open queue. As a context manager it closes.

    hobj: handle that the queue manager gave.  q_name: also of a dynamic queue that the open has created.
    table: ``QMGR`` for the queue manager itself, which only can be inquired.
    reads_ahead: gets remove messages before the program asks for them; those not asked for are lost.
    log: takes what is put, got and set.
    """

    def __init__(
        self,
        connection: QueueManagerConnection,
        client_calls: ClientCalls,
        hobj: int,
        q_name: str,
        options: int,
        *,
        open_again: Callable[[int], tuple[ClientCalls, int] | None] = lambda _: None,
    ) -> None:
        """open_again: connects and opens the queue again after so many breaks before; None where it cannot."""
        self.connection = connection
        self.q_name = q_name
        self.options = options
        self.closed = self.reads_ahead = False
        self.table = "QUEUE"
        self.log = ChangeLog()
        self._open_again = open_again
        self._use(client_calls, hobj)
        #: Tokens of the last messages that were browsed, the cursor's last.
        self._seen: deque[bytes] = deque(maxlen=_MOST_SEEN)

    def _use(self, client_calls: ClientCalls, hobj: int) -> None:
        self.hobj = hobj
        self._client_calls = client_calls
        self.reader = client_calls.streams[hobj] = MessageReader(client_calls, hobj, self.q_name)

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

    @property
    def context(self) -> RemoteQueue:
        """Return what a put passes on: this queue, whose last message got has the context."""
        return self

    def put(self, message: Message, options: int = 0, *, context: RemoteQueue | None = None) -> PutResult:
        """MQPUT. context: the queue whose context is passed on.  The message's descriptor is completed."""
        check_put_options(options, self.options, md_version=message.md.version)
        context_handle = 0 if context is None else context.hobj
        words = f"cannot put on queue {self.q_name}"
        result = messages.put(
            self._calls, self.hobj, message, options, context=context_handle, words=words, q_name=self.q_name
        )
        self.log.add("put", self.q_name, message.md.msg_id, is_final=not options & cmqc.MQPMO_SYNCPOINT)
        return result

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
        A browse continues after the connection broke: see ``_resume``.
        Raises NoMessageAvailable, or MQError with the reason MQGET gives; ConnectionBroken.
        """
        client_calls = self._calls
        match = 0 if md is None and match_options is None else effective_match_options(md, match_options, 4)
        check_get_options(options, match, self.options, wait_interval_ms=wait_ms)
        if options & cmqc.MQGMO_UNLOCK:
            return self._unlock(options)

        def fetch() -> AsyncMessage:
            wanted = options & ~cmqc.MQGMO_WAIT, match, msg_token
            if options & cmqc.MQGMO_MSG_UNDER_CURSOR and self.reader.is_ahead:
                wanted = self._by_token(wanted[0])
            asked = messages.request_options(self._calls, md, *wanted, max_length, as_is=as_is)
            if self._calls.wire.is_multiplexed:
                asked = self._ask_ahead(asked)
            try:
                return self._fetch(asked, wait_ms if options & cmqc.MQGMO_WAIT else 0)
            except NoMessageAvailable as error:
                raise NoMessageAvailable(f"no message is available on queue {self.q_name}") from error

        try:
            found = fetch()
        except ConnectionBroken:
            if not self._resume(options):
                raise
            found = fetch()
        result = messages.result_of(found, options, self.q_name, extracts=not as_is)
        if options & BROWSE_OPTIONS:
            self._seen.append(result.msg_token)
        elif result.reason != cmqc.MQRC_TRUNCATED_MSG_FAILED:
            client_calls.note_got(options, result.message.md.persistence)
            is_final = not options & cmqc.MQGMO_SYNCPOINT
            self.log.add("get", self.q_name, result.message.md.msg_id, is_final=is_final)
            self.reader.forget(result.msg_token)
        if md is not None:
            messages.copy_fields(md, result.message.md)
        return result

    def resume(self, breaks: int = 0) -> bool:
        """Connect again after the connection broke, and open the queue again; return whether it could be done.

        breaks: how often the connection broke before this, without any progress. Each makes the pause longer.
        """
        opened = self._open_again(breaks)
        if opened is not None:
            self._use(*opened)
        return opened is not None

    def _resume(self, options: int) -> bool:
        """Connect again for a browse, to go on behind the last message that the program saw; return whether it can.

        Where that message is gone, the last one before it that is still there tells the place.
        """
        is_browse = options & _MOVES and not options & _NOT_AHEAD and not self.options & _BEYOND_BROWSE
        if not is_browse or not self.resume():
            return False
        has_no_place = not self._seen or bool(options & cmqc.MQGMO_BROWSE_FIRST)
        while self._seen and not has_no_place:
            with suppress(NoMessageAvailable):
                self._place_cursor(self._seen[-1])
                return True
            self._seen.pop()
        return has_no_place

    def _ask_ahead(self, asked: MessageRequestOptions) -> MessageRequestOptions:
        """Return what to ask for: a browse asks in advance, and so do gets of a queue that reads ahead."""
        options = asked.options
        is_browse = options & _MOVES and not options & _NOT_AHEAD
        if is_browse or self.reads_ahead:
            asked = replace(asked, is_ahead=True)
        if options & _FROM_CURSOR and self.reader.is_ahead and not self.reader.continues(asked):
            asked = self._reposition(asked)
        return asked

    def _fetch(self, asked: MessageRequestOptions, wait_ms: int = 0) -> AsyncMessage:
        if self._calls.wire.is_multiplexed:
            return self.reader.next(asked, wait_ms)
        return self._get_plain(asked, wait_ms)

    def _get_plain(self, asked: MessageRequestOptions, wait_ms: int) -> AsyncMessage:
        """MQGET on a plain channel: several short ones where something is to be done between them."""
        idle, until = self._calls.wire.idle, time.monotonic() + wait_ms / 1000
        is_unlimited = wait_ms == cmqc.MQWI_UNLIMITED
        while idle is not None and (is_unlimited or wait_ms > _SLICE_MS):
            with suppress(NoMessageAvailable):
                return messages.get_plain(self._calls, self.hobj, asked, _SLICE_MS)
            idle()
            wait_ms = max(0, round((until - time.monotonic()) * 1000))
        return messages.get_plain(self._calls, self.hobj, asked, wait_ms)

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
        try:
            self._place_cursor(self._seen[-1])
        except NoMessageAvailable as error:
            raise MQError("the message under the browse cursor is gone", cmqc.MQRC_NO_MSG_UNDER_CURSOR) from error
        return asked

    def _place_cursor(self, token: bytes) -> None:
        """Move the queue manager's browse cursor to a message. Raises NoMessageAvailable."""
        options = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_ACCEPT_TRUNCATED_MSG  # else the cursor stays where it is
        self._fetch(messages.request_options(self._calls, None, options, cmqc.MQMO_MATCH_MSG_TOKEN, token, 0))

    def _unlock(self, options: int) -> GetResult:
        found = self._fetch(messages.request_options(self._calls, None, options, 0))
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
        lengths = [character_length(by_selector(self.table, one), one) for one in selectors if one >= cmqc.MQCA_FIRST]
        what = f"queue manager {self.connection.name}" if self.table == "QMGR" else f"queue {self.q_name}"
        return messages.inquire(self._calls, self.hobj, selectors, lengths, what)

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
        self.log.add("set", self.q_name)

    def close(self, options: int = 0) -> int:
        """MQCLOSE. options: MQCO_*; a dynamic queue can be deleted. Returns the reason of a warning, or MQRC_NONE."""
        reply = self._calls.call(SegmentType.MQCLOSE, calls.CLOSE, {"options": options}, handle=self.hobj)
        reply.check(f"cannot close queue {self.q_name}")
        self.closed = True
        self._client_calls.streams.pop(self.hobj, None)
        return reply.api.reason
