"""``mqx put --request``: put a request, wait for its reply, write it out; then the next.

The get of a reply is under syncpoint, and committed after the reply was written, as in ``mqx get``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass

from mqtools.constants.message import MQMT_REQUEST, MQRO_PASS_CORREL_ID, MQRO_PASS_MSG_ID
from mqtools.constants.options import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
)
from mqtools.constants.structures import MQCI_NONE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.descriptor import enumeration_name
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.reports.outcomes import track_message
from mqtools.rules.report_outcomes import EXPIRED, FAILED, REFUSED
from mqtools.rules.reports import reply_match

from ..shared import command_session
from ..shared import messages as _messages
from ..shared.command_session import DONE, NOTHING_THERE, PARTLY, Session, UsageError, end_on_sigterm
from .put import Batcher, warn
from .request import InputError, PutRequest

#: How long to wait for a reply unless told otherwise.
WAIT_S = 5.0

_MATCH = {"msg_id": MQMO_MATCH_MSG_ID, "correl_id": MQMO_MATCH_CORREL_ID}

#: Reports about a request come to the same queue with the same identifiers, and stay there (TYPES-15).
_NO_REPORT = "Root.MQMD.MsgType <> 4"

#: Outcome of a request that will have no reply, in words.
_WORDS = {FAILED: "not delivered or not understood", EXPIRED: "discarded", REFUSED: "refused"}

_OPTIONS = MQGMO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """Handling of replies.

    queue: reply queue, or a model queue to create one from.  wait_s: time to wait for each reply.  separator: text
    that ends each reply of raw output.
    """

    queue: str
    wait_s: float
    _: KW_ONLY
    separator: bytes = b"\n"
    force: bool = False


def put_and_wait(session: Session, request: PutRequest, messages: Iterable[Message], replies: ReplyRequest) -> int:
    """Put each request and write its reply; return 3 when no reply came in time, 9 when only some came."""
    writer = _messages.writer(session, default="raw", separator=replies.separator, force=replies.force)
    connection = session.connect_anywhere(changes=True, for_reader=True)
    session.confirm_elsewhere(f"put requests on {request.queue}")
    writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
    request.ccsid = connection.ccsid
    end_on_sigterm()
    talk = _RequestReply(session, connection, writer, request, replies)
    try:
        return talk.run(messages)
    except BaseException:
        talk.give_back()
        raise
    finally:
        connection.leave()


@dataclass
class _RequestReply:
    """Exchange of requests and replies."""

    _session: Session
    _connection: QueueManagerConnection
    _writer: _messages.MessageWriter
    _request: PutRequest
    _replies: ReplyRequest
    _answered: int = 0
    _is_written: bool = True

    def __post_init__(self) -> None:
        self._batcher = Batcher(self._connection, self._request)

    def run(self, messages: Iterable[Message]) -> int:
        self._batcher.check_queue()
        name, _, q_mgr_name = self._replies.queue.partition("@")
        if q_mgr_name not in ("", self._connection.name):
            raise UsageError(f"--reply-to {self._replies.queue}: --request can read replies only at this queue manager")
        failure: MQError | InputError | None = None
        handle = self._connection.open(name, MQOO_INPUT_SHARED | MQOO_FAIL_IF_QUIESCING, selector=_NO_REPORT)
        try:
            for message in messages:
                self._ask(handle, message)
        except (MQError, InputError) as error:
            failure = error
        if self._batcher.done or failure is None:
            self._writer.finish()
            self._commit()
        return self._ended(failure)

    def _ended(self, failure: MQError | InputError | None) -> int:
        if failure is not None:
            if not self._batcher.done:
                raise failure if isinstance(failure, MQError) else UsageError(str(failure)) from failure
            self._session.report_error(failure, done=f"replies so far: {self._answered} of {self._batcher.done}")
            return PARTLY
        if self._answered < self._batcher.done:
            return PARTLY if self._answered else NOTHING_THERE
        warnings = self._batcher.warnings
        return warn(self._session, self._request, warnings) if warnings and self._answered else DONE

    def _ask(self, handle: OpenQueue, message: Message) -> None:
        """Put a request and write its reply."""
        md = message.md
        md.msg_type, md.reply_to_q, md.reply_to_q_mgr = MQMT_REQUEST, handle.q_name, ""
        if md.report & MQRO_PASS_CORREL_ID and not md.report & MQRO_PASS_MSG_ID and md.correl_id == MQCI_NONE:
            raise InputError(
                "--report pass-correl-id without pass-msg-id requires --correl-id: the reply has no other identifier"
            )
        self._batcher.put((message,))
        self._connection.commit()  # where every put is in a unit of work
        reply = self._reply(handle, message.md)
        if reply is None:
            self._print_no_reply(handle, message.md)
            return
        self._is_written = False
        self._writer.write_message(reply.message, reply.resolved_q_name)
        if not self._writer.is_holding:
            self._commit()
        self._answered += 1

    def _reply(self, handle: OpenQueue, request: MQMD) -> GetResult | None:
        field, value = reply_match(request)
        wait_ms = int(self._replies.wait_s * 1000)
        wanted = MQMD().replace(**{field: value})
        try:
            return handle.get(_OPTIONS, md=wanted, match_options=_MATCH[field], wait_ms=wait_ms)
        except NoMessageAvailable:
            return None

    def _commit(self) -> None:
        """Commit the get of the replies that have been written."""
        self._is_written = True
        self._connection.commit()

    def give_back(self) -> None:
        """Back out a reply that was not written."""
        if not self._is_written:
            self._connection.backout()

    def _print_no_reply(self, handle: OpenQueue, request: MQMD) -> None:
        msg_id = request.msg_id.hex().upper()
        self._session.note(f"no reply to {msg_id} within {self._replies.wait_s:g} s")
        if not self._session.quiet:
            command_session.print_error_line(f"hint: {self._hint(handle, request)}")

    def _hint(self, handle: OpenQueue, request: MQMD) -> str:
        """Return what is known of a request without a reply, from its queue and the reports about it."""
        name, at, _ = self._request.queue.partition("@")
        file = self._connection.file
        parts = [] if at or file is None else track_message(file, request.msg_id, name, handle.q_name).parts
        for part in parts:
            if part.outcome in _WORDS:
                return (
                    f"a report says that it was {_WORDS[part.outcome]}: {enumeration_name('feedback', part.feedback)}"
                )
            if part.state is not None:
                return f"it is still on {name}: is a program reading that queue?"
        if handle.q_name != self._replies.queue:
            return "a get removed it; a late reply is lost because the temporary queue ends with this command"
        field, value = reply_match(request)
        return f"a late reply will be on {handle.q_name} with {field} {value.hex().upper()}"
