"""Use of the trash by commands that remove messages: what it keeps, and how to restore it."""

from __future__ import annotations

from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.mqi import trash_limits
from mqtools.mqi.connection import Connection
from mqtools.operations.views.trash_view import list_removals

from .command_session import Session
from .read_only import connect_read_only


def configure_trash(connection: Connection, *, no_trash: bool = False) -> None:
    """Set whether a connection keeps what it removes, by the configuration. Raise ConfigError."""
    connection.trash = None if no_trash else trash_limits.from_configuration()


def removal_number(connection: Connection) -> int | None:
    """Return the number of the removal made by this connection; None when nothing was kept."""
    if connection.trash is None:
        return None
    return next(iter(connection.trash.removals.values()), None)


def restore_hint(session: Session, q_name: str | None = None) -> str | None:
    """Return a hint with the command that restores the last removal, of a queue or of any; None without one."""
    try:
        with connect_read_only(session) as connection:
            numbers = [removal.number for removal in list_removals(connection, q_name)]
    except MQError:
        return None
    if not numbers:
        return None
    return f"to restore deleted messages: {session.suggest(f'trash restore --removal {max(numbers)}')}"


def words(session: Session, connection: Connection) -> str:
    """Return how to restore what was removed, and what was not kept, as a suffix to the count."""
    removal = removal_number(connection)
    if connection.trash is None or removal is None:
        return ""
    if not connection.trash.lost:
        return f"; to restore: {session.suggest(f'trash restore --removal {removal}')}"
    rest = session.suggest("trash list")
    return f"; {counted(connection.trash.lost)} did not fit in the trash; for the others see {rest}"
