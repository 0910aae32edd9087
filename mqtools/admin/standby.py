"""Connections that sleep until a log entry, a command or the end of the queue manager wakes them."""

from __future__ import annotations

from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.store import holders
from mqtools.store.database import Database

#: Wait for log entries, and for commands to a supervisor; a waiting get has the number of its queue here.
LOG, COMMANDS = 0, -1


def register(work: Work, connection: Connection, event: int) -> bytes:
    """Record a connection as waiting for an event until it ends; return its token. It ends ``qmgr end`` in its way."""
    connection_id = connection.register(work)
    presence = connection.presence
    assert presence is not None
    presence.listen()
    waiter = work.add_holder("handle", connection_id=connection_id)
    holders.add_waiter(work.db, waiter, event, destructive=False, msg_id=None, correl_id=None, token=presence.token)
    return presence.token


def tokens(db: Database, event: int) -> list[bytes]:
    """Return the tokens of the connections that wait for an event."""
    return holders.waiters(db, event)
