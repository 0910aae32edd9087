"""Implementation of ``mqx get --exec``: run a shell command for each message; its exit status decides.

A message is got under syncpoint while its command runs: nobody else sees it and the queue is not locked. When this
process dies, the command is terminated, and the message is back on the queue when it has ended. A message whose
command fails is tried again up to the queue's BackoutThreshold, and then moved by ``mqtools.operations.consumer``.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from mqtools.configuration import locate
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_CONVERT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.formats.jsontext import dumps
from mqtools.formats.phrases import counted
from mqtools.mqi.get import search
from mqtools.operations import consumer
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.output_reader import pause
from mqtools.operations.selection import EVERYTHING, select
from mqtools.operations.stored_messages import load_message

from ..browse.request import BrowseRequest
from ..shared.command_session import (
    JSON,
    NOTHING_THERE,
    PARTLY,
    WARNING,
    Session,
    Terminated,
    end_on_sigterm,
    write_out,
)
from ..shared.deferred_signals import DeferredSignals
from ..shared.holder_hint import print_holder_hint
from .child_alarm import ChildAlarm
from .exec_command import RunningCommand, end_all, environment_of
from .held import check_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.mqi.connection import Connection
    from mqtools.mqi.get.request import GetResult

    from .request import GetRequest

_OPEN = MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
#: Options of a get that change the data that the program is given.
_CHANGES_DATA = MQGMO_CONVERT | MQGMO_ACCEPT_TRUNCATED_MSG


@dataclass(frozen=True, slots=True)
class ExecRequest:
    """Command to run. parallel: number of commands at the same time.  timeout_s: None for no limit.

    retry_delay_s: pause before the second try of a message; ``consumer.retry_delay_s`` has the following ones.
    """

    command: str
    _: KW_ONLY
    parallel: int = 1
    timeout_s: float | None = None
    retry_delay_s: float = 1


def get_and_run(session: Session, request: GetRequest, execution: ExecRequest) -> int:
    """Run a command for each message: exit status 0 commits the get, any other backs it out.

    Return 0 when all succeeded, 9 when a message was moved or is left, 3 when there was no message. A failure when
    nobody reads the output any more ends the run: the next command would fail for the same reason.
    """
    if request.dry_run:
        from ..browse.browse import browse_messages

        selection = request.selection or EVERYTHING
        return browse_messages(session, BrowseRequest(request.queue, limit=request.limit, selection=selection))
    end_on_sigterm()
    with ExitStack() as opened:
        workers = [_Worker(session, request.queue, opened) for _ in range(execution.parallel)]
        run = _Run(session, request, execution, workers)
        try:
            with ChildAlarm() as alarm:
                run.run(alarm)
        except (KeyboardInterrupt, Terminated):
            if not run.is_empty:
                session.note(run.balance())
            raise
        except MQError as error:
            if run.is_empty:
                raise
            session.report_error(error, done=run.balance())
            return PARTLY
        if run.is_empty:
            print_holder_hint(workers[0].connection, session, request.queue, request.selection or EVERYTHING)
            return NOTHING_THERE
    return run.status()


class _Worker:
    """Connection that holds one message at a time, and the command that processes it."""

    def __init__(self, session: Session, q_name: str, opened: ExitStack) -> None:
        self.connection: Connection = opened.enter_context(session.connect())
        self.handle = opened.enter_context(self.connection.open(q_name, _OPEN))
        self.msg_id = ""
        self.backout_count = 0
        self.command: RunningCommand | None = None

    @property
    def qmgr_name(self) -> str:
        """Name of the queue manager for the command's environment: its path where the name means another file."""
        name, path = self.connection.name, os.path.abspath(self.connection.path)
        return name if os.path.realpath(locate.path_of(name)) == os.path.realpath(path) else path

    def get(self, request: GetRequest, seq: int | None = None, *, unchanged: bool = False) -> GetResult | None:
        """Return a message, or None when there is none. Raise MQError for one that is too long (7).

        seq: key of the message, None for the next one.  unchanged: get it whole and without conversion.
        """
        options, parameters = request.options, request.parameters()
        try:
            result = self.handle.get(
                options & ~_CHANGES_DATA if unchanged else options,
                max_length=None if unchanged else request.max_length,
                msg_token=b"" if seq is None else search.token_of(seq),
                **{**parameters, "match_options": 0 if seq is None else MQMO_MATCH_MSG_TOKEN},
            )
        except NoMessageAvailable:
            return None
        if result.reason == MQRC_TRUNCATED_MSG_FAILED:
            check_length(request, result.data_length)
        return result


