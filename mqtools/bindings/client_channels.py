"""Channels that programs name at MQCONNX: kept with the connection, and checked on request as a queue manager does."""

from __future__ import annotations

import os
import re

from mqtools.admin import admission, client_channels, kept_definitions
from mqtools.bindings.programs import CHECK_CHANNEL
from mqtools.constants.reasons import MQRC_CHANNEL_NOT_AVAILABLE, MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.mqi import client_connections
from mqtools.mqi.connection import Connection
from mqtools.store.database import Database

_DEFAULT_PORT = 1414
_LOOPBACK = "127.0.0.1"
_PORT = re.compile(r"\((\d+)\)\s*$")


def enter(connection: Connection, channel: str, connection_name: str, password: bytes | None = None) -> None:
    """Record a connection as an instance of its channel. password: that the program gives.

    Raises MQError: MQRC_CHANNEL_NOT_AVAILABLE for a channel that is stopped, and as ``check`` where that is requested.
    """
    if os.environ.get(CHECK_CHANNEL):
        check(connection.db, channel, connection_name, connection.user_identifier, password)
    with connection.work() as work:
        if client_channels.is_stopped(work.db, channel):
            raise MQError(f"channel {channel} is stopped", MQRC_CHANNEL_NOT_AVAILABLE)
        client_connections.add(work, channel, connection_name)


def check(db: Database, channel: str, connection_name: str, user: str, password: bytes | None = None) -> None:
    """Check that a queue manager would let a client in. password: that the program gives, None without one.

    Raises MQError: MQRC_HOST_NOT_AVAILABLE where nothing listens at the port, and as ``admission.admit``.
    """
    if not _ports_of(connection_name) & _listening_ports(db):
        raise MQError(f"nothing listens at {connection_name}", MQRC_HOST_NOT_AVAILABLE)
    admission.admit_this_process(db, channel, _LOOPBACK, user, password)


def _ports_of(connection_name: str) -> set[int]:
    """Return the ports of a list of places such as ``localhost(1414),backup(1415)``."""
    found = map(_PORT.search, connection_name.split(","))
    return {_DEFAULT_PORT if match is None else int(match[1]) for match in found}


def _listening_ports(db: Database) -> set[int]:
    """Return the ports of the LISTENER objects that were defined; the default port where there are none."""
    names = [name for name in kept_definitions.names(db, "LISTENER") if not name.startswith("SYSTEM.DEFAULT.")]
    listeners = [kept_definitions.find(db, "LISTENER", name).get("PORT") for name in names]
    return {int(port[0]) if port and port[0].isdigit() else _DEFAULT_PORT for port in listeners} or {_DEFAULT_PORT}
