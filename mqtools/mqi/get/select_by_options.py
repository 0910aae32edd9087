"""Selection of a message by what a call asks for: identifiers, a token, the cursor, groups, marks, a selector."""

from __future__ import annotations

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
from mqtools.constants.states import (
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
from mqtools.errors import MQError
from mqtools.mqi.browse_marks import is_marked_for_set
from mqtools.mqi.get import completeness, search
from mqtools.mqi.get.long_search import LongSearch
from mqtools.mqi.get.request import Attempt
from mqtools.mqi.identity import now_ms
from mqtools.rules import logical_get
from mqtools.rules.groups import GroupPosition
from mqtools.rules.options.get import (
    UNDER_CURSOR_OPTIONS,
    browses,
    counts_as_destructive,
    uses_syncpoint,
)
from mqtools.store import holders
from mqtools.store.liveness import is_alive
from mqtools.store.messages import marks, messages
from mqtools.store.messages.stored_message import StoredMessage

_PLACES = MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_OFFSET
_EVERYWHERE = (INSIDE, FIRST_SEGMENT, LEADING)


def find(attempt: Attempt) -> list[StoredMessage] | None:
    """Return the physical messages that the call is about; None when nothing fits.

    Raises MQError: MQRC_INCONSISTENT_BROWSE, MQRC_MSG_MARKED_BROWSE_CO_OP, and what the rules of groups and
    segments refuse (``rules.logical_get``).
    """
    options, match_options = attempt.options, attempt.request.match_options
    if options & MQGMO_BROWSE_NEXT:
        _check_browse_order(attempt)
    attempt.is_about_groups = (
        bool(attempt.queue.grouped)
        or attempt.handle.has_open_group
        or attempt.work.qmgr.profile == "zos"
        or bool(options & MQGMO_LOGICAL_ORDER and match_options & _PLACES)
    )
    if attempt.is_about_groups:
        return _among_groups(attempt)
    stored = _find(attempt, match_options, search.wanted_fields(match_options, attempt.request.md), ALL)
    return None if stored is None else [stored]


def _check_browse_order(attempt: Attempt) -> None:
    """Check that a sweep keeps its order: only BROWSE_FIRST changes it (BROWSE-20, BROWSE-21)."""
    logical = bool(attempt.options & MQGMO_LOGICAL_ORDER)
    if attempt.handle.browses_logically not in (None, logical):
        order = "physical" if logical else "logical"
        raise MQError(f"this browse is in {order} order; use BROWSE_FIRST to begin another", MQRC_INCONSISTENT_BROWSE)


def _among_groups(attempt: Attempt) -> list[StoredMessage] | None:
    """Select by the rules of groups and segments: by position and completeness, a whole message if asked."""
    work, queue = attempt.work, attempt.queue
    position = position_of(attempt)
    by_message = attempt.options & MQGMO_SYNCPOINT_IF_PERSISTENT
    held = None if by_message else uses_syncpoint(attempt.options, 1, work.qmgr.profile)
    logical_get.check_index_type(attempt.options, queue.index_type, work.qmgr.profile)
    logical_get.check_get(position, attempt.options, attempt.request.match_options, attempt.request.md, held)
    wanted = logical_get.wanted_by_logical_order(position, attempt.options)
    which = _wanted_completeness(attempt, position)
    if "group_id" not in wanted:
        wanted = {}  # the completeness says it: only what begins a group, or stands alone
    matching = logical_get.selection_match_options(position, attempt.options, attempt.request.match_options)
    wanted.update(search.wanted_fields(matching, attempt.request.md))
    behind = -1
    while True:
        stored = _find(attempt, matching, wanted, which, behind)
        if stored is None:
            return None
        _check_found(attempt, position, matching, stored)
        found = completeness.members(attempt, position, stored)
        if found is not None:
            return found
        behind = stored.order_key


def _check_found(attempt: Attempt, position: GroupPosition, matching: int, stored: StoredMessage) -> None:
    """Check that the options allow the message; a token that did not select it must not contradict it either."""
    held = uses_syncpoint(attempt.options, stored.md.persistence, attempt.work.qmgr.profile)
    request = attempt.request
    logical_get.check_found(position, attempt.options, request.match_options, request.md, stored.md, held)
    if attempt.options & UNDER_CURSOR_OPTIONS or browses(attempt.options) or matching & MQMO_MATCH_MSG_TOKEN:
        return
    if search.seq_of_token(attempt.request.match_options, attempt.request.msg_token) not in (None, stored.seq):
        raise MQError("the next message in logical order has another token", MQRC_MATCH_OPTIONS_ERROR)


def position_of(attempt: Attempt) -> GroupPosition:
    """Return the position that the handle retains for calls of this kind, browsing or removing (LOGORD-42)."""
    handle = attempt.handle
    return handle.browse_position if browses(attempt.options) else handle.get_position


def _wanted_completeness(attempt: Attempt, position: GroupPosition) -> tuple[int, ...]:
    """Return the places and completeness of group members that may be selected."""
    options = attempt.options
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
    attempt: Attempt, matching: int, wanted: dict[str, object], which: tuple[int, ...], behind: int = -1
) -> StoredMessage | None:
    """Return the message: under the cursor, by token, or the first that fits.

    matching: match options (MQMO_*) that choose.  behind: order key of one that was found and was not accepted.
    """
    at_cursor = attempt.options & UNDER_CURSOR_OPTIONS
    seq = search.seq_of_token(matching, attempt.request.msg_token) if matching & MQMO_MATCH_MSG_TOKEN else None
    if not at_cursor and seq is None:
        stored = _first(attempt, wanted, which, behind)
    elif behind >= 0:
        return None
    else:
        stored = _under_cursor(attempt) if at_cursor else _named(attempt, seq, wanted, which)
        if stored is not None and _is_passed_over(attempt, stored):
            return None
    if stored is not None and attempt.queue.marks:
        _refuse_marked(attempt, stored)
    return stored


