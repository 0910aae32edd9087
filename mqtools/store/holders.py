"""Holders: connections and handles that end with their process, confirm ids and lock ids that stay."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mqtools.constants.objects import MQQDT_TEMPORARY_DYNAMIC
from mqtools.records import RowRecord
from mqtools.store import Parameters
from mqtools.store.database import Database


class Holder(RowRecord):
    """One row of holders. created_at, lease_until: milliseconds since 1970; a lease of None has no end."""

    id: int
    kind: str
    connection_id: int | None
    queue_id: int | None
    options: int
    token: bytes | None
    confirm_id: int | None
    user_identifier: str
    appl_name: str
    pid: int
    created_at: int
    lease_until: int | None

    __slots__ = tuple(__annotations__)


_COLUMNS = ", ".join(Holder.__slots__)
_SELECT = f"select {_COLUMNS} from holders where "  # noqa: S608 - column names only


def add(db: Database, kind: str, values: Mapping[str, object]) -> int:
    """Add a holder of this process and return its id. values: columns; the owner's, and those that this kind has."""
    row = {**values, "kind": kind, "pid": os.getpid()}
    statement = f"insert into holders ({', '.join(row)}) values (:{', :'.join(row)}) returning id"  # noqa: S608 - our own names
    return db.number(statement, row)


def remove(db: Database, holder_id: int) -> None:
    """Delete a holder and the handles that belong to it."""
    db.run("delete from holders where connection_id = ?", (holder_id,))
    db.run("delete from holders where id = ?", (holder_id,))


def remove_connection(db: Database, connection_id: int) -> list[tuple[int, int | None]]:
    """Delete a connection, its handles and branches; return those that have something to release: id and queue.

    The connection comes first, if it has messages in its unit of work, or temporary queues. It and the branches have
    None for the queue.
    """
    rows = db.all(_REMOVE_CONNECTION, (connection_id,))
    return sorted((row[0], row[1]) for row in rows if row[2])


_REMOVE_CONNECTION = (
    "delete from holders where id = ?1 or connection_id = ?1 returning id, queue_id,"
    " exists (select 1 from messages indexed by messages_holder where holder_id = holders.id)"
    " or exists (select 1 from messages indexed by messages_lock where lock_id = holders.id)"
    " or exists (select 1 from queues where creator_id = holders.id)"
    " or exists (select 1 from waiters where handle_id = holders.id)"
    " or exists (select 1 from queue_status where queue_id = holders.queue_id and marks > 0)"
)


#: A holder that holds no message, and that no other holder belongs to.
_IDLE = (
    "not exists (select 1 from messages indexed by messages_holder where holder_id = holders.id)"
    " and not exists (select 1 from messages indexed by messages_lock where lock_id = holders.id)"
    " and not exists (select 1 from holders as other where other.connection_id = holders.id)"
)


def remove_if_idle(db: Database, holder_id: int) -> bool:
    """Delete the holder of a confirm id or a lock id if it holds nothing any more; return whether it was deleted."""
    return bool(db.run(f"delete from holders where id = ? and {_IDLE}", (holder_id,)))  # noqa: S608 - our own text


def remove_idle(db: Database) -> None:
    """Delete all holders of confirm ids and lock ids that hold nothing any more."""
    for belongs in ("is not null", "is null"):  # those that belong to another one first
        db.run(
            "delete from holders where kind in ('confirm', 'lock')"  # noqa: S608 - our own text
            f" and connection_id {belongs} and {_IDLE}"
        )


def report_token(seq: int) -> bytes:
    """Return the token of the holder of the reports about a message."""
    return b"about" + seq.to_bytes(8, "big")


def set_token(db: Database, holder_id: int, token: bytes) -> None:
    """Set the token of a holder."""
    db.run("update holders set token = ? where id = ?", (token, holder_id))


def _one(db: Database, which: str, parameters: Parameters) -> Holder | None:
    row = db.one(_SELECT + which, parameters)
    return None if row is None else Holder(row)


