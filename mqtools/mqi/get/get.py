"""MQGET: find a message, wait for one if asked, and return it.

The steps of one attempt, in order: ``select_message`` finds the physical messages, ``present`` makes of them what is
returned, then they are browsed or removed and the handle's positions move. How a call waits is in ``waiters``.
"""

from __future__ import annotations

import time

from mqtools.constants.completeness import ALONE
from mqtools.constants.message import MQEI_UNLIMITED, MQPER_PERSISTENT
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
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import (
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_NONE,
    MQRC_SECOND_MARK_NOT_ALLOWED,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.browse_marks import mark_for_set, unmark_for_set
from mqtools.mqi.get import present, search, select_message
from mqtools.mqi.get.removal import report_whole, take_off
from mqtools.mqi.get.request import GetResult
from mqtools.rules import states
from mqtools.rules.options.get import (
    BROWSE_OPTIONS,
    MOVING_OPTIONS,
    UNDER_CURSOR_OPTIONS,
    browses,
    uses_syncpoint,
)
from mqtools.store import queues
from mqtools.store.messages import marks, messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest
    from mqtools.mqi.transaction import Work
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

_MARKS = MQGMO_MARK_BROWSE_CO_OP | MQGMO_MARK_BROWSE_HANDLE | MQGMO_UNMARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_HANDLE


def get(request: GetRequest) -> GetResult:
    """Get or browse one message, or set a signal; the options have been checked.

    Raises NoMessageAvailable, or MQError: MQRC_GET_INHIBITED, MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_Q_MGR_QUIESCING, MQRC_Q_DELETED, MQRC_SIGNAL1_ERROR, and the reasons of groups and segments.
    """
    deadline = deadline_of(request) if request.waits else None
    try:
        while True:
            found = search_or_wait(request, deadline)
            if isinstance(found, GetResult):
                return found
            presence = request.handle.connection.presence
            assert presence is not None
            presence.wait(*found)
    finally:
        if request.waited:
            stop_waiting(request)


def deadline_of(request: GetRequest) -> float | None:
    """Return when the wait of a call that begins now is over, by ``time.monotonic``; None without a limit."""
    if request.waits and request.wait_ms != MQWI_UNLIMITED:
        return time.monotonic() + request.wait_ms / 1000
    return None


def search_or_wait(request: GetRequest, deadline: float | None) -> GetResult | tuple[float | None, list[bytes]]:
    """Search, and record the waiter where nothing is found and the call waits.

    Return the result, or how many seconds (None: without a limit) and for the end of which connections to sleep before
    the next search. Raises as ``get``.
    """
    handle = request.handle
    request.may_pause = handle.selector is not None and not handle.connection.db.in_block
    in_unit = uses_syncpoint(request.options, MQPER_PERSISTENT, handle.connection.profile)
    while True:
        left = None if deadline is None else deadline - time.monotonic()
        may_wait = request.waits and (left is None or left > 0)
        with handle.connection.work(handle.queue_id, in_unit=in_unit) as work:
            result = attempt(work, request)
            work.may_stay = result is not None and bool(work.got) and handle.signal is None
            if handle.signal is not None:
                handle.signal.settle(work)
            if result is None and may_wait and not request.is_unfinished:
                from mqtools.mqi.get import waiters

                others, until = waiters.record_waiter(work, request)
            elif request.waited and not request.is_unfinished:
                from mqtools.mqi.get import waiters

                waiters.remove_waiter(work, request)
        if request.is_unfinished:
            request.go_on()
            continue
        if result is not None:
            return result
        if may_wait:
            return waiters.limit_wait(left, until), others
        if request.sets_signal:
            from mqtools.mqi.get.signals import accept

            return accept(request)
        raise _nothing(request)


def stop_waiting(request: GetRequest) -> None:
    """Remove the waiter of a call that ends."""
    from mqtools.mqi.get import waiters

    with request.handle.connection.work() as work:
        waiters.remove_waiter(work, request)


def _nothing(request: GetRequest) -> MQError:
    """Return the error of a get that found nothing.

    It is raised after the commit: expired messages that the search discarded stay discarded.
    """
    if request.options & UNDER_CURSOR_OPTIONS:
        return MQError("there is no message under the browse cursor", MQRC_NO_MSG_UNDER_CURSOR)
    return NoMessageAvailable(f"no message on queue {request.handle.q_name} fits")


def attempt(work: Work, request: GetRequest) -> GetResult | None:
    """Search once; None when nothing fits, or the search has to continue outside of the transaction."""
    if request.options & MQGMO_MARK_SKIP_BACKOUT or work.connection.is_broken:
        _check_unit_of_work(work, request)
    found = select_message.look(work, request)
    if found is None:
        if request.options & MOVING_OPTIONS and not request.is_unfinished:
            request.handle.release_lock(work)  # LOCK-19, LOCK-20
        return None
    try:
        return _deliver(request, found)
    except StorageError as error:
        if len(found) == 1:
            raise
        # Segments that cannot be put together are all reinstated, and the unit of work goes on (COMPL-12).
        raise MQError(error.text, error.reason) from error


def _check_unit_of_work(work: Work, request: GetRequest) -> None:
    """Check that the unit of work can take the message (SYNC-21, BEY-96), so that a get does not wait in vain.

    Raises MQError: MQRC_SECOND_MARK_NOT_ALLOWED, MQRC_BACKED_OUT.
    """
    connection = work.connection
    if request.options & MQGMO_MARK_SKIP_BACKOUT and connection.skips_backout:
        raise MQError("another get of this unit of work has MQGMO_MARK_SKIP_BACKOUT", MQRC_SECOND_MARK_NOT_ALLOWED)
    if connection.is_broken and uses_syncpoint(request.options, MQPER_PERSISTENT, work.qmgr.profile):
        connection.check_unit_of_work()


def _deliver(request: GetRequest, found: list[StoredMessage]) -> GetResult:
    """Return the message and do to it what the options say; a failed truncation changes nothing."""
    work, options = request.work, request.options
    delivery = present.assemble(request, found)
    first = delivery.parts[0]
    held = uses_syncpoint(options, first.md.persistence, work.qmgr.profile)
    removes = not options & BROWSE_OPTIONS
    if removes and len(delivery.parts) > 1:
        from mqtools.rules.reassembly import check_reassembly

        is_persistent = any(part.md.persistence for part in delivery.parts)
        check_reassembly(len(delivery.parts), is_persistent, held, work.connection.in_unit_of_work)
    expiry = MQEI_UNLIMITED if first.expires_at is None else search.remaining_expiry(first, work.now_ms)
    present.represent(request, delivery)
    reason, length = delivery.reason, len(delivery.returned_data)
    if request.max_length is not None and length > request.max_length:
        accepted = options & MQGMO_ACCEPT_TRUNCATED_MSG
        reason = reason or MQRC_TRUNCATED_MSG_ACCEPTED if accepted else MQRC_TRUNCATED_MSG_FAILED
    if reason != MQRC_TRUNCATED_MSG_FAILED:
        if removes:
            _remove(request, delivery, expiry, held)
        else:
            _browse(request, delivery.parts)
        if request.is_about_groups:
            warning = _retain(request, delivery, held)
            reason = reason or warning
    md = delivery.returned_md
    md.expiry = expiry
    if request.md is not None:
        md = _fill_in(request.md, md)
    if request.properties is not None:
        request.properties.copy_from(delivery.for_handle, md)
    message = Message(delivery.returned_data[: request.max_length], md, delivery.properties)
    return GetResult(message, reason, length, request.queue.name, search.token_of(first.seq))


def _fill_in(given: MQMD, found: MQMD) -> MQMD:
    """Copy a descriptor into the caller's own, all but the version (BEY-59)."""
    for name in MQMD.__slots__:
        if name != "version":
            setattr(given, name, getattr(found, name))
    return given


def _remove(request: GetRequest, delivery: present.Delivery, expiry: int, held: bool) -> None:
    """Remove the message from the queue, at once or into the unit of work."""
    work, handle, parts = request.work, request.handle, delivery.parts
    connection = work.connection
    if handle.locked_seq is not None and any(part.lock_id == handle.id for part in parts):
        handle.release_lock(work)  # LOCK-39: a back-out gives it back unlocked
        for part in parts:
            part.state, part.lock_id = UNLOCKED, None
    holder_id = connection.unit_of_work(work) if held else None
    if handle.options & MQOO_SAVE_ALL_CONTEXT:
        handle.context = parts[0].md.replace()
    for part in parts:
        take_off(work, request.queue, part, expiry, holder_id, reports=len(parts) == 1)
    if len(parts) > 1 and delivery.md.report:
        report_whole(work, delivery.md, delivery.data, expiry, holder_id)
    if held:
        work.got = tuple([part.seq for part in parts])
        connection.last_got = (*work.got, *work.placed)
    if request.options & MQGMO_MARK_SKIP_BACKOUT:
        connection.skips_backout = connection.last_got


def _browse(request: GetRequest, parts: list[StoredMessage]) -> None:
    """Move the cursor, the lock and the marks of the handle (LOCK-15, LOCK-16, LOCK-21, BROWSE-42, MARK-01)."""
    work, handle, first = request.work, request.handle, parts[0]
    if request.options & MOVING_OPTIONS:
        handle.cursor_seq, handle.cursor_key = first.seq, first.order_key
        if first.md.msg_seq_number == 1 and first.md.offset == 0:
            handle.leading_key = first.order_key
        if request.options & MQGMO_BROWSE_FIRST or handle.browses_logically is None:
            handle.browses_logically = bool(request.options & MQGMO_LOGICAL_ORDER)
    if request.options & _MARKS:
        _mark(request, first)
    if handle.locked_seq == first.seq and request.options & MQGMO_LOCK:
        return
    handle.release_lock(work)
    if request.options & MQGMO_LOCK:
        for part in parts:
            _lock(work, request.queue, part, handle.id)
        handle.locked_seq = first.seq


def _lock(work: Work, queue: Queue, stored: StoredMessage, handle_id: int) -> None:
    state = states.next_state(UNLOCKED, states.BROWSE_LOCK)
    stored.state = UNLOCKED
    if queue.journal:
        from mqtools.mqi import journal

        journal.note(work, queue, stored.seq, journal.BROWSE_LOCK, after=state)
    messages.set_state(work.db, stored, state, None, handle_id)
    queues.count(work.db, queue.id, *states.depth_change(UNLOCKED, state))


def _mark(request: GetRequest, stored: StoredMessage) -> None:
    """Set or remove marks; where both are asked for, removing wins (AMB-07)."""
    work, queue = request.work, request.queue
    options, handle_id = request.options, request.handle.id
    if options & MQGMO_MARK_BROWSE_HANDLE:
        marks.add(work.db, queue.id, stored.seq, handle_id, None)
    if options & MQGMO_MARK_BROWSE_CO_OP:
        mark_for_set(work, queue.id, stored.seq, stays=request.mark_stays)
    if options & MQGMO_UNMARK_BROWSE_HANDLE:
        marks.remove(work.db, queue.id, stored.seq, handle_id)
    if options & MQGMO_UNMARK_BROWSE_CO_OP:
        unmark_for_set(work, queue.id, stored.seq)


def _retain(request: GetRequest, delivery: present.Delivery, held: bool) -> int:
    """Keep the position in the group for the next call of this kind; return the warning of one out of order."""
    handle, length = request.handle, delivery.length
    if delivery.parts[0].completeness == ALONE and not handle.has_open_group:
        return MQRC_NONE
    from mqtools.rules import logical_get

    if browses(request.options):
        if request.options & MOVING_OPTIONS:
            handle.browse_position = logical_get.after_browse(request.options, delivery.md, length)
        return MQRC_NONE
    position, warning = logical_get.after_get(handle.get_position, request.options, delivery.md, length, held)
    if handle.get_position.is_open or position.is_open:  # else nothing is retained that a back-out could restore
        handle.retain(position, in_unit_of_work=held, keeps=bool(request.options & MQGMO_MARK_SKIP_BACKOUT))
    return warning
