"""Words for the journal: what a transaction does other than put, get or delete, and what is said of its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    class CausedWork(Protocol):
        """Transaction as its cause sees it (``transaction.Work``)."""

        cause: tuple[str, int, str | None] | None
        deliver_at: int | None

    class DescribedConnection(Protocol):
        """Connection as the words for its events see it (``transaction.ConnectionState``)."""

        event_detail: str | None


class Cause:
    """Context that sets the cause of a transaction and restores the one before.

    What it puts by itself, such as a report, has no delivery delay.
    """

    __slots__ = ("_before", "_cause", "_work")

    def __init__(self, work: CausedWork, cause: tuple[str, int, str | None]) -> None:
        self._work = work
        self._cause = cause
        self._before = work.cause, work.deliver_at

    def __enter__(self) -> None:
        self._work.cause, self._work.deliver_at = self._cause, None

    def __exit__(self, *_: object) -> None:
        self._work.cause, self._work.deliver_at = self._before


class EventDetail:
    """Context in which the events that a connection causes have these words in the journal."""

    __slots__ = ("_before", "_connection", "_words")

    def __init__(self, connection: DescribedConnection, words: str | None) -> None:
        self._connection = connection
        self._words = words

    def __enter__(self) -> None:
        self._before = self._connection.event_detail
        self._connection.event_detail = self._words

    def __exit__(self, *_: object) -> None:
        self._connection.event_detail = self._before
