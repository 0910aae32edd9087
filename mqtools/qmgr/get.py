"""MQGET: find a message, wait for one if asked, and hand it over, under syncpoint or not, removed or browsed."""

from __future__ import annotations

import time

from mqtools.constants.message import (
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
)
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
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
    MQRC_NONE,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.qmgr import recovery, search, units
from mqtools.qmgr.identity import now_ms
from mqtools.qmgr.put import fail_if_quiescing
from mqtools.qmgr.removal import take_off
from mqtools.records import Record
from mqtools.rules import states
from mqtools.rules.options_get import browses, is_destructive, uses_syncpoint
from mqtools.store import holders, messages, queues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.qmgr.handle import Handle
    from mqtools.qmgr.work import Work
    from mqtools.store.messages import StoredMessage
    from mqtools.store.queues import Queue

_UNDER_CURSOR = MQGMO_BROWSE_MSG_UNDER_CURSOR | MQGMO_MSG_UNDER_CURSOR
_MOVES_CURSOR = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT


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


def position_status(msg_flags: int) -> tuple[str, str, str]:
    """Give GroupStatus, SegmentStatus and Segmentation of a message (LOGORD-61, BEY-97)."""
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
    """

    __slots__ = ("handle", "options", "match_options", "md", "wait_ms", "max_length", "msg_token", "waited", "left_to")

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
        self.options = options
        self.match_options = match_options
        self.md = md
        self.wait_ms = wait_ms
        self.max_length = max_length
        self.msg_token = msg_token
        self.waited = False
        self.left_to: list[bytes] = []

    @property
    def waits(self) -> bool:
        """Whether the call waits for a message; under the cursor there is nothing to wait for (WAIT-22, 23)."""
        return bool(self.options & MQGMO_WAIT) and not self.options & _UNDER_CURSOR


def get(request: GetRequest) -> GetResult:
    """Get or browse one message; the options have been checked.

    Raises NoMessageAvailable, or MQError: MQRC_GET_INHIBITED, MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_Q_MGR_QUIESCING, MQRC_Q_DELETED.
    """
    handle = request.handle
    deadline = None
    if request.waits and request.wait_ms != MQWI_UNLIMITED:
        deadline = time.monotonic() + request.wait_ms / 1000
    try:
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            may_wait = request.waits and (left is None or left > 0)
            with handle.connection.work() as work:
                result = _attempt(work, request)
                if result is None and may_wait:
                    others, lease_end = _prepare_wait(work, request)
                elif request.waited:
                    _end_wait(work, request)
            if result is not None:
                return result
            if not may_wait:
                raise _nothing(request)
            assert handle.connection.presence is not None
            handle.connection.presence.wait(_until_lease_end(left, lease_end), others)
    finally:
        if request.waited:
            with handle.connection.work() as work:
                _end_wait(work, request)


def _nothing(request: GetRequest) -> MQError:
    """What a get says that found nothing. Raised when its transaction is through: what it discarded stays so."""
    if request.options & _UNDER_CURSOR:
        return MQError("there is no message under the browse cursor", MQRC_NO_MSG_UNDER_CURSOR)
    return NoMessageAvailable(f"no message on queue {request.handle.q_name} fits")


def wait_for_arrival(handle: Handle, deadline: float | None, look: Callable[[], bool] | None = None) -> bool:
    """Sleep until a message of the queue becomes available, whichever; False when the deadline passes.

    look: asked once, after the wait has been written down; true ends it.
    """
    request = GetRequest(handle, MQGMO_BROWSE_FIRST | MQGMO_WAIT, 0, None, MQWI_UNLIMITED, None, b"")
    with handle.connection.work() as work:
        others, lease_end = _prepare_wait(work, request)
    try:
        assert handle.connection.presence is not None
        if look is not None and look():
            return True
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            if handle.connection.presence.wait(_until_lease_end(left, lease_end), others):
                return True
            if lease_end is not None and lease_end <= now_ms():
                return True
    finally:
        with handle.connection.work() as work:
            holders.remove_waiter(work.db, handle.id)


def _end_wait(work: Work, request: GetRequest) -> None:
    """Strike the waiter out, and let the general ones look again at what they have left to it (WAIT-12)."""
    holders.remove_waiter(work.db, request.handle.id)
    request.waited = False
    if any(_ids_waited_for(request)):
        work.wake_general(request.handle.queue_id)


def _ids_waited_for(request: GetRequest) -> tuple[bytes | None, bytes | None]:
    """Give the message and correlation id of a get that takes any message with them, else two times None.

    One that asks for more than ids could leave the message alone: nobody may hold it back for it.
    """
    wanted = search.wanted_fields(request.match_options, request.md)
    msg_id, correl_id = wanted.pop("msg_id", None), wanted.pop("correl_id", None)
    if wanted or request.handle.selector is not None or request.options & MQGMO_BROWSE_NEXT:
        return None, None
    return msg_id if isinstance(msg_id, bytes) else None, correl_id if isinstance(correl_id, bytes) else None


def _until_lease_end(left_s: float | None, lease_end: int | None) -> float | None:
    """Shorten a wait (seconds, None without limit) to the end of the first lease (milliseconds since 1970)."""
    if lease_end is None:
        return left_s
    lease_left_s = max(0.0, (lease_end - now_ms()) / 1000)
    return lease_left_s if left_s is None else min(left_s, lease_left_s)


def _prepare_wait(work: Work, request: GetRequest) -> tuple[list[bytes], int | None]:
    """Write the waiter down, and name what could free a message of the queue.

    That is the death of another connection, by its token, and the end of the first lease of a lock.
    """
    handle = request.handle
    connection_id = handle.connection.register(work)
    assert handle.connection.presence is not None
    handle.connection.presence.listen()
    if not request.waited:
        msg_id, correl_id = _ids_waited_for(request)
        holders.add_waiter(
            work.db,
            handle.id,
            handle.queue_id,
            destructive=_counts_as_destructive(request.options),
            msg_id=msg_id,
            correl_id=correl_id,
            token=handle.connection.presence.token,
        )
        request.waited = True
    others = holders.holding_connections(work.db, handle.queue_id)
    tokens = [other.token for other in others if other.token is not None and other.id != connection_id]
    return tokens + request.left_to, holders.next_lease_end(work.db, handle.queue_id, work.now_ms)


def _attempt(work: Work, request: GetRequest) -> GetResult | None:
    """Look once; None when nothing fits."""
    handle = request.handle
    request.left_to.clear()
    queue = handle.fresh_queue(work)
    if request.options & MQGMO_FAIL_IF_QUIESCING:
        fail_if_quiescing(work)
    for definition in handle.path(work, queue):
        if definition.inhibit_get:
            raise MQError(f"gets are inhibited on queue {definition.name}", MQRC_GET_INHIBITED)
    stored = _find(work, request, queue)
    if stored is None and (queue.uncommitted or _has_held(work, queue)) and recovery.recover(work, queue.id):
        stored = _find(work, request, queue)
    if stored is None:
        if request.options & _MOVES_CURSOR:
            release_lock(work, handle)  # LOCK-19, LOCK-20
        return None
    return _hand_over(work, request, queue, stored)


def _has_held(work: Work, queue: Queue) -> bool:
    return bool(messages.held(work.db, queue.id, limit=1))


def _find(work: Work, request: GetRequest, queue: Queue) -> StoredMessage | None:
    """Choose the message: under the cursor, by token, or the first that fits."""
    handle = request.handle
    if request.options & _UNDER_CURSOR:
        return _reachable(work, request, queue, handle.cursor_seq)
    seq = search.seq_of_token(request.match_options, request.msg_token)
    if seq is not None:
        return _reachable(work, request, queue, seq)
    own_lock = None
    if handle.locked_seq is not None:
        own_lock = messages.by_seq(work.db, handle.locked_seq)
    return search.first(
        work,
        queue,
        search.wanted_fields(request.match_options, request.md),
        after=handle.cursor_key if request.options & MQGMO_BROWSE_NEXT else -1,
        own_lock=own_lock,
        selector=handle.selector,
        accept=(lambda stored: not _wanted_by_specific(work, request, stored)) if request.waited else None,
    )


def _reachable(work: Work, request: GetRequest, queue: Queue, seq: int | None) -> StoredMessage | None:
    """Give a message by its key if this handle can get it: unlocked, or locked by itself, and not expired."""
    stored = None if seq is None else messages.by_seq(work.db, seq)
    if stored is None or stored.queue_id != queue.id:
        return None
    if search.has_expired(work, stored):
        if stored.state == UNLOCKED:
            search.expire(work, queue, stored)
        return None
    is_ours = stored.state == LOCKED_FOR_BROWSE and stored.lock_id == request.handle.id
    return stored if stored.state == UNLOCKED or is_ours else None


def _wanted_by_specific(work: Work, request: GetRequest, stored: StoredMessage) -> bool:
    """A waiting get that asks for any message leaves one to a waiting get that asks for just it (WAIT-11, 12)."""
    if search.wanted_fields(request.match_options, request.md) or not _counts_as_destructive(request.options):
        return False
    waiting = holders.specific_waiters(work.db, stored.queue_id, stored.md.msg_id, stored.md.correl_id)
    others = [token for handle_id, token in waiting if handle_id != request.handle.id]
    alive = [token for token in others if recovery.is_token_alive(work, token)]
    request.left_to.extend(alive)
    return bool(alive)


def _counts_as_destructive(options: int) -> bool:
    """Among those that wait, a browse with lock counts as one that removes (WAIT-11)."""
    return is_destructive(options) or bool(options & MQGMO_LOCK)


def _hand_over(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> GetResult:
    """Give the message to the caller and do to it what the options say; nothing on a failed truncation."""
    extension = _extension_in_front(request, stored)
    length = len(extension) + stored.data_length
    reason = MQRC_NONE
    if request.max_length is not None and length > request.max_length:
        accepted = request.options & MQGMO_ACCEPT_TRUNCATED_MSG
        reason = MQRC_TRUNCATED_MSG_ACCEPTED if accepted else MQRC_TRUNCATED_MSG_FAILED
    expiry = search.remaining_expiry(stored, work.now_ms)
    if reason == MQRC_TRUNCATED_MSG_FAILED:
        data = messages.load_data(work.db, stored.seq, request.max_length)
    elif browses(request.options):
        data = messages.load_data(work.db, stored.seq, request.max_length)
        _browse(work, request, queue, stored)
    else:
        data = _remove(work, request, queue, stored, expiry)
    if extension:
        stored.md = stored.md.replace(format=MQFMT_MD_EXTENSION, encoding=MQENC_NATIVE)
    md = _returned_descriptor(request.md, stored.md, expiry)
    message = Message((extension + data)[: request.max_length], md, search.properties_of(stored))
    return GetResult(message, reason, length, queue.name, search.token_of(stored.seq))


def _extension_in_front(request: GetRequest, stored: StoredMessage) -> bytes:
    """A caller with a version-1 descriptor gets what it cannot hold as an MQMDE before the data (BEY-94)."""
    if request.md is None or request.md.version != MQMD_VERSION_1:
        return b""
    from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde

    return prefix_mqmde(stored.md, b"")[1] if needs_mqmde(stored.md) else b""


def _returned_descriptor(given: MQMD | None, found: MQMD, expiry: int) -> MQMD:
    """The descriptor a get returns is the caller's own, filled in (BEY-59)."""
    found.expiry = expiry
    if given is None:
        return found
    for name in MQMD.__slots__:
        if name != "version":
            setattr(given, name, getattr(found, name))
    return given


