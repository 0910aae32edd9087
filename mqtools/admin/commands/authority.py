"""Authority that a command needs when its user is not the owner of the queue manager's file."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.authority import check_user
from mqtools.rules.commands.command import AdminCommand
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
