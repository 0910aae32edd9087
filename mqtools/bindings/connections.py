"""MQCONN, MQCONNX, MQDISC, and the unit of work: MQBEGIN, MQCMIT, MQBACK.

A queue manager is looked up by its name as ``-m`` is. The channel, the connection name and the user are kept with the
connection. The password is verified where channels are checked; the key repository is not used.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from threading import RLock

from mqtools.bindings import sessions
from mqtools.bindings.client_channels import enter
from mqtools.bindings.deferral import CallBlock
from mqtools.bindings.fields import read_characters
from mqtools.bindings.sessions import BindingSession
from mqtools.bindings.shared_connections import SharedConnection
from mqtools.configuration import locate
from mqtools.constants.reasons import MQCC_FAILED, MQCC_OK, MQRC_NONE, MQRC_UOW_IN_PROGRESS
from mqtools.errors import MQError
from mqtools.headers.structures_connection import CD, CNO, CSP
from mqtools.mqi.connection import connect as connect_to
from mqtools.rules.object_names import is_path

_USER_LENGTH = 12
#: What a call that failed gives for a handle.
NO_HANDLE = -1


@dataclass(frozen=True, slots=True)
class Client:
    """What a program names to connect as a client. channel: empty for a local connection."""

    channel: str = ""
    connection_name: str = ""
    user: str = ""
    password: bytes | None = field(default=None, repr=False)


def read_client(cd: bytes | None, user: str | bytes = "", password: bytes | None = None) -> Client:
    """Return what an MQCD names. user: that the program names elsewhere; else that of the MQCD counts."""
    named = read_characters(user) if isinstance(user, bytes) else user
    if not cd:
        return Client(user=named)
    values = CD.unpack(cd)
    channel, place, own = (
        read_characters(values[name]) for name in ("ChannelName", "ConnectionName", "UserIdentifier")
    )
    return Client(channel, place, named or own, password)


def read_credentials(csp: bytes | None) -> tuple[str, bytes | None]:
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


_LOCAL = Client()


def connect(
    name: str | bytes, options: int = 0, appl_name: str | None = None, client: Client = _LOCAL
) -> tuple[int, int, int]:
    """MQCONN: return the handle, completion code and reason.

    name: may be padded with blanks, and begin with ``*`` as one of a group does; empty is the default.
    options: MQCNO_*, of which those of sharing count.  client: the channel, place and user that the program names.
    """
    text = read_characters(name) if isinstance(name, bytes) else name.rstrip(" \0")
    try:
        with CallBlock():
            connection = _connect(_lookup_name(text.removeprefix("*")), appl_name, client)
    except MQError as error:
        return NO_HANDLE, MQCC_FAILED, error.reason
    return sessions.add(BindingSession(connection, options)), MQCC_OK, MQRC_NONE


def _connect(name: str | None, appl_name: str | None, client: Client) -> SharedConnection:
    """Connect, and record the connection: it is one though it has nothing open."""
    user = client.user[:_USER_LENGTH] or None
    connection = connect_to(name, appl_name=appl_name, user_identifier=user, kind=SharedConnection)
    assert isinstance(connection, SharedConnection)
    connection.lock = RLock()
    try:
        if client.channel:
            enter(connection, client.channel, client.connection_name, client.password)
        else:
            connection.announce()
    except MQError:
        connection.disconnect()
        raise
    return connection


def _lookup_name(name: str) -> str | None:
    """Return the name to look a queue manager up by: the default's own name is the default, wherever its file is."""
    default, _ = locate.requested_qmgr()
    if default is not None and is_path(default) and name == locate.name_of_path(default):
        return default
    return name or None


def connect_with(name: str | bytes, cno: bytes | None, client: Client) -> tuple[int, int, int]:
    """MQCONNX with an MQCNO, of which the sharing options and the application name are used."""
    if not cno:
        return connect(name, client=client)
    values = CNO.unpack(cno)
    appl_name = read_characters(values["ApplName"]) if values["Version"] >= 7 or len(cno) >= 252 else ""
    return connect(name, values["Options"], appl_name or None, client)


def disconnect(h: int) -> tuple[int, int]:
    """MQDISC: commit the unit of work and close what is open."""

    def leave(session: BindingSession) -> tuple[int]:
        sessions.remove(h)
        if session.consumers is not None:
            session.consumers.end()
        session.objects.clear()
        session.connection.disconnect()
        return (MQRC_NONE,)

    result: tuple[int, int] = sessions.call_to_end(h, leave, (), while_started=True)
    return result


def begin(session: BindingSession) -> tuple[int]:
    """MQBEGIN: check that no unit of work is in progress; there are no other resource managers."""
    if session.connection.in_unit_of_work:
        raise MQError("a unit of work is in progress", MQRC_UOW_IN_PROGRESS)
    return (MQRC_NONE,)


def commit(session: BindingSession) -> tuple[int]:
    """MQCMIT."""
    session.connection.commit()
    return (MQRC_NONE,)


def back_out(session: BindingSession) -> tuple[int]:
    """MQBACK."""
    session.connection.backout()
    return (MQRC_NONE,)
