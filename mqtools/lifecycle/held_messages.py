"""List of held messages and their holders: lock ids, handles, confirm ids and units of work."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.states import DELAYED, LOCKED_FOR_BROWSE, PUT_UNCONFIRMED
from mqtools.formats.units import rfc3339
from mqtools.mqi import authority, client_connections, recovery
from mqtools.mqi.connection import Connection
from mqtools.mqi.resolution import resolve_for_get
from mqtools.mqi.xa import Xid
from mqtools.store import Row, holders, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.log.turn_holder import TurnHolder as TurnHolder
from mqtools.store.log.turn_holder import find_holder
from mqtools.store.messages import units_of_work
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source

#: How many messages of a lock are named one by one unless asked for more.
_NAMED = 10


@dataclass(slots=True, kw_only=True, frozen=True)
class Lock:
    """Messages of one queue that are in one state because of one holder.

    kind: ``lock`` (a lock id), ``handle`` (MQGMO_LOCK), ``confirm`` (a confirm id) or ``connection`` (a unit
    of work).  state: of constants/states.py.  lock_id: upper-case hex, or empty.  confirm_id: of what is
    unconfirmed, or of the browse that locked; 0 for none.  id_q_name: the queue that the confirm id belongs
    to: a report of a put is on another.  holder: user and process.  since, lease_until: milliseconds
    since 1970.  number: of messages.  seqs, msg_ids: of the first of them.
    """

    q_name: str
    kind: str
    state: int
    lock_id: str
    confirm_id: int
    id_q_name: str
    holder: str
    appl_name: str
    since: int
    lease_until: int | None
    number: int
    seqs: list[int]
    msg_ids: list[bytes]


def turn_holder(connection: Connection) -> TurnHolder | None:
    """Return the holder of the write turn, which all other writers wait for; None if it is free."""
    return find_holder(connection.db.run_folder)


def list_locks(connection: Connection, q_name: str | None = None, *, named: int = _NAMED) -> list[Lock]:
    """List what is locked or uncommitted on a queue, or on all; every such message counts in one row.

    named: how many messages of each are named one by one, -1 for all.
    Dead holders and expired leases are released before, unless the connection only reads.
    Leaves out queues that this user may not browse.  Raises MQError: MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_NOT_AUTHORIZED for the queue that was named.
    """
    db = connection.db
    queue_id = None if q_name is None else _visible_queue(db, q_name)
    if not db.read_only:
        with connection.work() as work:
            recovery.recover(work, queue_id)
    with db.reading():
        locks = [_lock(db, group, named) for group in units_of_work.groups(db, queue_id)]
        return [lock for lock in locks if authority.may_read(db, lock.q_name, "BROWSE", "GET")]


def _visible_queue(db: Database, q_name: str) -> int:
    queue = resolve_for_get(db, q_name)[0]
    authority.check_browse(db, queue.name)
    return queue.id


def _lock(db: Database, group: Row, most_named: int) -> Lock:
    queue_id, state, holder_id, lock_id, number = group
    holder = _owner(db, holder_id if state != LOCKED_FOR_BROWSE else lock_id)
    lock = holders.by_id(db, lock_id) if lock_id is not None else None
    named = units_of_work.ids_of_group(db, group, most_named)
    return Lock(
        q_name=_name(db, queue_id),
        kind=holder.kind,
        state=state,
        lock_id=format_lock_id(lock),
        confirm_id=holder.confirm_id or 0,
        id_q_name=_name(db, holder.queue_id or queue_id),
        holder=describe_holder(db, holder),
        appl_name=holder.appl_name,
        since=holder.created_at,
        lease_until=holder.lease_until if state != PUT_UNCONFIRMED else None,
        number=number,
        seqs=[row[0] for row in named],
        msg_ids=[row[1] for row in named],
    )


def _name(db: Database, queue_id: int) -> str:
    queue = queues.by_id(db, queue_id)
    return "" if queue is None else queue.name


def _owner(db: Database, holder_id: int) -> Holder:
    """Return the holder as shown to users: for a report, the confirm id that it belongs to."""
    holder = holders.by_id(db, holder_id)
    assert holder is not None
    if holder.kind == "confirm" and holder.connection_id is not None:
        return _owner(db, holder.connection_id)
    return holder


def describe_hold(source: Source, stored: StoredMessage) -> str:
    """Return words for the holder of a message and the kind of hold; of a message of the past only for that."""
    db = source.db
    if stored.state == DELAYED:
        return f"delayed until {rfc3339(stored.deliver_at or 0)}"
    if stored.state == LOCKED_FOR_BROWSE:
        if stored.lock_id is None:
            return "locked"
        lock = _owner(db, stored.lock_id)
        lock_id = format_lock_id(lock)
        return f"locked by {describe_holder(db, lock)}" + (f" with lock id {lock_id}" if lock_id else "")
    verb = "put" if stored.state == PUT_UNCONFIRMED else "got"
    if stored.holder_id is None:
        return f"{verb} but not committed or not confirmed"
    holder = _owner(db, stored.holder_id)
    if holder.kind == "confirm":
        return f"{verb} but not confirmed, confirm id {holder.confirm_id}"
    return f"{verb} but not committed, by {describe_holder(db, holder)}"


def describe_holder(db: Database, holder: Holder) -> str:
    """Return words for a holder: of a client its user, application, place and channel, else user and process."""
    if holder.kind == "transaction":
        return f"transaction {Xid.from_token(holder.token or b'')}"
    connection = None if holder.connection_id is None else holders.by_id(db, holder.connection_id)
    client = client_connections.find(db, (connection or holder).token)
    if client is not None:
        return f"{holder.user_identifier}, {holder.appl_name} at {client.connection_name} by channel {client.channel}"
    return f"{holder.user_identifier} pid {holder.pid}"


def format_lock_id(lock: Holder | None) -> str:
    """Return the lock id of a holder in hex; empty without a lock id."""
    return lock.token.hex().upper() if lock is not None and lock.kind == "lock" and lock.token else ""
