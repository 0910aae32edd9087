"""MQGET: find a message, wait for one if asked, and return it.

The steps in reading order: ``get`` searches until there is a message or no time left; ``search`` is one search, mostly
in one transaction: ``select_message`` finds the message, ``_deliver`` makes of it what is returned (``present``) and
removes it from the queue (``removal``) or moves the cursor (``browse``). How a call waits is in ``waiters``.
"""

from __future__ import annotations

from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_SET_SIGNAL,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import (
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.constants.states import ALONE, UNLOCKED
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MessageDamaged, MQError, NoMessageAvailable, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.get import removal, select_message, waiters
from mqtools.mqi.get.request import Attempt, Delivery, GetRequest, GetResult
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.rules.options.get import (
    BROWSE_OPTIONS,
    MOVING_OPTIONS,
    PROPERTY_OPTIONS,
    UNDER_CURSOR_OPTIONS,
    browses,
    uses_syncpoint,
)
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage

#: Options with which a message is returned in another form than that in which it is stored.
_FORM_OPTIONS = PROPERTY_OPTIONS | MQGMO_CONVERT


def get(request: GetRequest) -> GetResult:
    """Get or browse one message, or set a signal; the options have been checked.

    Raises NoMessageAvailable, or MQError: MQRC_GET_INHIBITED, MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_Q_MGR_QUIESCING, MQRC_Q_DELETED, MQRC_SIGNAL1_ERROR, and the reasons of groups and segments.
    """
    attempt = Attempt(request)
    try:
        while (result := search(attempt)) is None:
            if attempt.wait is None or not attempt.wait.is_recorded:
                return end_without_message(attempt)
            presence = request.handle.connection.presence
            assert presence is not None
            presence.wait(*attempt.wait.sleep)
        return result
    finally:
        if attempt.wait is not None and attempt.wait.is_recorded:
            stop_waiting(attempt)


def search(attempt: Attempt) -> GetResult | None:
    """Search the queue once, and deliver what is found; None when nothing fits.

    It is one transaction, unless a search by a selector takes long. A call that has time left is recorded as waiting
    in the last one. Raises as ``get``.
    """
    handle = attempt.handle
    while True:
        with handle.connection.work((handle.q_name, "", handle.options)) as work:
            result = _search_in(work, attempt)
        if result is not None or attempt.long_search is None or not attempt.scan_ahead():
            return result


def get_each(request: GetRequest, number: int, most_bytes: int) -> tuple[list[GetResult], MQError | None]:
    """Get or browse up to a number of messages in one transaction, without a wait.

    most_bytes: of data; reaching it ends the call.  Returns the messages, and the error that ended it before the
    number was reached, or None. A message too long for the buffer ends it without an error: it is the last result.
    """
    handle, connection, attempt = request.handle, request.handle.connection, Attempt(request)
    results: list[GetResult] = []
    held: list[int] = []
    while True:
        with connection.work((handle.q_name, "", handle.options)) as work:
            try:
                while len(results) < number:
                    attempt.request = request if request.md is None else request.replace(md=request.md.replace())
                    result = _search_in(work, attempt)
                    if result is None:
                        break
                    results.append(result)
                    if attempt.options & MQGMO_BROWSE_FIRST:  # the others follow it
                        attempt.options ^= MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
                    held += result.held
                    connection.last_got = tuple(held)
                    most_bytes -= len(result.message.data)
                    if result.reason == MQRC_TRUNCATED_MSG_FAILED or most_bytes <= 0:
                        return results, None
            except StorageError:
                raise
            except MQError as error:
                if isinstance(error, MessageDamaged):
                    work.damaged.append(error.seq)
                if work.qmgr.events:
                    work.note_failure(error)
                return results, error
        if len(results) == number:
            return results, None
        if not attempt.scan_ahead():
            return results, no_message_error(attempt)


def _search_in(work: Work, attempt: Attempt) -> GetResult | None:
    """Search in a transaction, and deliver what is found; None also where the search is paused."""
    found = select_message.select(work, attempt)
    try:
        result = None if found is None else _deliver(attempt, found)
    except StorageError as error:
        if found is None or len(found) == 1:
            raise
        # Segments that cannot be put together are all reinstated, and the unit of work continues (COMPL-12).
        raise MQError(error.text, error.reason) from error
    if found is None or attempt.wait is not None or attempt.handle.signal is not None:
        _settle(work, attempt, is_found=found is not None)
    return result


def _deliver(attempt: Attempt, found: list[StoredMessage]) -> GetResult:
    """Return the message and do to it what the options say; a failed truncation changes nothing.

    Mostly it is returned as it is stored; any other form is made by ``present``.
    """
    first, md, max_length = found[0], attempt.request.md, attempt.request.max_length
    if (
        attempt.options & _FORM_OPTIONS
        or first.completeness != ALONE
        or first.properties is not None
        or first.expires_at is not None
        or not attempt.request.in_message
        or (md is not None and md.version == MQMD_VERSION_1)
    ):
        from mqtools.mqi.get import present

        delivery = present.present(attempt, found)
    else:
        delivery = Delivery(found, first.md, messages.data_of(attempt.work.db, first), first.data_length)
    if max_length is not None and len(delivery.returned_data) > max_length:
        delivery.truncate(is_accepted=bool(attempt.options & MQGMO_ACCEPT_TRUNCATED_MSG))
    if delivery.reason != MQRC_TRUNCATED_MSG_FAILED:
        if attempt.options & BROWSE_OPTIONS:
            from mqtools.mqi.get.browse import browse

            browse(attempt, delivery.parts)
        else:
            _remove(attempt, delivery)
        if attempt.is_about_groups:
            _retain(attempt, delivery)
    returned, data = delivery.returned_md, delivery.returned_data
    returned.expiry = delivery.expiry
    if md is not None:
        returned = _fill_in(md, returned)
    if attempt.request.properties is not None:
        attempt.request.properties.copy_from(delivery.for_handle, returned)
    message = Message(data[:max_length], returned, delivery.properties, delivery.parts[0].deliver_at)
    result = GetResult(message, delivery.reason, len(data), attempt.queue.name, delivery.parts[0].seq)
    if delivery.is_held:
        result.held = attempt.handle.connection.last_got
    if attempt.work.connection.counters is not None:
        attempt.work.connection.counters.note_get(attempt, delivery, len(message.data))
    return result


def _remove(attempt: Attempt, delivery: Delivery) -> None:
    """Remove the message from the queue, at once or into the unit of work."""
    work, handle, parts = attempt.work, attempt.handle, delivery.parts
    first, connection = parts[0], work.connection
    if handle.locked_seq is not None:
        _unlock(attempt, parts)
    holder_id = None
    if uses_syncpoint(attempt.options, first.md.persistence, work.qmgr.profile):
        holder_id = connection.unit_of_work(work, adds=1)
        delivery.is_held = True
    if handle.options & MQOO_SAVE_ALL_CONTEXT:
        handle.context = first.md.replace()
    for part in parts:
        removal.remove(work, attempt.queue, part, states.GET, holder_id=holder_id)
    if first.md.report:
        _report(attempt, delivery, holder_id)
    if holder_id is not None:
        connection.last_got = (*(part.seq for part in parts), *work.placed)
        connection.unit_messages += len(connection.last_got) - 1
    if attempt.options & MQGMO_MARK_SKIP_BACKOUT:
        connection.skips_backout = connection.last_got


def _settle(work: Work, attempt: Attempt, *, is_found: bool) -> None:
    """Release the lock of a browse that found nothing, and begin or end to wait."""
    handle = attempt.handle
    is_at_end = not is_found and not attempt.is_paused
    if is_at_end and attempt.options & MOVING_OPTIONS:
        handle.release_lock(work)  # LOCK-19, LOCK-20
    if handle.signal is not None:
        handle.signal.settle(work)
    if attempt.wait is not None and (is_found or is_at_end):
        waiters.settle(work, attempt, is_found=is_found)


def end_without_message(attempt: Attempt) -> GetResult:
    """End a get that found nothing: set its signal, or raise NoMessageAvailable or MQRC_NO_MSG_UNDER_CURSOR.

    It is raised after the commit: expired messages that the search discarded stay discarded.
    """
    if attempt.options & MQGMO_SET_SIGNAL and not attempt.options & UNDER_CURSOR_OPTIONS:
        from mqtools.mqi.get.signals import accept

        return accept(attempt.request)
    raise no_message_error(attempt)


def no_message_error(attempt: Attempt) -> MQError:
    """Return the error of a get that found nothing."""
    if attempt.options & UNDER_CURSOR_OPTIONS:
        return MQError("there is no message under the browse cursor", MQRC_NO_MSG_UNDER_CURSOR)
    error = NoMessageAvailable(f"no message on queue {attempt.handle.q_name} fits")
    error.is_queue_empty = not (attempt.queue.depth or attempt.queue.uncommitted)
    return error


def stop_waiting(attempt: Attempt) -> None:
    """Remove the waiter of a call that ends."""
    with attempt.handle.connection.work() as work:
        waiters.remove_waiter(work, attempt)


def _fill_in(given: MQMD, found: MQMD) -> MQMD:
    """Copy a descriptor into the caller's own, all but the version (BEY-59)."""
    for name in MQMD.__slots__:
        if name != "version":
            setattr(given, name, getattr(found, name))
    return given


def _unlock(attempt: Attempt, parts: list[StoredMessage]) -> None:
    """Release the lock of the handle where it is on what is removed: a back-out gives it back unlocked (LOCK-39)."""
    if any(part.lock_id == attempt.handle.id for part in parts):
        attempt.handle.release_lock(attempt.work)
        for part in parts:
            part.state, part.lock_id = UNLOCKED, None


def _report(attempt: Attempt, delivery: Delivery, holder_id: int | None) -> None:
    """Report the delivery; the segments of a whole message are reported together."""
    first, md, data = delivery.parts[0], delivery.md, delivery.data
    if len(delivery.parts) == 1:
        md, data = first.md, messages.data_of(attempt.work.db, first)
    removal.report_whole(attempt.work, md, data, delivery.expiry, holder_id)


def _retain(attempt: Attempt, delivery: Delivery) -> None:
    """Keep the position in the group for the next call of this kind, and warn of a message out of order."""
    handle, length, held = attempt.handle, delivery.length, delivery.is_held
    if delivery.parts[0].completeness == ALONE and not handle.has_open_group:
        return
    from mqtools.rules import logical_get

    if browses(attempt.options):
        if attempt.options & MOVING_OPTIONS:
            handle.browse_position = logical_get.after_browse(attempt.options, delivery.md, length)
        return
    position, warning = logical_get.after_get(handle.get_position, attempt.options, delivery.md, length, held)
    if handle.get_position.is_open or position.is_open:  # else nothing is retained that a back-out could restore
        keeps = bool(attempt.options & MQGMO_MARK_SKIP_BACKOUT)
        handle.retain_get_position(position, in_unit_of_work=held, keeps=keeps)
    delivery.reason = delivery.reason or warning
