"""The command server: carries out what lies on the command queue, in the process that has put it there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.qmgr.connection import Connection


def serve(connection: Connection) -> None:
    """Carry out all commands that lie on the command queue."""
