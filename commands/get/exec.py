"""Implementation of ``mqx get --exec``: run a shell command for each message; its exit status decides.

A message is got under syncpoint while its command runs: nobody else sees it and the queue is not locked. When this
process dies, the command is terminated, and the message is back on the queue when it has ended. A message whose
command fails is tried again up to the queue's BackoutThreshold, and then moved by ``mqtools.operations.consumer``.
"""

from __future__ import annotations

import math
import signal
import time
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass

from mqtools.constants.options import MQWI_UNLIMITED
from mqtools.errors import MQError, StorageError
from mqtools.formats.jsontext import dumps
from mqtools.formats.phrases import counted
from mqtools.mqi.get.request import GetResult
from mqtools.operations import consumer
from mqtools.operations.output_reader import pause
from mqtools.operations.selection import EVERYTHING

from ..browse.browse import browse_messages
from ..browse.request import BrowseRequest
from ..shared.command_session import DONE, JSON, NOTHING_THERE, PARTLY, TERMINATED, WARNING, Session, write_out
from ..shared.holder_hint import print_holder_hint
from ..shared.service_signals import ServiceSignals
from .alarm import Alarm
from .exec_command import RunningCommand, end_all, environment_of
from .exec_source import MessageSource, Worker
from .request import GetRequest


@dataclass(frozen=True, slots=True)
class ExecRequest:
    """Command to run. parallel: number of commands at the same time.  timeout_s: None for no limit.

    retry_delay_s: pause before the second try of a message; ``consumer.retry_delay_s`` has the following ones.
    grace_s: time for running commands to end after a signal.
    """

    command: str
    _: KW_ONLY
    parallel: int = 1
    timeout_s: float | None = None
    retry_delay_s: float = 1
    grace_s: float = 30


def get_and_run(session: Session, request: GetRequest, execution: ExecRequest) -> int:
    """Run a command for each message: exit status 0 commits the get, any other backs it out.

    Return 0 when all succeeded, 9 when a message was moved or is left, 3 when there was no message. A failure when
    nobody reads the output any more ends the run: the next command would fail for the same reason. A signal ends the
    run when the running commands have ended, or their grace is over; then it decides the exit status.
    """
    if request.dry_run:
        selection = request.selection or EVERYTHING
        return browse_messages(session, BrowseRequest(request.queue, limit=request.limit, selection=selection))
    with ExitStack() as opened:
        workers = [Worker(session, request.queue, opened) for _ in range(execution.parallel)]
        alarm = opened.enter_context(Alarm())
        run = _Run(session, request, execution, workers, alarm)
        signals = ServiceSignals(
            run.end,
            end_at_once=run.end_at_once,
            others={signal.SIGCHLD: alarm.ring},
            terminated=DONE if request.wait_ms == MQWI_UNLIMITED else TERMINATED,
        )
        try:
            with signals:
                run.run()
        except MQError as error:
            if run.is_empty:
                raise
            session.report_error(error, done=run.balance())
            return PARTLY
        if run.is_empty and not signals.came:
            print_holder_hint(workers[0].connection, session, request.queue, request.selection or EVERYTHING)
            return NOTHING_THERE
    return run.status(signals.status if signals.came else None)


