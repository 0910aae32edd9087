"""Entry points that mqi calls by name: of higher layers, and of a module that itself needs transactions."""

from __future__ import annotations

#: The module of the command server; it defines ``serve(connection)``.
COMMAND_SERVER = "mqtools.admin.pcf.command_server"
#: The module of damaged messages; it defines ``quarantine(work, seq)``.
DAMAGE = "mqtools.mqi.damage"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from typing import Protocol

    class ConnectionState(Protocol):
        """Connection as the hooks see it."""

        def work(self) -> AbstractContextManager[object]:
            """Begin a transaction."""


def serve_commands(connection: object) -> None:
    """Process the commands on the command queue; called after the commit that put them there."""
    from importlib import import_module

    import_module(COMMAND_SERVER).serve(connection)


def quarantine_damaged(connection: ConnectionState, seqs: Iterable[int]) -> None:
    """Quarantine damaged messages, in a transaction of their own."""
    from importlib import import_module

    with connection.work() as work:
        for seq in seqs:
            import_module(DAMAGE).quarantine(work, seq)
