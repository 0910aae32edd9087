"""Implementation of ``mqx put``: put messages in batches and report the result."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from mqtools.constants.names import name_or_number
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_PRIORITY_EXCEEDS_MAXIMUM
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.message import Message
from mqtools.mqi.put import PutResult
from mqtools.mqi.resolution import AliasOfTopic
from mqtools.rules.descriptor import MAX_PRIORITY, WARNINGS

from ..shared import command_session
from ..shared.command_session import JSON, PARTLY, WARNING, Session, Terminated
from .request import BATCH, InputError, PutRequest, message_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from mqtools.lifecycle.once import OnceKey
    from mqtools.mqi.interface import QueueManagerConnection

    from .input import Pause


def read_arguments(request: PutRequest, words: list[str]) -> Iterator[Message]:
    """Yield a message for each argument; ``-`` is all of stdin."""
    for word in words:
        if word == "-":
            from .input import read_whole

            yield from read_whole(request)
        else:
            yield message_of(request, word.encode("utf-8", "surrogateescape"))


def put_all(session: Session, request: PutRequest, messages: Iterable[Message], pause: Pause | None = None) -> int:
    """Put messages in batches; the current batch is put before a wait for more input.

    After a failure, earlier messages stay and are counted on stderr (9); when none was put, the exit status is that of
    the reason. A dry run uses a queue manager in memory.
    """
    if request.dry_run:
        from ..shared.read_only import connect_to_change

        connection: QueueManagerConnection = connect_to_change(session, dry_run=True)
    else:
        connection = session.connect_anywhere(changes=True)
        if session.elsewhere:
            _confirm(session, request)
    request.ccsid = connection.ccsid
    batcher = Batcher(connection, request)
    if session.output in JSON:
        batcher.receipts = []
    try:
        if request.once is not None:
            from .once import begin_once

            batcher.once = begin_once(session, connection, request)
            messages = messages if batcher.once.put_at is None else ()
        if pause is not None:
            batcher.more_may_follow = True
            if not request.dead_letter:
                batcher.check_queue()
            pause.before_wait = batcher.flush
        if sys.stderr.isatty():
            from ..shared.progress import with_progress

            messages = with_progress(session, f"putting on {request.queue}", messages)
        try:
            batcher.put(messages)
        except (MQError, InputError) as error:
            status = _report_failure(session, request, batcher, error)
        except BrokenPipeError:
            raise
        except (OSError, KeyboardInterrupt, Terminated):
            if batcher.done:
                session.note(_before(request, batcher.done))
            raise
        else:
            if request.dry_run or session.verbose:
                session.note(f"{'would ' if request.dry_run else ''}put {counted(batcher.done)} on {request.queue}")
            if batcher.repeated:
                words = counted(batcher.repeated)
                session.note(f"already put under confirm id {request.confirm_id}: {words}")
            status = warn(session, request, batcher.warnings) if batcher.warnings else 0
        if batcher.receipts is not None:
            _report(request, batcher, connection.name)
    except BaseException:
        connection.backout()
        raise
    finally:
        connection.leave()
        if batcher.once is not None:
            batcher.once.release()
    return status


def _confirm(session: Session, request: PutRequest) -> None:
    """Ask before a put on a queue elsewhere."""
    words = "messages" if request.number is None else counted(request.number)
    session.confirm_elsewhere(f"put {words} on {request.queue}")


def _report(request: PutRequest, batcher: Batcher, q_mgr_name: str) -> None:
    """Write the totals as one JSON object to stdout."""
    from mqtools.formats.jsontext import dumps

    receipts = [] if request.dry_run else batcher.receipts or []
    totals: dict[str, object] = {"put": batcher.done}
    if request.dry_run:
        totals = {"put": 0, "would_put": batcher.done}
    totals |= {
        "messages": batcher.done,
        "qmgr": q_mgr_name,
        "queue": request.queue,
        "ids": [msg_id for msg_id, _ in receipts],
        "seq": [seq for _, seq in receipts if seq],
        "repeated": batcher.repeated,
        "warnings": [
            {"reason": reason, "name": name_or_number("MQRC", reason), "messages": number}
            for reason, number in batcher.warnings.items()
        ],
    }
    command_session.write_out(dumps(totals).encode("utf-8") + b"\n")


def warn(session: Session, request: PutRequest, warnings: dict[int, int]) -> int:
    """Print the warnings of puts; return the exit status."""
    for reason, number in warnings.items():
        was_refused = request.dead_letter and reason not in WARNINGS
        done = "to the dead-letter queue" if was_refused else "put with a warning"
        session.note(f"{counted(number)} {done}: {name_or_number('MQRC', reason)} {reason}")
        if reason == MQRC_PRIORITY_EXCEEDS_MAXIMUM:
            above = f"priority {request.md.priority} is" if request.md.priority > MAX_PRIORITY else "priorities are"
            session.note(f"    {above} above the maximum, {MAX_PRIORITY}; put with priority {MAX_PRIORITY}")
    return WARNING


def _report_failure(session: Session, request: PutRequest, batcher: Batcher, error: MQError | InputError) -> int:
    """Report a failure and the number of messages put before it; raise the failure when there are none."""
    if isinstance(error, InputError) and len(error.mistakes) > 1 and session.output not in JSON:
        for mistake in error.mistakes:
            command_session.print_error_line(mistake, keep="")
        error = InputError(f"{counted(len(error.mistakes), 'mistake')} in the input")
    if batcher.done:
        session.report_error(error, done=_before(request, batcher.done))
        return PARTLY
    if isinstance(error, InputError):
        raise command_session.UsageError(str(error)) from error
    raise error


def _before(request: PutRequest, number: int) -> str:
    return f"{'would be ' if request.dry_run else ''}put so far: {counted(number)}"


class Batcher:
    """Messages collected and put in one transaction per batch.

    done: number of committed messages; for a dry run, of messages that would be.  repeated: number of them that an
    earlier put had left under the confirm id.  more_may_follow: whether they come from a stream.  receipts: message id
    and key of each, or None when they are not reported.  once: key of all messages, which are one unit of work.
    """

    def __init__(self, connection: QueueManagerConnection, request: PutRequest) -> None:
        self.done = self.repeated = 0
        self.warnings: dict[int, int] = {}
        self.receipts: list[tuple[str, int]] | None = None
        self.once: OnceKey | None = None
        self.is_one_unit = request.batch is None
        self.more_may_follow = False
        self._connection = connection
        self._request = request
        self._name, _, self._q_mgr_name = request.queue.partition("@")
        self._waiting: list[Message] = []
        self._uncommitted: list[Message] = []

    def check_queue(self) -> None:
        """Raise MQError for an unknown queue before any input is read."""
        from mqtools.operations.load import check_target

        try:
            check_target(self._connection, self._name, self._q_mgr_name)
        except AliasOfTopic as error:
            if self._connection.file is not None:
                self._topics().topic_of_alias(self._connection.file, error.alias)  # a put publishes

    def put(self, messages: Iterable[Message]) -> None:
        """Put messages in batches, also those before a mistake of the input unless all are one unit of work.

        Raise the error that ended it: MQError, InputError.
        """
        mistake: InputError | None = None
        try:
            for message in messages:
                if self._request.segment:
                    self._segments().check_whole(message)
                self._waiting.append(message)
                if len(self._waiting) >= (self._request.batch or BATCH):
                    self.flush()
        except InputError as error:
            mistake = error
        if mistake is None or not self.is_one_unit:
            self.flush(commits=self.is_one_unit)
        if mistake is not None:
            raise MQError(str(mistake), mistake.reason) if mistake.reason else mistake

    def flush(self, *, commits: bool = False) -> None:
        """Put the collected messages, up to the first that fails, and print the ids of those that are committed.

        commits: the unit of work of all messages, too.  For a stream, defer signals until the messages are counted.
        Raise the MQError of the one that failed.
        """
        batch, self._waiting = self._waiting, []
        if not batch and not commits:
            return
        if self.more_may_follow:
            from ..shared.deferred_signals import DeferredSignals

            with DeferredSignals(self._connection):
                done, error = self._put(batch, commits=commits)
        else:
            done, error = self._put(batch, commits=commits)
        if self._request.print_id and self.receipts is None and not self._request.dry_run:
            for message in done:
                command_session.write_line(message.md.msg_id.hex().upper())
            sys.stdout.flush()
        if error is not None:
            raise error

    def _put(self, batch: list[Message], *, commits: bool) -> tuple[list[Message], MQError | None]:
        """Put messages and count them and their warnings; return the committed ones and the error, if any."""
        results: list[PutResult] = []
        error: MQError | None = None
        if self._request.confirm_id:
            results, error = self._put_unconfirmed(batch)
        elif self._request.segment:
            results, error = self._put_in_segments(batch)
        elif batch:
            options = self._request.options | (MQPMO_SYNCPOINT if self.is_one_unit else 0)
            results, error = self._connection.put_each(
                self._name,
                batch,
                options,
                q_mgr_name=self._q_mgr_name,
                dead_letter=self._request.dead_letter,
                keep_backout_count=bool(options & MQPMO_SET_ALL_CONTEXT),
            )
            if isinstance(error, AliasOfTopic) and self._connection.file is not None:
                results, error = self._topics().publish_each(
                    self._connection.file, error, batch, options, dead_letter=self._request.dead_letter
                )
        batch = batch[: len(results)]
        for message, result in zip(batch, results, strict=True):
            if result.reason:
                self.warnings[result.reason] = self.warnings.get(result.reason, 0) + 1
            if self.receipts is not None:
                self.receipts.append((message.md.msg_id.hex().upper(), result.seq))
        if self.is_one_unit:
            self._uncommitted += batch
            if error is not None or not commits:
                return [], error
            if self.once is not None and self._uncommitted:
                self.once.commit()
            else:
                self._connection.commit()
            batch, self._uncommitted = self._uncommitted, []
        self.done += len(batch)
        return batch, error

    def _put_in_segments(self, batch: list[Message]) -> tuple[list[PutResult], MQError | None]:
        """Put each message in segments; return the result of the first segment of each, and the error, if any."""
        request = self._request
        firsts: list[PutResult] = []
        for message in batch:
            results, error = self._segments().put_segments(
                self._connection,
                self._name,
                message,
                request.segment,
                request.options,
                q_mgr_name=self._q_mgr_name,
                commits=not self.is_one_unit,
            )
            if error is not None:
                return firsts, error
            firsts.append(results[0])
        return firsts, None

    def _topics(self) -> ModuleType:
        from mqtools.operations import subscribe

        return subscribe

    def _segments(self) -> ModuleType:
        from . import segments

        return segments

    def _put_unconfirmed(self, batch: list[Message]) -> tuple[list[PutResult], MQError | None]:
        from mqtools.lifecycle.verbs import put_message

        request, file = self._request, self._connection.file
        assert file is not None
        results: list[PutResult] = []
        for message in batch:
            try:
                result = put_message(
                    file,
                    self._name,
                    message,
                    confirm_id=request.confirm_id,
                    options=request.options,
                    q_mgr_name=self._q_mgr_name,
                )
            except MQError as error:
                return results, error
            self.repeated += result.repeated
            results.append(result)
        return results, None
