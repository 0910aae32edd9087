"""MQGET: find a message, wait for one if asked, and return it.

The steps in reading order: ``get`` searches until there is a message or no time left; ``attempt`` is one search, in one
transaction: ``select_message`` finds the message, ``_deliver`` makes of it what is returned (``present``) and removes
it from the queue (``removal``) or moves the cursor (``browse``). How a call waits is in ``waiters``.
"""

from __future__ import annotations

from mqtools.constants.completeness import ALONE
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_CONVERT,
    MQGMO_MARK_SKIP_BACKOUT,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import (
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MessageDamaged, MQError, NoMessageAvailable, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.get import removal, select_message
from mqtools.mqi.get.request import Delivery, GetResult
from mqtools.rules.options.get import (
    BROWSE_OPTIONS,
    MOVING_OPTIONS,
    PROPERTY_OPTIONS,
    UNDER_CURSOR_OPTIONS,
    browses,
    uses_syncpoint,
)
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest
    from mqtools.mqi.transaction import Work
    from mqtools.store.messages.stored_message import StoredMessage

#: Options with which a message is returned in another form than that in which it is stored.
_FORM_OPTIONS = PROPERTY_OPTIONS | MQGMO_CONVERT


def get(request: GetRequest) -> GetResult:
    """Get or browse one message, or set a signal; the options have been checked.

    Raises NoMessageAvailable, or MQError: MQRC_GET_INHIBITED, MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_Q_MGR_QUIESCING, MQRC_Q_DELETED, MQRC_SIGNAL1_ERROR, and the reasons of groups and segments.
    """
    try:
        while (result := attempt(request)) is None:
            if not request.waited:
                return end_without_message(request)
            presence = request.handle.connection.presence
            assert presence is not None
            presence.wait(*request.sleep)
        return result
    finally:
        if request.waited:
            stop_waiting(request)


def attempt(request: GetRequest) -> GetResult | None:
    """Search once, in one transaction, and deliver what is found.

    None when nothing fits; a call that has time left is recorded as waiting then. Raises as ``get``.
    """
    while True:
        with _begin(request) as work:
            result = _attempt_in(work, request)
        if not request.is_unfinished:
            return result
        request.resume()


def get_each(request: GetRequest, number: int, most_bytes: int) -> tuple[list[GetResult], MQError | None]:
    """Get or browse up to a number of messages in one transaction, without a wait.

    most_bytes: of data, from which on no more are got.  Returns what was got, and the error that ended it before the
    number was reached, or None. A message too long for the buffer ends it without an error: it is the last result.
    """
    wanted, connection = request.md, request.handle.connection
    results: list[GetResult] = []
    held: list[int] = []
    while True:
        with _begin(request) as work:
            try:
                while len(results) < number:
                    request.md = None if wanted is None else wanted.replace()
                    result = _attempt_in(work, request)
                    if result is None:
                        break
                    results.append(result)
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
                return results, error
        if not request.is_unfinished:
            return results, None if len(results) == number else no_message_error(request)
        request.resume()


def _begin(request: GetRequest) -> Work:
    """Begin a transaction that searches. It leaves a long search by a selector to ``GetRequest.resume``."""
    handle = request.handle
    request.may_pause = handle.selector is not None and not handle.connection.db.blocks
    return handle.connection.work()


def _attempt_in(work: Work, request: GetRequest) -> GetResult | None:
    """Search once in a transaction, and deliver what is found; see ``attempt``."""
    found = select_message.select(work, request)
    try:
        result = None if found is None else _deliver(request, found)
    except StorageError as error:
        if found is None or len(found) == 1:
            raise
        # Segments that cannot be put together are all reinstated, and the unit of work goes on (COMPL-12).
        raise MQError(error.text, error.reason) from error
    if found is None or request.waited or request.handle.signal is not None:
        _settle(work, request, is_found=found is not None)
    return result


def _deliver(request: GetRequest, found: list[StoredMessage]) -> GetResult:
    """Return the message and do to it what the options say; a failed truncation changes nothing."""
    delivery = _present(request, found)
    if delivery.reason != MQRC_TRUNCATED_MSG_FAILED:
        if request.options & BROWSE_OPTIONS:
            from mqtools.mqi.get.browse import browse

            browse(request, delivery.parts)
        else:
            _remove(request, delivery)
        if request.is_about_groups:
            _retain(request, delivery)
    md, data = delivery.returned_md, delivery.returned_data
    md.expiry = delivery.expiry
    if request.md is not None:
        md = _fill_in(request.md, md)
    if request.properties is not None:
        request.properties.copy_from(delivery.for_handle, md)
    message = Message(data[: request.max_length], md, delivery.properties)
    result = GetResult(message, delivery.reason, len(data), request.queue.name, delivery.parts[0].seq)
    if delivery.is_held:
        result.held = request.handle.connection.last_got
    return result


def _present(request: GetRequest, found: list[StoredMessage]) -> Delivery:
    """Make of the physical messages found what is returned: mostly the message as it is stored."""
    first, md = found[0], request.md
    if (
        request.options & _FORM_OPTIONS
        or first.completeness != ALONE
        or first.properties is not None
        or first.expires_at is not None
        or not request.in_message
        or (md is not None and md.version == MQMD_VERSION_1)
    ):
        from mqtools.mqi.get import present

        delivery = present.present(request, found)
    else:
        delivery = Delivery(found, first.md, messages.data_of(request.work.db, first), first.data_length)
    if request.max_length is not None and len(delivery.returned_data) > request.max_length:
        delivery.truncate(is_accepted=bool(request.options & MQGMO_ACCEPT_TRUNCATED_MSG))
    return delivery


def _remove(request: GetRequest, delivery: Delivery) -> None:
    """Remove the message from the queue, at once or into the unit of work."""
    work, handle, parts = request.work, request.handle, delivery.parts
    first, connection = parts[0], work.connection
    if handle.locked_seq is not None:
        _unlock(request, parts)
    holder_id = None
    if request.in_unit and uses_syncpoint(request.options, first.md.persistence, work.qmgr.profile):
        holder_id = connection.unit_for_message(work)
        delivery.is_held = True
    if handle.options & MQOO_SAVE_ALL_CONTEXT:
        handle.context = first.md.replace()
    for part in parts:
        removal.remove(work, request.queue, part, holder_id)
    if first.md.report:
        _report(request, delivery, holder_id)
    if holder_id is not None:
        connection.last_got = (*(part.seq for part in parts), *work.placed)
        connection.unit_messages += len(connection.last_got) - 1
    if request.options & MQGMO_MARK_SKIP_BACKOUT:
        connection.skips_backout = connection.last_got


def _settle(work: Work, request: GetRequest, *, is_found: bool) -> None:
    """Release the lock of a browse that found nothing, and begin or end to wait."""
    handle = request.handle
    if not is_found and request.options & MOVING_OPTIONS and not request.is_unfinished:
        handle.release_lock(work)  # LOCK-19, LOCK-20
    if handle.signal is not None:
        handle.signal.settle(work)
    if (request.waits or request.waited) and not request.is_unfinished:
        from mqtools.mqi.get import waiters

        waiters.settle(work, request, is_found=is_found)


def end_without_message(request: GetRequest) -> GetResult:
    """End a get that found nothing: set its signal, or raise NoMessageAvailable or MQRC_NO_MSG_UNDER_CURSOR.

    It is raised after the commit: expired messages that the search discarded stay discarded.
    """
    if request.sets_signal:
        from mqtools.mqi.get.signals import accept

        return accept(request)
    raise no_message_error(request)


def no_message_error(request: GetRequest) -> MQError:
    """Return the error of a get that found nothing."""
    if request.options & UNDER_CURSOR_OPTIONS:
        return MQError("there is no message under the browse cursor", MQRC_NO_MSG_UNDER_CURSOR)
    error = NoMessageAvailable(f"no message on queue {request.handle.q_name} fits")
    error.is_queue_empty = not (request.queue.depth or request.queue.uncommitted)
    return error


def stop_waiting(request: GetRequest) -> None:
    """Remove the waiter of a call that ends."""
    from mqtools.mqi.get import waiters

    with request.handle.connection.work() as work:
        waiters.remove_waiter(work, request)


def _fill_in(given: MQMD, found: MQMD) -> MQMD:
    """Copy a descriptor into the caller's own, all but the version (BEY-59)."""
    for name in MQMD.__slots__:
        if name != "version":
            setattr(given, name, getattr(found, name))
    return given


def _unlock(request: GetRequest, parts: list[StoredMessage]) -> None:
    """Release the lock of the handle where it is on what is removed: a back-out gives it back unlocked (LOCK-39)."""
    if any(part.lock_id == request.handle.id for part in parts):
        request.handle.release_lock(request.work)
        for part in parts:
            part.state, part.lock_id = UNLOCKED, None


def _report(request: GetRequest, delivery: Delivery, holder_id: int | None) -> None:
    """Report the delivery; the segments of a whole message are reported together."""
    first, md, data = delivery.parts[0], delivery.md, delivery.data
    if len(delivery.parts) == 1:
        md, data = first.md, messages.data_of(request.work.db, first)
    removal.report_whole(request.work, md, data, delivery.expiry, holder_id)


def _retain(request: GetRequest, delivery: Delivery) -> None:
    """Keep the position in the group for the next call of this kind, and warn of a message out of order."""
    handle, length, held = request.handle, delivery.length, delivery.is_held
    if delivery.parts[0].completeness == ALONE and not handle.has_open_group:
        return
    from mqtools.rules import logical_get

    if browses(request.options):
        if request.options & MOVING_OPTIONS:
            handle.browse_position = logical_get.after_browse(request.options, delivery.md, length)
        return
    position, warning = logical_get.after_get(handle.get_position, request.options, delivery.md, length, held)
    if handle.get_position.is_open or position.is_open:  # else nothing is retained that a back-out could restore
        handle.retain(position, in_unit_of_work=held, keeps=bool(request.options & MQGMO_MARK_SKIP_BACKOUT))
    delivery.reason = delivery.reason or warning
