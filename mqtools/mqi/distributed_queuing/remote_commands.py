"""PCF commands that no local program has put: received by a channel, or moved from another queue.

Such a command is refused unless the queue manager has RCMDS(YES). It is refused when it arrives; one that arrived
while RCMDS was YES is marked, and refused again by the command server if RCMDS is NO by then. The mark also names the
user whose authority counts for the command.
"""

from __future__ import annotations

from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.authority import checked_user
from mqtools.mqi.transaction import Work
from mqtools.store import objects, queues
from mqtools.store.database import Database

#: Kind under which the store keeps the keys of commands that no local program has put. The migration to schema
#: version 3 (store/schema/migrations.py) marks the messages on the queue then.
_KIND = "relayed_command"


def check_relayed(db: Database, q_name: str) -> None:
    """Check that relayed commands are allowed. Raises MQError: MQRC_NOT_AUTHORIZED unless RCMDS(YES)."""
    if q_name == COMMAND_QUEUE and not queues.read_qmgr(db).get("remote_commands"):
        raise MQError(
            f"queue {q_name} takes commands of local programs only: RCMDS(NO)",
            MQRC_NOT_AUTHORIZED,
            hint="mqx explain RCMDS",
        )


def mark_command(work: Work, seq: int) -> None:
    """Mark a message on the command queue that was relayed, or that a user has put whose authority counts for it."""
    user = checked_user(work.connection)
    if work.connection.relays or user is not None:
        objects.define(work.db, _KIND, str(seq), {"relayed": work.connection.relays, "user": user})


def check_command(db: Database, seq: int) -> str | None:
    """Check the mark of a command before it is processed; return the user whose authority counts, None for the owner.

    Raises MQError: MQRC_NOT_AUTHORIZED when it was relayed and RCMDS is NO.
    """
    mark = objects.definition(db, _KIND, str(seq))
    if mark is not None and mark.get("relayed", True):
        check_relayed(db, COMMAND_QUEUE)
    return user_of_command(db, seq)


def user_of_command(db: Database, seq: int) -> str | None:
    """Return the user whose authority counts for a command, None for the owner of the file."""
    mark = objects.definition(db, _KIND, str(seq))
    user: str | None = mark.get("user") if mark else None
    return user


def forget_command(db: Database, seq: int) -> None:
    objects.delete(db, _KIND, str(seq))
