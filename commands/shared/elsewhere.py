"""Connection to the remote or ``mq:`` address of -m, and the password of its user."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import replace

from mqtools.clients.client import ccdt, locations
from mqtools.clients.client.connect import connect_any
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.options import ConnectionOptions
from mqtools.configuration import read_only, remotes
from mqtools.configuration.change_log import ChangeLog
from mqtools.configuration.paths import MQ_SCHEME
from mqtools.configuration.remotes import Remote
from mqtools.mqi.identity import user_identifier

from .guarded_connection import GuardedConnection, read_only_error


def connect_elsewhere(
    name: str,
    password: str | None,
    *,
    note: Callable[[str], None],
    changes: str = "",
    read_write: bool = False,
    for_reader: bool = False,
) -> GuardedConnection:
    """Connect to a remote or an address.

    password: of $MQX_PASSWORD.  note: takes words for a connection that broke in a browse.
    changes: the command that changes something, empty for one that only reads.
    read_write: an address may be changed.  for_reader: as for ``GuardedConnection``.
    Raise MQError: MQRC_NOT_AUTHORIZED for a change of a read-only one, before anything is sent.
    """
    remote = find(name)
    if changes:
        check_change(remote, read_write=read_write)
    inner = connect_to(remote, password)
    inner.reconnected = lambda: note(f"the connection to {name} was lost and restored")
    log = None
    if changes:
        where = {"user": user_identifier(), "remote": name, "qmgr": inner.name, "qmgr_id": inner.q_mgr_id}
        log = ChangeLog({**where, "command": changes})
    return GuardedConnection(inner, name, log, for_reader=for_reader)


def check_change(remote: Remote, *, read_write: bool) -> None:
    """Raise MQError (MQRC_NOT_AUTHORIZED) for a remote that is read-only. read_write: --read-write is given."""
    if not may_change(remote, read_write=read_write):
        raise read_only_error(remote.name)


def may_change(remote: Remote, *, read_write: bool) -> bool:
    """Return whether a remote may be changed. read_write: as for ``check_change``."""
    is_read_write = remote.is_read_write or (read_write and remote.name.startswith(MQ_SCHEME))
    return is_read_write and not read_only.is_set(read_only.READ_ONLY)


def find(name: str) -> Remote:
    """Return the remote of a name; for an address one without anything but the name."""
    return Remote(name) if name.startswith(MQ_SCHEME) else remotes.find(name)


def connect_to(remote: Remote, password: str | None, *, record: str | None = None) -> RemoteConnection:
    """Connect to the first place of a remote that takes the client. Raise MQError of the last one.

    password: of $MQX_PASSWORD, if it is set.  record: file for the exchange without secrets, None for none.
    """
    places = places_of(remote)
    proof = _password(remote, places[0].user, password) if places else None
    return connect_any([replace(place, password=proof) for place in places], record=record)


def places_of(remote: Remote) -> list[ConnectionOptions]:
    """Return the places to try in order. Raise UsageError, MQError."""
    if remote.name == MQ_SCHEME:
        found = locations.from_environment(os.environ, "")
    elif remote.name.startswith(MQ_SCHEME):
        found = [locations.parse_url(remote.name)]
    elif remote.ccdt:
        found = ccdt.choose(ccdt.read_ccdt(remote.ccdt), remote.q_mgr_name)
    else:
        hosts = locations.parse_connection_list(remote.connection)
        found = [ConnectionOptions(hosts, remote.channel, q_mgr_name=remote.q_mgr_name, cipher_spec=remote.cipher)]
    return [replace(place, user=remote.user) if remote.user else place for place in found]


def _password(remote: Remote, user: str, given: str | None) -> str | None:
    """Return the password of a user: of $MQX_PASSWORD, the password command, or a prompt; None without a user."""
    if not user:
        return None
    if given is not None:
        return given
    if remote.password_command:
        return remotes.run_password_command(remote)
    if sys.stdin.isatty() and sys.stderr.isatty():
        return getpass.getpass(f"Password of {user} at {remote.name}: ") or None
    return None
