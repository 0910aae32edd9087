"""Authorities that a command needs when its user is not the owner of the file, and changes refused from afar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.authority import check_user
from mqtools.rules.attributes.table import attributes_of
from mqtools.rules.commands.command import AdminCommand, ParameterError
from mqtools.rules.security.authorities import AUTHORITIES, QMGR
from mqtools.store.database import Database
from mqtools.store.queues import qmgr


def check_command(db: Database, user: str, command: AdminCommand, face: str, name: str) -> None:
    """Check that a user may execute a command. name: of the object that it is about.

    A command on a generic name needs its authority on the queue manager, which knows CHG and DSP only.
    Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    if face in command.owner_in:
        what = f"{command.verb} {command.object_types[0]}"
        words = f"user {user} cannot {what}: only the owner of the queue manager's file can"
        raise MQError(words, MQRC_NOT_AUTHORIZED)
    if command.protects is not None and "*" not in name:
        check_user(db, user, command.protects, name, [AUTHORITIES[command.authority]])
        return
    word = "DSP" if command.authority == "DSP" else "CHG"
    check_user(db, user, QMGR, qmgr(db).name, [AUTHORITIES[word]])


def check_changes(command: AdminCommand, db: Database, user: str | None, arguments: Mapping[str, Any]) -> None:
    """Check what a command from afar changes. user: None for the owner of the file.

    Raises ParameterError: MQRC_NOT_AUTHORIZED for a value that names code or files here, and for an attribute of
    access unless the owner sets it.
    """
    if command.finds is None:
        return
    before = command.finds(db, name=arguments.get("name", ""))
    start = command.finds(db, name=arguments["like"]) if arguments.get("like") else {}
    after = {**start, **arguments["values"]}
    for row in attributes_of(str(command.table or command.object_types[0])):
        old = before.get(row.name, "")
        new = after.get(row.name, old)
        if old == new:
            continue
        if row.local_only is not None and row.local_only(str(new)):
            words = f"cannot set {row.keyword} to this value from elsewhere: use mqx mqsc on this machine"
            raise ParameterError(words, MQRC_NOT_AUTHORIZED, row.name, number=row.selector)
        if row.owner_only and user is not None:
            words = f"user {user} cannot set {row.keyword}: only the owner of the queue manager's file can"
            raise ParameterError(words, MQRC_NOT_AUTHORIZED, row.name, number=row.selector)