def _under_cursor(attempt: Attempt) -> StoredMessage | None:
    handle = attempt.handle
    return search.reachable(attempt.work, attempt.queue, handle.cursor_seq, handle.id)


def _named(
    attempt: Attempt, seq: int | None, wanted: dict[str, object], which: tuple[int, ...]
) -> StoredMessage | None:
    """Return the message that a token names, if it fits everything else that is requested (BEY-61, BEY-63, BEY-82)."""
    work, selector = attempt.work, attempt.handle.selector
    stored = search.reachable(work, attempt.queue, seq, attempt.handle.id)
    if stored is None or not search.fits(stored, wanted, which):
        return None
    return stored if selector is None or search.selects(selector, stored, work.now_ms) else None


def _first(attempt: Attempt, wanted: dict[str, object], which: tuple[int, ...], behind: int) -> StoredMessage | None:
    """Return the first message that fits, in the order of delivery."""
    work, queue, handle = attempt.work, attempt.queue, attempt.handle
    own_lock = messages.by_seq(work.db, handle.locked_seq) if handle.locked_seq is not None else None
    begin = _begin_behind(attempt) if attempt.options & MQGMO_BROWSE_NEXT else -1
    selector = handle.selector
    predicate = None
    if selector is not None:
        wanted, predicate = {**selector.index_terms(), **wanted}, selector.predicate
    passes_over = attempt.is_recorded or (queue.marks and attempt.options & MQGMO_UNMARKED_BROWSE_MSG)

    def accept(found: StoredMessage) -> bool:
        if selector is not None and not search.selects(selector, found, work.now_ms):
            return False
        return not passes_over or not (_is_passed_over(attempt, found) or _wanted_by_specific(attempt, found))

    def find_first(wanted: dict[str, object], which: tuple[int, ...]) -> StoredMessage | None:
        after, places = max(behind, begin), which if queue.grouped else (ALONE,)
        if own_lock is None and selector is None and not passes_over:
            return search.first_available(work, queue, wanted, after=after, completeness=places)
        is_long = behind < 0 and (which == ALL or not queue.grouped)
        long_search = _long_search(attempt, wanted) if is_long else None
        if long_search is not None:
            candidates = long_search.candidates(work, queue, after)
        else:
            candidates = search.walk(
                work.db, queue.id, wanted, predicate, work.now_ms, after=after, completeness=places
            )
        if own_lock is not None and own_lock.order_key > after and search.fits(own_lock, wanted, places):
            candidates = search.with_own_lock(candidates, own_lock, long_search)
        return search.first_accepted(work, queue, candidates, accept)

    stored = find_first(wanted, which)
    if own_lock is None or own_lock.completeness == ALONE or which == at_any_completeness(which):
        return stored
    # A message under the handle's own lock is available to it, yet missing in the stored completeness of its group.
    group_id = own_lock.md.group_id
    if wanted.get("group_id", group_id) != group_id:
        return stored
    of_group = find_first({**wanted, "group_id": group_id}, at_any_completeness(which))
    return min((found for found in (stored, of_group) if found), key=lambda found: found.order_key, default=None)


