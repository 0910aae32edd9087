"""Implementation of ``mqx get --exec``: run a shell command for messages; its exit status decides.

A get under syncpoint holds a message while its command runs: other programs do not see it, and the queue is not
locked. When this process dies, the command is terminated, and the message is back on the queue when it has ended.
After a failed command the message is tried again up to the queue's BackoutThreshold, and then moved by
``mqtools.operations.consumer``.
"""

from __future__ import annotations

import math
import signal
import time
from contextlib import ExitStack

from mqtools.constants.options import MQWI_UNLIMITED
from mqtools.constants.reasons import MQRC_MISSING_REPLY_TO_Q
from mqtools.errors import MQError, StorageError
from mqtools.formats.phrases import counted
from mqtools.mqi.get.request import GetResult
from mqtools.operations import consumer
from mqtools.operations.output_reader import pause
from mqtools.operations.selection import EVERYTHING

from ..browse.browse import browse_messages
from ..browse.request import BrowseRequest
from ..shared.command_session import (
    DONE,
    FAILED,
    JSON,
    NOTHING_THERE,
    PARTLY,
    TERMINATED,
    WARNING,
    Session,
)
from ..shared.counts import print_totals
from ..shared.service_signals import ServiceSignals
from .alarm import Alarm
from .exec_command import RunningCommand, end_all, environment_of
from .exec_elsewhere import WorkerElsewhere
from .exec_options import ExecRequest
from .exec_source import MessageSource
from .exec_stage import OutputError, Stage
from .exec_worker import HeldMessage, Worker
from .request import GetRequest


def get_and_run(session: Session, request: GetRequest, execution: ExecRequest) -> int:
    """Run a command for each message: exit status 0 commits the get, any other backs it out.

    Return 0 when all succeeded, 9 when a message was moved or is left, 3 when there was no message, 1 when all that are
    left have no reply-to queue. A failure after
    the reader of the output has gone ends the run: the next command would fail for the same reason. A signal ends the
    run when the running commands have ended, or their grace is over; then it decides the exit status.
    """
    if request.dry_run:
        selection = request.selection or EVERYTHING
        return browse_messages(session, BrowseRequest(request.queue, limit=request.limit, selection=selection))
    run = _Run(session, request, execution)
    try:
        return run.run_to_status()
    except MQError as error:
        if run.is_empty:
            raise
        session.report_error(error, done=run.balance())
        return PARTLY


