"""End of a run of transactions by an error or a signal: what was committed before stays, and is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from mqtools.errors import MQError

from .command_session import Session, Terminated


class PartlyDone:
    """A block whose error is printed, and ends it, where some messages are done: the exit status is 9 then.

    It is around the blocks of the connections: these back out the unit of work that the error interrupted.
    count_done: returns the number of messages that are done.  balance: returns what is done, in words, which a signal
    prints, too; None where the block itself prints it.  has_failed: whether an error has ended the block.
    """

    def __init__(
        self, session: Session, count_done: Callable[[], int], balance: Callable[[], str] | None = None
    ) -> None:
        self._session, self._count_done, self._balance = session, count_done, balance
        self.has_failed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, *_: object) -> bool:
        words = "" if self._balance is None else self._balance()
        if words and isinstance(error, (KeyboardInterrupt, Terminated)):
            self._session.note(words)
        if not isinstance(error, MQError) or not self._count_done():
            return False
        self._session.report_error(error, words)
        self.has_failed = True
        return True