def by_id(db: Database, holder_id: int) -> Holder | None:
    """Find a holder by its id."""
    return _one(db, "id = ?", (holder_id,))


def of_confirm(db: Database, queue_id: int, confirm_id: int) -> Holder | None:
    """Find the holder of a confirm id on a queue."""
    return _one(db, "queue_id = ? and confirm_id = ? and kind = 'confirm'", (queue_id, confirm_id))


def of_lock(db: Database, token: bytes) -> Holder | None:
    """Find the holder of a lock id."""
    return _one(db, "token = ? and kind = 'lock'", (token,))


def of_transaction(db: Database, token: bytes) -> Holder | None:
    """Find the holder of a transaction branch. token: its XID."""
    return _one(db, "token = ? and kind = 'transaction'", (token,))


def transactions(db: Database) -> list[Holder]:
    """List the holders of transaction branches. Index: holders_transactions."""
    rows = db.all(f"select {_COLUMNS} from holders indexed by holders_transactions where kind = 'transaction'")  # noqa: S608
    return [Holder(row) for row in rows]


def set_transaction(db: Database, holder_id: int, connection_id: int | None, options: int, created_at: int) -> None:
    """Set the owner, the options and the time of a transaction branch."""
    db.run(
        "update holders set connection_id = ?, options = ?, created_at = ? where id = ?",
        (connection_id, options, created_at, holder_id),
    )


def locks_of_confirm(db: Database, queue_id: int, confirm_id: int) -> list[Holder]:
    """Find the locks made by browses with a confirm id."""
    rows = db.all(_SELECT + "queue_id = ? and confirm_id = ? and kind = 'lock'", (queue_id, confirm_id))
    return [Holder(row) for row in rows]


def without_lease(db: Database, queue_id: int) -> int:
    """Count the lock ids and confirm ids on a queue that have no lease. Index: holders_queue."""
    return db.number(
        "select count(*) from holders where queue_id = ? and kind in ('confirm', 'lock') and lease_until is null"
        " and connection_id is null",
        (queue_id,),
    )


def of_queue(db: Database, queue_id: int, kind: str) -> list[Holder]:
    """List the holders of a kind on a queue."""
    return [Holder(row) for row in db.all(_SELECT + "queue_id = ? and kind = ?", (queue_id, kind))]


def oldest(db: Database, queue_id: int, kind: str) -> Holder | None:
    """Find the oldest holder of a kind on a queue. Index: holders_queue."""
    return _one(db, "queue_id = ? and kind = ? order by id limit 1", (queue_id, kind))


def of_connection(db: Database, connection_id: int) -> list[Holder]:
    """List the handles of a connection, or the holders of reports that belong to a confirm id."""
    return [Holder(row) for row in db.all(_SELECT + "connection_id = ?", (connection_id,))]


def connections(db: Database) -> list[Holder]:
    """List all connections. Index: holders_connections."""
    rows = db.all(f"select {_COLUMNS} from holders indexed by holders_connections where kind = 'connection'")  # noqa: S608
    return [Holder(row) for row in rows]


def leases_ended(db: Database, now_ms: int) -> list[Holder]:
    """List the confirm ids and locks whose lease has ended, the confirm ids first. Index: holders_lease."""
    return [Holder(row) for row in db.all(_SELECT + "lease_until <= ? order by kind", (now_ms,))]


def next_lease_end(db: Database, queue_id: int, now_ms: int) -> int | None:
    """Return when the next lease on a queue ends, in milliseconds since 1970; None when none does."""
    end: int | None = db.all(
        "select min(lease_until) from holders where queue_id = ? and lease_until > ?", (queue_id, now_ms)
    )[0][0]
    return end


def set_lease(db: Database, holder_id: int, lease_until: int | None) -> None:
    """Set until when a lock, or the gets of a confirm id, last."""
    db.run("update holders set lease_until = ? where id = ?", (lease_until, holder_id))


