"""Channels that programs name at MQCONNX: kept with the connection, and checked on request as a queue manager does."""

from __future__ import annotations

import os
import re

from mqtools.admin import channel_authentication, channels, client_channels, kept_definitions
from mqtools.bindings.programs import CHECK_CHANNEL
from mqtools.constants.cmqcfc import MQIACH_PORT
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_NOT_AUTHORIZED,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from mqtools.errors import MQError
from mqtools.mqi import client_connections
from mqtools.mqi.connection import Connection
from mqtools.rules.security.channel_authentication import Caller
from mqtools.store.database import Database

_DEFAULT_PORT = 1414
_LOOPBACK = "127.0.0.1"
_PORT = re.compile(r"\((\d+)\)\s*$")


def enter(connection: Connection, channel: str, connection_name: str) -> None:
    """Record a connection as an instance of its channel.

    Raises MQError: MQRC_CHANNEL_NOT_AVAILABLE for a channel that is stopped, and as ``check`` where that is requested.
    """
    with connection.work() as work:
        if os.environ.get(CHECK_CHANNEL):
            check(work.db, channel, connection_name, connection.user_identifier)
        if client_channels.is_stopped(work.db, channel):
            raise MQError(f"channel {channel} is stopped", MQRC_CHANNEL_NOT_AVAILABLE)
        client_connections.add(work, channel, connection_name)


def check(db: Database, channel: str, connection_name: str, user: str) -> None:
    """Check that a queue manager would let a client in.

    Raises MQError: MQRC_HOST_NOT_AVAILABLE where nothing listens at the port, MQRC_UNKNOWN_CHANNEL_NAME,
    MQRC_CHANNEL_CONFIG_ERROR for a channel of another type, MQRC_NOT_AUTHORIZED where CHLAUTH blocks it.
    """
    if not _ports_of(connection_name) & _listening_ports(db):
        raise MQError(f"nothing listens at {connection_name}", MQRC_HOST_NOT_AVAILABLE)
    values = channels.definition(db, channel)
    if values is None:
        raise MQError(f"channel {channel} does not exist", MQRC_UNKNOWN_CHANNEL_NAME)
    if channels.type_of(values) != "SVRCONN":
        raise MQError(f"channel {channel} is a {channels.type_of(values)}, not a SVRCONN", MQRC_CHANNEL_CONFIG_ERROR)
    caller = Caller(channel=channel, address=_LOOPBACK, user=user)
    decision = channel_authentication.decide_on(db, caller, str(values["mca_user_identifier"]) or user)
    if decision.is_refused:
        raise MQError(f"{decision.record} refuses user {user}", MQRC_NOT_AUTHORIZED)


def _ports_of(connection_name: str) -> set[int]:
    """Return the ports of a list of places such as ``localhost(1414),backup(1415)``."""
    found = map(_PORT.search, connection_name.split(","))
    return {_DEFAULT_PORT if match is None else int(match[1]) for match in found}


def _listening_ports(db: Database) -> set[int]:
    """Return the ports of the LISTENER objects that were defined; the default port where there are none."""
    names = [name for name in kept_definitions.names(db, "LISTENER") if not name.startswith("SYSTEM.DEFAULT.")]
    listeners = [kept_definitions.find(db, "LISTENER", name).get(MQIACH_PORT) for name in names]
    return {int(port or _DEFAULT_PORT) for port in listeners} or {_DEFAULT_PORT}
