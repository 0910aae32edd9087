"""MQCONNX of programs: the channel and user that they name, checked on request as a queue manager does.

A queue manager is looked up by its name as ``-m`` is. The channel, the connection name and the user are kept with the
connection. The key repository is not used.
"""

from __future__ import annotations

import ctypes
import os
import re

from mqtools.admin import admission, kept_definitions
from mqtools.bindings.programs import CHECK_CHANNEL
from mqtools.bindings.remote_calls import REMOTE, connect_remotely
from mqtools.calls.connections import Application, connect
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.headers.fields import read_characters
from mqtools.headers.structures_connection import CD, CNO, CSP
from mqtools.mqi.transaction import Work
from mqtools.store.database import Database

_DEFAULT_PORT = 1414
_LOOPBACK = "127.0.0.1"
_PORT = re.compile(r"\((\d+)\)\s*$")


def connect_client(
    name: str | bytes,
    options: int = 0,
    cd: bytes | None = None,
    user: str | bytes = "",
    password: bytes | None = None,
    appl_name: str = "",
) -> tuple[int, int, int]:
    """MQCONNX as what an MQCD names. user: that the program names elsewhere; else that of the MQCD counts.

    password: that the program gives; it is verified where channels are checked.
    """
    named = read_characters(user) if isinstance(user, bytes) else user
    channel = place = ""
    if cd:
        values = CD.unpack(cd)
        channel, place, own = (
            read_characters(values[member]) for member in ("ChannelName", "ConnectionName", "UserIdentifier")
        )
        named = named or own
    application = Application(user=named, name=appl_name, channel=channel, connection_name=place)
    if os.environ.get(REMOTE):
        return connect_remotely(name, options, application, password)

    def check_named(work: Work) -> None:
        check(work.db, channel, place, work.connection.user_identifier, password)

    return connect(name, options, application, check_named if os.environ.get(CHECK_CHANNEL) else None)


def connect_with(name: str | bytes, cno: bytes | None, cd: bytes | None, csp: bytes | None) -> tuple[int, int, int]:
    """MQCONNX with an MQCNO; uses its sharing options and application name."""
    options, appl_name = 0, ""
    if cno:
        values = CNO.unpack(cno)
        options = values["Options"]
        appl_name = read_characters(values["ApplName"]) if values["Version"] >= 7 or len(cno) >= 252 else ""
    return connect_client(name, options, cd, *_read_credentials(csp), appl_name)


def _read_credentials(csp: bytes | None) -> tuple[str, bytes | None]:
    """Return the user that an MQCSP names, and its password."""
    if not csp:
        return "", None
    values = CSP.unpack(csp)
    user, password = (
        ctypes.string_at(address, length)
        if (address := values[name]) and (length := values[f"{name}Length"]) > 0
        else None
        for name in ("CSPUserId", "CSPPassword")
    )
    return read_characters(user or b""), password


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
    listeners = [kept_definitions.find(db, "LISTENER", name)["port"] for name in names]
    return {int(port or _DEFAULT_PORT) for port in listeners} or {_DEFAULT_PORT}
