"""Connection to the remote or ``mq:`` address of -m, and the password of its user."""

from __future__ import annotations

import getpass
import sys
from dataclasses import replace
from functools import partial

from mqtools.clients.client.connect import establish
from mqtools.clients.client.locations import places_of
from mqtools.clients.client.options import ConnectionOptions
from mqtools.configuration import read_only, remotes
from mqtools.configuration.change_log import ChangeLog
from mqtools.configuration.paths import MQ_SCHEME
from mqtools.configuration.remotes import Remote
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.identity import user_identifier
from mqtools.operations.output_reader import pause

from .guarded_connection import GuardedConnection


def connect_elsewhere(
    name: str, password: str | None, *, changes: str = "", read_write: bool = False, for_reader: bool = False
) -> GuardedConnection:
    """Connect to a remote or an address.

    password: of $MQX_PASSWORD.  changes: the command that changes something, empty for one that only reads.
    read_write: as for ``may_change``.  for_reader: waits raise BrokenPipeError when the output has no reader.
    Raise MQError: MQRC_NOT_AUTHORIZED for a change of a read-only one, before anything is sent.
    """
    remote = remotes.find(name)
    if changes:
        check_change(remote, read_write=read_write)
    there = GuardedConnection(establish(places_to_try(remote, password)), partial(pause, 0) if for_reader else None)
    where = {"user": user_identifier(), "remote": name, "qmgr": there.name, "qmgr_id": there.q_mgr_id}
    there.log = ChangeLog({**where, "command": changes}) if changes else ChangeLog(refusal=read_only_error(name))
    return there


def check_change(remote: Remote, *, read_write: bool) -> None:
    """Raise MQError (MQRC_NOT_AUTHORIZED) for a remote that is read-only. read_write: as for ``may_change``."""
    if not may_change(remote, read_write=read_write):
        raise read_only_error(remote.name)


def may_change(remote: Remote, *, read_write: bool) -> bool:
    """Return whether a remote may be changed. read_write: --read-write is given."""
    is_read_write = remote.read_write or (read_write and remote.name.startswith(MQ_SCHEME))
    return is_read_write and not read_only.is_set(read_only.READ_ONLY)


def places_to_try(remote: Remote, password: str | None) -> list[ConnectionOptions]:
    """Return the places of a remote in order, with the password of their user. Raise UsageError, MQError.

    password: of $MQX_PASSWORD, if it is set.
    """
    places = places_of(remote)
    proof = _password(remote, places[0].user, password) if places else None
    return [replace(place, password=proof) for place in places]


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


def read_only_error(name: str) -> MQError:
    """Return the error for a change of a remote that is read-only."""
    return MQError(
        f"{name} is read-only",
        MQRC_NOT_AUTHORIZED,
        hint="--read-write allows changes for this command"
        if ":" in name
        else f"mqx remote remove {name}, then mqx remote add {name} ... --read-write",
    )
