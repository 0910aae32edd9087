"""Transaction branches for operators: those that are prepared or that an operator has ended, and their messages."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.admin import error_log
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.constants.states import PUT_UNCONFIRMED
from mqtools.errors import MQError
from mqtools.mqi import authority, xa
from mqtools.mqi.connection import Connection
from mqtools.mqi.xa import Xid
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.messages import units_of_work
from mqtools.store.source import Source

#: State of a branch without an owner, to its word.
_STATES = {xa.PREPARED: "prepared", xa.COMMITTED: "committed", xa.BACKED_OUT: "backed out"}
#: Decision of an operator to the number of its message in the error log.
_NUMBERS = {"commit": "AMQ7105I", "backout": "AMQ7106I"}


@dataclass(frozen=True, slots=True)
class TransactionBranch:
    """A transaction branch. number: its id here.  state: active, prepared, committed or backed out.

    since: when it was prepared, or began, in ms since 1970.  puts, gets: uncommitted messages.  q_names: their queues.
    """

    number: int
    xid: Xid
    state: str
    since: int
    user: str
    application: str
    puts: int
    gets: int
    q_names: list[str]


def list_transactions(source: Source) -> list[TransactionBranch]:
    """List the transaction branches, the oldest first. Raises MQError: MQRC_NOT_AUTHORIZED."""
    authority.check_manager(source.db, "DSP")
    return read_transactions(source.db)


def read_transactions(db: Database) -> list[TransactionBranch]:
    """Return the transaction branches, the oldest first, for any user."""
    found = []
    with db.reading():
        for branch in holders.transactions(db):
            state = "active" if branch.connection_id is not None else _STATES[branch.options]
            rows = units_of_work.summary(db, branch.id)
            puts = sum(row[2] for row in rows if row[1] == PUT_UNCONFIRMED)
            found.append(
                TransactionBranch(
                    branch.id,
                    Xid.from_token(branch.token or b""),
                    state,
                    branch.created_at,
                    branch.user_identifier,
                    branch.appl_name,
                    puts,
                    sum(row[2] for row in rows) - puts,
                    sorted({_name(db, row[0]) for row in rows}),
                )
            )
    return found


def _name(db: Database, queue_id: int) -> str:
    queue = queues.by_id(db, queue_id)
    return "" if queue is None else queue.name


def resolve(connection: Connection, identifier: str, action: str) -> TransactionBranch:
    """Commit, back out or forget a branch by its number or its XID; return it as it was.

    action: commit, backout or forget.
    Raises MQError: MQRC_NOT_AUTHORIZED; MQRC_UNKNOWN_OBJECT_NAME; MQRC_OBJECT_IN_USE where its state does not allow it.
    """
    authority.check_manager(connection.db, "CHG")
    found = [each for each in read_transactions(connection.db) if identifier in (str(each.number), str(each.xid))]
    if not found:
        raise MQError(
            f"there is no transaction {identifier}", MQRC_UNKNOWN_OBJECT_NAME, hint="mqx qmgr transactions lists them"
        )
    branch = found[0]
    if action == "forget":
        is_done = xa.forget(connection, branch.xid) == xa.XA_OK
    else:
        is_done = xa.decide(connection, branch.number, is_commit=action == "commit")
    if not is_done:
        hint = "its transaction manager ends it" if branch.state == "active" else None
        words = f"transaction {identifier} is {branch.state}: {action} is not possible"
        raise MQError(words, MQRC_OBJECT_IN_USE, hint=hint)
    if action in _NUMBERS:
        error_log.note(connection, _NUMBERS[action], "", error_log.Inserts(object=str(branch.xid)))
    return branch


def note_prepared(db: Database) -> None:
    """Write the branches that are prepared to the error log, when the queue manager starts."""
    for branch in read_transactions(db):
        if branch.state == "prepared":
            error_log.note(db, "AMQ7104W", "", error_log.Inserts(object=str(branch.xid)))
