"""Long work in the browser: it is asked for, shown in a line while it goes on, stopped, and its end is said."""

from __future__ import annotations

from threading import Event
from time import monotonic

from textual.widgets import Static

from mqtools.formats.terminal import visible
from mqtools.tui.browser import Browser, keys_of
from mqtools.tui.dialogs import Ask, JobList
from mqtools.tui.help import key_words
from mqtools.tui.jobs import PATIENCE_S, Job, Jobs
from mqtools.tui.reader import read_apart
from mqtools.tui.verbs import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from textual.screen import ModalScreen

    from mqtools.store.database import Database
    from mqtools.tui.app import Session
    from mqtools.tui.keeper import Keeper
    from mqtools.tui.reader import Answer

    Done = Callable[[Any], None]


class Working(Browser):
    """A browser that does long work beside everything else.

    What changes messages is done by the keeper, one job after the other; what only reads, in a thread of its own.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.jobs = Jobs()
        self._later: list[tuple[ModalScreen[Any], Callable[[Any], None] | None]] = []

    @property
    def keeper(self) -> Keeper:
        """The thread that writes."""
        assert self.session.keeper is not None
        return self.session.keeper

    def job(
        self,
        words: str,
        verb: str,
        steps: Callable[[Keeper], Iterator[Any]],
        total: int | None,
        *,
        done: Done | None = None,
        is_quiet: bool = False,
    ) -> None:
        """Have the keeper do something step by step; each step gives an Outcome.

        words: what it is, with how many messages and the queue.  verb: as in moved.  done: takes what the job came to
        at the end, or its error.  is_quiet: only what went wrong is said.
        """
        job = self._begin(words, verb, total)
        self.keeper.run(steps, self._progress_of(job), self._end_of(job, done, is_quiet=is_quiet), job.cancelled)

    def job_apart(
        self,
        words: str,
        verb: str,
        work: Callable[[Database], Iterator[Any]],
        total: int | None,
        *,
        done: Done | None = None,
        is_quiet: bool = False,
    ) -> Job:
        """The same for something that only reads."""
        job = self._begin(words, verb, total)
        read_apart(
            self.session.path,
            work,
            self.session.deliver,
            progress=self._progress_of(job),
            answer=self._end_of(job, done, is_quiet=is_quiet),
            cancelled=job.cancelled,
        )
        return job

    def changed(self) -> None:
        """Look again, and say how long the job at hand has stood still."""
        super().changed()
        self._say_jobs()

    def _begin(self, words: str, verb: str, total: int | None) -> Job:
        job = Job(words, verb, total, Event())
        self.jobs.add(job)
        self.set_timer(PATIENCE_S + 0.01, self._say_jobs)
        return job

    def _progress_of(self, job: Job) -> Answer:
        def progress(outcome: Any) -> None:
            job.outcome, job.stepped_at = outcome, monotonic()
            self._say_jobs()

        return progress

    def _end_of(self, job: Job, done: Done | None, *, is_quiet: bool) -> Answer:
        def ended(value: Any) -> None:
            failed = isinstance(value, Exception)
            error = value if failed else None if value is None else value.error
            outcome = job.outcome if failed else value
            if isinstance(outcome, Outcome):
                outcome.error = outcome.error or error
                job.result = outcome.words(job.verb, was_cancelled=job.cancelled.is_set())
            else:
                job.result = "stopped" if error is None else str(error)
            if error is not None or not is_quiet:
                self.say(job.result, "information" if error is None else "error")
            for following in self.jobs.going_on[:1]:
                following.stepped_at = monotonic()  # its turn has come
            self._say_jobs()
            if done is not None:
                done(value)
            self.changed()

        return ended

    def _say_jobs(self) -> None:
        """Say in a line what is being done, where it takes long."""
        if not self.is_mounted:
            return
        line, text = self.query_one("#job", Static), self.jobs.line()
        line.display = bool(text)
        line.update(visible(f" {key_words(keys_of(self.session, 'jobs'))} stops · {text}") if text else "")

    def action_jobs(self) -> None:
        """Show the jobs of this session; one of them can be stopped there."""
        if self.jobs.all:
            self.app.push_screen(JobList(self.jobs))
        else:
            self.say("nothing has been done yet")

    def action_quit(self) -> None:
        """Quit; ask first where something is being done."""
        jobs = self.jobs.going_on
        if jobs:
            question = "\n".join([*(job.line() for job in jobs[:5]), "", "Stop it and quit?"])
            self.app.push_screen(Ask(question, "Quit"), lambda yes: self.app.exit() if yes else None)
        else:
            self.app.exit()

    def on_unmount(self) -> None:
        """Let nothing go on that nobody sees the end of."""
        self.listing.cancel_search()
        for job in self.jobs.going_on:
            job.cancelled.set()

    # -- what comes late

    def show_when_free(self, screen: ModalScreen[Any], answer: Callable[[Any], None] | None = None) -> None:
        """Show the result of something long, once no dialog is open."""
        if self.app.screen is self:
            self.app.push_screen(screen, answer)
        else:
            self._later.append((screen, answer))

    def on_screen_resume(self) -> None:
        """Show what came while a dialog was open."""
        if self._later:
            self.app.push_screen(*self._later.pop(0))
