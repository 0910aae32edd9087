"""Progress display on a terminal's stderr for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.status import Status
from rich.text import Text

from .command_session import Session

T = TypeVar("T")

_PATIENCE_S = 1.0
#: Messages in one transaction.
_BATCH = 100


class ProgressBar:
    """Progress bar, shown after a second, on a terminal, unless quiet.

    what: label.  total: number of items, None where it is unknown.
    """

    def __init__(self, session: Session, what: str, total: int | None) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._is_wanted = not session.quiet and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, number: int = 1) -> None:
        self._done += number
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)
        elif self._is_wanted and time.monotonic() - self._begun > _PATIENCE_S:
            self._begin()

    def show(self, done: int, total: int | None) -> None:
        """Set the number of completed items and their total; None where it is unknown."""
        self._total = total
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, total=total)
        self.advance(done - self._done)

    def describe(self, what: str) -> None:
        """Set the label."""
        self._what = what
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=what)

    def _begin(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._what, total=self._total, completed=self._done)
        self._bar.start()


def with_progress(session: Session, what: str, items: Iterable[T]) -> Iterable[T]:
    """Yield items and show their number, on a terminal, once that takes longer than a second. what: label."""
    if session.quiet or not sys.stderr.isatty():
        return items
    return _with_bar(session, what, items)


def _with_bar(session: Session, what: str, items: Iterable[T]) -> Iterator[T]:
    with ProgressBar(session, what, None) as bar:
        for item in items:
            yield item
            bar.advance()


def in_batches(session: Session, what: str, keys: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield keys of messages in batches, one for each transaction, and show the progress. what: label."""
    with ProgressBar(session, what, len(keys)) as bar:
        for at in range(0, len(keys), _BATCH):
            batch = keys[at : at + _BATCH]
            yield batch
            bar.advance(len(batch))


class StatusLine:
    """Status line of work without a known end, on a terminal, unless quiet."""

    def __init__(self, session: Session) -> None:
        self.is_shown = not session.quiet and sys.stderr.isatty()
        self._line: Status | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.stop()

    def show(self, text: str) -> None:
        """Replace the text of the line. text: must not contain message content."""
        if self._line is None:
            self._line = Console(stderr=True).status(Text(text), refresh_per_second=2)
            self._line.start()
        self._line.update(Text(text))
