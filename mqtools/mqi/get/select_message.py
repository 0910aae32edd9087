"""Which message a get is about: under the cursor, by token, next in its group, or the first that fits.

What comes out is the physical messages of one call, first to last: one, or with MQGMO_COMPLETE_MSG the
segments of a whole logical message.
"""

from __future__ import annotations

from mqtools.constants.completeness import (
    ALL,
    ALONE,
    FIRST_SEGMENT,
    GROUP_COMPLETE,
    INCOMPLETE,
    INSIDE,
    LEADING,
    MESSAGE_COMPLETE,
    at_any_completeness,
    standings,
)
from mqtools.constants.objects import MQIT_MSG_TOKEN
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
    MQOO_CO_OP,
)
from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_INCONSISTENT_BROWSE,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_MSG_MARKED_BROWSE_CO_OP,
)
from mqtools.errors import MQError
from mqtools.mqi import recovery
from mqtools.mqi.browse_marks import is_marked_for_set
from mqtools.mqi.get import completeness, search
from mqtools.mqi.identity import now_ms
from mqtools.mqi.put import fail_if_quiescing
from mqtools.rules.options.get import (
    UNDER_CURSOR_OPTIONS,
    browses,
    check_wait_by_index,
    counts_as_destructive,
    uses_syncpoint,
)
from mqtools.store import holders
from mqtools.store.messages import marks, messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest
    from mqtools.mqi.get.resumable_search import ResumableSearch
    from mqtools.mqi.handle_state import HandleState
    from mqtools.mqi.transaction import Work
    from mqtools.rules.groups import GroupPosition
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

_PLACES = MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_OFFSET
_EVERYWHERE = (INSIDE, FIRST_SEGMENT, LEADING)


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
    found = choose(work, request, queue)
    if found is not None or request.is_unfinished:
        return queue, found
    if (queue.uncommitted or _has_held(work, queue)) and recovery.recover(work, queue.id):
        found = choose(work, request, queue)
    return queue, found


def choose(work: Work, request: GetRequest, queue: Queue) -> list[StoredMessage] | None:
    """Give the physical messages that the call is about; None when nothing fits.

    Raises MQError: MQRC_INCONSISTENT_BROWSE, MQRC_MSG_MARKED_BROWSE_CO_OP, and what the rules of groups and
    segments refuse (rules/logical_get.py).
    """
    if request.options & MQGMO_BROWSE_NEXT:
        _check_browse_order(request)
    if _is_about_groups(work, request, queue):
        return _among_groups(work, request, queue)
    matching = request.match_options
    stored = _find(work, request, queue, matching, search.wanted_fields(matching, request.md), ALL)
    return None if stored is None else [stored]


def _is_about_groups(work: Work, request: GetRequest, queue: Queue) -> bool:
    """Tell whether the rules of groups and segments have a say; on most queues there are neither."""
    if queue.grouped or request.handle.has_open_group or work.qmgr.profile == "zos":
        return True
    return bool(request.options & MQGMO_LOGICAL_ORDER and request.match_options & _PLACES)


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
    matching = logical_get.selection_match_options(position, request.options, request.match_options)
    wanted.update(search.wanted_fields(matching, request.md))
    behind = -1
    while True:
        stored = _find(work, request, queue, matching, wanted, which, behind)
        if stored is None:
            return None
        _check_found(work, request, position, matching, stored)
        found = completeness.members(work, request, queue, position, stored)
        if found is not None:
            return found
        behind = stored.order_key


def _check_found(
    work: Work, request: GetRequest, position: GroupPosition, matching: int, stored: StoredMessage
) -> None:
    """Refuse a message that the options forbid; a token that did not choose it may not contradict it either."""
    from mqtools.rules import logical_get

    held = uses_syncpoint(request.options, stored.md.persistence, work.qmgr.profile)
    logical_get.check_found(position, request.options, request.match_options, request.md, stored.md, held)
    if request.options & UNDER_CURSOR_OPTIONS or browses(request.options) or matching & MQMO_MATCH_MSG_TOKEN:
        return
    if search.seq_of_token(request.match_options, request.msg_token) not in (None, stored.seq):
        raise MQError("the next message in logical order has another token", MQRC_MATCH_OPTIONS_ERROR)


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
    work: Work,
    request: GetRequest,
    queue: Queue,
    matching: int,
    wanted: dict[str, object],
    which: tuple[int, ...],
    behind: int = -1,
) -> StoredMessage | None:
    """Find the message: under the cursor, by token, or the first that fits.

    matching: match options (MQMO_*) that choose.  behind: order key of one that was found and did not do.
    """
    handle = request.handle
    seq = search.seq_of_token(matching, request.msg_token)
    if (request.options & UNDER_CURSOR_OPTIONS or seq is not None) and behind >= 0:
        return None
    if request.options & UNDER_CURSOR_OPTIONS:
        stored = _unless_marked(work, request, queue, search.reachable(work, queue, handle.cursor_seq, handle.id))
    elif seq is not None:
        stored = _unless_marked(work, request, queue, _named(work, request, queue, seq, wanted, which))
    else:
        stored = _first(work, request, queue, wanted, which, behind)
    if stored is not None and queue.marks:
        _refuse_marked(work, request, stored)
    return stored


