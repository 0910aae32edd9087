"""Selection of the message that a get is about.

The result is the physical messages of one call, first to last: one, or with MQGMO_COMPLETE_MSG the segments of a
whole logical message. Mostly it is the first message of the queue; ``select_by_options`` handles all other calls.
"""

from __future__ import annotations

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import MQIT_MSG_TOKEN
from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQGMO_FAIL_IF_QUIESCING, MQGMO_MARK_SKIP_BACKOUT
from mqtools.constants.reasons import MQRC_SECOND_MARK_NOT_ALLOWED
from mqtools.errors import MQError
from mqtools.mqi import recovery
from mqtools.mqi.get import search
from mqtools.mqi.get.request import Attempt
from mqtools.mqi.resolution import check_gets_allowed
from mqtools.mqi.transaction import Work
from mqtools.rules.groups import NO_POSITION
from mqtools.rules.options.get import UNDER_CURSOR_OPTIONS, check_wait_by_index, uses_syncpoint
from mqtools.store import queues
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage

#: Options with which a get may be about another message than the first of its queue.
_NOT_FROM_FIRST = UNDER_CURSOR_OPTIONS | MQGMO_BROWSE_NEXT


def select(work: Work, attempt: Attempt) -> list[StoredMessage] | None:
    """Return the physical messages that the call is about, None when nothing fits; nothing happens to them.

    Raises MQError as ``get`` and ``select_by_options.find``.
    """
    options, request, handle = attempt.options, attempt.request, attempt.handle
    if options & MQGMO_MARK_SKIP_BACKOUT or work.connection.is_broken:
        _check_unit_of_work(work, attempt)
    queue = queues.by_id(work.db, handle.queue_id)
    if queue is None:
        raise handle.deleted_error()
    attempt.work, attempt.queue = work, queue
    if options & MQGMO_FAIL_IF_QUIESCING:
        work.fail_if_quiescing()
    if queue.inhibit_get or queue.index_type or handle.alias_name:
        _check_queue(attempt)
    is_about_first = not (
        request.match_options
        or options & _NOT_FROM_FIRST
        or queue.grouped
        or queue.marks
        or (attempt.wait is not None and attempt.wait.is_recorded)
        or handle.selector is not None
        or handle.locked_seq is not None
        or not (handle.get_position is handle.browse_position is NO_POSITION)
        or work.qmgr.profile == "zos"
    )
    has_recovered, is_due = False, queue.next_delivery is not None and queue.next_delivery <= work.now_ms
    while True:
        if is_due:
            is_due = recovery.deliver_due(work, queue.id)
        if is_about_first:
            attempt.is_about_groups = False
            stored = messages.next_available(work.db, queue.id)
            while stored is not None and stored.expires_at is not None and stored.has_expired(work.now_ms):
                search.expire(work, queue, stored)
                stored = messages.next_available(work.db, queue.id)
            found = None if stored is None else [stored]
        else:
            from mqtools.mqi.get import select_by_options

            found = select_by_options.find(attempt)
        if found is not None or attempt.is_paused:
            return found
        if not is_due:
            if has_recovered or not _recovers(attempt):
                return found
            has_recovered = True
        attempt.long_search = None


def _check_unit_of_work(work: Work, attempt: Attempt) -> None:
    """Check that the unit of work can take the message (SYNC-21, BEY-96), so that a get does not wait in vain.

    Raises MQError: MQRC_SECOND_MARK_NOT_ALLOWED, MQRC_BACKED_OUT.
    """
    connection = work.connection
    if attempt.options & MQGMO_MARK_SKIP_BACKOUT and connection.skips_backout:
        raise MQError("another get of this unit of work has MQGMO_MARK_SKIP_BACKOUT", MQRC_SECOND_MARK_NOT_ALLOWED)
    if uses_syncpoint(attempt.options, MQPER_PERSISTENT, work.qmgr.profile):
        connection.check_unit_of_work()


def _check_queue(attempt: Attempt) -> None:
    """Check that gets are enabled on the queue, and on the way there. Raises MQError."""
    work, queue, options = attempt.work, attempt.queue, attempt.options
    check_gets_allowed(attempt.handle.path(work, queue))
    if queue.index_type == MQIT_MSG_TOKEN:
        check_wait_by_index(options, attempt.request.match_options, queue.index_type, work.qmgr.profile)


def _recovers(attempt: Attempt) -> bool:
    """Return whether a search again may find more: what held messages of the queue has died, and was released."""
    work, queue = attempt.work, attempt.queue
    is_any_held = queue.uncommitted or messages.held(work.db, queue.id, limit=1)
    return bool(is_any_held) and recovery.recover(work, queue.id)
