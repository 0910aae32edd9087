"""Looking at a queue manager without taking part in it: one that has ended too, and a copy that cannot be written."""

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
    from mqtools.operations.dry_run import DryRunConnection

    from .command_session import Session


def look(session: Session, q_mgr_name: str | None = None) -> Connection:
    """Give a connection that only reads, whatever state the queue manager of -m, or one named otherwise, is in.

    What dead processes and ended leases hold is let go before, as by a program that connects.
    Raises MQError: no such queue manager, or a file that cannot be read.
    """
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.identity import user_identifier

    name = q_mgr_name or session.qmgr
    db = open_database(find(name), read_only=True)
    if holders.connections(db) or holders.leases_ended(db, now_ms()):
        release_dead(session, name)
    return Connection(db, appl_name="mqx", user_identifier=user_identifier())


def rehearse(session: Session) -> DryRunConnection:
    """Give a connection on which a dry run does what the run would do, to a queue manager in memory.

    The queue manager of -m is only looked at, whatever state it is in. Raises MQError as ``look``.
    """
    from mqtools.operations.dry_run import DryRunConnection

    return DryRunConnection(look(session))


def looked_at(connection: Connection) -> Connection:
    """Give the connection that sees all messages of a queue manager: in a rehearsal, the one behind it."""
    from mqtools.operations.dry_run import DryRunConnection

    return connection.source if isinstance(connection, DryRunConnection) else connection


def fetch(connection: Connection, seqs: Sequence[int]) -> None:
    """Have messages there for a rehearsal, by their keys; on any other connection they are."""
    from mqtools.operations.dry_run import DryRunConnection

    if isinstance(connection, DryRunConnection):
        connection.fetch(seqs)


def release_dead(session: Session, q_mgr_name: str | None = None) -> bool:
    """Let go of what dead processes hold, where the queue manager runs and can be written."""
    from mqtools.mqi import recovery

    try:
        with session.connect(q_mgr_name) as connection, connection.work() as work:
            return recovery.recover(work)
    except MQError:
        return False  # an ended or read-only queue manager is shown as it is