def _long_search(attempt: Attempt, wanted: dict[str, object]) -> LongSearch | None:
    """Return the search by a selector; None where an index leaves few messages, or a transaction encloses the call."""
    selector = attempt.handle.selector
    if selector is None or messages.is_sought(wanted) or attempt.work.db.blocks > 1:
        return None
    if attempt.long_search is None or attempt.long_search.fields != wanted:
        attempt.long_search = LongSearch(
            attempt.queue, wanted, selector.predicate, lambda stored: search.selects(selector, stored, now_ms())
        )
    return attempt.long_search


def _begin_behind(attempt: Attempt) -> int:
    """Return the order key behind which BROWSE_NEXT begins.

    In logical order the cursor may have stepped back: the group leads. In a group that is current the next message is
    named, wherever it is.
    """
    if attempt.options & MQGMO_LOGICAL_ORDER:
        return -1 if attempt.handle.browse_position.is_open else attempt.handle.leading_key
    return attempt.handle.cursor_key


def _is_passed_over(attempt: Attempt, stored: StoredMessage) -> bool:
    """Return whether a browse of unmarked messages skips one: this handle or its set marked it (MARK-27 to MARK-29)."""
    if not (attempt.queue.marks and attempt.options & MQGMO_UNMARKED_BROWSE_MSG):
        return False
    work, handle = attempt.work, attempt.handle
    co_op = bool(handle.options & MQOO_CO_OP)
    return marks.is_marked(work.db, stored.seq, handle.id, co_op=co_op, now_ms=work.now_ms)


def _refuse_marked(attempt: Attempt, stored: StoredMessage) -> None:
    """Refuse to set a co-operative mark a second time, unless marked messages are skipped (MARK-19)."""
    if not attempt.options & MQGMO_MARK_BROWSE_CO_OP or attempt.options & MQGMO_UNMARKED_BROWSE_MSG:
        return
    if is_marked_for_set(attempt.work, stored.seq):
        raise MQError("the message is already marked for the co-operating set", MQRC_MSG_MARKED_BROWSE_CO_OP)


def _wanted_by_specific(attempt: Attempt, stored: StoredMessage) -> bool:
    """Return whether a waiting get for any message leaves one to a waiting get for just this one (WAIT-11, WAIT-12)."""
    wait, asked = attempt.wait, attempt.request
    if wait is None or not wait.is_recorded or not counts_as_destructive(attempt.options):
        return False
    if search.wanted_fields(asked.match_options, asked.md):
        return False
    work = attempt.work
    waiting = holders.specific_waiters(work.db, stored.queue_id, stored.md.msg_id, stored.md.correl_id)
    others = [token for handle_id, token in waiting if handle_id != attempt.handle.id]
    alive = [token for token in others if is_alive(work.db, token)]
    wait.left_to.extend(alive)
    return bool(alive)
