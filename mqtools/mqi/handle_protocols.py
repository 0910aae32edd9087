"""Open handles, signals and counters as their connection sees them, for type checkers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mqtools.errors import MQError

T = TypeVar("T")


class PendingSignal(Protocol):
    """Methods of a signal that its handle and its connection call (``get.signals``)."""

    @property
    def is_outstanding(self) -> bool:
        """Whether it can still be posted."""

    def settle(self, work: Any) -> None:
        """Remove the waiter of a posted signal."""

    def drop(self) -> None:
        """Cancel it if it is outstanding."""


class OpenHandle(Protocol):
    """Methods of an open handle that a connection calls."""

    def unit_ended(self, *, backed_out: bool, keeps: bool = False) -> None:
        """Restore or forget the positions retained before the unit of work."""

    @property
    def signal(self) -> PendingSignal | None:
        """Its signal, if one was set."""


class CallCounters(Protocol):
    """Methods of the counters of a connection that a transaction calls (``statistics.counters``)."""

    def store(self, work: Any) -> MQError | None:
        """Store what the transaction counted; return why that failed."""

    def hand_over(self, inner: Any, outer: Any) -> None:
        """Pass on what a part of a transaction counted."""

    def note_put(self, work: Any, queue: Any, message: Any, *, is_put1: bool) -> None:
        """Count a message that was put."""

    def note_publish(self, work: Any, message: Any) -> None:
        """Count a message that is published."""

    def note_get(self, attempt: Any, delivery: Any, length: int) -> None:
        """Count a get or browse of a message."""

    def call(self, verb: str, function: Callable[[], T]) -> T:
        """Make a call and count it, or that it failed."""

    def note(self, name: str, numbers: list[int | None]) -> None:
        """Add numbers to a counter of the connection."""

    def note_gone(self, work: Any, q_name: str, name: str, number: int) -> None:
        """Count messages that expired or were cleared."""
