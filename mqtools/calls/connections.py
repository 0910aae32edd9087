"""MQCONN, MQDISC, and the unit of work: MQBEGIN, MQCMIT, MQBACK."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock

from mqtools.admin import client_channels
from mqtools.calls import sessions
from mqtools.calls.deferral import CallBlock
from mqtools.calls.sessions import CallSession
from mqtools.calls.shared_connections import SharedConnection
from mqtools.configuration import locate
from mqtools.constants.message import MQAT_UNIX
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_UOW_IN_PROGRESS,
)
from mqtools.errors import MQError
from mqtools.headers.fields import read_characters
from mqtools.mqi import authority, client_connections
from mqtools.mqi.connection import connect as connect_to
from mqtools.mqi.transaction import Work
from mqtools.rules.object_names import is_path

_USER_LENGTH, _NAME_LENGTH = 12, 28
#: Handle that a failed call returns.
NO_HANDLE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The application that makes the calls of a connection. An empty value means that of this process.

    type: MQAT_*, for descriptors.  channel: of type SVRCONN; empty for a local connection.  connection_name: CONNAME of
    a client.  instance: its socket, which connections may share.  options: MQCNO_* of a client.  is_checked: each call
    needs the authority of the user; else that of the user of this process counts.
    """

    user: str = ""
    name: str = ""
    type: int = MQAT_UNIX
    channel: str = ""
    connection_name: str = ""
    instance: str = ""
    options: int = 0
    is_checked: bool = False


THIS_PROCESS = Application()


def connect(
    name: str | bytes,
    options: int = 0,
    application: Application = THIS_PROCESS,
    check: Callable[[Work], None] | None = None,
) -> tuple[int, int, int]:
    """MQCONN: return the handle, completion code and reason.

    The parameters are those of ``open_session``.
    """
    try:
        with CallBlock():
            session = open_session(name, options, application, check)
    except MQError as error:
        return NO_HANDLE, MQCC_FAILED, error.reason
    return sessions.add(session), MQCC_OK, MQRC_NONE


def open_session(
    name: str | bytes,
    options: int = 0,
    application: Application = THIS_PROCESS,
    check: Callable[[Work], None] | None = None,
) -> CallSession:
    """Connect without a handle, for a server that keeps its sessions itself.

    name: may be padded with blanks, and begin with ``*`` as one of a group does; empty is the default.
    options: MQCNO_*; only those of sharing count.  check: raises MQError for a client that may not connect.
    Raises MQError: as ``mqi.connection.connect``, MQRC_NOT_AUTHORIZED for a user that is checked,
    MQRC_CHANNEL_NOT_AVAILABLE for a channel that is stopped.
    """
    text = read_characters(name) if isinstance(name, bytes) else name.rstrip(" \0")
    connection = connect_to(
        _lookup_name(text.removeprefix("*")),
        appl_name=application.name[:_NAME_LENGTH] or None,
        user_identifier=application.user[:_USER_LENGTH] or None,
        kind=SharedConnection,
        options=options or application.options,
    )
    assert isinstance(connection, SharedConnection)
    connection.lock, connection.appl_type = RLock(), application.type
    try:
        if application.is_checked:
            if not application.user:  # empty would mean the owner of the file
                raise MQError("an application elsewhere needs a user", MQRC_NOT_AUTHORIZED)
            authority.assume_user(connection, application.user)
        if application.channel:
            _enter_channel(connection, application, check)
        else:
            connection.announce()  # it is recorded though it has nothing open
    except MQError:
        connection.disconnect()
        raise
    return CallSession(connection, options)


def _enter_channel(
    connection: SharedConnection, application: Application, check: Callable[[Work], None] | None
) -> None:
    """Record a connection as an instance of its channel. Raises MQError: MQRC_CHANNEL_NOT_AVAILABLE, as ``check``."""
    with connection.work() as work:
        if check is not None:
            check(work)
        if client_channels.is_stopped(work.db, application.channel):
            raise MQError(f"channel {application.channel} is stopped", MQRC_CHANNEL_NOT_AVAILABLE)
        client_connections.add(work, application.channel, application.connection_name, application.instance)


def _lookup_name(name: str) -> str | None:
    """Return the name to look a queue manager up by: the default's own name is the default, wherever its file is."""
    default, _ = locate.requested_qmgr()
    if default is not None and is_path(default) and name == locate.name_of_path(default):
        return default
    return name or None


def disconnect(h: int) -> tuple[int, int]:
    """MQDISC: commit the unit of work and close what is open."""

    def leave(session: CallSession) -> tuple[int]:
        sessions.remove(h)
        if session.consumers is not None:
            session.consumers.end()
        session.objects.clear()
        session.connection.disconnect()
        return (MQRC_NONE,)

    result: tuple[int, int] = sessions.call_to_end(h, leave, (), while_started=True)
    return result


def begin(session: CallSession) -> tuple[int]:
    """MQBEGIN: check that no unit of work is in progress; there are no other resource managers."""
    if session.connection.in_unit_of_work:
        raise MQError("a unit of work is in progress", MQRC_UOW_IN_PROGRESS)
    return (MQRC_NONE,)


def commit(session: CallSession) -> tuple[int]:
    """MQCMIT."""
    session.connection.commit()
    return (MQRC_NONE,)


def back_out(session: CallSession) -> tuple[int]:
    """MQBACK."""
    session.connection.backout()
    return (MQRC_NONE,)
