"""MQGET: find a message, wait for one if asked, and hand it over.

Which message it is, is in ``choosing``; what is done to it and what the caller gets, in ``handing``; how a
call waits, in ``waiting``.
"""

from __future__ import annotations

import time

from mqtools.constants.message import (
    MQPER_PERSISTENT,
)
from mqtools.constants.options import (
    MQGMO_MARK_SKIP_BACKOUT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import (
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_SECOND_MARK_NOT_ALLOWED,
)
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.mqi.get import select_message
from mqtools.rules.options.get import (
    MOVING_OPTIONS,
    UNDER_CURSOR_OPTIONS,
    uses_syncpoint,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest, GetResult
    from mqtools.mqi.transaction import Work


def get(request: GetRequest) -> GetResult:
    """Get or browse one message, or set a signal; the options have been checked.

    Raises NoMessageAvailable, or MQError: MQRC_GET_INHIBITED, MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_Q_MGR_QUIESCING, MQRC_Q_DELETED, MQRC_SIGNAL1_ERROR, and the reasons of groups and segments.
    """
    from mqtools.mqi import waiting

    handle = request.handle
    request.may_pause = not handle.connection.db.in_transaction
    deadline = None
    if request.waits and request.wait_ms != MQWI_UNLIMITED:
        deadline = time.monotonic() + request.wait_ms / 1000
    try:
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            may_wait = request.waits and (left is None or left > 0)
            with handle.connection.work(handle.queue_id) as work:
                result = attempt(work, request)
                if handle.signal is not None:
                    handle.signal.settle(work)
                if result is None and may_wait and not request.is_unfinished:
                    others, until = waiting.prepare(work, request)
                elif request.waited and not request.is_unfinished:
                    waiting.end(work, request)
            if request.is_unfinished:
                request.go_on()
                continue
            if result is not None:
                return result
            if not may_wait:
                if request.sets_signal:
                    from mqtools.mqi.signals import accept

                    return accept(request)
                raise _nothing(request)
            assert handle.connection.presence is not None
            handle.connection.presence.wait(waiting.shortened(left, until), others)
    finally:
        if request.waited:
            with handle.connection.work() as work:
                waiting.end(work, request)


def _nothing(request: GetRequest) -> MQError:
    """What a get says that found nothing. Raised when its transaction is through: what it discarded stays so."""
    if request.options & UNDER_CURSOR_OPTIONS:
        return MQError("there is no message under the browse cursor", MQRC_NO_MSG_UNDER_CURSOR)
    return NoMessageAvailable(f"no message on queue {request.handle.q_name} fits")


def attempt(work: Work, request: GetRequest) -> GetResult | None:
    """Look once; None when nothing fits, or the search has to go on outside of the transaction."""
    from mqtools.mqi.get import deliver

    handle = request.handle
    _check_unit_of_work(work, request)
    queue, found = select_message.look(work, request)
    if found is None:
        if request.options & MOVING_OPTIONS and not request.is_unfinished:
            deliver.release_lock(work, handle)  # LOCK-19, LOCK-20
        return None
    try:
        return deliver.deliver_message(work, request, queue, found)
    except StorageError as error:
        if len(found) == 1:
            raise
        # Segments that cannot be put together are all reinstated, and the unit of work goes on (COMPL-12).
        raise MQError(error.text, error.reason) from error


def _check_unit_of_work(work: Work, request: GetRequest) -> None:
    """Refuse at once a get that its unit of work could not take (SYNC-21, BEY-96): it is not to wait for that.

    Raises MQError: MQRC_SECOND_MARK_NOT_ALLOWED, MQRC_BACKED_OUT.
    """
    connection = request.handle.connection
    if request.options & MQGMO_MARK_SKIP_BACKOUT and connection.skips_backout:
        raise MQError("one get of this unit of work is marked already", MQRC_SECOND_MARK_NOT_ALLOWED)
    if connection.is_broken and uses_syncpoint(request.options, MQPER_PERSISTENT, work.qmgr.profile):
        connection.check_unit_of_work()
