"""Implementation of ``mqx get``: get messages, write them out, and only then commit.

Each message is one unit of work: get it, write it, flush the output, commit. When the reader is gone or the disk is
full, the unwritten message is backed out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice

from mqtools.constants.names import name_or_number
from mqtools.constants.options import (
    MQGMO_WAIT,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN, MQRC_OBJECT_DAMAGED, MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.formats.phrases import counted
from mqtools.mqi.get.request import GetResult
from mqtools.records import OptionRecord

from ..shared.command_session import NOTHING_THERE, PARTLY, WARNING, Session, Terminated, end_on_sigterm
from ..shared.raw_messages import RawWriter
from .request import GetRequest, check_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.interface import OpenQueue, QueueManagerConnection

    from ..shared.messages import MessageWriter

#: Messages of one unit of work in a get of many, and bytes of data of one call.
_COMMIT_EVERY, _MOST_BYTES = 100, 4 << 20


def get_messages(session: Session, request: GetRequest) -> int:
    """Get messages and write them out; return 3 when there were none.

    A message is removed only when it has been written and flushed. After a failure, earlier messages stay got and are
    counted on stderr (9); without any message, the exit status is that of the reason.
    """
    end_on_sigterm()  # written messages without a commit would come again
    writer: MessageWriter | RawWriter
    if (
        session.output in (None, "raw") and request.shape is None
    ):  # data alone needs little of what the other formats do
        writer = RawWriter(request.ending, request.force)
    else:
        from ..shared import messages

        writer = messages.writer(
            session, default="raw", separator=request.ending, force=request.force, shape=request.shape
        )
    connection = session.connect_anywhere(changes=True, for_reader=bool(request.wait_ms))
    writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
    portion = min(_COMMIT_EVERY, connection.max_uncommitted_msgs)
    if session.elsewhere:
        session.confirm_removal(connection, "get", request.queue, request.limit)
        portion = 1  # a unit of work there is backed out as a whole
    delivery = _Delivery(session, connection, writer, request, portion, warnings={}, handed_in=set())
    try:
        failure = delivery.run()
        if failure is not None and not delivery.done:
            raise failure
        if failure is not None:
            is_broken = failure.reason == MQRC_CONNECTION_BROKEN
            if not is_broken:
                delivery.give_back()
            session.report_error(failure, done=delivery.so_far())
            if is_broken:
                try:
                    connection.leave()
                except MQError:
                    return PARTLY  # it has backed out, and says once more that it is broken
            return PARTLY
        if delivery.warnings or delivery.unfinished:
            return delivery.warn()
        if delivery.done:
            return 0
        if delivery.is_queue_empty or session.elsewhere:
            session.tell_person(f"no message on {request.queue}")
        else:
            from .selected import print_hint

            print_hint(connection, session, request)
        return NOTHING_THERE
    except BaseException as error:
        delivery.give_back()
        if delivery.done and not isinstance(error, BrokenPipeError):
            session.note(delivery.so_far())
        raise
    finally:
        connection.leave()  # a disconnect commits the get of the written messages


class _Delivery(OptionRecord):
    """Messages being delivered: got in a unit of work, written, and then committed.

    done: messages that were written.  uncommitted: those since the last commit.  portion: at most in a unit of work.
    warnings: reason to the number of messages got with it.  unfinished: warning of the close, that a group was not
    finished.  is_queue_empty: the last get has found no message, not even a held one.
    is_writing: a message is being written.  handed_in: keys of messages that the writer has.
    """

    session: Session
    connection: QueueManagerConnection
    writer: MessageWriter | RawWriter
    request: GetRequest
    portion: int
    warnings: dict[int, int]
    handed_in: set[int]
    done: int = 0
    uncommitted: int = 0
    unfinished: int = 0
    is_queue_empty: bool = False
    is_writing: bool = False

    def run(self) -> MQError | None:
        """Get and write messages one by one; return the error that ended the run, if any.

        A document that was begun is ended, unless the output itself fails.
        """
        request, failure = self.request, None
        try:
            handle = self.connection.open(request.queue, MQOO_INPUT_SHARED | MQOO_FAIL_IF_QUIESCING)
            is_in_order = False
            if request.group_options is not None:
                from ..browse.groups import complete_group_id

                request.group_options = complete_group_id(self.connection, request.queue, request.group_options)
                is_in_order = request.group_options.is_in_order
            gets_next = is_in_order or request.selection is None or request.selection.is_everything
            if gets_next:
                source = _get_next(self, handle, request)
            else:
                from .selected import get_selected

                source = get_selected(self.connection, handle, request)
            results: Iterator[GetResult] = islice(source, request.limit)
            if request.rate is not None:
                from ..shared.rate import paced

                results = paced(results, request.rate)
            if sys.stderr.isatty() and not sys.stdout.isatty():
                from ..shared.progress import with_progress

                results = iter(with_progress(self.session, f"getting from {request.queue}", results))
            for result in results:
                self._write(result)
            if is_in_order:
                self.unfinished = handle.close()
        except MQError as error:
            failure = error
        except (KeyboardInterrupt, Terminated):
            if not self.is_writing:
                self.writer.finish()
            raise
        if self.done or failure is None:
            self.writer.finish()
        return failure

    def _write(self, result: GetResult) -> None:
        """Write a message, and commit the unit of work when it is full, or when the next message may take long."""
        if result.reason == MQRC_TRUNCATED_MSG_FAILED:
            check_length(self.request, result.data_length)
        at_once = self.request.wait_ms or self.request.rate is not None
        self.is_writing = True
        self.writer.write_message(result.message, result.resolved_q_name)
        if at_once:
            self.writer.flush()
        self.handed_in.update(result.held)
        self.is_writing = False
        self.done += 1
        self.uncommitted += 1
        if result.reason:
            self.warnings[result.reason] = self.warnings.get(result.reason, 0) + 1
        if not (at_once or self.uncommitted >= self.portion) or self.writer.is_holding:
            return
        file = self.connection.file
        if file is None or self.handed_in.issuperset(file.last_got):
            self.connection.commit()
            self.uncommitted = 0
            if file is not None:
                file.last_got = ()
            self.handed_in.clear()

    def give_back(self) -> None:
        """Back out what was not written: messages of the last call, or all messages whose rows are still held."""
        file = self.connection.file
        if self.writer.is_holding:
            self.connection.backout()
            self.done = 0
        elif file is None:
            is_written = self.uncommitted and not self.is_writing  # else a get was interrupted: a commit would fail
            (self.connection.commit if is_written else self.connection.backout)()
        else:
            left = [seq for seq in file.last_got if seq not in self.handed_in]
            file.last_got = tuple(left)
            file.backout_last()

    def so_far(self) -> str:
        """Return the balance of a run that ended early, in words."""
        return f"got so far: {counted(self.done)}"

    def warn(self) -> int:
        """Print the warnings of the gets and of the close; return 4."""
        for reason, number in self.warnings.items():
            words = f"{counted(number)} got with a warning: {name_or_number('MQRC', reason)} {reason}"
            self.session.note(words)
        if self.unfinished:
            reason = self.unfinished
            words = f"the rest of the group or message was not got: {name_or_number('MQRC', reason)} {reason}"
            self.session.note(words)
        return WARNING


def _get_next(delivery: _Delivery, handle: OpenQueue, request: GetRequest) -> Iterator[GetResult]:
    """Yield the next messages, and wait for each if requested."""
    gets_each = not (request.wait_ms or request.rate is not None or request.group_options)
    while gets_each:
        left = delivery.portion if request.limit is None else min(delivery.portion, request.limit - delivery.done)
        try:
            results, error = handle.get_each(
                left, request.options, max_length=request.max_length, most_bytes=_MOST_BYTES
            )
        except StorageError as failure:
            if failure.reason != MQRC_OBJECT_DAMAGED or delivery.uncommitted:
                raise
            delivery.connection.backout()
            break  # one by one, up to the message that is damaged
        yield from results
        if isinstance(error, NoMessageAvailable):
            delivery.is_queue_empty = error.is_queue_empty
            return
        if error is not None:
            raise error
    options = request.options | (MQGMO_WAIT if request.wait_ms else 0)
    while True:
        parameters = request.parameters() if request.group_options else {}
        try:
            result = handle.get(options, wait_ms=request.wait_ms, max_length=request.max_length, **parameters)
        except NoMessageAvailable as error:
            delivery.is_queue_empty = error.is_queue_empty
            return
        yield result
