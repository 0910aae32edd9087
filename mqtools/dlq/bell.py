"""The handler's sleep: until a message becomes available on its queue, somebody wakes it, or time runs out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.store import holders
from mqtools.store.liveness import ring

if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.handle import Handle


def listen(connection: Connection, handle: Handle) -> None:
    """Have the bell rung whenever a message of the handle's queue becomes available, until the handle closes."""
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
    """Sleep until the bell rings, or somebody dies who holds a message of the queue; False when time ran out.

    A ring since the last sleep ends this one at once.
    """
    assert connection.presence is not None
    others = holders.holding_connections(connection.db, handle.queue_id)
    tokens = [other.token for other in others if other.token is not None and other.id != connection.id]
    return connection.presence.wait(timeout_s, tokens)


def wake(connection: Connection) -> None:
    """End the sleep of a connection, also from a signal handler; the next sleep where it is awake."""
    if connection.presence is not None:
        ring(connection.db.run_folder, connection.presence.token)
