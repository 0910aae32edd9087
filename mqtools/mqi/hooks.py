"""The entry point of a higher layer that mqi calls by name."""

from __future__ import annotations

from importlib import import_module

#: The module of the command server; it defines ``serve(connection)``.
COMMAND_SERVER = "mqtools.admin.pcf.command_server"


def serve_commands(connection: object) -> None:
    """Process the commands on the command queue; called after the commit that put them there."""
    import_module(COMMAND_SERVER).serve(connection)
