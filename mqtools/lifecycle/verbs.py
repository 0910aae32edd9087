"""The lifecycle verbs: put, get and delete with confirm ids and lock ids, confirm and undo.

=============================  ==============================================================================
verb                           what it does to a message (in rules/states.py, and drawn in mqx-states(7))
=============================  ==============================================================================
put_message                    puts it, at once or, with a confirm id, hidden until it is confirmed
confirm_put_message            makes it available, as the last on its queue
get_message                    gets it, for good or, with a confirm id, until it is confirmed
confirm_get_message, confirm   removes it for good
browse_messages                shows what there is and changes nothing
browse_messages_and_lock       keeps it from everybody without the lock id (this and the next: mqtools.lifecycle.locks)
unlock_message, extend_lease   unlocks it; extends the time of its lock
undo                           takes back, by its confirm id, a put, a get or a lock; by its lock id, a lock
delete_message                 removes it unread
=============================  ==============================================================================

All are in ``mqtools.lifecycle`` too. get, browse, lock and delete take a ``filter``: fields and the values that they
must have (rules/index_fields.py), as in ``get_message(connection, "ORDERS", filter={"priority": 9, "city": "Rome"})``.

A confirm id is a number that the caller chooses, a lock id comes from ``browse_messages_and_lock``. Both
outlive the connection, the process and, for persistent messages, the queue manager's end (LIFE-03); here a
persistent message is on disk in its new state when a verb returns. A verb refuses messages that are not available to
the caller, and changes nothing then (LIFE-37).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.options import MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_NO_MSG_LOCKED, MQRC_OBJECT_IN_USE, MQRC_OPTIONS_ERROR
from mqtools.constants.states import DELAYED, LOCKED_FOR_BROWSE, PUT_UNCONFIRMED, UNLOCKED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.lifecycle import ids, message_search
from mqtools.lifecycle import repeated_puts as repeats
from mqtools.lifecycle.held_messages import describe_hold
from mqtools.message import Message
from mqtools.mqi import recovery, transmission_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import removal, search
from mqtools.mqi.put import PutResult, find_target, put
from mqtools.mqi.resolution import Target, resolve_for_get, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.rules.options.put import check_put_options
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.messages import messages, units_of_work
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.messages.units_of_work import Held
from mqtools.store.queues import Queue


@dataclass(slots=True, frozen=True)
class GotMessage:
    """Result of a get: the message, its key, its queue, the length of its data in bytes."""

    message: Message
    seq: int
    q_name: str
    data_length: int


@dataclass(slots=True, frozen=True)
class UndoResult:
    """Numbers of messages that an undo removed (puts), restored (gets) and unlocked (locks)."""

    puts: int = 0
    gets: int = 0
    locks: int = 0


def put_message(
    connection: Connection,
    q_name: str,
    message: Message,
    *,
    confirm_id: int = 0,
    options: int = 0,
    q_mgr_name: str = "",
) -> PutResult:
    """Put a message, at once or until it is confirmed (LIFE-04, LIFE-05). Its descriptor is completed.

    confirm_id: 0 for at once. Under one, the same message put again by a later connection is not put twice, as
    long as it is unconfirmed; of its descriptor, the message id is set then (``repeated_puts``).
    options: MQPMO_* without syncpoint: the confirm id is the unit of work.
    Raises MQError: MQRC_OPTIONS_ERROR, and with the reasons MQPUT1 gives.
    """
    ids.check_confirm_id(confirm_id, optional=True)
    check_put_options(options, MQOO_OUTPUT, put1=True, md_version=message.md.version)
    if options & MQPMO_SYNCPOINT:
        raise MQError("a put of the lifecycle verbs takes no syncpoint option: use a confirm id", MQRC_OPTIONS_ERROR)
    with connection.work() as work:
        target = find_target(work, q_name, q_mgr_name, options)
        if not confirm_id:
            return put(work, target, message, options, holder_id=None)
        return _put_held(work, target, message, options, confirm_id)


def _put_held(work: Work, target: Target, message: Message, options: int, confirm_id: int) -> PutResult:
    home = ids.home_queue(target)
    holder_id = ids.holder_for(work, home, confirm_id)
    mark = repeats.fingerprint(message, options)
    repeated = repeats.find(work, target, message, holder_id, mark)
    if repeated is not None:
        return repeated
    reports_id = ids.holder_for_reports(work, home, holder_id, None) if message.md.report else holder_id
    with ids.event_detail(work, confirm_id):
        result = put(work, target, message, options, holder_id=reports_id)
    if reports_id != holder_id:
        ids.transfer(work, result.seq, holder_id, reports_id)
    repeats.note(work, message, result, holder_id, mark)
    work.durable |= message.md.persistence == MQPER_PERSISTENT
    return result


def get_message(
    connection: Connection,
    q_name: str,
    *,
    seq: int | None = None,
    filter: Mapping[str, object] | None = None,
    accept: Callable[[StoredMessage], bool] | None = None,
    confirm_id: int = 0,
    lock_id: bytes = b"",
    lease_s: float | None = None,
) -> GotMessage:
    """Get a message, at once or until it is confirmed (LIFE-12, LIFE-13, LIFE-23, LIFE-24).

    seq: exactly this one; else the first that the ``filter`` means and that ``accept`` says yes to; without
    either, the first there is (INDEX-12).  confirm_id: 0 to remove it at once.  lock_id: look at the messages
    of this lock, and at no other.  lease_s: seconds from now until all gets of the confirm id are undone, unless
    they have a longer lease already; None leaves theirs unchanged.
    Raises NoMessageAvailable, its hint says who holds a message that was requested by id; MQError:
    MQRC_NO_MSG_LOCKED for a wrong lock id, MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE, MQRC_OPTIONS_ERROR,
    MQRC_SELECTION_STRING_ERROR for an invalid filter.
    """
    ids.check_confirm_id(confirm_id, optional=True)

    def take(work: Work, queue: Queue, stored: StoredMessage | None, msg_id: object) -> GotMessage | str | None:
        if stored is not None:
            return _take(work, queue, stored, confirm_id, lease_s)
        held = _held(work, queue, seq, msg_id)
        return describe_hold(work.db, held[0]) if held else None

    taken = message_search.apply_to_found(
        connection, q_name, take, seq=seq, filter=filter, accept=accept, lock_id=lock_id
    )
    if isinstance(taken, GotMessage):
        return taken
    raise NoMessageAvailable(f"no message on queue {q_name} fits", hint=taken)


def _take(work: Work, queue: Queue, stored: StoredMessage, confirm_id: int, lease_s: float | None) -> GotMessage:
    expiry = search.remaining_expiry(stored, work.now_ms)
    holder_id = reports_id = None
    if confirm_id:
        holder_id = reports_id = ids.holder_for(work, queue, confirm_id)
        if lease_s is not None:
            ids.extend_lease(work, queue, holder_id, lease_s)
        if stored.md.report:
            reports_id = ids.holder_for_reports(work, queue, holder_id, stored.seq)
    with ids.event_detail(work, confirm_id):
        data = removal.take_off(work, queue, stored, expiry, holder_id, report_holder_id=reports_id)
    if reports_id != holder_id and reports_id is not None:
        holders.remove_if_idle(work.db, reports_id)
    if stored.lock_id is not None:
        holders.remove_if_idle(work.db, stored.lock_id)
    work.durable |= stored.md.persistence == MQPER_PERSISTENT
    stored.md.expiry = expiry
    return GotMessage(
        Message(data, stored.md, search.properties_of(stored), stored.deliver_at),
        stored.seq,
        queue.name,
        stored.data_length,
    )


def _held(work: Work, queue: Queue, seq: int | None, msg_id: object) -> list[StoredMessage]:
    """Return the messages with a key, or with an id, that another program holds."""
    if seq is not None:
        stored = messages.by_seq(work.db, seq)
        found = [] if stored is None or stored.queue_id != queue.id else [stored]
    else:
        found = messages.by_msg_id(work.db, queue.id, msg_id) if isinstance(msg_id, bytes) else []
    return [stored for stored in found if stored.state != UNLOCKED]


def delete_message(
    connection: Connection,
    q_name: str,
    *,
    seq: int | None = None,
    msg_id: bytes | None = None,
    filter: Mapping[str, object] | None = None,
    lock_id: bytes = b"",
) -> None:
    """Delete a message by its key, or the first that a filter means (LIFE-31); a locked one by its lock id (LIFE-32).

    A delayed message is found by its key, and by a filter on its message id alone.

    msg_id: short for a filter on it.
    Raises NoMessageAvailable; MQError: MQRC_OBJECT_IN_USE for a locked message without its lock id,
    MQRC_NO_MSG_LOCKED for a wrong lock id, MQRC_GET_INHIBITED, MQRC_SELECTION_STRING_ERROR,
    MQRC_OPTIONS_ERROR without a key or a filter.
    """
    if msg_id is not None:
        filter = {**(filter or {}), "msg_id": msg_id}
    if seq is None and not filter:
        raise MQError("a delete needs a message key or a filter", MQRC_OPTIONS_ERROR)

    def remove(
        work: Work, queue: Queue, stored: StoredMessage | None, msg_id: object
    ) -> tuple[str | None, bool] | None:
        if stored is None:
            held = _held(work, queue, seq, msg_id)
            if not lock_id and len(filter or ()) < 2:
                stored = next((each for each in held if each.state == DELAYED), None)
        if stored is None:
            is_locked = not lock_id and any(each.state == LOCKED_FOR_BROWSE for each in held)
            return describe_hold(work.db, held[0]) if held else None, is_locked
        removal.delete(work, queue, stored)
        if stored.lock_id is not None:
            holders.remove_if_idle(work.db, stored.lock_id)
        return None

    missed = message_search.apply_to_found(connection, q_name, remove, seq=seq, filter=filter, lock_id=lock_id)
    if missed is None:
        return
    hint, is_locked = missed
    if is_locked:
        raise MQError(f"the message on queue {q_name} is {hint}", MQRC_OBJECT_IN_USE)
    raise NoMessageAvailable(f"no such message on queue {q_name}", hint=hint)


def confirm_put_message(
    connection: Connection, q_name: str, confirm_id: int, *, msg_id: bytes | None = None, q_mgr_name: str = ""
) -> int:
    """Make the messages put with a confirm id available; return their number (LIFE-07).

    They arrive now, behind all that is on the queue, in the order of their puts (LIFE-10). Their arrival
    reports become available with them.  msg_id: confirm only the messages with it; those on their way to another
    queue manager have the one that their put gave, not that of their transmission.
    Raises MQError: MQRC_NO_MSG_LOCKED when nothing was put so (LIFE-08).
    """
    with connection.work() as work:
        target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
        return _confirm(
            work, ids.home_queue(target), confirm_id, msg_id, states.CONFIRM_PUT, is_remote=target.is_remote
        )


def unconfirmed_put_ids(connection: Connection, q_name: str, confirm_id: int, *, q_mgr_name: str = "") -> list[bytes]:
    """List the ids of the messages that were put with a confirm id and wait for it, as their puts gave them."""
    db = connection.db
    with db.reading():
        target = resolve_for_put(db, queues.qmgr(db), q_name, q_mgr_name)
        holder = find_holder(db, ids.home_queue(target), confirm_id)
        held = [] if holder is None else ids.filter_allowed(units_of_work.of_holder(db, holder.id), states.CONFIRM_PUT)
        return [transmission_queue.original_msg_id(db, each.seq, is_remote=target.is_remote) for each in held]


def confirm_get_message(connection: Connection, q_name: str, confirm_id: int, *, msg_id: bytes | None = None) -> int:
    """Remove the messages got with a confirm id for good; return their number (LIFE-15, LIFE-26).

    Their delivery reports become available.  msg_id: confirm only the messages with it.
    Raises MQError: MQRC_NO_MSG_LOCKED without such a get (LIFE-14).
    """
    with connection.work() as work:
        queue, _ = resolve_for_get(work.db, q_name)
        return _confirm(work, queue, confirm_id, msg_id, states.CONFIRM_GET)


def confirm(connection: Connection, q_name: str, confirm_id: int) -> int:
    """Remove the messages got with a confirm id for good: another name of ``confirm_get_message`` (LIFE-16)."""
    return confirm_get_message(connection, q_name, confirm_id)


def _confirm(
    work: Work, home: Queue, confirm_id: int, msg_id: bytes | None, event: str, *, is_remote: bool = False
) -> int:
    ids.check_authority(work, home, event)
    recovery.end_leases(work)
    holder = find_holder(work.db, home, confirm_id)
    held = [] if holder is None else ids.filter_allowed(_held_by(work.db, holder, msg_id, is_remote), event)
    if holder is None or not held:
        verb = "put" if event == states.CONFIRM_PUT else "get"
        which = "" if msg_id is None else f" of message {msg_id.hex().upper()}"
        raise MQError(
            f"no unconfirmed {verb}{which} with confirm id {confirm_id} on queue {home.name}", MQRC_NO_MSG_LOCKED
        )
    ids.settle(work, held, event)
    ids.settle_reports(work, holder.id, held, states.CONFIRM_PUT)
    ids.forget_idle_locks(work, held)
    holders.remove_if_idle(work.db, holder.id)
    return len(held)


def _held_by(db: Database, holder: Holder, msg_id: bytes | None, is_remote: bool) -> list[Held]:
    """Find the messages of a holder. msg_id: only messages with it.  is_remote: they are on a transmission queue."""
    if msg_id is None or not is_remote:
        return units_of_work.of_holder(db, holder.id, msg_id)
    held = units_of_work.of_holder(db, holder.id)
    return [each for each in held if transmission_queue.original_msg_id(db, each.seq, is_remote=True) == msg_id]


def find_holder(db: Database, home: Queue, confirm_id: int) -> Holder | None:
    """Find the holder of a confirm id, None where nothing was done with it. Raises MQError: MQRC_OPTIONS_ERROR."""
    ids.check_confirm_id(confirm_id)
    return holders.of_confirm(db, home.id, confirm_id)


def undo(
    connection: Connection,
    q_name: str,
    *,
    confirm_id: int | None = None,
    lock_id: bytes | None = None,
    q_mgr_name: str = "",
) -> UndoResult:
    """Undo all that was done with a confirm id, or unlock all that a lock id has locked.

    A put is removed (LIFE-09). A get is given back with one more in its backout count (LIFE-17). A message
    locked by a browse with the confirm id is unlocked (LIFE-30). A get of a locked message is locked again
    (LIFE-27, AMB-26): even when browse and get have the same confirm id, one undo takes back one step.
    Raises MQError: MQRC_NO_MSG_LOCKED when the id matches nothing (LIFE-36), MQRC_OPTIONS_ERROR unless
    just one id is given.
    """
    if (confirm_id is None) == (lock_id is None):
        raise MQError("an undo needs a confirm id or a lock id", MQRC_OPTIONS_ERROR)
    with connection.work() as work:
        home = ids.home_queue(resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name))
        ids.check_authority(work, home, states.UNDO)
        if confirm_id is None:
            done = UndoResult(locks=_undo_locks(work, [ids.find_lock(work, home, lock_id or b"")]))
            words = f"lock id {(lock_id or b'').hex().upper()}"
        else:
            recovery.end_leases(work)
            done = _undo_confirm_id(work, home, confirm_id)
            words = f"confirm id {confirm_id}"
        if done == UndoResult():
            raise MQError(f"nothing to undo with {words} on queue {home.name}", MQRC_NO_MSG_LOCKED)
        recovery.end_leases(work)
        return done


def _undo_locks(work: Work, locks: list[Holder]) -> int:
    of_locks = (each for lock in locks for each in units_of_work.of_lock(work.db, lock.id))
    held = [each for each in of_locks if each.state == LOCKED_FOR_BROWSE]
    ids.settle(work, held, states.UNDO)
    for lock in locks:
        holders.remove_if_idle(work.db, lock.id)
    return len(held)


def _undo_confirm_id(work: Work, home: Queue, confirm_id: int) -> UndoResult:
    holder = find_holder(work.db, home, confirm_id)
    locks = _undo_locks(work, holders.locks_of_confirm(work.db, home.id, confirm_id))
    if holder is None:
        return UndoResult(locks=locks)
    held = units_of_work.of_holder(work.db, holder.id)
    ids.settle(work, held, states.UNDO)
    ids.settle_held(work, [report.id for report in holders.of_connection(work.db, holder.id)], states.UNDO)
    holders.remove_if_idle(work.db, holder.id)
    puts = sum(message.state == PUT_UNCONFIRMED for message in held)
    return UndoResult(puts, len(held) - puts, locks)


def undo_get(connection: Connection, seq: int) -> None:
    """Undo one unconfirmed get and the reports it made, by its key; other gets under its confirm id stay."""
    with connection.work() as work:
        stored = messages.by_seq(work.db, seq)
        if stored is None or stored.holder_id is None:
            return
        held = [one for one in units_of_work.of_holder(work.db, stored.holder_id) if one.seq == seq]
        ids.settle(work, held, states.UNDO)
        ids.settle_reports(work, stored.holder_id, held, states.UNDO)
        holders.remove_if_idle(work.db, stored.holder_id)
