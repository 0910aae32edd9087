"""Read-only connections to a queue manager: also to one that has ended, or to a read-only copy."""

from __future__ import annotations

from mqtools.configuration.locate import find
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.store import holders
from mqtools.store.database import open_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.mqi.connection import Connection
    from mqtools.operations.dry_run import Rehearsal

    from .command_session import Session


def connect_read_only(session: Session, q_mgr_name: str | None = None) -> Connection:
    """Return a read-only connection to the queue manager of -m or the one given, whatever its state.

    Dead holders and expired leases are released before, as by any program that connects.
    Raise MQError: unknown queue manager, or a file that cannot be read.
    """
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.identity import user_identifier

    name = q_mgr_name or session.qmgr
    db = open_database(find(name), read_only=True)
    if holders.connections(db) or holders.leases_ended(db, now_ms()):
        release_dead(session, name)
    return Connection(db, appl_name="mqx", user_identifier=user_identifier())


def connect_dry_run(session: Session) -> Rehearsal:
    """Return a connection for a dry run, on which changes are made to a queue manager in memory.

    The queue manager of -m is only read, whatever its state. Raise MQError as ``connect_read_only``.
    """
    from mqtools.operations.dry_run import Rehearsal

    return Rehearsal(connect_read_only(session))


def source_of(connection: Connection) -> Connection:
    """Return the connection that has all messages of a queue manager: for a dry run, the one behind it."""
    from mqtools.operations.dry_run import Rehearsal

    return connection.looking if isinstance(connection, Rehearsal) else connection


def fetch(connection: Connection, seqs: Sequence[int]) -> None:
    """Load messages into the memory of a dry run, by their keys; do nothing for any other connection."""
    from mqtools.operations.dry_run import Rehearsal

    if isinstance(connection, Rehearsal):
        connection.fetch(seqs)


def release_dead(session: Session, q_mgr_name: str | None = None) -> bool:
    """Release dead holders, if the queue manager is running and writable; return whether there were any."""
    from mqtools.mqi import recovery

    try:
        with session.connect(q_mgr_name) as connection, connection.work() as work:
            return recovery.recover(work)
    except MQError:
        return False  # an ended or read-only queue manager is shown as it is
