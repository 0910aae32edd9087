"""Waiting gets: recorded in the file, woken by whoever makes a message available, without polling."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_WAIT,
    MQWI_UNLIMITED,
)
from mqtools.mqi.get import search
from mqtools.mqi.get.request import Attempt, GetRequest
from mqtools.mqi.handle_state import HandleState
from mqtools.mqi.identity import now_ms
from mqtools.mqi.transaction import Work
from mqtools.rules.options.get import counts_as_destructive
from mqtools.store import holders, queues
from mqtools.store.messages import marks

#: Options with which a get can pass over a message that has the identifiers it asks for.
_MAY_LEAVE_IT = (
    MQGMO_BROWSE_NEXT
    | MQGMO_LOGICAL_ORDER
    | MQGMO_COMPLETE_MSG
    | MQGMO_ALL_MSGS_AVAILABLE
    | MQGMO_ALL_SEGMENTS_AVAILABLE
    | MQGMO_UNMARKED_BROWSE_MSG
)


def wait_for_arrival(
    handle: HandleState,
    deadline: float | None,
    look: Callable[[], bool] | None = None,
    watched: Sequence[int] = (),
    *,
    ends_when_quiescing: bool = False,
) -> bool:
    """Sleep until any message of the queue becomes available; False when the deadline passes.

    look: asked once, after the wait has been written down; true ends it. Without it, what arrived since the last look
    is not noticed: look again.  watched: descriptors that end it when
    they can be read.  ends_when_quiescing: raise MQError, MQRC_Q_MGR_QUIESCING, rather than wait then (a queue
    manager that begins to quiesce wakes all who wait; they ask again).
    """
    attempt = Attempt(GetRequest(handle, MQGMO_BROWSE_FIRST | MQGMO_WAIT, wait_ms=MQWI_UNLIMITED))
    with handle.connection.work() as work:
        if ends_when_quiescing:
            work.fail_if_quiescing()
        others, until = record_waiter(work, attempt)
    try:
        assert handle.connection.presence is not None
        if look is not None and look():
            return True
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            if handle.connection.presence.wait(limit_wait(left, until), others, watched):
                return True
            if until is not None and until <= now_ms():
                return True
    finally:
        with handle.connection.work() as work:
            holders.remove_waiter(work.db, handle.id)


def settle(work: Work, attempt: Attempt, *, is_found: bool) -> None:
    """Record a get that found nothing and has time left, and what it sleeps for; else remove the record."""
    wait = attempt.wait
    assert wait is not None
    left_s = None if wait.deadline is None else wait.deadline - time.monotonic()
    if not is_found and (left_s is None or left_s > 0):
        is_overtaken = attempt.long_search is not None and attempt.long_search.is_split and not wait.is_recorded
        others, until = record_waiter(work, attempt)
        # A search that begins now finds messages that came back without a wake-up.
        wait.sleep = (0.0, []) if is_overtaken else (limit_wait(left_s, until), others)
    elif wait.is_recorded:
        remove_waiter(work, attempt)


def record_waiter(work: Work, attempt: Attempt) -> tuple[list[bytes], int | None]:
    """Record the waiter; return what else could make a message available.

    That is the death of another connection, by its token, and the instant (milliseconds since 1970) at
    which the first lease of a lock or delivery delay ends, or the first mark if marked messages are skipped
    (MARK-24).
    """
    handle, wait = attempt.handle, attempt.wait
    connection_id = handle.connection.register(work)
    assert wait is not None
    assert handle.connection.presence is not None
    handle.connection.presence.listen()
    if not wait.is_recorded:
        msg_id, correl_id = _ids_waited_for(attempt.request)
        holders.add_waiter(
            work.db,
            handle.id,
            handle.queue_id,
            destructive=counts_as_destructive(attempt.options),
            msg_id=msg_id,
            correl_id=correl_id,
            token=handle.connection.presence.token,
        )
        wait.is_recorded = True
    others = holders.holding_connections(work.db, handle.queue_id)
    tokens = [other.token for other in others if other.token is not None and other.id != connection_id]
    ends = [
        holders.next_lease_end(work.db, handle.queue_id, work.now_ms),
        queues.next_delivery(work.db, handle.queue_id),
    ]
    if attempt.options & MQGMO_UNMARKED_BROWSE_MSG:
        ends.append(marks.next_end(work.db, handle.queue_id, work.now_ms))
    left_to, wait.left_to = wait.left_to, []
    return tokens + left_to, min((end for end in ends if end is not None), default=None)


def remove_waiter(work: Work, attempt: Attempt) -> None:
    """Remove the waiter, and wake the general ones, which may have left a message to it (WAIT-12)."""
    assert attempt.wait is not None
    attempt.wait.is_recorded = False
    if holders.remove_waiter(work.db, attempt.handle.id):
        work.wake_each(holders.general_waiters(work.db, attempt.handle.queue_id))


def limit_wait(left_s: float | None, until: int | None) -> float | None:
    """Return a wait (seconds, None without limit) limited to an instant (milliseconds since 1970)."""
    if until is None:
        return left_s
    until_s = max(0.0, (until - now_ms()) / 1000)
    return until_s if left_s is None else min(left_s, until_s)


def is_preferred(request: GetRequest) -> bool:
    """Return whether gets that wait for any message leave one to this get (WAIT-12)."""
    return counts_as_destructive(request.options) and any(_ids_waited_for(request))


def _ids_waited_for(request: GetRequest) -> tuple[bytes | None, bytes | None]:
    """Return the message and correlation id of a get that takes any message with them, else None twice.

    A waiter that asks for more than ids may not want the message, so no message is reserved for it.
    """
    wanted = search.wanted_fields(request.match_options, request.md)
    msg_id, correl_id = wanted.pop("msg_id", None), wanted.pop("correl_id", None)
    if wanted or request.handle.selector is not None or request.options & _MAY_LEAVE_IT:
        return None, None
    return msg_id if isinstance(msg_id, bytes) else None, correl_id if isinstance(correl_id, bytes) else None
