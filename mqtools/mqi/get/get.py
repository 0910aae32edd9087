"""MQGET: find a message, wait for one if asked, and hand it over.

Which message it is, is in ``choosing``; what is done to it and what the caller gets, in ``handing``; how a
call waits, in ``waiting``.
"""

from __future__ import annotations

import time

from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQPER_PERSISTENT,
)
from mqtools.constants.objects import MQIT_MSG_TOKEN
from mqtools.constants.options import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_SET_SIGNAL,
    MQGMO_WAIT,
    MQGS_LAST_MSG_IN_GROUP,
    MQGS_MSG_IN_GROUP,
    MQGS_NOT_IN_GROUP,
    MQSEG_ALLOWED,
    MQSEG_INHIBITED,
    MQSS_LAST_SEGMENT,
    MQSS_NOT_A_SEGMENT,
    MQSS_SEGMENT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_GET_INHIBITED,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_SECOND_MARK_NOT_ALLOWED,
)
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.get import select_message
from mqtools.mqi.put import fail_if_quiescing
from mqtools.records import Record
from mqtools.rules.options.get import (
    MOVING_OPTIONS,
    PROPERTY_OPTIONS,
    UNDER_CURSOR_OPTIONS,
    check_wait_by_index,
    effective_wait,
    uses_syncpoint,
)
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.mqi.handle import Handle
    from mqtools.mqi.message_handles.handle import MessageHandle
    from mqtools.mqi.transaction import Work
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue


class GetResult(Record):
    """What a get gives: the message, and what MQGMO says of it.

    data_length: bytes of the whole message, before truncation.  reason: a warning, or MQRC_NONE.
    group_status, segment_status, segmentation: the single characters MQGS, MQSS, MQSEG.
    """

    __slots__ = (
        "message",
        "comp_code",
        "reason",
        "data_length",
        "resolved_q_name",
        "msg_token",
        "group_status",
        "segment_status",
        "segmentation",
    )

    def __init__(
        self,
        message: Message,
        reason: int,
        data_length: int,
        resolved_q_name: str,
        msg_token: bytes,
    ) -> None:
        self.message = message
        self.comp_code = MQCC_WARNING if reason else MQCC_OK
        self.reason = reason
        self.data_length = data_length
        self.resolved_q_name = resolved_q_name
        self.msg_token = msg_token
        self.group_status, self.segment_status, self.segmentation = position_status(message.md.msg_flags)


#: The status of a message in no group that is no segment.
_BY_ITSELF = MQGS_NOT_IN_GROUP, MQSS_NOT_A_SEGMENT, MQSEG_INHIBITED


def position_status(msg_flags: int) -> tuple[str, str, str]:
    """Give GroupStatus, SegmentStatus and Segmentation of a message (LOGORD-61, BEY-97)."""
    if not msg_flags:
        return _BY_ITSELF
    if msg_flags & MQMF_LAST_MSG_IN_GROUP:
        group = MQGS_LAST_MSG_IN_GROUP
    else:
        group = MQGS_MSG_IN_GROUP if msg_flags & MQMF_MSG_IN_GROUP else MQGS_NOT_IN_GROUP
    if msg_flags & MQMF_LAST_SEGMENT:
        segment = MQSS_LAST_SEGMENT
    else:
        segment = MQSS_SEGMENT if msg_flags & MQMF_SEGMENT else MQSS_NOT_A_SEGMENT
    return group, segment, MQSEG_ALLOWED if msg_flags & MQMF_SEGMENTATION_ALLOWED else MQSEG_INHIBITED


