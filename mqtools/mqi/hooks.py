"""The entry points of higher layers that mqi and admin call by name."""

from __future__ import annotations

from importlib import import_module

#: The module of the command server; it defines ``serve(connection)``.
COMMAND_SERVER = "mqtools.admin.pcf.command_server"
#: The module of the events of MQI calls; it defines ``raise_performance_events(work, queue, change)`` and
#: ``call_failed(work, error)``.
EVENTS = "mqtools.mqi.events"
#: The module that calls the other ends of channels; it defines ``ping(connection, name, to, note)``.
CALLER = "mqtools.channel.caller"


def serve_commands(connection: object) -> None:
    """Process the commands on the command queue; called after the commit that put them there."""
    import_module(COMMAND_SERVER).serve(connection)


def ping_channel(connection: object, name: str) -> None:
    """Check that the other end of a channel is reachable. Raises MQError."""
    import_module(CALLER).ping(connection, name, to=None, note=lambda _text: None)


def raise_performance_events(work: object, queue: object, change: int) -> None:
    """Put the events of messages that are about to come to a queue, or to leave it. Raises StorageError."""
    import_module(EVENTS).raise_performance_events(work, queue, change)


def call_failed(work: object, error: Exception) -> None:
    """Put the event of a failed MQI call, whose transaction is undone."""
    import_module(EVENTS).call_failed(work, error)