def note_confirm_put(
    db: Database, holder_id: int, fingerprint: bytes, *, seq: int, msg_id: bytes, connection_token: bytes
) -> None:
    """Add a put under a confirm id; it is deleted with the holder."""
    db.run(
        "insert into confirm_puts (holder_id, fingerprint, seq, msg_id, connection_token) values (?, ?, ?, ?, ?)",
        (holder_id, fingerprint, seq, msg_id, connection_token),
    )


def repeated_confirm_put(
    db: Database, holder_id: int, fingerprint: bytes, connection_token: bytes
) -> tuple[int, bytes] | None:
    """Find an unconfirmed put of the same by another connection, and make it one of this connection's.

    Returns the key and the message id, or None when there is none.
    """
    found = db.one(
        "select put.seq, put.msg_id from confirm_puts as put cross join messages on messages.seq = put.seq"
        " where put.holder_id = ? and put.fingerprint = ? and put.connection_token <> ?"
        " and messages.holder_id = put.holder_id and messages.state = 0 limit 1",
        (holder_id, fingerprint, connection_token),
    )
    if found is None:
        return None
    db.run(
        "update confirm_puts set connection_token = ? where holder_id = ? and fingerprint = ? and seq = ?",
        (connection_token, holder_id, fingerprint, found[0]),
    )
    return found[0], found[1]


def add_waiter(
    db: Database,
    handle_id: int,
    queue_id: int,
    *,
    destructive: bool,
    msg_id: bytes | None,
    correl_id: bytes | None,
    token: bytes,
) -> None:
    """Add a get that waits, so that whoever makes a message available wakes it."""
    if db.one("select 1 from waiters where handle_id = ?", (handle_id,)) is None:
        db.run("update queue_status set waiters = waiters + 1 where queue_id = ?", (queue_id,))
    db.run(
        "insert or replace into waiters (handle_id, queue_id, destructive, wants_msg_id, wants_correl_id, wake_token)"
        " values (?, ?, ?, ?, ?, ?)",
        (handle_id, queue_id, int(destructive), msg_id, correl_id, token),
    )


def remove_waiter(db: Database, handle_id: int) -> bool:
    """Delete a get that waits no longer; return whether others left messages to it (WAIT-12)."""
    if db.one("select 1 from waiters where handle_id = ?", (handle_id,)) is None:
        return False  # as of most handles that end; the statement below takes longer to compile
    preferred = False
    rows = db.all(
        "delete from waiters where handle_id = ?"
        " returning queue_id, wants_msg_id is not null or wants_correl_id is not null",
        (handle_id,),
    )
    for queue_id, is_specific in rows:
        db.run("update queue_status set waiters = waiters - 1 where queue_id = ?", (queue_id,))
        preferred = bool(is_specific)
    return preferred


def transfer_waiter(db: Database, handle_id: int, token: bytes) -> None:
    """Transfer a waiter to another connection of the same program (WAIT-39)."""
    db.run("update waiters set wake_token = ? where handle_id = ?", (token, handle_id))


def waiting_handles(db: Database) -> set[int]:
    """Return the ids of the handles whose get waits."""
    return set(db.column("select handle_id from waiters"))


def waiters(db: Database, queue_id: int | None = None) -> list[bytes]:
    """List the presence tokens of the connections that wait on a queue, or on any."""
    if queue_id is None:
        return db.column("select distinct wake_token from waiters")
    return db.column("select distinct wake_token from waiters where queue_id = ?", (queue_id,))


def general_waiters(db: Database, queue_id: int) -> list[bytes]:
    """List the presence tokens of the connections whose destructive get waits for any message of a queue."""
    return db.column(
        "select distinct wake_token from waiters where queue_id = ? and destructive = 1"
        " and wants_msg_id is null and wants_correl_id is null",
        (queue_id,),
    )


