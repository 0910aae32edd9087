"""Connections by channels of type SVRCONN: the channel and place that a program named, while its connection lasts."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, replace

from mqtools.constants.message import MQAT_USER
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.store import holders, objects, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.liveness import is_alive

#: Kind under which the store keeps them. The name is the presence token of the connection.
KIND = "client_connection"


@dataclass(slots=True, kw_only=True)
class SocketUse:
    """Recorded use of a client's socket, by all its conversations.

    begun_at, used_at: ms since 1970, 0 for never.  most_conversations: that may share it.
    """

    begun_at: int = 0
    used_at: int = 0
    calls: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    most_conversations: int = 0


@dataclass(frozen=True, slots=True)
class ClientConnection:
    """Connection of a client. is_stopping: STOP CHANNEL has asked its program to disconnect.  appl_type: MQAT_*.

    instance: the socket of a client elsewhere, which several connections may share; empty: the connection is its own.
    use: of that socket; one of its connections has the latest.
    """

    channel: str
    connection_name: str
    is_stopping: bool = False
    appl_type: int = MQAT_USER
    instance: str = ""
    use: SocketUse = field(default_factory=SocketUse)


def add(work: Work, channel: str, connection_name: str, instance: str = "") -> None:
    """Record a connection of a channel. instance: its socket; empty: it is an instance of its own."""
    connection = work.connection
    connection.register(work)
    assert connection.presence is not None
    connection.channel, connection.check_stopping = channel, _is_stopping
    client = ClientConnection(channel, connection_name, appl_type=connection.appl_type, instance=instance)
    _write(work.db, connection.presence.token, client)


def note_use(work: Work, use: SocketUse) -> None:
    """Record the use of the socket of a connection."""
    presence = work.connection.presence
    client = None if presence is None else find(work.db, presence.token)
    if presence is not None and client is not None:
        _write(work.db, presence.token, replace(client, use=use))


def _write(db: Database, token: bytes, client: ClientConnection) -> None:
    objects.define(db, KIND, token.hex(), asdict(client))


def find(db: Database, token: bytes | None) -> ClientConnection | None:
    """Return the instance that the connection with a presence token is; None for any other connection."""
    found = None if token is None else objects.definition(db, KIND, token.hex())
    return None if found is None else ClientConnection(**{**found, "use": SocketUse(**found.get("use", {}))})


def of_channel(db: Database, channel: str) -> list[tuple[Holder, ClientConnection]]:
    """Return the instances of a channel, each with its connection."""
    found = [(holder, find(db, holder.token)) for holder in holders.connections(db)]
    return [(holder, client) for holder, client in found if client is not None and client.channel == channel]


def addresses_elsewhere(db: Database, channel: str) -> list[str]:
    """Return the address of each instance of a channel that is in another process."""
    found = {}
    for holder, client in of_channel(db, channel):
        if holder.pid != os.getpid() and holder.token is not None and is_alive(db, holder.token):
            found[holder.pid, client.instance or holder.token] = client.connection_name
    return list(found.values())


def forget(db: Database, token: bytes) -> None:
    """Delete the record of a connection that ends."""
    objects.delete(db, KIND, token.hex())


def ask_to_leave(db: Database, token: bytes, client: ClientConnection) -> None:
    """Mark an instance as stopping: calls that fail when quiescing fail from now on."""
    _write(db, token, replace(client, is_stopping=True))
    queues.count_change(db)


def _is_stopping(connection: ConnectionState) -> bool:
    client = None if connection.presence is None else find(connection.db, connection.presence.token)
    return client is not None and client.is_stopping