class GetRequest(Record):
    """One MQGET call: its handle, options, what it matches, how long it waits, how much it takes.

    wait_ms: -1 without limit.  max_length: bytes of the buffer, None without limit.  waited: whether it
    is written down as waiting.  left_to: presence tokens of those it has just left a message to.
    properties: the message handle that takes the properties, if any; lacks_md: there is one and no descriptor
    was given.  in_message: give the properties with the message, as Python programs want them.
    signal: what is posted under MQGMO_SET_SIGNAL.  mark_stays: a mark of the co-operating set outlives its handles.
    may_pause: the search may go on outside of the transaction (scouting.py).  is_unfinished: it has to.
    """

    __slots__ = (
        "handle",
        "options",
        "match_options",
        "md",
        "wait_ms",
        "max_length",
        "msg_token",
        "properties",
        "in_message",
        "lacks_md",
        "signal",
        "mark_stays",
        "may_pause",
        "is_unfinished",
        "waited",
        "left_to",
    )

    def __init__(
        self,
        handle: Handle,
        options: int,
        match_options: int,
        md: MQMD | None,
        wait_ms: int,
        max_length: int | None,
        msg_token: bytes,
    ) -> None:
        self.handle = handle
        self.options = int(options)  # with members of an enumeration each & takes long
        self.match_options = int(match_options)
        self.md = md
        self.wait_ms = wait_ms
        self.max_length = max_length
        self.msg_token = msg_token
        self.properties: MessageHandle | None = None
        self.in_message = True
        self.lacks_md = False
        self.signal: Callable[[int], object] | int | None = None
        self.mark_stays = False
        self.may_pause = self.is_unfinished = False
        self.waited = False
        self.left_to: list[bytes] = []

    @property
    def asks_for_property_form(self) -> bool:
        """Whether an option says in which form the properties are to come."""
        return bool(self.options & PROPERTY_OPTIONS)

    @property
    def waits(self) -> bool:
        """Whether the call waits for a message; under the cursor there is nothing to wait for (WAIT-22, 23)."""
        return bool(effective_wait(self.options) & MQGMO_WAIT)

    @property
    def sets_signal(self) -> bool:
        """Whether the call sets a signal when there is no message; never under the cursor."""
        return bool(effective_wait(self.options) & MQGMO_SET_SIGNAL)

    def go_on(self) -> None:
        """Go on with an unfinished search, outside of a transaction."""
        assert self.handle.resumable_search is not None
        self.handle.resumable_search.go_on(self.handle.connection.db)


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
    queue, found = look(work, request)
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


def look(work: Work, request: GetRequest) -> tuple[Queue, list[StoredMessage] | None]:
    """Give the queue, and the physical messages that the call is about or None; nothing happens to them.

    Raises MQError as ``get``.
    """
    handle = request.handle
    request.is_unfinished = False
    request.left_to.clear()
    queue = handle.fresh_queue(work)
    if request.options & MQGMO_FAIL_IF_QUIESCING:
        fail_if_quiescing(work)
    for definition in handle.path(work, queue):
        if definition.inhibit_get:
            raise MQError(f"gets are inhibited on queue {definition.name}", MQRC_GET_INHIBITED, q_name=definition.name)
    if queue.index_type == MQIT_MSG_TOKEN:
        check_wait_by_index(request.options, request.match_options, queue.index_type, work.qmgr.profile)
    found = select_message.choose(work, request, queue)
    if found is not None or request.is_unfinished:
        return queue, found
    if (queue.uncommitted or _has_held(work, queue)) and recovery.recover(work, queue.id):
        found = select_message.choose(work, request, queue)
    return queue, found


def _check_unit_of_work(work: Work, request: GetRequest) -> None:
    """Refuse at once a get that its unit of work could not take (SYNC-21, BEY-96): it is not to wait for that.

    Raises MQError: MQRC_SECOND_MARK_NOT_ALLOWED, MQRC_BACKED_OUT.
    """
    connection = request.handle.connection
    if request.options & MQGMO_MARK_SKIP_BACKOUT and connection.skips_backout:
        raise MQError("one get of this unit of work is marked already", MQRC_SECOND_MARK_NOT_ALLOWED)
    if connection.is_broken and uses_syncpoint(request.options, MQPER_PERSISTENT, work.qmgr.profile):
        connection.check_unit_of_work()


def _has_held(work: Work, queue: Queue) -> bool:
    return bool(messages.held(work.db, queue.id, limit=1))
