"""What a get does to the message it found, and what the caller is given: browsed, locked, marked or removed."""

from __future__ import annotations

from mqtools.constants.completeness import ALONE
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARK_BROWSE_HANDLE,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import (
    MQRC_NONE,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.constants.states import UNLOCKED
from mqtools.message import MQMD, Message
from mqtools.mqi import units_of_work
from mqtools.mqi.get import present, search
from mqtools.mqi.get.removal import report_whole, take_off
from mqtools.mqi.get.request import GetResult
from mqtools.rules import states
from mqtools.rules.options.get import MOVING_OPTIONS, browses, uses_syncpoint
from mqtools.store import queues
from mqtools.store.messages import marks, messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest
    from mqtools.mqi.handle_state import HandleState
    from mqtools.mqi.transaction import Work
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

_MARKS = MQGMO_MARK_BROWSE_CO_OP | MQGMO_MARK_BROWSE_HANDLE | MQGMO_UNMARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_HANDLE


def deliver_message(work: Work, request: GetRequest, queue: Queue, found: list[StoredMessage]) -> GetResult:
    """Give the message to the caller and do to it what the options say; nothing on a failed truncation."""
    whole = present.whole_of(work, request, found)
    first = whole.parts[0]
    held = uses_syncpoint(request.options, first.md.persistence, work.qmgr.profile)
    removes = not browses(request.options)
    if removes and len(whole.parts) > 1:
        from mqtools.rules.reassembly import check_reassembly

        is_persistent = any(part.md.persistence for part in whole.parts)
        check_reassembly(len(whole.parts), is_persistent, held, request.handle.connection.in_unit_of_work)
    expiry = search.remaining_expiry(first, work.now_ms)
    given = present.represent(work, request, queue, whole)
    reason = whole.reason or given.reason
    if request.max_length is not None and len(given.data) > request.max_length:
        accepted = request.options & MQGMO_ACCEPT_TRUNCATED_MSG
        reason = reason or MQRC_TRUNCATED_MSG_ACCEPTED if accepted else MQRC_TRUNCATED_MSG_FAILED
    if reason != MQRC_TRUNCATED_MSG_FAILED:
        if removes:
            _remove(work, request, queue, whole, expiry, held)
        else:
            _browse(work, request, queue, whole.parts)
        warning = _retain(request, first, whole, held)
        reason = reason or warning
    md = _returned_descriptor(request.md, given.md, expiry)
    message = Message(given.data[: request.max_length], md, given.properties)
    if request.properties is not None:
        request.properties.copy_from(given.for_handle, md)
    return GetResult(message, reason, len(given.data), queue.name, search.token_of(first.seq))


def _returned_descriptor(given: MQMD | None, found: MQMD, expiry: int) -> MQMD:
    """The descriptor a get returns is the caller's own, filled in (BEY-59)."""
    found.expiry = expiry
    if given is None:
        return found
    for name in MQMD.__slots__:
        if name != "version":
            setattr(given, name, getattr(found, name))
    return given


def _retain(request: GetRequest, stored: StoredMessage, whole: present.Whole, held: bool) -> int:
    """Keep the place in the group for the next call of this kind; give the warning of one out of order."""
    handle = request.handle
    if stored.standing == ALONE and not handle.has_open_group:
        return MQRC_NONE
    from mqtools.rules import logical_get

    length = whole.length
    if browses(request.options):
        if request.options & MOVING_OPTIONS:
            handle.browse_position = logical_get.after_browse(request.options, whole.md, length)
        return MQRC_NONE
    position, warning = logical_get.after_get(handle.get_position, request.options, whole.md, length, held)
    if handle.get_position.is_open or position.is_open:  # else nothing is retained that a back-out could restore
        handle.retain(position, in_unit_of_work=held, keeps=bool(request.options & MQGMO_MARK_SKIP_BACKOUT))
    return warning


def _browse(work: Work, request: GetRequest, queue: Queue, parts: list[StoredMessage]) -> None:
    """Move the cursor, the lock and the marks of the handle (LOCK-15, LOCK-16, LOCK-21, BROWSE-42, MARK-01)."""
    handle, first = request.handle, parts[0]
    if request.options & MOVING_OPTIONS:
        handle.cursor_seq, handle.cursor_key = first.seq, first.order_key
        if first.md.msg_seq_number == 1 and first.md.offset == 0:
            handle.leading_key = first.order_key
        if request.options & MQGMO_BROWSE_FIRST or handle.browses_logically is None:
            handle.browses_logically = bool(request.options & MQGMO_LOGICAL_ORDER)
    if request.options & _MARKS:
        _mark(work, request, queue, first)
    if handle.locked_seq == first.seq and request.options & MQGMO_LOCK:
        return
    release_lock(work, handle)
    if request.options & MQGMO_LOCK:
        for part in parts:
            _lock(work, queue, part, handle.id)
        handle.locked_seq = first.seq


def _lock(work: Work, queue: Queue, stored: StoredMessage, handle_id: int) -> None:
    state = states.next_state(UNLOCKED, states.BROWSE_LOCK)
    stored.state = UNLOCKED
    messages.set_state(work.db, stored, state, None, handle_id)
    queues.count(work.db, queue.id, *states.depth_change(UNLOCKED, state))
    if queue.journal:
        from mqtools.mqi import journal

        journal.note(work, queue, stored.seq, journal.BROWSE_LOCK)


def _mark(work: Work, request: GetRequest, queue: Queue, stored: StoredMessage) -> None:
    """Set or remove marks; where both are asked for, removing wins (AMB-07)."""
    from mqtools.mqi.browse_marks import mark_for_set, unmark_for_set

    options, handle_id = request.options, request.handle.id
    if options & MQGMO_MARK_BROWSE_HANDLE:
        marks.add(work.db, queue.id, stored.seq, handle_id, None)
    if options & MQGMO_MARK_BROWSE_CO_OP:
        mark_for_set(work, queue.id, stored.seq, stays=request.mark_stays)
    if options & MQGMO_UNMARK_BROWSE_HANDLE:
        marks.remove(work.db, queue.id, stored.seq, handle_id)
    if options & MQGMO_UNMARK_BROWSE_CO_OP:
        unmark_for_set(work, queue.id, stored.seq)


def release_lock(work: Work, handle: HandleState) -> bool:
    """Unlock what the handle has locked; tell whether there was anything (LOCK-24)."""
    if handle.locked_seq is None:
        return False
    handle.locked_seq = None
    return units_of_work.unlock(work, handle.id)


def _remove(work: Work, request: GetRequest, queue: Queue, whole: present.Whole, expiry: int, held: bool) -> None:
    """Take the message off the queue, at once or into the unit of work."""
    handle, connection, parts = request.handle, request.handle.connection, whole.parts
    if any(part.lock_id == handle.id for part in parts):
        release_lock(work, handle)  # LOCK-39: a back-out gives it back unlocked
        for part in parts:
            part.state, part.lock_id = UNLOCKED, None
    holder_id = connection.unit_of_work(work) if held else None
    if handle.options & MQOO_SAVE_ALL_CONTEXT:
        handle.context = parts[0].md.replace()
    for part in parts:
        take_off(work, queue, part, expiry, holder_id, reports=len(parts) == 1)
    if len(parts) > 1:
        report_whole(work, whole.md, whole.data, expiry, holder_id)
    if held:
        connection.last_got = (*(part.seq for part in parts), *work.placed)
    if request.options & MQGMO_MARK_SKIP_BACKOUT:
        connection.skips_backout = connection.last_got
