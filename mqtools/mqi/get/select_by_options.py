"""Selection of a message by what a call asks for: identifiers, a token, the cursor, groups, marks, a selector."""

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
    completeness_values,
)
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
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
    MQRC_INCONSISTENT_BROWSE,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_MSG_MARKED_BROWSE_CO_OP,
)
from mqtools.errors import MQError
from mqtools.mqi import recovery
from mqtools.mqi.browse_marks import is_marked_for_set
from mqtools.mqi.get import completeness, search
from mqtools.mqi.get.resumable_search import ResumableSearch
from mqtools.mqi.identity import now_ms
from mqtools.rules import logical_get
from mqtools.rules.options.get import (
    UNDER_CURSOR_OPTIONS,
    browses,
    counts_as_destructive,
    uses_syncpoint,
)
from mqtools.store import holders
from mqtools.store.messages import marks, messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest
    from mqtools.mqi.handle_state import HandleState
    from mqtools.rules.groups import GroupPosition
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

_PLACES = MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_OFFSET
_EVERYWHERE = (INSIDE, FIRST_SEGMENT, LEADING)


def find(request: GetRequest) -> list[StoredMessage] | None:
    """Return the physical messages that the call is about; None when nothing fits.

    Raises MQError: MQRC_INCONSISTENT_BROWSE, MQRC_MSG_MARKED_BROWSE_CO_OP, and what the rules of groups and
    segments refuse (``rules.logical_get``).
    """
    options, match_options = request.options, request.match_options
    if options & MQGMO_BROWSE_NEXT:
        _check_browse_order(request)
    request.is_about_groups = (
        bool(request.queue.grouped)
        or request.handle.has_open_group
        or request.work.qmgr.profile == "zos"
        or bool(options & MQGMO_LOGICAL_ORDER and match_options & _PLACES)
    )
    if request.is_about_groups:
        return _among_groups(request)
    stored = _find(request, match_options, search.wanted_fields(match_options, request.md), ALL)
    return None if stored is None else [stored]


def _check_browse_order(request: GetRequest) -> None:
    """Check that a sweep keeps its order: only BROWSE_FIRST changes it (BROWSE-20, BROWSE-21)."""
    logical = bool(request.options & MQGMO_LOGICAL_ORDER)
    if request.handle.browses_logically not in (None, logical):
        order = "physical" if logical else "logical"
        raise MQError(f"this browse is in {order} order; use BROWSE_FIRST to begin another", MQRC_INCONSISTENT_BROWSE)


def _among_groups(request: GetRequest) -> list[StoredMessage] | None:
    """Select by the rules of groups and segments: by position and completeness, a whole message if asked."""
    work, queue = request.work, request.queue
    position = position_of(request)
    by_message = request.options & MQGMO_SYNCPOINT_IF_PERSISTENT
    held = None if by_message else uses_syncpoint(request.options, 1, work.qmgr.profile)
    logical_get.check_index_type(request.options, queue.index_type, work.qmgr.profile)
    logical_get.check_get(position, request.options, request.match_options, request.md, held)
    wanted = logical_get.wanted_by_logical_order(position, request.options)
    which = _wanted_completeness(request, position)
    if "group_id" not in wanted:
        wanted = {}  # the completeness says it: only what begins a group, or stands alone
    matching = logical_get.selection_match_options(position, request.options, request.match_options)
    wanted.update(search.wanted_fields(matching, request.md))
    behind = -1
    while True:
        stored = _find(request, matching, wanted, which, behind)
        if stored is None:
            return None
        _check_found(request, position, matching, stored)
        found = completeness.members(request, position, stored)
        if found is not None:
            return found
        behind = stored.order_key


def _check_found(request: GetRequest, position: GroupPosition, matching: int, stored: StoredMessage) -> None:
    """Check that the options allow the message; a token that did not select it must not contradict it either."""
    held = uses_syncpoint(request.options, stored.md.persistence, request.work.qmgr.profile)
    logical_get.check_found(position, request.options, request.match_options, request.md, stored.md, held)
    if request.options & UNDER_CURSOR_OPTIONS or browses(request.options) or matching & MQMO_MATCH_MSG_TOKEN:
        return
    if search.seq_of_token(request.match_options, request.msg_token) not in (None, stored.seq):
        raise MQError("the next message in logical order has another token", MQRC_MATCH_OPTIONS_ERROR)


def position_of(request: GetRequest) -> GroupPosition:
    """Return the position that the handle retains for calls of this kind, browsing or removing (LOGORD-42)."""
    handle = request.handle
    return handle.browse_position if browses(request.options) else handle.get_position


def _wanted_completeness(request: GetRequest, position: GroupPosition) -> tuple[int, ...]:
    """Return the places and completeness of group members that may be selected."""
    options = request.options
    least = INCOMPLETE
    if logical_get.needs_group_complete(options, position):
        least = GROUP_COMPLETE
    elif logical_get.needs_message_complete(options, position):
        least = MESSAGE_COMPLETE
    begins = options & MQGMO_BROWSE_FIRST or not position.is_open
    if options & MQGMO_LOGICAL_ORDER and begins:
        return completeness_values((LEADING,), least)
    if options & MQGMO_COMPLETE_MSG:
        return completeness_values((FIRST_SEGMENT, LEADING), least)
    return ALL if least == INCOMPLETE else completeness_values(_EVERYWHERE, least)


