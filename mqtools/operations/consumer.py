"""Consumer loop: one unit of work per message, and backout handling for messages that fail repeatedly.

MQGET takes no action on a message that is backed out repeatedly; applications do. This loop follows the
BackoutThreshold and BackoutRequeueQName of the queue (BEY-35). If the message cannot be requeued there, it follows the
report options of the message (BEY-36). ``mqx get --exec`` applies the same rules in its own loop.
"""

from __future__ import annotations

from collections.abc import Callable

from mqtools.constants.message import MQEI_UNLIMITED, MQFB_QUIT, MQMT_REPORT
from mqtools.constants.options import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_BACKOUT_THRESHOLD_REACHED, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.formats.phrases import counted
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.journal import DEAD_LETTER
from mqtools.mqi.overrides import Override
from mqtools.mqi.report_messages import make_report, with_dlh
from mqtools.rules.reports import DISCARD, disposition
from mqtools.store import queues

_OPTIONS = MQGMO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING
_PASS = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT

#: Longest pause between two attempts to process a message; largest exponent, which keeps the product finite.
_LONGEST_DELAY_S, _MOST_DOUBLINGS = 60.0, 60


def consume(handle: Handle, process: Callable[[GetResult], None], *, wait_ms: int = 0) -> int:
    """Get messages and process each in a unit of work until none arrives; return the number processed.

    handle: open for input, saving all context.  process: may put and get in the same unit of work; an
    exception backs it out, and the message is delivered again until its backout count reaches the threshold of
    the queue and it is requeued. Without a threshold the exception is raised to the caller.
    A report with feedback MQFB_QUIT ends the loop (RPT-32).  wait_ms: for each message; -1 is unlimited.
    """
    done = 0
    while True:
        try:
            result = handle.get(_OPTIONS, wait_ms=wait_ms)
        except NoMessageAvailable:
            return done
        threshold = backout_threshold(handle)
        if has_reached(threshold, result.message.md):
            requeue_message(handle, result.message)
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


def backout_threshold(handle: Handle) -> int:
    """Return the current BackoutThreshold of a queue; 0 means none."""
    return queues.backout_attributes(handle.connection.db, handle.queue_id)[0]


def has_reached(threshold: int, md: MQMD) -> bool:
    """Return whether the backout count of a message has reached the threshold (BEY-35)."""
    return 0 < threshold <= md.backout_count


def retry_delay_s(first_s: float, backout_count: int) -> float:
    """Return the delay before a message is retried: exponential backoff, limited to a minute.

    first_s: delay after the first backout; also the limit if it is more than a minute.
    backout_count: backouts before this one.
    """
    return min(first_s * 2.0 ** min(backout_count, _MOST_DOUBLINGS), max(first_s, _LONGEST_DELAY_S))


def requeue_message(handle: Handle, message: Message) -> str:
    """Move a message to the backout requeue queue, else to the dead-letter queue, and commit.

    handle: has got the message in the unit of work, which contains nothing else; saves all context.
    Returns the name of the queue; empty if the message was discarded as its report options say.
    Raises MQError if no queue accepts it; the unit of work is backed out first.
    """
    try:
        _, requeue_q = queues.backout_attributes(handle.connection.db, handle.queue_id)
        destination = requeue_q if requeue_q and _requeue(handle, message, requeue_q) else _dispose(handle, message)
    except MQError:
        handle.connection.backout()
        raise
    handle.connection.commit()
    return destination


def _requeue(handle: Handle, message: Message, requeue_q: str) -> bool:
    backouts = counted(message.md.backout_count, "backout")
    words = f"backout threshold reached: {backouts}, BOQNAME({requeue_q})"
    try:
        with Override(handle.connection, event_detail=words):
            handle.connection.put1(requeue_q, message, _PASS, context=handle.context)
    except StorageError:
        raise
    except MQError:
        return False
    return True


def _dispose(handle: Handle, message: Message) -> str:
    """Put the message on the dead-letter queue or discard it, and send the exception report that it requests."""
    with handle.connection.work() as work:
        assert handle.connection.id is not None
        expiry = message.md.expiry if message.md.expiry > 0 else MQEI_UNLIMITED
        make_report(
            work,
            message.md,
            lambda: message.data,
            MQRC_BACKOUT_THRESHOLD_REACHED,
            expiry,
            handle.connection.id,
        )
        if disposition(message.md.report) == DISCARD:
            return ""
        dead_letter_q, destination = work.qmgr.dead_letter_q_name, (handle.q_name, "")
        reason = MQRC_BACKOUT_THRESHOLD_REACHED
        md, data = with_dlh(work, message.md, message.data, reason, destination, by_queue_manager=False)
    letter = Message(data, md, message.properties)
    if not dead_letter_q:
        raise MQError(f"queue manager {handle.connection.name} has no dead-letter queue", MQRC_UNKNOWN_OBJECT_NAME)
    with (
        handle.connection.work() as work,
        work.caused_by(DEAD_LETTER, MQRC_BACKOUT_THRESHOLD_REACHED, f"for {handle.q_name}"),
    ):
        handle.connection.put1(dead_letter_q, letter, _PASS, context=handle.context)
    return dead_letter_q
