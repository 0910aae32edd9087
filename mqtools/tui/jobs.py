"""Long work: what is being done, what waits for its turn, and what became of the last of it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from mqtools.formats.phrases import grouped
from mqtools.records import Record
from mqtools.tui.outcome import Outcome

if TYPE_CHECKING:
    from threading import Event
    from typing import Any

#: Seconds after which a job shows itself.
PATIENCE_S = 0.4
#: A step that takes so many seconds is worth a word.
_LONG_STEP_S = 3
#: Jobs that are over and remembered.
_REMEMBERED = 50
_BAR = 10


class Job(Record):
    """Something long that was asked for.

    words: what it is, as in "Move 3 messages from Q to R".  verb: as in moved.  total: messages, None when not known.
    cancelled: set to stop it.  outcome: so far, None while it waits.  result: what became of it, None until it is over.
    asked_at, stepped_at: when it was asked for, and came on last, on the clock of ``monotonic``.
    """

    __slots__ = ("words", "verb", "total", "cancelled", "outcome", "result", "asked_at", "stepped_at")

    def __init__(self, words: str, verb: str, total: int | None, cancelled: Event) -> None:
        self.words = words
        self.verb = verb
        self.total = total
        self.cancelled = cancelled
        self.outcome: Outcome | None = None
        self.result: str | None = None
        self.asked_at = self.stepped_at = monotonic()

    def end(self, value: Any) -> Exception | None:
        """Take what it came to, an Outcome or an error; return the error, also that of an Outcome."""
        failed = isinstance(value, Exception)
        error: Exception | None = value if failed else None if value is None else value.error
        outcome = self.outcome if failed else value
        if isinstance(outcome, Outcome):
            outcome.error = outcome.error or error
            self.result = outcome.words(self.verb, was_cancelled=self.cancelled.is_set())
        else:
            self.result = "stopped" if error is None else f"{self.words}: {error}"
        return error

    def line(self) -> str:
        """Say in a line what it is and how far, or what became of it."""
        return f"{self.words}: {self.state() if self.result is None else self.result}"

    def state(self) -> str:
        """Say how far it is."""
        if self.cancelled.is_set():
            return "stops after the step at hand"
        if self.outcome is None:
            return "waits"
        done = self.outcome.done + self.outcome.gone + self.outcome.failed
        total = self.outcome.total or self.total or 0
        if not total:
            return f"{grouped(done)} so far"
        return f"{grouped(done)} of {grouped(total)} {_bar(done / total)}"


def _bar(part: float) -> str:
    full = round(min(1.0, part) * _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}]"


class Jobs:
    """The jobs of one browser, the last asked for at the end, and the short writes that have not ended."""

    def __init__(self) -> None:
        self.all: list[Job] = []
        self._short: list[tuple[str, float]] = []

    def begin_short(self, action: str) -> tuple[str, float]:
        """Take in a short write; return what ``end_short`` takes."""
        short = (action, monotonic())
        self._short.append(short)
        return short

    def end_short(self, short: tuple[str, float]) -> None:
        """Forget a short write that has ended."""
        self._short.remove(short)

    @property
    def going_on(self) -> list[Job]:
        """Those that are not over."""
        return [job for job in self.all if job.result is None]

    def add(self, job: Job) -> None:
        """Take in a job, and forget the oldest that is over."""
        self.all.append(job)
        over = [one for one in self.all if one.result is not None]
        if len(over) > _REMEMBERED:
            self.all.remove(over[0])

    def line(self) -> str:
        """Say what is being done, and how much waits; empty when there is nothing that takes long."""
        jobs = self.going_on
        if not jobs and self._short:
            return self._short_line()
        if not jobs or monotonic() - jobs[0].asked_at < PATIENCE_S:
            return ""
        more = f" · {len(jobs) - 1} more" if len(jobs) > 1 else ""
        still_s = int(monotonic() - jobs[0].stepped_at)
        held = f" · no step for {still_s} s: somebody may hold the file" if still_s >= _LONG_STEP_S else ""
        return f"{jobs[0].state()}{more}{held} · {jobs[0].words}"

    def _short_line(self) -> str:
        action, asked_at = self._short[0]
        if monotonic() - asked_at < PATIENCE_S:
            return ""
        more = f" · {len(self._short) - 1} more" if len(self._short) > 1 else ""
        return f"{action}: waits for the file, which another program holds{more}"
