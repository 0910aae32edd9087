"""Which message a get is about: under the cursor, by token, next in its group, or the first that fits.

What comes out is the physical messages of one call, first to last: one, or with MQGMO_COMPLETE_MSG the
segments of a whole logical message.
"""

from __future__ import annotations

from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQOO_CO_OP,
)
from mqtools.constants.reasons import MQRC_INCONSISTENT_BROWSE, MQRC_MSG_MARKED_BROWSE_CO_OP
from mqtools.constants.standings import (
    ALL,
    ALONE,
    FIRST_SEGMENT,
    GROUP_COMPLETE,
    INCOMPLETE,
    INSIDE,
    LEADING,
    MESSAGE_COMPLETE,
    standings,
)
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.qmgr import recovery, search
from mqtools.rules.options_get import browses, uses_syncpoint
from mqtools.store import holders, marks, messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.qmgr.get import GetRequest
    from mqtools.qmgr.work import Work
    from mqtools.rules.groups import GroupPosition
    from mqtools.store.messages import StoredMessage
    from mqtools.store.queues import Queue

_UNDER_CURSOR = MQGMO_BROWSE_MSG_UNDER_CURSOR | MQGMO_MSG_UNDER_CURSOR
_MOVES_CURSOR = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
_EVERYWHERE = (INSIDE, FIRST_SEGMENT, LEADING)


def choose(work: Work, request: GetRequest, queue: Queue) -> list[StoredMessage] | None:
    """Give the physical messages that the call is about; None when nothing fits.

    Raises MQError: MQRC_INCONSISTENT_BROWSE, MQRC_MSG_MARKED_BROWSE_CO_OP, and what the rules of groups and
    segments refuse (rules/logical_get.py).
    """
    handle = request.handle
    if request.options & MQGMO_BROWSE_NEXT:
        _check_browse_order(request)
    if not (queue.grouped or handle.has_open_group or work.qmgr.profile == "zos"):
        return _alone(_find(work, request, queue, search.wanted_fields(request.match_options, request.md), ALL))
    return _among_groups(work, request, queue)


def _alone(stored: StoredMessage | None) -> list[StoredMessage] | None:
    return None if stored is None else [stored]


def _check_browse_order(request: GetRequest) -> None:
    """Only BROWSE_FIRST changes between logical and physical order (BROWSE-20, BROWSE-21)."""
    logical = bool(request.options & MQGMO_LOGICAL_ORDER)
    if request.handle.browses_logically not in (None, logical):
        order = "physical" if logical else "logical"
        raise MQError(f"this sweep browses in {order} order; BROWSE_FIRST begins another", MQRC_INCONSISTENT_BROWSE)


def _among_groups(work: Work, request: GetRequest, queue: Queue) -> list[StoredMessage] | None:
    """Choose where there are groups or segments: by position, by completeness, whole if asked."""
    from mqtools.rules import logical_get

    position = position_of(request)
    by_message = request.options & MQGMO_SYNCPOINT_IF_PERSISTENT
    held = None if by_message else uses_syncpoint(request.options, 1, work.qmgr.profile)
    logical_get.check_index_type(request.options, queue.index_type, work.qmgr.profile)
    logical_get.check_get(position, request.options, request.match_options, request.md, held)
    wanted = logical_get.wanted_by_logical_order(position, request.options)
    which = _standings(request, position)
    if "group_id" not in wanted:
        wanted = {}  # the standings say it: only what begins a group, or stands alone
    matching = logical_get.choosing_match_options(position, request.options, request.match_options)
    wanted.update(search.wanted_fields(matching, request.md))
    while True:
        stored = _find(work, request, queue, wanted, which)
        if stored is None:
            return None
        found = _whole(work, request, queue, stored)
        if found is not None:
            held = uses_syncpoint(request.options, stored.md.persistence, work.qmgr.profile)
            logical_get.check_found(position, request.options, request.match_options, request.md, stored.md, held)
            return found
        if request.options & _UNDER_CURSOR:
            return None
        request.passed_over.add(stored.seq)


def position_of(request: GetRequest) -> GroupPosition:
    """What the handle retains for calls of this kind, browsing or removing (LOGORD-42)."""
    handle = request.handle
    return handle.browse_position if browses(request.options) else handle.get_position


def _standings(request: GetRequest, position: GroupPosition) -> tuple[int, ...]:
    """Say which members of groups may be chosen."""
    from mqtools.rules import logical_get

    options = request.options
    least = INCOMPLETE
    if logical_get.needs_group_complete(options, position):
        least = GROUP_COMPLETE
    elif logical_get.needs_message_complete(options, position):
        least = MESSAGE_COMPLETE
    begins = options & MQGMO_BROWSE_FIRST or not position.is_open
    if options & MQGMO_LOGICAL_ORDER and begins:
        return standings((LEADING,), least)
    if options & MQGMO_COMPLETE_MSG:
        return standings((FIRST_SEGMENT, LEADING), least)
    return ALL if least == INCOMPLETE else standings(_EVERYWHERE, least)