class _MessageSource:
    """Source of the next message: a retry that is due, else a new message.

    retries: key of a message whose command failed to the time of its next try, infinity where this run does not try it
    again.  seen: keys of all that failed, for a whole message of all its segments.
    """

    def __init__(self, request: GetRequest) -> None:
        self.retries: dict[int, float] = {}
        self.seen: set[int] = set()
        self._request = request
        self._selection = request.selection or EVERYTHING
        self._walk: Iterator[int] | None = None
        self._left = math.inf if request.limit is None else request.limit
        self._idle_since = time.monotonic()

    def next(self, worker: _Worker) -> GetResult | None:
        """Return the next message, or None when there is none now."""
        result = self._retried(worker) or (self._new(worker) if self._left else None)
        if result is not None:
            self.note_progress()
        return result

    def note_progress(self) -> None:
        """Restart the wait time for messages."""
        self._idle_since = time.monotonic()

    @property
    def next_retry_at(self) -> float:
        """Time of the next retry, infinity for none."""
        return min(self.retries.values(), default=math.inf)

    @property
    def waits_until(self) -> float:
        """Time until which to wait for new messages: infinity for ever, 0 for not at all."""
        if not self._left or not self._request.waits or self._selection.first or self._selection.last:
            return 0  # places are of the queue as it was
        return math.inf if self._request.follow else self._idle_since + self._request.wait_s

    def _retried(self, worker: _Worker) -> GetResult | None:
        now = time.monotonic()
        for seq in sorted(seq for seq, due in self.retries.items() if due <= now):
            del self.retries[seq]
            result = self._get(worker, seq)
            if result is not None:
                return result  # else another program has it now
        return None

    def _new(self, worker: _Worker) -> GetResult | None:
        if self._selection.is_everything and not self.seen and not self._must_check_conversion(worker):
            result = worker.get(self._request)
        elif self._selection.is_everything:  # looked for from the front: order goes before speed
            result = self._first_of(worker, self._keys(worker))
        else:
            if self._walk is None:
                self._walk = self._keys(worker)
            result = self._first_of(worker, self._walk)
            if result is None and self.waits_until:
                self._walk = None  # again from the front, when a message has come
        if result is not None:
            self._left -= 1
        return result

    def _first_of(self, worker: _Worker, keys: Iterator[int]) -> GetResult | None:
        return next((result for seq in keys if (result := self._get(worker, seq)) is not None), None)

    def _get(self, worker: _Worker, seq: int) -> GetResult | None:
        """Return a message by its key; one that will be moved is got without conversion."""
        unchanged = False
        if self._must_check_conversion(worker):
            stored = load_message(worker.connection, seq)
            threshold = consumer.backout_threshold(worker.handle)
            unchanged = stored is not None and consumer.has_reached(threshold, stored.md)
        return worker.get(self._request, seq, unchanged=unchanged)

    def _must_check_conversion(self, worker: _Worker) -> bool:
        """Check whether the get could change the data of a message that is about to be moved."""
        changes = self._request.options & _CHANGES_DATA or self._request.max_length is not None
        return bool(changes) and consumer.backout_threshold(worker.handle) > 0

    def _keys(self, worker: _Worker) -> Iterator[int]:
        """Yield the keys of selected messages that have not failed, page by page while the commands run."""
        release_dead_holders(worker.connection, worker.handle.queue_id)
        found = select(worker.connection, worker.handle.queue_id, self._selection)
        left = (stored.seq for stored in found if stored.seq not in self.seen)
        if self._request.group_options is None or not self._request.group_options.is_whole:
            return left
        from ..browse.groups import first_segments

        return first_segments(worker.connection, left)


