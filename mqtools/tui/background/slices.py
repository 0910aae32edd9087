"""Time slices: long work is done a few hundredths of a second at a time, so that short tasks run in between."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from time import monotonic
from typing import Any

from mqtools.tui.background.reader import Answer, Deliver, value_or_error
from mqtools.tui.display.outcome import Outcome

#: Length of a slice (seconds).
_SLICE_S = 0.05


@dataclass(slots=True, eq=False)
class Slices:
    """One long job, run slice by slice in the thread that owns it.

    steps: each yields the progress.  progress: takes that from time to time.  answer: takes the last one, or
    the error before there is one.
    """

    steps: Generator[Any]
    progress: Answer
    answer: Answer
    cancelled: Event
    last: Any = field(default=None, init=False)

    def run_slice(self, deliver: Deliver, is_stopping: Callable[[], bool]) -> bool:
        """Run one slice; return whether there is more to do."""
        value = value_or_error(partial(self._advance, is_stopping))
        if value is True:
            deliver(partial(self.progress, self.last))
            return True
        if isinstance(value, Exception) and isinstance(self.last, Outcome):
            self.last.error, value = value, False  # what was done until then counts
        deliver(partial(self.answer, self.last if value is False else value))
        return False

    def _advance(self, is_stopping: Callable[[], bool]) -> bool:
        until = monotonic() + _SLICE_S
        while not (self.cancelled.is_set() or is_stopping()):
            try:
                self.last = next(self.steps)
            except StopIteration:
                return False
            if monotonic() >= until:
                return True
        self.steps.close()
        return False
