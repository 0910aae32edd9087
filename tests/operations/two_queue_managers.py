"""Two queue managers, messages of the one on the other, and a connection that breaks at a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQOO_BROWSE
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.elsewhere.pull import Pull
from mqtools.operations.elsewhere.push import Push
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import local_queue

#: Calls of the interface that a broken connection fails.
_CALLS = ("open", "get", "get_each", "put", "commit", "backout")


def contents(connection: QueueManagerConnection, q_name: str = "Q") -> list[Message]:
    """Return the messages of a queue in the order of delivery."""
    with connection.open(q_name, MQOO_BROWSE) as queue:
        results, _ = queue.get_each(100_000, MQGMO_BROWSE_NEXT)
    return [result.message for result in results]


def bodies(connection: QueueManagerConnection, q_name: str = "Q") -> list[bytes]:
    return [message.data for message in contents(connection, q_name)]


def keys(connection: Connection, q_name: str = "Q") -> list[int]:
    return [stored.seq for stored in select(connection, local_queue(connection, q_name).id)]


def pull(here: Connection, there: QueueManagerConnection, q_name: str = "Q") -> tuple[int, int]:
    """Pull all messages of a queue; return how many came, and how many were here."""
    done = Pull(here, there.q_mgr_id, q_name)
    done.check()
    assert done.add(contents(there, q_name)) is None
    return done.pulled, done.here


def push(here: Connection, there: QueueManagerConnection, q_name: str = "Q", to: str = "Q", **options: Any) -> Push:
    """Push all messages of a queue."""
    done = Push(here, there, to, **options)
    for key in keys(here, q_name):
        done.message(key)
    return done


def edit(here: Connection, at: int, body: bytes, q_name: str = "Q", **fields: Any) -> None:
    """Edit the message at a place of a queue."""
    changes = Changes(fields, body=body)
    assert edit_batch(here, q_name, [keys(here, q_name)[at]], changes.apply).number == 1


class BreakingConnection:
    """A connection that breaks at a call: before it is made, or when it is done.

    From then on each call fails. calls: number so far.
    """

    def __init__(self, inner: Any, at: int = 0, *, is_done: bool = False, end: Callable[[], None]) -> None:
        """at: number of the call, from 1; 0 for none.  end: ends the connection as a death of either end does."""
        self._inner = inner
        self._end = end
        self._at = at
        self._is_done = is_done
        self.calls = 0
        self.is_broken = False

    def __getattr__(self, name: str) -> Any:
        return self.wrap(self._inner, name)

    def wrap(self, owner: Any, name: str) -> Any:
        found = getattr(owner, name)
        if name not in _CALLS:
            return found

        def call(*arguments: Any, context: Any = None, **named: Any) -> Any:
            self.calls += 1
            if self.is_broken:
                raise self._error()
            if self.calls == self._at and not self._is_done:
                self._break()
            if context is not None:
                named["context"] = context.inner
            try:
                result = found(*arguments, **named)
            finally:
                if self.calls == self._at:
                    self._break()
            return _BreakingQueue(self, result) if name == "open" else result

        return call

    def _break(self) -> None:
        self.is_broken = True
        self._end()
        raise self._error()

    @staticmethod
    def _error() -> MQError:
        return MQError("the connection is broken", MQRC_CONNECTION_BROKEN)


class _BreakingQueue:
    def __init__(self, connection: BreakingConnection, inner: Any) -> None:
        self._connection = connection
        self.inner = inner

    def __enter__(self) -> _BreakingQueue:
        return self

    def __exit__(self, *error: object) -> None:
        self.inner.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return self._connection.wrap(self.inner, name)


@contextmanager
def breaking(
    inner: Any, at: int = 0, *, is_done: bool = False, end: Callable[[], None] | None = None
) -> Iterator[BreakingConnection]:
    """A connection that breaks; its error ends the block. inner: the path of a queue manager, or a connection."""
    if isinstance(inner, str):
        inner = connect(inner, appl_name="test", user_identifier="ana")
    connection = BreakingConnection(inner, at, is_done=is_done, end=end or inner.abandon)
    try:
        yield connection
    except MQError as error:
        if error.reason != MQRC_CONNECTION_BROKEN:
            raise
    finally:
        if not connection.is_broken:
            inner.disconnect()
