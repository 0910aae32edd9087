"""Recovery from dead processes: release what they had uncommitted, locked, marked or open.

No process watches connections. A call may need something that a connection holds: a get that finds nothing, a put on a
full queue, an exclusive open, a display. It checks whether that connection is still alive.
"""

from __future__ import annotations

from mqtools.constants.objects import MANAGED_SHARED
from mqtools.constants.options import MQOO_CO_OP
from mqtools.constants.states import DELAYED, PUT_UNCONFIRMED
from mqtools.mqi import units_of_work
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.liveness import is_alive, sweep
from mqtools.store.messages import marks
from mqtools.store.messages import units_of_work as statements
from mqtools.store.messages.stored_message import order_key
from mqtools.store.queues import Queue

#: Words of the journal.
_LEASE_ENDED = "its lease ended"


def recover(work: Work, queue_id: int | None = None) -> bool:
    """Release what dead connections, ended leases and ended delays hold; return whether there was anything.

    queue_id: look only at who holds messages of this queue.
    """
    found = end_leases(work)
    for delayed_id in statements.queues_with_due(work.db, work.now_ms) if queue_id is None else [queue_id]:
        found = deliver_due(work, delayed_id) or found
    if queue_id is None:
        candidates = holders.connections(work.db)
    else:
        candidates = holders.holding_connections(work.db, queue_id)
    for connection in candidates:
        if connection.id != work.connection.id and is_dead(work, connection):
            release_dead(work, connection)
            found = True
    return found


def release_dead(work: Work, connection: Holder) -> None:
    """Undo what a dead connection holds, and remove its files in the run folder."""
    _forget(work, connection, "its process ended", is_dead=True)
    sweep(work.db.run_folder, connection.token or b"")


def end_connection(work: Work, connection: Holder, why: str) -> None:
    """End the connection of a program that lives, and back out its unit of work. why: for the journal.

    Its waits and its next call end with MQRC_CONNECTION_BROKEN.
    """
    _forget(work, connection, why, is_dead=False)
    queues.count_change(work.db)
    work.wake_each([connection.token or b""])
    work.durable = True


def _forget(work: Work, connection: Holder, why: str, *, is_dead: bool) -> None:
    from mqtools.mqi.departures import forget

    release_connection(work, connection.id, why=why)
    forget(work, connection, is_dead=is_dead)


def living_tokens(db: Database) -> list[bytes]:
    """List the presence tokens of the connections whose process lives."""
    tokens = [connection.token for connection in holders.connections(db)]
    return [token for token in tokens if token is not None and is_alive(db, token)]


def current_state(db: Database) -> str:
    """Return the state of a queue manager; one that quiesces has ended when only dead connections are left."""
    state = queues.qmgr(db).state
    return "ended" if state == "quiescing" and not living_tokens(db) else state


def end_when_deserted(work: Work) -> None:
    """End a quiescing queue manager when no connection is left."""
    recover(work)
    if not holders.connections(work.db):
        queues.set_qmgr_state(work.db, "ended")
        work.durable = True


def is_dead(work: Work, connection: Holder) -> bool:
    """Return whether the process of a connection has ended."""
    return connection.token is None or not is_alive(work.db, connection.token)


def end_leases(work: Work) -> bool:
    """Undo the gets of confirm ids and unlock messages of locks whose lease has ended; return whether there were any.

    A message got with the lock id but not confirmed keeps its lock: undone, it is unlocked the next time.
    """
    found = False
    for holder in holders.leases_ended(work.db, work.now_ms):
        if holder.kind == "confirm":
            found = _undo_gets(work, holder) or found
        else:
            found = units_of_work.unlock(work, holder.id, why=_LEASE_ENDED) or found
        holders.remove_if_idle(work.db, holder.id)
    return found


def _undo_gets(work: Work, holder: Holder) -> bool:
    """Undo the gets of a confirm id, and the reports that they made; its puts stay and have no lease then."""
    held = statements.of_holder(work.db, holder.id)
    own = {holders.report_token(each.seq) for each in held if each.state == PUT_UNCONFIRMED}
    found = units_of_work.undo_gets(work, holder.id, [each for each in held if each.state != PUT_UNCONFIRMED])
    for reports in holders.of_connection(work.db, holder.id):
        if reports.token not in own:
            units_of_work.backout(work, reports.id, why=_LEASE_ENDED)
            holders.remove_if_idle(work.db, reports.id)
    holders.set_lease(work.db, holder.id, None)
    return found


