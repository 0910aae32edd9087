"""Connections that change nothing: read-only ones, and those of dry runs."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.operations import read_only

from .command_session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection
    from mqtools.operations.dry_run import DryRunConnection


def connect_read_only(session: Session, q_mgr_name: str | None = None) -> Connection:
    """Return a read-only connection to the queue manager of -m, or to the given one, in any state.

    Dead holders and expired leases are released before, as by any program that connects.
    Raise MQError: unknown queue manager, or a file that cannot be read.
    """
    return read_only.connect_read_only(q_mgr_name or session.qmgr, "mqx")


def connect_to_change(session: Session, *, dry_run: bool) -> Connection:
    """Connect to the queue manager of -m; for a dry run, to a copy of it in memory, on which the command runs.

    A dry run only reads the queue manager in any state. Raise MQError as ``connect_read_only``.
    """
    if not dry_run:
        return session.connect()
    from mqtools.operations.dry_run import DryRunConnection

    return DryRunConnection(connect_read_only(session))


def source_of(connection: Connection) -> Connection:
    """Return the connection that has all messages of a queue manager: for a dry run, the one behind it."""
    source: Connection = getattr(connection, "source", connection)  # without importing DryRunConnection for it
    return source


def fetch(connection: Connection, seqs: Sequence[int]) -> None:
    """Load messages into the memory of a dry run, by their keys; do nothing for any other connection."""
    stage = _stage_of(connection)
    if stage is not None:
        stage.fetch(seqs)


def fetch_held(connection: Connection, *, confirm_id: int | None = None, lock_id: bytes | None = None) -> None:
    """Load the messages held under an id into the memory of a dry run; do nothing for any other connection."""
    stage = _stage_of(connection)
    if stage is not None:
        stage.fetch_held(confirm_id, lock_id)


def fetch_trashed(connection: Connection, numbers: Sequence[int]) -> None:
    """Load messages of the trash into the memory of a dry run; do nothing for any other connection."""
    stage = _stage_of(connection)
    if stage is not None:
        stage.fetch_trashed(numbers)


def _stage_of(connection: Connection) -> DryRunConnection | None:
    """Return the connection of a dry run; None for any other."""
    return None if source_of(connection) is connection else connection  # type: ignore[return-value]


def release_dead(session: Session) -> bool:
    """Release dead holders, if the queue manager is running and writable; return whether there were any."""
    return read_only.release_dead_processes(session.qmgr, "mqx")
