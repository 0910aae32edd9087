"""Waiting of the handler: until a message becomes available on its queue, it is woken, or time runs out."""

from __future__ import annotations

from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.store import holders
from mqtools.store.liveness import ring


def listen(connection: Connection, handle: Handle) -> None:
    """Register as a waiter for messages of the handle's queue, until the handle closes."""
    with connection.work() as work:
        connection.register(work)
        assert connection.presence is not None
        connection.presence.listen()
        holders.add_waiter(
            work.db,
            handle.id,
            handle.queue_id,
            destructive=False,
            msg_id=None,
            correl_id=None,
            token=connection.presence.token,
        )


def sleep(connection: Connection, handle: Handle, timeout_s: float) -> bool:
    """Sleep until a message becomes available, or a holder of one dies; return False when time ran out.

    A wake-up since the last sleep ends this one at once.
    """
    assert connection.presence is not None
    others = holders.holding_connections(connection.db, handle.queue_id)
    tokens = [other.token for other in others if other.token is not None and other.id != connection.id]
    return connection.presence.wait(timeout_s, tokens)


def wake(connection: Connection) -> None:
    """End the sleep of a connection, or its next one. May be called by another thread."""
    if connection.presence is not None:
        ring(connection.db.run_folder, connection.presence.token)