def _find(
    work: Work, request: GetRequest, queue: Queue, wanted: dict[str, object], which: tuple[int, ...]
) -> StoredMessage | None:
    """Find the message: under the cursor, by token, or the first that fits."""
    handle = request.handle
    if request.options & _UNDER_CURSOR:
        return reachable(work, request, queue, handle.cursor_seq)
    seq = search.seq_of_token(request.match_options, request.msg_token)
    if seq is not None:
        return reachable(work, request, queue, seq)
    own_lock = messages.by_seq(work.db, handle.locked_seq) if handle.locked_seq is not None else None
    stored = search.first(
        work,
        queue,
        wanted,
        after=_begin_behind(request, wanted),
        own_lock=own_lock,
        selector=handle.selector,
        accept=(lambda candidate: _accepts(work, request, queue, candidate)) if _is_choosy(request, queue) else None,
        standings=which,
    )
    if stored is not None and queue.marks:
        _refuse_marked(work, request, stored)
    return stored


def _begin_behind(request: GetRequest, wanted: dict[str, object]) -> int:
    """The order key to begin behind. In logical order the cursor may have stepped back: the group leads."""
    if not request.options & MQGMO_BROWSE_NEXT:
        return -1
    if request.options & MQGMO_LOGICAL_ORDER:
        return -1 if "group_id" in wanted and request.handle.browse_position.is_open else request.handle.leading_key
    return request.handle.cursor_key


def _is_choosy(request: GetRequest, queue: Queue) -> bool:
    return (
        request.waited or bool(request.passed_over) or bool(request.options & MQGMO_UNMARKED_BROWSE_MSG and queue.marks)
    )


def _accepts(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> bool:
    if stored.seq in request.passed_over:
        return False
    if queue.marks and request.options & MQGMO_UNMARKED_BROWSE_MSG and _is_marked(work, request, stored):
        return False
    return not (request.waited and _wanted_by_specific(work, request, stored))


def _is_marked(work: Work, request: GetRequest, stored: StoredMessage) -> bool:
    """Tell whether a message is marked for this handle, or for its co-operating set (MARK-27 to MARK-29)."""
    handle = request.handle
    co_op = bool(handle.options & MQOO_CO_OP)
    return marks.is_marked(work.db, stored.seq, handle.id, co_op=co_op, now_ms=work.now_ms)


def _refuse_marked(work: Work, request: GetRequest, stored: StoredMessage) -> None:
    """A co-operative mark is set once: another wish to set it fails, unless marked messages are skipped (MARK-19)."""
    if not request.options & MQGMO_MARK_BROWSE_CO_OP or request.options & MQGMO_UNMARKED_BROWSE_MSG:
        return
    if marks.is_marked(work.db, stored.seq, marks.CO_OPERATING, co_op=True, now_ms=work.now_ms):
        raise MQError("the message is marked for the co-operating set already", MQRC_MSG_MARKED_BROWSE_CO_OP)


def reachable(work: Work, request: GetRequest, queue: Queue, seq: int | None) -> StoredMessage | None:
    """Give a message by its key if this handle can get it: unlocked, or locked by itself, and not expired."""
    stored = None if seq is None else messages.by_seq(work.db, seq)
    if stored is None or stored.queue_id != queue.id:
        return None
    return stored if _is_ours(work, request, queue, stored) else None


def _is_ours(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> bool:
    if search.has_expired(work, stored):
        if stored.state == UNLOCKED:
            search.expire(work, queue, stored)
        return False
    return stored.state == UNLOCKED or (stored.state == LOCKED_FOR_BROWSE and stored.lock_id == request.handle.id)


def _whole(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> list[StoredMessage] | None:
    """Give what the call hands over of a message that was found; None when it is no longer whole.

    A member that has expired is discarded here, and what it belongs to is incomplete from then on (COMPL-37).
    """
    if stored.standing == ALONE:
        return [stored]
    from mqtools.rules import logical_get
    from mqtools.rules.reassembly import complete_set

    position = position_of(request)
    if logical_get.needs_group_complete(request.options, position):
        members = messages.of_group(work.db, queue.id, stored.md.group_id)
        if not all(_is_ours(work, request, queue, member) for member in members if member.state != 0):
            return None
    if not logical_get.needs_message_complete(request.options, position):
        return [stored]
    segments = messages.of_group(work.db, queue.id, stored.md.group_id, stored.md.msg_seq_number)
    there = [segment for segment in segments if _is_ours(work, request, queue, segment)]
    chosen = complete_set([(segment.md, segment.data_length) for segment in there])
    if not request.options & MQGMO_COMPLETE_MSG:
        return [stored] if chosen is not None or stored in there else None
    return None if chosen is None else [there[index] for index in chosen]


def _wanted_by_specific(work: Work, request: GetRequest, stored: StoredMessage) -> bool:
    """A waiting get that asks for any message leaves one to a waiting get that asks for just it (WAIT-11, 12)."""
    from mqtools.qmgr.waiting import counts_as_destructive

    if search.wanted_fields(request.match_options, request.md) or not counts_as_destructive(request.options):
        return False
    waiting = holders.specific_waiters(work.db, stored.queue_id, stored.md.msg_id, stored.md.correl_id)
    others = [token for handle_id, token in waiting if handle_id != request.handle.id]
    alive = [token for token in others if recovery.is_token_alive(work, token)]
    request.left_to.extend(alive)
    return bool(alive)