def _named(
    work: Work, request: GetRequest, queue: Queue, seq: int, wanted: dict[str, object], which: tuple[int, ...]
) -> StoredMessage | None:
    """Give the message that a token names, if it fits everything else that is asked for (BEY-61, BEY-63, BEY-82)."""
    stored = search.reachable(work, queue, seq, request.handle.id)
    if stored is None or not search.fits(stored, wanted, which):
        return None
    selector = request.handle.selector
    return stored if selector is None or search.selects(selector, stored, work.now_ms) else None


def _first(
    work: Work, request: GetRequest, queue: Queue, wanted: dict[str, object], which: tuple[int, ...], behind: int
) -> StoredMessage | None:
    handle = request.handle
    own_lock = messages.by_seq(work.db, handle.locked_seq) if handle.locked_seq is not None else None
    begin_behind = _begin_behind(request)

    accept = (lambda found: _accepts(work, request, queue, found)) if _is_choosy(request, queue) else None

    def first_of(wanted: dict[str, object], which: tuple[int, ...]) -> StoredMessage | None:
        if handle.selector is not None and request.may_pause and behind < 0 and (which == ALL or not queue.grouped):
            resumable_search = _resumable_search(handle, queue, wanted)
            if resumable_search is not None:
                stored = next(
                    resumable_search.found(work, queue, after=begin_behind, own_lock=own_lock, accept=accept), None
                )
                request.is_unfinished = resumable_search.is_unfinished
                return stored
        return search.first(
            work,
            queue,
            wanted,
            after=behind if behind > begin_behind else begin_behind,
            own_lock=own_lock,
            selector=handle.selector,
            accept=accept,
            standings=which,
        )

    stored = first_of(wanted, which)
    if own_lock is None or own_lock.standing == ALONE or which == at_any_completeness(which):
        return stored
    # What the handle has locked itself is there for it, yet missing in the standings of its group.
    group_id = own_lock.md.group_id
    if wanted.get("group_id", group_id) != group_id:
        return stored
    of_group = first_of({**wanted, "group_id": group_id}, at_any_completeness(which))
    return min((found for found in (stored, of_group) if found), key=lambda found: found.order_key, default=None)


def _resumable_search(handle: HandleState, queue: Queue, wanted: dict[str, object]) -> ResumableSearch | None:
    """Return the search of a handle with its selector; None where a search in the turn is short, or has to be.

    wanted: fields and their values that are asked for beside the selector.
    """
    selector = handle.selector
    if selector is None or not selector.is_lasting:
        return None
    fields = {**selector.index_terms(), **wanted}
    if messages.is_sought(fields):
        return None
    found = handle.resumable_search
    if found is None or found.fields != fields:
        from mqtools.mqi.get.resumable_search import ResumableSearch

        found = handle.resumable_search = ResumableSearch(
            queue.id, fields, selector.predicate, lambda stored: search.selects(selector, stored, now_ms())
        )
    return found


def _begin_behind(request: GetRequest) -> int:
    """The order key to begin behind. In logical order the cursor may have stepped back: the group leads.

    In a group that is current the next one is named, wherever it lies.
    """
    if not request.options & MQGMO_BROWSE_NEXT:
        return -1
    if request.options & MQGMO_LOGICAL_ORDER:
        return -1 if request.handle.browse_position.is_open else request.handle.leading_key
    return request.handle.cursor_key


def _is_choosy(request: GetRequest, queue: Queue) -> bool:
    return request.waited or bool(request.options & MQGMO_UNMARKED_BROWSE_MSG and queue.marks)


def _accepts(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> bool:
    if _unless_marked(work, request, queue, stored) is None:
        return False
    return not (request.waited and _wanted_by_specific(work, request, stored))


def _unless_marked(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage | None) -> StoredMessage | None:
    """Pass a message over that is marked for this handle or its co-operating set, if asked (MARK-27 to MARK-29)."""
    if stored is None or not (queue.marks and request.options & MQGMO_UNMARKED_BROWSE_MSG):
        return stored
    handle = request.handle
    co_op = bool(handle.options & MQOO_CO_OP)
    is_marked = marks.is_marked(work.db, stored.seq, handle.id, co_op=co_op, now_ms=work.now_ms)
    return None if is_marked else stored


def _refuse_marked(work: Work, request: GetRequest, stored: StoredMessage) -> None:
    """A co-operative mark is set once: another wish to set it fails, unless marked messages are skipped (MARK-19)."""
    if not request.options & MQGMO_MARK_BROWSE_CO_OP or request.options & MQGMO_UNMARKED_BROWSE_MSG:
        return
    if is_marked_for_set(work, stored.seq):
        raise MQError("the message is marked for the co-operating set already", MQRC_MSG_MARKED_BROWSE_CO_OP)


def _wanted_by_specific(work: Work, request: GetRequest, stored: StoredMessage) -> bool:
    """A waiting get that asks for any message leaves one to a waiting get that asks for just it (WAIT-11, 12)."""
    if search.wanted_fields(request.match_options, request.md) or not counts_as_destructive(request.options):
        return False
    waiting = holders.specific_waiters(work.db, stored.queue_id, stored.md.msg_id, stored.md.correl_id)
    others = [token for handle_id, token in waiting if handle_id != request.handle.id]
    alive = [token for token in others if recovery.is_token_alive(work, token)]
    request.left_to.extend(alive)
    return bool(alive)


def _has_held(work: Work, queue: Queue) -> bool:
    return bool(messages.held(work.db, queue.id, limit=1))