def _browse(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> None:
    """Move the cursor and the lock of the handle (LOCK-15, LOCK-16, LOCK-21, BROWSE-42)."""
    handle = request.handle
    if request.options & _MOVES_CURSOR:
        handle.cursor_seq, handle.cursor_key = stored.seq, stored.order_key
    if handle.locked_seq == stored.seq and request.options & MQGMO_LOCK:
        return
    release_lock(work, handle)
    if request.options & MQGMO_LOCK:
        state = states.next_state(UNLOCKED, states.BROWSE_LOCK)
        stored.state = UNLOCKED
        messages.set_state(work.db, stored, state, None, handle.id)
        queues.count(work.db, queue.id, *states.depth_change(UNLOCKED, state))
        handle.locked_seq = stored.seq


def release_lock(work: Work, handle: Handle) -> bool:
    """Unlock what the handle has locked; tell whether there was anything (LOCK-24)."""
    if handle.locked_seq is None:
        return False
    handle.locked_seq = None
    units.unlock(work, handle.id)
    return True


def _remove(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage, expiry: int) -> bytes:
    """Take the message off the queue, at once or into the unit of work; give its data."""
    handle = request.handle
    if handle.locked_seq == stored.seq:
        release_lock(work, handle)  # LOCK-39: a back-out gives it back unlocked
        stored.state, stored.lock_id = UNLOCKED, None
    held = uses_syncpoint(request.options, stored.md.persistence, work.qmgr.profile)
    holder_id = handle.connection.unit_of_work(work) if held else None
    handle.context = stored.md
    data = take_off(work, queue, stored, expiry, holder_id)
    if held:
        handle.connection.last_got = (stored.seq, *work.placed)
    return data
