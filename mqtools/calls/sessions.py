"""Sessions: the connections of programs, by handle, and what is open on each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial, wraps
from itertools import count
from threading import Lock, get_ident
from typing import Any, Protocol, TypeVar

from mqtools.calls.deferral import CallBlock, defer
from mqtools.calls.shared_connections import SharedConnection
from mqtools.constants.objects import MQOT_Q
from mqtools.constants.options import MQCNO_HANDLE_SHARE_BLOCK, MQCNO_HANDLE_SHARE_NO_BLOCK
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_CALL_IN_PROGRESS,
    MQRC_CONNECTION_BROKEN,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_HCONN_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NONE,
)
from mqtools.errors import MQError
from mqtools.headers.fields import read_characters
from mqtools.mqi import authority
from mqtools.mqi.handle import Handle
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.rules.security.authorities import AUTHORITIES, QMGR

_SHARED = MQCNO_HANDLE_SHARE_BLOCK | MQCNO_HANDLE_SHARE_NO_BLOCK

T = TypeVar("T")

_numbers = count(1)
_sessions: dict[int, CallSession] = {}


class MessageConsumers(Protocol):
    """The consumers of a connection, as far as calls on the connection depend on them (module ``consumers``)."""

    is_running: bool

    def is_current(self) -> bool:
        """Return whether this thread is one that a consumer is called from."""

    def forget(self, ho: int) -> None:
        """Remove the consumer of a queue handle, if there is one."""

    def end(self) -> None:
        """Stop all consumers."""


class FailedWithResults(MQError):
    """Raised by a verb that fails and has results all the same. results: in front of completion code and reason."""

    results: tuple[Any, ...] = ()


class PutCounts:
    """Outcomes of asynchronous puts since the last MQSTAT: their numbers, and the first that did not succeed."""

    def __init__(self) -> None:
        self.by_comp_code: Counter[int] = Counter()
        self.first: tuple[int, int, str, int] = (MQCC_OK, 0, "", MQOT_Q)

    def note(self, comp_code: int, reason: int, object_name: str, object_type: int) -> None:
        """Count one put. object_type: MQOT_*."""
        self.by_comp_code[comp_code] += 1
        if comp_code > self.first[0]:
            self.first = (comp_code, reason, object_name, object_type)


class CallSession:
    """Connection of a program.

    objects: what is open, by handle.  message_handles: those that were created here.  getting: held by a thread that
    gets by a handle.  puts: outcomes of asynchronous puts.  consumers: what MQCB has registered, once it has.
    """

    queue_class: type[Any] = Handle

    def __init__(self, connection: SharedConnection, options: int) -> None:
        self.connection = connection
        self.lock = connection.lock
        self.options = options
        self.objects: dict[int, Any] = {}
        self.message_handles: dict[int, MessageHandle] = {}
        self.getting: dict[int, Lock] = {}
        self.puts = PutCounts()
        self.consumers: MessageConsumers | None = None
        self._thread = get_ident()

    def verb(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """Return what makes a call on this connection: another verb where its queue manager is elsewhere."""
        return verb

    def enter(self, *, while_started: bool = False) -> None:
        """Begin a call. while_started: it may be made from outside of the consumers while they are started.

        Raises MQError: MQRC_HCONN_ERROR, MQRC_CALL_IN_PROGRESS, MQRC_HCONN_ASYNC_ACTIVE.
        """
        is_consumer = self.consumers is not None and self.consumers.is_current()
        if not (self.options & _SHARED or is_consumer or self._thread == get_ident()):
            raise MQError("the connection is for the thread that made it", MQRC_HCONN_ERROR)
        if not self.lock.acquire(blocking=not self.options & MQCNO_HANDLE_SHARE_NO_BLOCK):
            raise MQError("another thread's call is in progress", MQRC_CALL_IN_PROGRESS)
        if self.consumers is not None and self.consumers.is_running and not (is_consumer or while_started):
            self.lock.release()
            raise MQError("consumers have been started: stop or suspend them first", MQRC_HCONN_ASYNC_ACTIVE)

    def open_object(self, handle: int, kind: type | tuple[type, ...], reason: int = MQRC_HOBJ_ERROR) -> Any:
        """Return the object with a handle. Raises MQError: the reason, if there is no such object."""
        found = self.objects.get(handle)
        if found is None or not isinstance(found, kind):
            raise MQError(f"{handle} is not an open handle", reason)
        return found

    def acting_for(self, values: dict[str, Any], *, is_alternate: bool) -> AbstractContextManager[None]:
        """Return a context in which the alternate user of an MQOD or MQSD is checked, where it is the one to act.

        Raises MQError: MQRC_NOT_AUTHORIZED when the user of the connection may not act for others.
        """
        connection = self.connection
        if not is_alternate or authority.checked_user(connection) is None:
            return nullcontext()
        authority.check(connection, QMGR, connection.name, [AUTHORITIES["ALTUSR"]])
        return authority.override_user(connection, read_characters(values["AlternateUserId"]))

    def add(self, opened: object) -> int:
        handle = next(_numbers)
        self.objects[handle] = opened
        return handle

    def message_handle(self, handle: int) -> MessageHandle | None:
        """Return a message handle; None for 0 or -1. Raises MQError: MQRC_HMSG_ERROR."""
        if handle in (0, -1):
            return None
        if handle not in self.message_handles:
            raise MQError(f"{handle} is not a message handle of this connection", MQRC_HMSG_ERROR)
        return self.message_handles[handle]

    def add_message_handle(self, made: MessageHandle) -> int:
        handle = next(_numbers)
        self.message_handles[handle] = made
        return handle


def counted(name: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Count the calls of a verb under a name, where calls of the connection are counted."""

    def decorate(verb: Callable[..., T]) -> Callable[..., T]:
        @wraps(verb)
        def counting(session: CallSession, *arguments: Any, **others: Any) -> T:
            counters, run = session.connection.counters, partial(verb, session, *arguments, **others)
            return run() if counters is None else counters.call(name, run)

        return counting

    return decorate


