"""STOP CHANNEL of a SVRCONN: its instances are connections of programs."""

from __future__ import annotations

from mqtools.mqi import client_connections, recovery
from mqtools.mqi.transaction import Work
from mqtools.store import channels
from mqtools.store.database import Database


def stop(work: Work, name: str, connection_name: str, *, quiesces: bool, stays_stopped: bool) -> None:
    """Ask the programs to disconnect (quiesces), or back out their units of work and disconnect them.

    connection_name: of the only instances to stop; empty for all.  stays_stopped: it refuses programs from now on.
    """
    for holder, client in client_connections.of_channel(work.db, name):
        token = holder.token
        if token is None or connection_name not in ("", client.connection_name):
            continue
        if quiesces:
            client_connections.ask_to_leave(work.db, token, client)
            work.wake_each([token])
        else:
            recovery.end_connection(work, holder, "its channel was stopped")
    if stays_stopped and not connection_name:
        channels.add(work.db, name)
        channels.set_stopped(work.db, name, stopped=True)
    work.durable = True


def is_stopped(db: Database, name: str) -> bool:
    """Return whether a SVRCONN refuses programs because it was stopped."""
    own = channels.sync_state(db, name)
    return own is not None and bool(own.stopped)
