"""Connections by channels of type SVRCONN: the channel and place that a program named, while its connection lasts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from mqtools.constants.message import MQAT_USER
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.store import holders, objects
from mqtools.store.database import Database
from mqtools.store.holders import Holder

#: Kind under which the store keeps them. The name is the presence token of the connection.
KIND = "client_connection"


@dataclass(frozen=True, slots=True)
class ClientConnection:
    """One instance of a channel. is_stopping: STOP CHANNEL has asked its program to disconnect. appl_type: MQAT_*."""

    channel: str
    connection_name: str
    is_stopping: bool = False
    appl_type: int = MQAT_USER


def add(work: Work, channel: str, connection_name: str) -> None:
    """Record a connection as an instance of a channel."""
    connection = work.connection
    connection.register(work)
    assert connection.presence is not None
    connection.channel, connection.check_stopping = channel, _is_stopping
    _write(
        work.db, connection.presence.token, ClientConnection(channel, connection_name, appl_type=connection.appl_type)
    )


def _write(db: Database, token: bytes, client: ClientConnection) -> None:
    objects.define(db, KIND, token.hex(), asdict(client))


def find(db: Database, token: bytes | None) -> ClientConnection | None:
    """Return the instance that the connection with a presence token is; None for any other connection."""
    found = None if token is None else objects.definition(db, KIND, token.hex())
    return None if found is None else ClientConnection(**found)


def of_channel(db: Database, channel: str) -> list[tuple[Holder, ClientConnection]]:
    """Return the instances of a channel, each with its connection."""
    found = [(holder, find(db, holder.token)) for holder in holders.connections(db)]
    return [(holder, client) for holder, client in found if client is not None and client.channel == channel]


def forget(db: Database, token: bytes) -> None:
    """Delete the record of a connection that ends."""
    objects.delete(db, KIND, token.hex())


def ask_to_leave(db: Database, token: bytes, client: ClientConnection) -> None:
    """Mark an instance as stopping: calls that fail when quiescing fail from now on."""
    _write(db, token, replace(client, is_stopping=True))
    objects.count_change(db)


def _is_stopping(connection: ConnectionState) -> bool:
    client = None if connection.presence is None else find(connection.db, connection.presence.token)
    return client is not None and client.is_stopping
