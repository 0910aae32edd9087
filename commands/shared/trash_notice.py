"""The trash from the side of a command that removes: whether it keeps what goes, and what it says of that."""

from __future__ import annotations

from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.mqi import trash_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection

    from .command_session import Session


def use_trash(connection: Connection, *, no_trash: bool = False) -> None:
    """Let a connection keep what it removes, as the configuration has it. Raises ConfigError."""
    connection.trash = None if no_trash else trash_limits.from_configuration()


def removal_of(connection: Connection) -> int | None:
    """Give the number under which a command finds again what this connection removed; None for nothing kept."""
    if connection.trash is None:
        return None
    return next(iter(connection.trash.removals.values()), None)


def restore_hint(session: Session, q_name: str | None = None) -> str | None:
    """Return the command that brings back what was last removed, from a queue or from any; None for nothing there."""
    from shlex import join

    from mqtools.store.messages import trash as statements

    from .read_only import look

    try:
        with look(session) as connection:
            numbers = [one.number for one in statements.removals(connection.db) if q_name in (None, one.q_name)]
    except MQError:
        return None
    if not numbers:
        return None
    at = ["-m", session.qmgr] if session.qmgr else []
    return f"what was deleted comes back with: {join(['mqx', *at, 'trash', 'restore', '--removal', str(max(numbers))])}"


def words(connection: Connection) -> str:
    """Say how what was removed can come back, and what cannot: to be put behind the count."""
    removal = removal_of(connection)
    if connection.trash is None or removal is None:
        return ""
    if not connection.trash.lost:
        return f"; back with: mqx trash restore --removal {removal}"
    return f"; the trash had no room for {counted(connection.trash.lost)}, the rest: mqx trash list"
