"""Time slices: long work is done a few hundredths of a second at a time, so that short tasks run in between."""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import TYPE_CHECKING

from mqtools.tui.background.reader import value_or_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event
    from typing import Any

    from mqtools.tui.background.reader import Answer, Deliver

#: Length of a slice (seconds).
_SLICE_S = 0.05


class Slices:
    """One long job, run slice by slice in the thread that owns it.

    begin: starts it; each step yields the progress.  progress: takes that from time to time.  answer: takes the last
    one, or the error.
    """

    def __init__(
        self, begin: Callable[[], Iterator[Any]], progress: Answer, answer: Answer, cancelled: Event, deliver: Deliver
    ) -> None:
        self._begin = begin
        self._progress = progress
        self._answer = answer
        self._cancelled = cancelled
        self._deliver = deliver
        self._steps: Iterator[Any] | None = None
        self._last: Any = None

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled.is_set()

    def run_slice(self, is_stopping: Callable[[], bool]) -> bool:
        """Run one slice; return whether there is more to do."""
        value = value_or_error(lambda: self._advance(is_stopping))
        last = self._last
        if value is True:
            self._deliver(lambda: self._progress(last))
        else:
            self._deliver(lambda: self._answer(last if value is False else value))
        return value is True

    def _advance(self, is_stopping: Callable[[], bool]) -> bool:
        until = monotonic() + _SLICE_S
        while not (self._cancelled.is_set() or is_stopping()):
            if self._steps is None:
                self._steps = self._begin()
            try:
                self._last = next(self._steps)
            except StopIteration:
                return False
            if monotonic() >= until:
                return True
        if isinstance(self._steps, Generator):
            self._steps.close()
        return False
