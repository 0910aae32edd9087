"""Connections and handles whose calls are counted: of programs that connect while anything is collected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar, cast

from mqtools.constants.objects import MQOT_Q
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.base_connection import BaseConnection
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import now_ms
from mqtools.mqi.put import PutResult
from mqtools.mqi.resolution import AliasOfTopic
from mqtools.mqi.statistics.counters import Counters
from mqtools.rules.options.get import browses

C = TypeVar("C", bound=BaseConnection)


class CountedHandle(Handle):
    """An open queue whose calls are counted. Calls that succeed are counted where they put and get messages."""

    def put(self, *arguments: Any, **others: Any) -> PutResult:
        with self._failures("put"):
            return super().put(*arguments, **others)

    def put_many(self, *arguments: Any, **others: Any) -> list[PutResult]:
        with self._failures("put"):
            return super().put_many(*arguments, **others)

    def get(self, options: int = 0, **others: Any) -> GetResult:
        with self._failures("browse" if browses(options) else "get"):
            return super().get(options, **others)

    def get_each(self, number: int, options: int = 0, **others: Any) -> tuple[list[GetResult], MQError | None]:
        results, error = super().get_each(number, options, **others)
        if error is not None and not isinstance(error, AliasOfTopic):
            _counters(self.connection).note_failure("browse" if browses(options) else "get", self.base_name)
        return results, error

    def inquire(self, selectors: Sequence[int]) -> list[int | str | None]:
        call = partial(super().inquire, selectors)
        return _counters(self.connection).call("inq", call, object_type=MQOT_Q)

    def set(self, values: dict[int, int | str]) -> None:
        _counters(self.connection).call("set", partial(super().set, values), object_type=MQOT_Q)

    def close(self, options: int = 0) -> int:
        call = partial(super().close, options)
        return _counters(self.connection).call("close", call, self.base_name, object_type=MQOT_Q)

    @property
    def base_name(self) -> str:
        """The name of the queue, also where it was opened by an alias."""
        named = self.connection.db.known.by_id.get(self.queue_id)
        return self.q_name if named is None else str(named[1])

    @contextmanager
    def _failures(self, verb: str) -> Iterator[None]:
        try:
            yield
        except MQError:
            _counters(self.connection).note_failure(verb, self.base_name)
            raise


class CountedCalls(BaseConnection):
    """The calls of a connection that are counted."""

    handle_kind = CountedHandle

    def open(self, q_name: str, *arguments: Any, **others: Any) -> Handle:
        call = partial(super().open, q_name, *arguments, **others)  # type: ignore[misc]
        handle = cast(CountedHandle, _counters(self).call("open", call, object_type=MQOT_Q))
        _counters(self).note("q_open_count", [1], handle.base_name)
        return handle

    def put1(self, q_name: str, message: Message, *arguments: Any, **others: Any) -> PutResult:
        try:
            return super().put1(q_name, message, *arguments, **others)
        except MQError as error:
            if not isinstance(error, AliasOfTopic):
                _counters(self).note_failure("put1", q_name)
            raise

    def put_each(self, q_name: str, *arguments: Any, **others: Any) -> tuple[list[PutResult], MQError | None]:
        results, error = super().put_each(q_name, *arguments, **others)
        if error is not None and not isinstance(error, AliasOfTopic):
            _counters(self).note_failure("put1", q_name)
        return results, error

    def commit(self) -> None:
        _counters(self).call("commit", super().commit)

    def backout(self, *, counts: bool = True) -> None:
        _counters(self).call("back", partial(super().backout, counts=counts))

    def leave(self) -> None:
        lock = self.db.writer_lock
        if self.id is None and not self.has_ended and (lock is None or not lock.has_pending_wait):
            with suppress(MQError):  # of a queue manager that has ended
                self.announce()  # type: ignore[attr-defined]
        _counters(self).is_ending = True
        super().leave()


def counted_kind(kind: type[C]) -> type[C]:
    """Return the class of connections of a kind whose calls are counted."""
    return cast(type[C], type(f"Counted{kind.__name__}", (CountedCalls, kind), {}))


def count_calls(connection: BaseConnection, options: int) -> None:
    """Begin to count the calls of a connection of a counted kind. options: MQCNO_*."""
    connection.counters = Counters(connection, options, now_ms())


def _counters(connection: BaseConnection) -> Counters:
    return cast(Counters, connection.counters)