class _Run:
    """Run over a queue. done, moved: number of messages that succeeded and that were moved.

    left: keys of those that failed and are still on the queue.
    """

    def __init__(self, session: Session, request: GetRequest, execution: ExecRequest, workers: list[_Worker]) -> None:
        self.done = self.moved = 0
        self.left: set[int] = set()
        self._warned = False
        self._session = session
        self._request = request
        self._execution = execution
        self._workers = workers
        self._supply = _MessageSource(request)

    @property
    def is_empty(self) -> bool:
        """Whether there was no message."""
        return not (self.done or self.moved or self.left)

    def status(self) -> int:
        """Return the exit status of the run; print the balance to stderr if a command failed."""
        if self._session.output in JSON:
            self._write_counts()
        if not self.left and not self.moved:
            return WARNING if self._warned else 0
        self._session.note(self.balance())
        return PARTLY

    def balance(self) -> str:
        """Return the balance in words."""
        parts = [f"{counted(self.done)} done"]
        parts += [f"{self.moved} moved"] if self.moved else []
        parts += [f"{len(self.left)} backed out"] if self.left else []
        return ", ".join(parts)

    def _write_counts(self) -> None:
        counts = {"done": self.done, "moved": self.moved, "backed_out": len(self.left)}
        write_out(dumps(counts).encode("utf-8") + b"\n")

    def run(self, alarm: ChildAlarm) -> None:
        """Run commands until no more messages come; when interrupted, terminate them and back out their messages."""
        try:
            while True:
                self._settle_ended()
                while (worker := self._idle()) is not None and (result := self._supply.next(worker)) is not None:
                    self._start(worker, result)
                    self._settle_ended()
                if not self._sleep(alarm):
                    return
        except BaseException:
            end_all([worker.command for worker in self._workers if worker.command is not None])
            raise

    def _idle(self) -> _Worker | None:
        return next((worker for worker in self._workers if worker.command is None), None)

    def _sleep(self, alarm: ChildAlarm) -> bool:
        """Sleep until there may be something to do; return False when no more messages will come."""
        running = [worker.command for worker in self._workers if worker.command is not None]
        signals = [command.next_signal_at for command in running]
        retry_at, waits_until = self._supply.next_retry_at, self._supply.waits_until
        worker, now = self._idle(), time.monotonic()
        is_waiting = worker is not None and now < waits_until
        if not running and retry_at == math.inf and not is_waiting:
            return False
        instants = [retry_at if worker is not None else math.inf, waits_until if is_waiting else math.inf]
        until = min([*instants, *(at for at in signals if at is not None)])
        deadline = None if until == math.inf else until
        if worker is not None and is_waiting:
            self._wait_for_message(worker, deadline, alarm)
        else:
            alarm.wait(deadline)
        alarm.clear()
        return True

    def _wait_for_message(self, worker: _Worker, deadline: float | None, alarm: ChildAlarm) -> None:
        found: list[GetResult] = []

        def look() -> bool:
            result = self._supply.next(worker)
            found.extend([] if result is None else [result])
            return result is not None

        worker.handle.wait_for_arrival(deadline, look, [alarm.descriptor])
        if found:
            self._start(worker, found[0])

    def _start(self, worker: _Worker, result: GetResult) -> None:
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
                self._settle(worker, command.failure)
                worker.command = None
                command.close()
                self._supply.note_progress()

    def _settle(self, worker: _Worker, failure: str | None) -> None:
        keys = worker.connection.last_got  # of a whole message all its segments
        if failure is None:
            with DeferredSignals(worker.connection):
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

    def _requeue(self, worker: _Worker, result: GetResult) -> None:
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
