"""Browse of a message: what it does to the cursor, the lock and the marks of its handle."""

from __future__ import annotations

from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARK_BROWSE_HANDLE,
)
from mqtools.mqi import units_of_work
from mqtools.mqi.browse_marks import mark_for_set, unmark_for_set
from mqtools.mqi.get.request import Attempt
from mqtools.rules.options.get import MOVING_OPTIONS
from mqtools.store.messages import marks
from mqtools.store.messages.stored_message import StoredMessage

_MARKS = MQGMO_MARK_BROWSE_CO_OP | MQGMO_MARK_BROWSE_HANDLE | MQGMO_UNMARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_HANDLE


def browse(attempt: Attempt, parts: list[StoredMessage]) -> None:
    """Move the cursor, the lock and the marks of the handle (LOCK-15, LOCK-16, LOCK-21, BROWSE-42, MARK-01)."""
    work, handle, first = attempt.work, attempt.handle, parts[0]
    if attempt.options & MOVING_OPTIONS:
        handle.cursor_seq, handle.cursor_key = first.seq, first.order_key
        if first.md.msg_seq_number == 1 and first.md.offset == 0:
            handle.leading_key = first.order_key
        if attempt.options & MQGMO_BROWSE_FIRST or handle.browses_logically is None:
            handle.browses_logically = bool(attempt.options & MQGMO_LOGICAL_ORDER)
    if attempt.options & _MARKS:
        _mark(attempt, first)
    if handle.locked_seq == first.seq and attempt.options & MQGMO_LOCK:
        return
    handle.release_lock(work)
    if attempt.options & MQGMO_LOCK:
        units_of_work.lock(work, attempt.queue, parts, handle.id)
        handle.locked_seq = first.seq


def _mark(attempt: Attempt, stored: StoredMessage) -> None:
    """Set or remove marks; where both are requested, removing wins (AMB-07)."""
    work, queue = attempt.work, attempt.queue
    options, handle_id = attempt.options, attempt.handle.id
    if options & MQGMO_MARK_BROWSE_HANDLE:
        marks.add(work.db, queue.id, stored.seq, handle_id, None)
    if options & MQGMO_MARK_BROWSE_CO_OP:
        mark_for_set(work, queue.id, stored.seq, stays=attempt.request.mark_stays)
    if options & MQGMO_UNMARK_BROWSE_HANDLE:
        marks.remove(work.db, queue.id, stored.seq, handle_id)
    if options & MQGMO_UNMARK_BROWSE_CO_OP:
        unmark_for_set(work, queue.id, stored.seq)