def _find(
    request: GetRequest, matching: int, wanted: dict[str, object], which: tuple[int, ...], behind: int = -1
) -> StoredMessage | None:
    """Return the message: under the cursor, by token, or the first that fits.

    matching: match options (MQMO_*) that choose.  behind: order key of one that was found and was not accepted.
    """
    at_cursor = request.options & UNDER_CURSOR_OPTIONS
    seq = search.seq_of_token(matching, request.msg_token) if matching & MQMO_MATCH_MSG_TOKEN else None
    if not at_cursor and seq is None:
        stored = _first(request, wanted, which, behind)
    elif behind >= 0:
        return None
    else:
        stored = _under_cursor(request) if at_cursor else _named(request, seq, wanted, which)
        if stored is not None and _is_passed_over(request, stored):
            return None
    if stored is not None and request.queue.marks:
        _refuse_marked(request, stored)
    return stored


def _under_cursor(request: GetRequest) -> StoredMessage | None:
    handle = request.handle
    return search.reachable(request.work, request.queue, handle.cursor_seq, handle.id)


def _named(
    request: GetRequest, seq: int | None, wanted: dict[str, object], which: tuple[int, ...]
) -> StoredMessage | None:
    """Return the message that a token names, if it fits everything else that is asked for (BEY-61, BEY-63, BEY-82)."""
    work, selector = request.work, request.handle.selector
    stored = search.reachable(work, request.queue, seq, request.handle.id)
    if stored is None or not search.fits(stored, wanted, which):
        return None
    return stored if selector is None or search.selects(selector, stored, work.now_ms) else None


def _first(request: GetRequest, wanted: dict[str, object], which: tuple[int, ...], behind: int) -> StoredMessage | None:
    """Return the first message that fits, in the order of delivery."""
    work, queue, handle = request.work, request.queue, request.handle
    own_lock = messages.by_seq(work.db, handle.locked_seq) if handle.locked_seq is not None else None
    begin = _begin_behind(request) if request.options & MQGMO_BROWSE_NEXT else -1
    accept = None
    if request.waited or (queue.marks and request.options & MQGMO_UNMARKED_BROWSE_MSG):

        def accept(found: StoredMessage) -> bool:
            return not (_is_passed_over(request, found) or (request.waited and _wanted_by_specific(request, found)))

    def first_of(wanted: dict[str, object], which: tuple[int, ...]) -> StoredMessage | None:
        if handle.selector is not None and request.may_pause and behind < 0 and (which == ALL or not queue.grouped):
            resumable_search = _resumable_search(handle, queue, wanted)
            if resumable_search is not None:
                stored = next(resumable_search.found(work, queue, after=begin, own_lock=own_lock, accept=accept), None)
                request.is_unfinished = resumable_search.is_unfinished
                return stored
        return search.first(
            work,
            queue,
            wanted,
            after=behind if behind > begin else begin,
            own_lock=own_lock,
            selector=handle.selector,
            accept=accept,
            completeness=which,
        )

    stored = first_of(wanted, which)
    if own_lock is None or own_lock.completeness == ALONE or which == at_any_completeness(which):
        return stored
    # What the handle has locked itself is available to it, yet missing in the stored completeness of its group.
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
        found = handle.resumable_search = ResumableSearch(
            queue.id, fields, selector.predicate, lambda stored: search.selects(selector, stored, now_ms())
        )
    return found


def _begin_behind(request: GetRequest) -> int:
    """Return the order key behind which BROWSE_NEXT begins.

    In logical order the cursor may have stepped back: the group leads. In a group that is current the next message is
    named, wherever it is.
    """
    if request.options & MQGMO_LOGICAL_ORDER:
        return -1 if request.handle.browse_position.is_open else request.handle.leading_key
    return request.handle.cursor_key


def _is_passed_over(request: GetRequest, stored: StoredMessage) -> bool:
    """Return whether a browse of unmarked messages skips one: this handle or its set marked it (MARK-27 to MARK-29)."""
    if not (request.queue.marks and request.options & MQGMO_UNMARKED_BROWSE_MSG):
        return False
    work, handle = request.work, request.handle
    co_op = bool(handle.options & MQOO_CO_OP)
    return marks.is_marked(work.db, stored.seq, handle.id, co_op=co_op, now_ms=work.now_ms)


def _refuse_marked(request: GetRequest, stored: StoredMessage) -> None:
    """Refuse to set a co-operative mark a second time, unless marked messages are skipped (MARK-19)."""
    if not request.options & MQGMO_MARK_BROWSE_CO_OP or request.options & MQGMO_UNMARKED_BROWSE_MSG:
        return
    if is_marked_for_set(request.work, stored.seq):
        raise MQError("the message is already marked for the co-operating set", MQRC_MSG_MARKED_BROWSE_CO_OP)


def _wanted_by_specific(request: GetRequest, stored: StoredMessage) -> bool:
    """Return whether a waiting get for any message leaves one to a waiting get for just this one (WAIT-11, WAIT-12)."""
    if search.wanted_fields(request.match_options, request.md) or not counts_as_destructive(request.options):
        return False
    work = request.work
    waiting = holders.specific_waiters(work.db, stored.queue_id, stored.md.msg_id, stored.md.correl_id)
    others = [token for handle_id, token in waiting if handle_id != request.handle.id]
    alive = [token for token in others if recovery.is_token_alive(work, token)]
    request.left_to.extend(alive)
    return bool(alive)