class _Run:
    """Run over a queue. done, moved: number of messages that succeeded and that were moved.

    left: keys of those that failed and are still on the queue.  lacking: keys of those without a reply-to queue.
    given_back: number of those whose commands had not succeeded when a signal ended the run.
    """

    def __init__(self, session: Session, request: GetRequest, execution: ExecRequest) -> None:
        self.done = self.moved = self.given_back = 0
        self._ends_at: float | None = None
        self._starts_until = time.monotonic() + execution.max_run_s
        self._alarm = Alarm()
        self.left: set[int] = set()
        self._lacking: set[int] = set()
        self._warned = False
        self._session = session
        self._request = request
        self._execution = execution
        self._workers: list[Worker] = []
        self._supply = MessageSource(request)

    def run_to_status(self) -> int:
        """Run until no more messages come or until a signal; return the exit status.

        An error backs out what the connections hold.
        """
        session, request, execution = self._session, self._request, self._execution
        with ExitStack() as opened:
            kind = WorkerElsewhere if session.is_elsewhere else Worker
            self._workers = [kind(session, request.queue, opened) for _ in range(execution.parallel)]
            if session.elsewhere:
                there = self._workers[0].connection
                session.confirm_removal(there, "run the command for", request.queue, request.limit)
            if execution.stage is not None:
                execution.stage.check(self._workers[0].check_target)
            opened.enter_context(self._alarm)
            signals = ServiceSignals(
                self.end,
                end_at_once=self.end_at_once,
                others={signal.SIGCHLD: self._alarm.ring},
                terminated=DONE if request.wait_ms == MQWI_UNLIMITED else TERMINATED,
            )
            with signals:
                self.run()
            if self.is_empty and not signals.came and not self._is_over:
                selection = request.selection or EVERYTHING
                self._workers[0].print_hint(session, request.queue, selection)
                return NOTHING_THERE
        return self.status(signals.status if signals.came else None)

    @property
    def _is_over(self) -> bool:
        """Whether the time of --max-run is over."""
        return time.monotonic() >= self._starts_until

    @property
    def is_empty(self) -> bool:
        """Whether there was no message."""
        return not (self.done or self.moved or self.left or self.given_back)

    def status(self, after_signal: int | None) -> int:
        """Return the exit status; print the balance to stderr, except when one message was requested and is done.

        after_signal: exit status after the signal, None without one.
        """
        is_whole = not self.left and not self.moved
        if self._session.output in JSON or not is_whole or self.given_back or self._request.limit != 1:
            print_totals(self._session, self.balance(), self.done, self._counts())
        if after_signal is not None:
            return after_signal
        if is_whole:
            return WARNING if self._warned else DONE
        return FAILED if not (self.done or self.moved) and self.left <= self._lacking else PARTLY

    def balance(self) -> str:
        """Return the balance in words."""
        others = (self.moved, "moved"), (len(self.left), "backed out"), (self.given_back, "given back")
        return ", ".join([f"{counted(self.done)} done", *(f"{number} {what}" for number, what in others if number)])

    def _counts(self) -> dict[str, object]:
        counts: dict[str, object] = {"done": self.done, "moved": self.moved, "backed_out": len(self.left)}
        if self.given_back:
            counts["given_back"] = self.given_back
        return counts

    def end(self) -> None:
        """End the run when the running commands have ended, at the latest after their grace. Called by a thread."""
        self._ends_at = time.monotonic() + self._execution.grace_s
        self._alarm.ring()

    def end_at_once(self) -> None:
        """End the run now. Called by a thread."""
        self._ends_at = 0
        self._alarm.ring()

    def run(self) -> None:
        """Run commands until no more messages come, or until ``end``; terminate those that then still run."""
        try:
            while self._ends_at is None:
                self._settle_ended()
                while (worker := self._idle()) is not None and (result := self._next(worker)) is not None:
                    self._start(worker, result)
                    self._settle_ended()
                if not self._sleep():
                    return
            self._finish()
        except BaseException:
            end_all(self._running())
            raise

    def _next(self, worker: Worker) -> GetResult | None:
        return self._supply.next(worker) if self._ends_at is None and not self._is_over else None

    def _running(self) -> list[RunningCommand]:
        return [worker.command for worker in self._workers if worker.command is not None]

    def _finish(self) -> None:
        """Let the running commands end within their grace; give the messages of the others back."""
        assert self._ends_at is not None
        if self._running() and time.monotonic() < self._ends_at:
            words = f"waiting {self._execution.grace_s:g} s for {counted(len(self._running()), 'command')} to end"
            self._session.note(f"{words}; a second signal terminates them")
        while self._running() and time.monotonic() < self._ends_at:
            self._alarm.wait(min(self._ends_at, self._next_look_at()))
            self._alarm.clear()
            self._settle_ended()
        end_all(self._running())
        for worker in self._workers:
            if worker.command is not None:
                self._give_back(worker)

    def _give_back(self, worker: Worker) -> None:
        worker.give_back()
        worker.command = None
        self.given_back += len(worker.held)

    def _idle(self) -> Worker | None:
        return next((worker for worker in self._workers if worker.command is None), None)

    def _sleep(self) -> bool:
        """Sleep until there may be something to do; return False when no more messages will come."""
        supply, worker, now = self._supply, self._idle(), time.monotonic()
        if self._is_over:
            worker = None
        instants = [self._next_look_at(), math.inf if worker is None else self._starts_until]
        is_waiting = worker is not None and now < supply.waits_until
        if worker is not None and now < supply.next_start_at:
            is_waiting = False
            instants.append(supply.next_start_at)
        elif not self._running() and (self._is_over or (supply.next_retry_at == math.inf and not is_waiting)):
            return False
        elif worker is not None:
            instants += [supply.next_retry_at, supply.waits_until if is_waiting else math.inf]
        until = min(instants)
        deadline = None if until == math.inf else until
        if worker is not None and is_waiting:
            self._wait_for_message(worker, deadline)
        else:
            self._alarm.wait(deadline)
        self._alarm.clear()
        return True

    def _next_look_at(self) -> float:
        """Return when a running command must be looked at again, infinity for its end."""
        return min((command.next_look_at for command in self._running()), default=math.inf)

    def _wait_for_message(self, worker: Worker, deadline: float | None) -> None:
        found: list[GetResult] = []

        def look() -> bool:
            result = self._next(worker)
            found.extend([] if result is None else [result])
            return result is not None

        worker.wait(deadline, look, self._alarm.descriptor)
        if found:
            self._start(worker, found[0])

    def _start(self, worker: Worker, result: GetResult) -> None:
        """Start the command for a message and those of its batch, or move one that has reached the threshold."""
        execution = self._execution
        worker.held = [HeldMessage(result.message, result.held)]
        if consumer.has_reached(worker.threshold, result.message.md):
            self._requeue(worker, worker.held[0])
            return
        if execution.stage is not None and execution.stage.lacks_destination(result.message.md):
            self._lacking.update(result.held)
            error = MQError("the message has no reply-to queue", MQRC_MISSING_REPLY_TO_Q)
            self._settle(worker, str(error))
            return
        results = self._supply.next_batch(worker, result, execution.batch)
        worker.held = [HeldMessage(each.message, each.held) for each in results]
        self._warned = self._warned or any(each.reason for each in results)
        q_name, data = self._request.queue, result.message.data
        if execution.batch:
            data = worker.input_of_batch(q_name, execution.ends_with_nul)
        environment = environment_of(None if execution.batch else result.message, q_name, worker.qmgr_name)
        worker.command = RunningCommand(execution, data, environment, worker.life)
        for name, length, instead in worker.command.spill.moved:
            self._session.note(
                f"message {worker.held[0].name}: {name} ({length} bytes) is too large for an environment: {instead} "
                "names a file with its value"
            )
        worker.command.start()

    def _settle_ended(self) -> None:
        """Commit or back out the messages whose commands have ended."""
        for worker in self._workers:
            command = worker.command
            if command is not None and command.has_ended():
                if command.failure is not None and self._ends_at is not None:
                    self._give_back(worker)  # the signal may have come to the command, too
                else:
                    self._settle(worker, command.failure)
                worker.command = None
                command.close()
                self._supply.note_progress()

    def _settle(self, worker: Worker, failure: str | None) -> None:
        """Commit the unit of work of a command with its output, or back it out. failure: of the command."""
        if failure is None and self._execution.stage is not None:
            failure = self._put_output(worker, self._execution.stage)
        if failure is None:
            worker.connection.commit()
            self.left.difference_update(*(held.keys for held in worker.held))
            self.done += len(worker.held)
            return
        worker.connection.backout()
        if self._execution.stage is None:
            pause(0)  # ends the run if the reader of the output is gone
        again, (first, *others) = "", worker.held
        pause_s = math.inf
        if worker.threshold:
            pause_s = consumer.retry_delay_s(self._execution.retry_delay_s, first.message.md.backout_count)
            again = f"; next try in {pause_s:g} s"
        for held in worker.held:
            self._note_left(held.keys, time.monotonic() + pause_s)
        which = counted(len(worker.held)) if others else f"message {first.name}"
        self._session.note(f"{which} backed out: {failure}{again}")

    def _put_output(self, worker: Worker, stage: Stage) -> str | None:
        """Put the output of a command in the unit of work of its messages; return why that failed, or None."""
        assert worker.command is not None
        original = None if self._execution.batch else worker.held[0].message
        try:
            reason = stage.put(worker.connection, original, worker.command.output)
        except StorageError:
            raise
        except (MQError, OutputError) as error:
            return f"cannot put the output: {error}"
        self._warned = self._warned or bool(reason)
        return None

    def _note_left(self, keys: tuple[int, ...], next_try_at: float) -> None:
        self.left.add(keys[0])
        self._supply.seen.update(keys)
        self._supply.retries[keys[0]] = next_try_at

    def _requeue(self, worker: Worker, held: HeldMessage) -> None:
        """Move a message that has reached the backout threshold; leave it where that fails."""
        times = counted(held.message.md.backout_count, "time")
        try:
            destination = worker.requeue(held.message)
        except StorageError:
            raise
        except MQError as error:
            self._note_left(held.keys, math.inf)
            self._session.note(f"message {held.name} backed out {times}, cannot be moved: {error}")
            return
        self.left.difference_update(held.keys)
        self.moved += 1
        where = f"moved to {destination}" if destination else "discarded as its report options say"
        self._session.note(f"message {held.name} backed out {times}, {where}")