class _Run:
    """Run over a queue. done, moved: number of messages that succeeded and that were moved.

    left: keys of those that failed and are still on the queue.  given_back: number of those whose commands had not
    succeeded when a signal ended the run.
    """

    def __init__(
        self, session: Session, request: GetRequest, execution: ExecRequest, workers: list[Worker], alarm: Alarm
    ) -> None:
        self.done = self.moved = self.given_back = 0
        self._ends_at: float | None = None
        self._alarm = alarm
        self.left: set[int] = set()
        self._warned = False
        self._session = session
        self._request = request
        self._execution = execution
        self._workers = workers
        self._supply = MessageSource(request)

    @property
    def is_empty(self) -> bool:
        """Whether there was no message."""
        return not (self.done or self.moved or self.left or self.given_back)

    def status(self, after_signal: int | None) -> int:
        """Return the exit status; print the balance to stderr if a command failed or a signal ended the run.

        after_signal: exit status after the signal, None without one.
        """
        if self._session.output in JSON:
            self._write_counts()
        is_whole = not self.left and not self.moved
        if not is_whole or (after_signal is not None and not self.is_empty):
            self._session.note(self.balance())
        if after_signal is not None:
            return after_signal
        return PARTLY if not is_whole else WARNING if self._warned else DONE

    def balance(self) -> str:
        """Return the balance in words."""
        parts = [f"{counted(self.done)} done"]
        parts += [f"{self.moved} moved"] if self.moved else []
        parts += [f"{len(self.left)} backed out"] if self.left else []
        parts += [f"{self.given_back} given back"] if self.given_back else []
        return ", ".join(parts)

    def _write_counts(self) -> None:
        counts = {"done": self.done, "moved": self.moved, "backed_out": len(self.left)}
        if self.given_back:
            counts["given_back"] = self.given_back
        write_out(dumps(counts).encode("utf-8") + b"\n")

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
        return self._supply.next(worker) if self._ends_at is None else None

    def _running(self) -> list[RunningCommand]:
        return [worker.command for worker in self._workers if worker.command is not None]

    def _finish(self) -> None:
        """Let the running commands end within their grace; give the messages of the others back."""
        assert self._ends_at is not None
        if self._running() and time.monotonic() < self._ends_at:
            words = f"waiting {self._execution.grace_s:g} s for {counted(len(self._running()), 'command')} to end"
            self._session.note(f"{words}; a second signal terminates them")
        while self._running() and time.monotonic() < self._ends_at:
            self._alarm.wait(min([self._ends_at, *self._signal_times()]))
            self._alarm.clear()
            self._settle_ended()
        end_all(self._running())
        for worker in self._workers:
            if worker.command is not None:
                self._give_back(worker)

    def _give_back(self, worker: Worker) -> None:
        worker.connection.backout(counts=False)
        worker.command = None
        self.given_back += 1

    def _idle(self) -> Worker | None:
        return next((worker for worker in self._workers if worker.command is None), None)

    def _sleep(self) -> bool:
        """Sleep until there may be something to do; return False when no more messages will come."""
        supply, worker, now = self._supply, self._idle(), time.monotonic()
        instants = self._signal_times()
        is_waiting = worker is not None and now < supply.waits_until
        if worker is not None and now < supply.next_start_at:
            is_waiting = False
            instants.append(supply.next_start_at)
        elif not self._running() and supply.next_retry_at == math.inf and not is_waiting:
            return False
        elif worker is not None:
            instants += [supply.next_retry_at, supply.waits_until if is_waiting else math.inf]
        until = min(instants, default=math.inf)
        deadline = None if until == math.inf else until
        if worker is not None and is_waiting:
            self._wait_for_message(worker, deadline)
        else:
            self._alarm.wait(deadline)
        self._alarm.clear()
        return True

    def _signal_times(self) -> list[float]:
        """Return when running commands reach their next timeout signal."""
        times = [command.next_signal_at for command in self._running()]
        return [at for at in times if at is not None]

    def _wait_for_message(self, worker: Worker, deadline: float | None) -> None:
        found: list[GetResult] = []

        def look() -> bool:
            result = self._next(worker)
            found.extend([] if result is None else [result])
            return result is not None

        worker.handle.wait_for_arrival(deadline, look, [self._alarm.descriptor])
        if found:
            self._start(worker, found[0])

    def _start(self, worker: Worker, result: GetResult) -> None:
        """Start the command for a message, or move the message if it has reached the threshold."""
        message = result.message
        worker.msg_id, worker.backout_count = message.md.msg_id.hex().upper(), message.md.backout_count
        if consumer.has_reached(consumer.backout_threshold(worker.handle), message.md):
            self._requeue(worker, result)
            return
        self._warned = self._warned or bool(result.reason)
        environment = environment_of(message, self._request.queue, worker.qmgr_name)
        assert worker.connection.presence is not None
        life = worker.connection.presence.share()
        worker.command = RunningCommand(self._execution.command, message, environment, life, self._execution.timeout_s)
        for name, length, instead in worker.command.spill.moved:
            self._session.note(
                f"message {worker.msg_id}: {name} ({length} bytes) is too large for an environment: {instead} names a "
                "file with its value"
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
        keys = worker.connection.last_got  # of a whole message all its segments
        if failure is None:
            worker.connection.commit()
            self.left.difference_update(keys)
            self.done += 1
            return
        worker.connection.backout()
        pause(0)  # ends the run if nobody reads the output
        again = ""
        pause_s = math.inf
        if consumer.backout_threshold(worker.handle):
            pause_s = consumer.retry_delay_s(self._execution.retry_delay_s, worker.backout_count)
            again = f"; next try in {pause_s:g} s"
        self._note_left(keys, time.monotonic() + pause_s)
        self._session.note(f"message {worker.msg_id} backed out: {failure}{again}")

    def _note_left(self, keys: tuple[int, ...], next_try_at: float) -> None:
        self.left.add(keys[0])
        self._supply.seen.update(keys)
        self._supply.retries[keys[0]] = next_try_at

    def _requeue(self, worker: Worker, result: GetResult) -> None:
        """Move a message that has reached the backout threshold; leave it where that fails."""
        keys, times = worker.connection.last_got, counted(worker.backout_count, "time")
        try:
            destination = consumer.requeue_message(worker.handle, result.message)
        except StorageError:
            raise
        except MQError as error:
            self._note_left(keys, math.inf)
            self._session.note(f"message {worker.msg_id} backed out {times}, cannot be moved: {error}")
            return
        self.left.difference_update(keys)
        self.moved += 1
        where = f"moved to {destination}" if destination else "discarded as its report options say"
        self._session.note(f"message {worker.msg_id} backed out {times}, {where}")