def specific_waiters(db: Database, queue_id: int, msg_id: bytes, correl_id: bytes) -> list[tuple[int, bytes]]:
    """List waiting destructive gets that ask for just this message: handle id and presence token (WAIT-12)."""
    rows = db.all(
        "select handle_id, wake_token from waiters where queue_id = ? and destructive = 1"
        " and (wants_msg_id is not null or wants_correl_id is not null)"
        " and (wants_msg_id is null or wants_msg_id = ?) and (wants_correl_id is null or wants_correl_id = ?)",
        (queue_id, msg_id, correl_id),
    )
    return [(row[0], row[1]) for row in rows]


def temporary_of(db: Database, connection_id: int) -> list[tuple[int, str]]:
    """List the temporary dynamic queues of a connection: id and name."""
    statement = "select id, name from queues where creator_id = ? and definition_type = ?"
    return [(row[0], row[1]) for row in db.all(statement, (connection_id, MQQDT_TEMPORARY_DYNAMIC))]


def set_creator(db: Database, queue_id: int, connection_id: int | None) -> None:
    """Make a queue a temporary dynamic one of a connection."""
    statement = "update queues set definition_type = ?, creator_id = ? where id = ?"
    db.run(statement, (MQQDT_TEMPORARY_DYNAMIC, connection_id, queue_id))


def holding_connections(db: Database, queue_id: int) -> list[Holder]:
    """List the connections that hold messages of a queue, themselves or through a handle.

    It looks at each connection, not at each message. Index: holders_connections, then messages_holder, or
    holders_connection with messages_lock or messages_holder.
    """
    return [Holder(row) for row in db.all(_HOLDING_CONNECTIONS, (queue_id,))]


_HOLDING_CONNECTIONS = (
    f"select {_COLUMNS} from holders as owner indexed by holders_connections where kind = 'connection' and ("  # noqa: S608
    " exists (select 1 from messages indexed by messages_holder where holder_id = owner.id and queue_id = ?1)"
    " or exists (select 1 from holders as handle indexed by holders_connection"
    " cross join messages indexed by messages_lock on messages.lock_id = handle.id and messages.queue_id = ?1"
    " where handle.connection_id = owner.id)"
    " or exists (select 1 from holders as branch indexed by holders_connection"
    " cross join messages indexed by messages_holder on messages.holder_id = branch.id and messages.queue_id = ?1"
    " where branch.connection_id = owner.id))"
)


def unit_owners(db: Database, queue_id: int) -> list[Holder]:
    """List the connections, transactions and channels with a batch in doubt that have uncommitted messages on a queue.

    It looks at each of them, not at each message. Index: holders_connections, messages_holder.
    """
    return [Holder(row) for row in db.all(_UNIT_OWNERS, (queue_id,))]


_UNIT_OWNERS = (
    f"select {_COLUMNS} from holders where id in ("  # noqa: S608 - column names only
    "select id from holders indexed by holders_connections where kind = 'connection'"
    " union all select id from holders indexed by holders_transactions where kind = 'transaction'"
    " union all select holder_id from channel_status where holder_id is not null)"
    " and exists (select 1 from messages indexed by messages_holder where holder_id = holders.id and queue_id = ?)"
)


def is_open(db: Database, queue_id: int, options: int) -> bool:
    """Return whether a handle of a queue was opened with one of some options."""
    statement = "select 1 from holders where queue_id = ? and kind = 'handle' and options & ? limit 1"
    return db.one(statement, (queue_id, options)) is not None


def open_counts(db: Database, queue_id: int, input_mask: int, output_mask: int) -> tuple[int, int]:
    """Count the open handles of a queue that get, and those that put."""
    row = db.all(
        "select coalesce(sum(options & :input <> 0), 0), coalesce(sum(options & :output <> 0), 0)"
        " from holders where queue_id = :id and kind = 'handle'",
        {"id": queue_id, "input": input_mask, "output": output_mask},
    )[0]
    return row[0], row[1]
