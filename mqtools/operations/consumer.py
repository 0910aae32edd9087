"""A loop that serves a queue: one unit of work a message, and a way out for a message that fails every time.

MQGET itself does nothing about a message that is backed out again and again; programs do. This one follows
the queue's BackoutThreshold and BackoutRequeueQName, and where these lead nowhere, the message's own report
options (BEY-35, BEY-36).
"""

from __future__ import annotations

from mqtools.constants.message import MQAT_UNIX, MQEI_UNLIMITED, MQFB_QUIT, MQMT_REPORT
from mqtools.constants.options import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_BACKOUT_THRESHOLD_REACHED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.chain import prefix_dlh
from mqtools.message import Message
from mqtools.mqi.identity import put_date_and_time
from mqtools.rules.reports import DISCARD, NOT_ASKED, disposition, report_data_wanted
from mqtools.store import queues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.mqi.get.get import GetResult
    from mqtools.mqi.handle import Handle

_OPTIONS = MQGMO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING
_PASS = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT


def consume(handle: Handle, process: Callable[[GetResult], None], *, wait_ms: int = 0) -> int:
    """Get messages and process each in a unit of work, until none comes; give the number processed.

    handle: open for input, saving all context.  process: may put and get in the same unit of work; an
    exception backs it out, and the message comes again, until it has reached the queue's threshold and is
    moved out of the way. Without a threshold the exception goes to the caller.
    A report with feedback MQFB_QUIT ends the loop (RPT-32).  wait_ms: for each message, -1 without limit.
    """
    done = 0
    while True:
        try:
            result = handle.get(_OPTIONS, wait_ms=wait_ms)
        except NoMessageAvailable:
            return done
        threshold, requeue_q = _backout_attributes(handle)
        if threshold and result.message.md.backout_count >= threshold:
            _move_aside(handle, result.message, requeue_q)
        elif result.message.md.msg_type == MQMT_REPORT and result.message.md.feedback == MQFB_QUIT:
            handle.connection.commit()
            return done
        else:
            done += _process(handle, process, result, may_come_again=threshold > 0)


def _process(handle: Handle, process: Callable[[GetResult], None], result: GetResult, *, may_come_again: bool) -> int:
    try:
        process(result)
    except Exception:
        handle.connection.backout()
        if not may_come_again:
            raise
        return 0
    handle.connection.commit()
    return 1


def _backout_attributes(handle: Handle) -> tuple[int, str]:
    return queues.backout_attributes(handle.connection.db, handle.queue_id)


def _move_aside(handle: Handle, message: Message, requeue_q: str) -> None:
    """Put a message that fails every time where it disturbs nobody, in the unit of work that got it."""
    try:
        if not requeue_q or not _requeued(handle, message, requeue_q):
            _dispose(handle, message)
    except MQError:
        handle.connection.backout()
        raise
    handle.connection.commit()


def _requeued(handle: Handle, message: Message, requeue_q: str) -> bool:
    try:
        handle.connection.put1(requeue_q, message, _PASS, context=handle.context)
    except MQError:
        return False
    return True


def _dispose(handle: Handle, message: Message) -> None:
    """Dead-letter the message, or discard it if it says so; an exception report tells its sender if asked for."""
    wanted = report_data_wanted(message.md.report, "exception")
    with handle.connection.work() as work:
        if wanted != NOT_ASKED:
            from mqtools.mqi.report_messages import make_report

            assert handle.connection.id is not None
            make_report(
                work,
                message.md,
                lambda: message.data,
                MQRC_BACKOUT_THRESHOLD_REACHED,
                wanted,
                message.md.expiry if message.md.expiry > 0 else MQEI_UNLIMITED,
                handle.connection.id,
            )
        dead_letter_q = work.qmgr.dead_letter_q_name
        put_date, put_time = put_date_and_time(work.now_ms)
    if disposition(message.md.report) == DISCARD:
        return
    md, data = prefix_dlh(
        message.md,
        message.data,
        reason=MQRC_BACKOUT_THRESHOLD_REACHED,
        dest_q_name=handle.q_name,
        dest_q_mgr_name=handle.connection.name,
        put_appl_type=MQAT_UNIX,
        put_appl_name=handle.connection.appl_name,
        put_date=put_date,
        put_time=put_time,
    )
    letter = Message(data, md, message.properties)
    handle.connection.put1(dead_letter_q, letter, _PASS, context=handle.context)
