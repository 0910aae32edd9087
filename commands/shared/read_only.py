"""Read-only connections to a queue manager: also to one that has ended, or to a read-only copy."""

from __future__ import annotations

from mqtools.operations import read_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.mqi.connection import Connection
    from mqtools.operations.dry_run import DryRunConnection

    from .command_session import Session


def connect_read_only(session: Session, q_mgr_name: str | None = None) -> Connection:
    """Return a read-only connection to the queue manager of -m or the one given, whatever its state.

    Dead holders and expired leases are released before, as by any program that connects.
    Raise MQError: unknown queue manager, or a file that cannot be read.
    """
    return read_only.connect_read_only(q_mgr_name or session.qmgr, "mqx")


def connect_dry_run(session: Session) -> DryRunConnection:
    """Return a connection for a dry run, on which changes are made to a queue manager in memory.

    The queue manager of -m is only read, whatever its state. Raise MQError as ``connect_read_only``.
    """
    from mqtools.operations.dry_run import DryRunConnection

    return DryRunConnection(connect_read_only(session))


def source_of(connection: Connection) -> Connection:
    """Return the connection that has all messages of a queue manager: for a dry run, the one behind it."""
    source: Connection = getattr(connection, "source", connection)  # without importing DryRunConnection for it
    return source


def fetch(connection: Connection, seqs: Sequence[int]) -> None:
    """Load messages into the memory of a dry run, by their keys; do nothing for any other connection."""
    from mqtools.operations.dry_run import DryRunConnection

    if isinstance(connection, DryRunConnection):
        connection.fetch(seqs)


def release_dead(session: Session) -> bool:
    """Release dead holders, if the queue manager is running and writable; return whether there were any."""
    return read_only.release_dead_processes(session.qmgr, "mqx")