def deliver_due(work: Work, queue_id: int) -> bool:
    """Make a thousand messages of a queue available whose delivery time has come; return whether there were any.

    Each gets the place of a message that arrives now: they are in the order of their delivery times.
    """
    due = statements.due(work.db, queue_id, work.now_ms)
    queue = queues.by_id(work.db, queue_id) if due else None
    if queue is None:
        return False
    after = units_of_work.count(work, queue_id, DELAYED, states.DELIVER, len(due))
    units_of_work.journal_each(work, due, states.DELIVER)
    first = statements.draw_numbers(work.db, queue_id, len(due))
    places = ((stored.seq, order_key(queue, stored.priority, number)) for number, stored in enumerate(due, first))
    statements.move_each(work.db, ((after, place, None, 0, seq) for seq, place in places))
    work.wake(queue_id)
    return True


def release_connection(work: Work, connection_id: int, *, why: str | None = None) -> None:
    """Back out the unit of work of a connection, close its handles, and delete its record. why: for the journal."""
    for holder_id, queue_id in holders.remove_connection(work.db, connection_id):
        if queue_id is not None:
            release_handle(work, holder_id, queue_id, why=why)
            continue
        units_of_work.backout(work, holder_id, why=why)
        for made_id, name in holders.temporary_of(work.db, holder_id):
            if name.startswith(MANAGED_SHARED):
                drop_after_openers(work, made_id)
            else:
                drop_temporary_queue(work, made_id)


def release_handle(work: Work, handle_id: int, queue_id: int | None, *, why: str | None = None) -> None:
    """Release the lock, marks and wait of a handle; delete its record (BEY-53, LOCK-25, MARK-06, MARK-22)."""
    units_of_work.unlock(work, handle_id, why=why)
    was_preferred = holders.remove_waiter(work.db, handle_id)
    holders.remove(work.db, handle_id)
    if queue_id is None:
        return
    if was_preferred:
        work.wake_each(holders.general_waiters(work.db, queue_id))  # what they have left to it is theirs now
    if marks.any_on(work.db, queue_id):
        marks.remove_of_handle(work.db, queue_id, handle_id)
        marks.remove_of_deserted_set(work.db, queue_id, MQOO_CO_OP)


def drop_temporary_queue(work: Work, queue_id: int) -> None:
    """Delete a temporary dynamic queue with its messages, even if others have it open."""
    work.wake(queue_id)  # a get that waits on it finds it deleted
    for holder in holders.of_queue(work.db, queue_id, "confirm"):
        units_of_work.backout(work, holder.id, why="the queue was deleted")  # its reports are on other queues
    queue = queues.by_id(work.db, queue_id)
    if queue is not None:
        drop(work, queue, "the temporary queue was deleted")


def drop_after_openers(work: Work, queue_id: int) -> None:
    """Delete a managed queue now, or with a connection that has it open."""
    openers = holders.of_queue(work.db, queue_id, "handle")
    if openers:
        holders.set_creator(work.db, queue_id, openers[0].connection_id)
    else:
        drop_temporary_queue(work, queue_id)


def drop(work: Work, queue: Queue, detail: str) -> None:
    """Delete a queue with what is on it. detail: why its messages go, for the journal."""
    if queue.journal:
        from mqtools.mqi import journal

        journal.note_queue(work, queue, journal.DELETE, detail)
        journal.set_level(work, queue, 0, is_deleted=True)
    queues.drop(work.db, queue.id)


def recover_openers(work: Work, queue: Queue) -> bool:
    """Close the handles that dead processes have on a queue; return whether there were any."""
    found = False
    owners = {handle.connection_id for handle in holders.of_queue(work.db, queue.id, "handle")}
    for owner_id in owners - {work.connection.id, None}:
        owner = holders.by_id(work.db, owner_id) if owner_id is not None else None
        if owner is not None and is_dead(work, owner):
            release_dead(work, owner)
            found = True
    return found