def add(session: CallSession) -> int:
    handle = next(_numbers)
    _sessions[handle] = session
    return handle


def remove(handle: int) -> None:
    _sessions.pop(handle, None)


def end_all() -> None:
    """End all connections of this process and back out their units of work, as if it had died."""
    for handle, session in list(_sessions.items()):
        remove(handle)
        with CallBlock(), session.lock:
            if session.consumers is not None:
                session.consumers.end()
            if not session.connection.has_ended:
                session.connection.backout()
                session.connection.disconnect()


def find(handle: int) -> CallSession:
    """Return a connection. Raises MQError: MQRC_HCONN_ERROR."""
    session = _sessions.get(handle)
    if session is None:
        raise MQError(f"{handle} is not a connection handle", MQRC_HCONN_ERROR)
    return session


def call(
    handle: int,
    verb: Callable[..., Any],
    arguments: tuple[Any, ...],
    otherwise: tuple[Any, ...],
    *,
    while_started: bool = False,
) -> Any:
    """Call a verb on a connection; return its results with completion code and reason at the end.

    verb: takes the session and the arguments; gives its results and a reason at the end, MQRC_NONE or a warning.
    otherwise: the results of a call that failed with an error without results.  while_started: as for
    ``CallSession.enter``.
    """
    with CallBlock():
        return _call(handle, verb, arguments, otherwise, while_started)


def call_to_end(
    handle: int, verb: Callable[..., Any], arguments: tuple[Any, ...], *, while_started: bool = False
) -> Any:
    """Call a verb that ends something and has no results; inside another call it is deferred, and succeeds."""
    if defer(partial(_call, handle, verb, arguments, (), while_started)):
        return MQCC_OK, MQRC_NONE
    return call(handle, verb, arguments, (), while_started=while_started)


def _call(
    handle: int, verb: Callable[..., Any], arguments: tuple[Any, ...], otherwise: tuple[Any, ...], while_started: bool
) -> Any:
    try:
        session = find(handle)
        session.enter(while_started=while_started)
        try:
            *results, reason = session.verb(verb)(session, *arguments)
        finally:
            session.lock.release()
    except FailedWithResults as error:
        return (*error.results, MQCC_FAILED, error.reason)
    except MQError as error:
        return (*otherwise, MQCC_FAILED, error.reason)
    except Exception:
        if not sys.is_finalizing():
            raise
        # Called by a ``__del__`` so late that nothing can be imported: the process ends without MQDISC (BEY-56).
        return (*otherwise, MQCC_FAILED, MQRC_CONNECTION_BROKEN)
    return (*results, MQCC_WARNING if reason else MQCC_OK, reason)
