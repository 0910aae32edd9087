"""Background work: short tasks and long jobs, their progress, results and cancellation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from mqtools.formats.terminal import visible
from mqtools.operations.views.message_view import Database
from mqtools.tui.background.jobs import PATIENCE_S, BackgroundJob
from mqtools.tui.background.reader import Answer, read_in_thread
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.display.outcome import Outcome

if TYPE_CHECKING:
    from mqtools.tui.background.writer import SessionWriter

Done = Callable[[Any], None]


class WorkController(Controller):
    """Work that runs in another thread.

    Jobs that change messages run in the writer thread, one after the other; a job that only reads has its own thread.
    """

    @property
    def writer(self) -> SessionWriter:
        writer = self.browser.session.writer
        assert writer is not None
        return writer

    # -- short writes

    def write(
        self,
        action: str,
        task: Callable[[SessionWriter], Any],
        done: Done | None = None,
        failed: Callable[[Exception], None] | None = None,
        *,
        is_logged: bool = True,
    ) -> None:
        """Run a short task in the writer thread.

        action: name of the task, with the queue; shown while it waits for the file, and with an error.  done: takes
        what the task returned.  failed: takes the error instead of a notification.  is_logged: in the session's log.
        """
        short = (action, monotonic())
        self.browser.jobs.short.append(short)

        def answer(value: Any) -> None:
            self.browser.jobs.short.remove(short)
            if is_logged:
                self.browser.jobs.note(action, value if isinstance(value, Exception) else None)
            self.show_progress()
            if not isinstance(value, Exception):
                if done is not None:
                    done(value)
            elif failed is not None:
                failed(value)
            else:
                self.browser.fail(value, action)

        self.writer.do(task, answer)
        self._show_progress_soon()

    # -- jobs

    def job(
        self,
        words: str,
        verb: str,
        steps: Callable[[SessionWriter], Iterator[Any]],
        total: int | None,
        *,
        progress: Callable[[], None] | None = None,
        done: Done | None = None,
    ) -> None:
        """Run a job in the writer thread step by step; each step yields an Outcome.

        words: name of the job, with number of messages and queue.  verb: past tense, as in moved.  progress: called
        after some of the steps; with it only errors are notified.  done: takes the last Outcome, or the error.
        """
        job = self._begin(words, verb, total)
        end = self._end_of(job, done, is_quiet=progress is not None, changes=True)
        self.writer.run(steps, self._progress_of(job, progress), end, job.cancelled)

    def read_job(
        self,
        words: str,
        verb: str,
        work: Callable[[Database], Iterator[Any]],
        total: int | None,
        done: Done | None = None,
    ) -> BackgroundJob:
        """Run a job that only reads what is listed, in its own thread. Arguments as for ``job``.

        done: with it only errors are notified.
        """
        job = self._begin(words, verb, total)
        read_in_thread(
            self.browser.message_list.reader,
            work,
            progress=self._progress_of(job),
            answer=self._end_of(job, done, is_quiet=done is not None),
            cancelled=job.cancelled,
        )
        return job

    def _begin(self, words: str, verb: str, total: int | None) -> BackgroundJob:
        job = BackgroundJob(words, verb, total, Event())
        self.browser.jobs.add(job)
        self._show_progress_soon()
        return job

    def _progress_of(self, job: BackgroundJob, then: Callable[[], None] | None = None) -> Answer:
        def progress(outcome: Any) -> None:
            job.outcome, job.stepped_at = outcome, monotonic()
            if then is not None:
                then()
            self.show_progress()

        return progress

    def _end_of(self, job: BackgroundJob, done: Done | None, *, is_quiet: bool, changes: bool = False) -> Answer:
        def ended(value: Any) -> None:
            error = job.end(value)
            if changes:
                self.browser.jobs.note(job.line(), error)
            if error is not None or not is_quiet:
                self.browser.say(f"{job.result}{self._undo(value)}", "information" if error is None else "error")
            for following in self.browser.jobs.going_on[:1]:
                following.stepped_at = monotonic()  # it is the one that runs now
            self.show_progress()
            if done is not None:
                done(value)
            self.browser.changed()

        return ended

    def _undo(self, value: Any) -> str:
        """Return the key that undoes a job, in words; empty where none does."""
        can_be = isinstance(value, Outcome) and value.can_be_undone
        return f"; {self.browser.session.first_key('undo')} undoes" if can_be else ""

    # -- progress

    def _show_progress_soon(self) -> None:
        self.browser.set_timer(PATIENCE_S + 0.01, self.show_progress)

    def show_progress(self) -> None:
        text = self.browser.jobs.line()
        if text and self.browser.jobs.going_on:
            text = f"{self.browser.session.first_key('jobs')} stops · {text}"
        self.browser.job_line.show(visible(text))

    def quit(self) -> None:
        """Quit; ask first while jobs are running."""
        jobs = [job for tab in self.browser.tabs.tabs.values() for job in tab.jobs.going_on]
        self._end(jobs, "quit", "Quit", self.browser.app.exit)

    def close(self) -> None:
        """Close the queue manager in front; ask first while its jobs are running. The last one stays."""
        tabs = self.browser.tabs
        jobs = self.browser.jobs.going_on if len(tabs.tabs) > 1 else []
        self._end(jobs, "close the queue manager", "Close", tabs.close_tab)

    def _end(self, jobs: list[BackgroundJob], words: str, yes: str, end: Callable[[], object]) -> None:
        if jobs:
            stop = f"Stop {'it' if len(jobs) == 1 else f'these {len(jobs)} jobs'} and {words}?"
            self.browser.confirm("\n".join([*(job.line() for job in jobs[:5]), "", stop]), yes, end)
        else:
            end()
