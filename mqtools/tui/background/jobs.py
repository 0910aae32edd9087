"""Jobs of a session: those that run, those that wait, and the results of the last ones."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any

from mqtools.formats.phrases import grouped
from mqtools.mqi.identity import now_ms
from mqtools.tui.display.outcome import Outcome

#: Seconds until a running job is displayed.
PATIENCE_S = 0.4
#: Seconds without a step until the line shows that.
_LONG_STEP_S = 3
#: Finished jobs that are kept.
_REMEMBERED = 50
_BAR = 10
#: Entries of the session's log that are kept.
_LOGGED = 1000


@dataclass(slots=True, eq=False)
class BackgroundJob:
    """A long action.

    words: name, as in "Move 3 messages from Q to R".  verb: past tense, as in moved.  total: messages, None if unknown.
    cancelled: set to stop it.  outcome: so far, None while it waits.  result: in words, None until it has ended.
    asked_at, stepped_at: time of the request and of the last step, by ``time.monotonic``.
    """

    words: str
    verb: str
    total: int | None
    cancelled: Event
    outcome: Outcome | None = None
    result: str | None = None
    asked_at: float = field(default_factory=monotonic)
    stepped_at: float = field(default_factory=monotonic)

    def end(self, value: Any) -> Exception | None:
        """Record the result, an Outcome or an error; return the error, also that of an Outcome."""
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
        """Return one line: name and progress, or name and result."""
        return f"{self.words}: {self.state() if self.result is None else self.result}"

    def state(self) -> str:
        if self.cancelled.is_set():
            return "stopping after the current step"
        if self.outcome is None:
            return "waiting"
        done = self.outcome.done + self.outcome.gone + self.outcome.failed
        total = self.outcome.total or self.total or 0
        if not total:
            return f"{grouped(done)} so far"
        return f"{grouped(done)} of {grouped(total)} {_bar(done / total)}"


def _bar(part: float) -> str:
    full = round(min(1.0, part) * _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}]"


class Jobs:
    """The jobs of one session in the order of the requests.

    short: name of each running short task, and the time of its request, by ``time.monotonic``.
    log: when the session did something, in milliseconds since 1970, what, and whether it failed.  began_at: as there.
    """

    def __init__(self) -> None:
        self.all: list[BackgroundJob] = []
        self.short: list[tuple[str, float]] = []
        self.log: deque[tuple[int, str, bool]] = deque(maxlen=_LOGGED)
        self.began_at = now_ms()

    def note(self, words: str, error: Exception | None = None) -> None:
        """Log what this session has done, or failed to do."""
        text = words if error is None or str(error) in words else f"{words}: {error}"
        self.log.append((now_ms(), text, error is not None))

    @property
    def going_on(self) -> list[BackgroundJob]:
        return [job for job in self.all if job.result is None]

    def add(self, job: BackgroundJob) -> None:
        """Add a job; drop the oldest finished one beyond the limit."""
        self.all.append(job)
        over = [one for one in self.all if one.result is not None]
        if len(over) > _REMEMBERED:
            self.all.remove(over[0])

    def line(self) -> str:
        """Return the progress of the running job and the number of waiting ones; empty while nothing takes long."""
        jobs = self.going_on
        if not jobs and self.short:
            return self._short_line()
        if not jobs or monotonic() - jobs[0].asked_at < PATIENCE_S:
            return ""
        more = f" · {len(jobs) - 1} more" if len(jobs) > 1 else ""
        still_s = int(monotonic() - jobs[0].stepped_at)
        held = f" · no step for {still_s} s: another program may hold the file" if still_s >= _LONG_STEP_S else ""
        return f"{jobs[0].state()}{more}{held} · {jobs[0].words}"

    def _short_line(self) -> str:
        action, asked_at = self.short[0]
        if monotonic() - asked_at < PATIENCE_S:
            return ""
        more = f" · {len(self.short) - 1} more" if len(self.short) > 1 else ""
        return f"{action}: waiting for the file, which another program holds{more}"
