"""The trash from the side of a command that removes: whether it keeps what goes, and what it says of that."""

from __future__ import annotations

from mqtools.formats.phrases import counted
from mqtools.mqi import trash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection


def use_trash(connection: Connection, *, no_trash: bool = False) -> None:
    """Let a connection keep what it removes, as the configuration has it. Raises ConfigError."""
    connection.trash = None if no_trash else trash.configured()


def removal_of(connection: Connection) -> int | None:
    """Give the number under which a command finds again what this connection removed; None for nothing kept."""
    if connection.trash is None:
        return None
    return next(iter(connection.trash.removals.values()), None)


def words(connection: Connection) -> str:
    """Say how what was removed can come back, and what cannot: to be put behind the count."""
    removal = removal_of(connection)
    if connection.trash is None or removal is None:
        return ""
    if not connection.trash.lost:
        return f"; back with: mqx trash restore --removal {removal}"
    return f"; the trash had no room for {counted(connection.trash.lost)}, the rest: mqx trash list"
