"""Connection of a command to a queue manager elsewhere: it changes only what it may, and logs what it changes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from mqtools.admin.mqsc.elsewhere import EscapeOutput
from mqtools.clients.client import subscription
from mqtools.clients.client.commands import escape, pcf
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.queue import RemoteQueue
from mqtools.configuration.change_log import BACKOUT, COMMIT, ChangeLog
from mqtools.constants.cmqc import MQSO_NEW_PUBLICATIONS_ONLY
from mqtools.constants.objects import MQCA_DEAD_LETTER_Q_NAME
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_OUTPUT,
    MQOO_SET,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import MQCC_FAILED, MQRC_NONE, MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.pcf import Parameter
from mqtools.message import Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.interface import OpenQueue
from mqtools.mqi.put import PutResult
from mqtools.operations import remote_depths
from mqtools.operations.output_reader import pause
from mqtools.rules.options.open import INPUT_OPTIONS

_BROWSES = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_CHANGES = INPUT_OPTIONS | MQOO_OUTPUT | MQOO_SET
#: Milliseconds of one wait. Then a command checks whether its output is still read.
_SLICE_MS = 1000


class GuardedConnection:
    """A ``QueueManagerConnection`` to a queue manager elsewhere."""

    file = None

    def __init__(self, inner: RemoteConnection, name: str, log: ChangeLog | None, *, for_reader: bool) -> None:
        """name: of the remote.  log: of changes, None where nothing may be changed.

        for_reader: its waits raise BrokenPipeError when the reader of the output has left.
        password: that it was made with.
        """
        self._inner = inner
        self._remote = name
        self._log = log
        self._for_reader = for_reader
        self.name: str = inner.name
        self.q_mgr_id: str = inner.q_mgr_id
        self.ccsid: int = inner.ccsid
        self.password = inner.options.password

    @property
    def max_uncommitted_msgs(self) -> int:
        return self._inner.max_uncommitted_msgs

    @property
    def in_unit_of_work(self) -> bool:
        return self._inner.in_unit_of_work

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._log is not None and kind is not None:
            self._log.end(BACKOUT)
        self._inner.__exit__(kind, error, trace)

    def log(self) -> ChangeLog:
        """Return the log of changes. Raise MQError (MQRC_NOT_AUTHORIZED) where nothing may be changed."""
        if self._log is None:
            raise read_only_error(self._remote)
        return self._log

    def open(self, q_name: str, options: int, **names: Any) -> OpenQueue:
        """MQOPEN. Raise MQError (MQRC_NOT_AUTHORIZED) for options that allow a change where there must be none."""
        log = self.log() if options & _CHANGES else None
        queue = self._inner.open(q_name, options, **names)
        return _GuardedQueue(queue, q_name, log, for_reader=self._for_reader)

    def put1(
        self, q_name: str, message: Message, options: int = 0, *, q_mgr_name: str = "", context: Any = None
    ) -> PutResult:
        """MQPUT1. context: the queue whose context is passed on."""
        log = self.log()
        result = self._inner.put1(q_name, message, options, q_mgr_name=q_mgr_name, context=_inner_of(context))
        _log_put(log, q_name, [message], options)
        return result

    def put_each(
        self, q_name: str, messages: Iterable[Message], options: int = 0, **others: Any
    ) -> tuple[list[PutResult], MQError | None]:
        """Put several messages, up to the first that fails."""
        log, sent = self.log(), list[Message]()

        def each() -> Iterator[Message]:  # one may depend on what the put of the one before has completed
            for message in messages:
                sent.append(message)
                yield message

        results, error = self._inner.put_each(q_name, each(), options, **others)
        _log_put(log, q_name, sent[: len(results)], options)
        return results, error

    def publish(self, topic: str, message: Message, options: int = 0, *, topic_object: str = "") -> PutResult:
        """Publish a message on a topic string."""
        log = self.log()
        result = subscription.publish(self._inner, topic, message, options, topic_object=topic_object)
        log.write("publish", topic or topic_object, [message.md.msg_id])
        return result

    @contextmanager
    def subscribe(
        self, topic: str, *, selector: str = "", retained: bool = True, topic_object: str = ""
    ) -> Iterator[OpenQueue]:
        """Yield a queue that gets the publications on a topic while the block lasts, as ``open_subscription``."""
        options = subscription.MANAGED | (0 if retained else MQSO_NEW_PUBLICATIONS_ONLY)
        with subscription.subscribe(
            self._inner, topic, options, selector=selector, topic_object=topic_object
        ) as subscribed:
            yield _GuardedQueue(subscribed.queue, topic, None, for_reader=self._for_reader)

    def escape(self, text: str) -> EscapeOutput:
        """Run an MQSC command; return the texts of its answers."""
        if not is_display(text):
            self.log().write("command", text, [])
        texts, comp_code, reason = escape(self._inner, text)
        return EscapeOutput(texts, reason if comp_code == MQCC_FAILED else MQRC_NONE)

    def depths(self, patterns: Sequence[str]) -> list[dict[str, object]]:
        """Return the depths of the queues that match, as ``admin.depths.depths`` does."""
        return remote_depths.depths(self.pcf, patterns, self.dead_letter_q)

    def pcf(self, command: int, parameters: Sequence[Parameter] = ()) -> list[dict[int, object]]:
        """Inquire by PCF; return the values of each reply by their selectors, none where no object matches."""
        return [reply.values() for reply in pcf(self._inner, command, parameters)]

    def dead_letter_q(self) -> str:
        """Return the name of the dead-letter queue, empty without one."""
        return str(self._inner.inquire([MQCA_DEAD_LETTER_Q_NAME])[0] or "").rstrip()

    def commit(self) -> None:
        """MQCMIT. The changes are logged before."""
        if self._log is None:
            return
        self._log.end(COMMIT)
        try:
            self._inner.commit()
        except MQError as error:
            self._log.fail(str(error))
            raise

    def backout(self) -> None:
        """MQBACK."""
        if self._log is not None:
            self._log.end(BACKOUT)
            self._inner.backout()

    def disconnect(self) -> None:
        """MQDISC, which commits."""
        if self._log is not None:
            self._log.end(COMMIT)
        self._inner.disconnect()

    def leave(self) -> None:
        """Disconnect for a process that ends now."""
        self.disconnect()


class _GuardedQueue:
    """An ``OpenQueue`` that logs what is put and got."""

    def __init__(self, inner: RemoteQueue, name: str, log: ChangeLog | None, *, for_reader: bool) -> None:
        self.inner = inner
        self.q_name = inner.q_name
        self.options = inner.options
        self.closed = False
        self._name = name
        self._log = log
        self._for_reader = for_reader

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.inner.__exit__(*error)
        self.closed = True

    def put(self, message: Message, options: int = 0, *, context: Any = None) -> PutResult:
        """MQPUT. context: the queue whose context is passed on."""
        result = self.inner.put(message, options, context=_inner_of(context))
        assert self._log is not None
        _log_put(self._log, self._name, [message], options)
        return result

    def get(self, options: int = 0, *, wait_ms: int = 0, **others: Any) -> GetResult:
        """MQGET. A long wait is made of short ones where the reader of the output may leave."""
        end = None if wait_ms == MQWI_UNLIMITED else time.monotonic() + wait_ms / 1000
        is_sliced = self._for_reader and bool(options & MQGMO_WAIT)
        while True:
            left_ms = _SLICE_MS if end is None else max(0, round((end - time.monotonic()) * 1000))
            try:
                result = self.inner.get(options, wait_ms=min(_SLICE_MS, left_ms) if is_sliced else wait_ms, **others)
            except NoMessageAvailable:
                if not is_sliced or (end is not None and left_ms <= _SLICE_MS):
                    raise
                pause(0)
                continue
            self._log_get([result], options)
            return result

    def get_each(self, number: int, options: int = 0, **others: Any) -> tuple[list[GetResult], MQError | None]:
        """Get or browse up to a number of messages."""
        results, error = self.inner.get_each(number, options, **others)
        self._log_get(results, options)
        return results, error

    def _log_get(self, results: list[GetResult], options: int) -> None:
        if self._log is None or options & _BROWSES or not results:
            return
        if options & MQGMO_SYNCPOINT:
            for result in results:
                self._log.note("get", self._name, result.message.md.msg_id)
        else:
            self._log.write("get", self._name, [result.message.md.msg_id for result in results])

    def inquire(self, selectors: Sequence[int]) -> list[int | str | None]:
        """MQINQ."""
        return self.inner.inquire(selectors)

    def set(self, values: dict[int, int | str]) -> None:
        """MQSET."""
        self.inner.set(values)
        assert self._log is not None
        self._log.write("set", self._name, [])

    def resume(self, breaks: int = 0) -> bool:
        """Connect again, and open the queue again."""
        return self.inner.resume(breaks)

    def close(self, options: int = 0) -> int:
        """MQCLOSE."""
        self.closed = True
        return self.inner.close(options)


def _inner_of(queue: _GuardedQueue | None) -> RemoteQueue | None:
    return None if queue is None else queue.inner


def _log_put(log: ChangeLog, name: str, messages: list[Message], options: int) -> None:
    if options & MQPMO_SYNCPOINT:
        for message in messages:
            log.note("put", name, message.md.msg_id)
    elif messages:
        log.write("put", name, [message.md.msg_id for message in messages])


def is_display(text: str) -> bool:
    """Return whether an MQSC command only displays or pings."""
    return text.lstrip().upper().startswith(("DIS", "PING"))


def read_only_error(name: str) -> MQError:
    """Return the error for a change of a remote that is read-only."""
    return MQError(
        f"{name} is read-only",
        MQRC_NOT_AUTHORIZED,
        hint="--read-write allows changes for this command"
        if ":" in name
        else f"mqx remote remove {name}, then mqx remote add {name} ... --read-write",
    )
