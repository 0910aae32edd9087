"""Where messages were pulled from: the rows of ``origins``."""

from __future__ import annotations

from mqtools.message import MQMD
from mqtools.rules.origins import MessageOrigin, identity
from mqtools.store.database import Database

_ORIGIN = (
    "q_mgr_identifier, queue, there_msg_id, there_correl_id, there_put_date, there_put_time, there_digest, here_digest,"
    " expiry, copies"
)
_MESSAGE = "msg_id = ? and put_date = ? and put_time = ?"
#: Whether the message of a row is on any queue. Index: messages_msg_id, for each queue that is not empty.
_IS_HERE = (
    "exists (select 1 from messages indexed by messages_msg_id"
    " where queue_id in (select queue_id from queue_status where depth > 0) and msg_id = origins.msg_id"
    " and put_date = origins.put_date and put_time = origins.put_time)"
)


def of_message(db: Database, md: MQMD) -> list[MessageOrigin]:
    """List the origins of the messages here with the MsgId and put time of a descriptor."""
    return [MessageOrigin(*row) for row in db.all(f"select {_ORIGIN} from origins where {_MESSAGE}", identity(md))]  # noqa: S608


def count_copies(db: Database, origin: MessageOrigin) -> int:
    """Return how many messages here have an equal original on the same queue. Index: origins_there."""
    return db.number(
        "select sum(copies) from origins where q_mgr_identifier = ? and queue = ? and there_digest = ?",
        (origin.q_mgr_identifier, origin.q_name, origin.digest),
    )


def write(db: Database, md: MQMD, origin: MessageOrigin, former: MessageOrigin | None = None) -> None:
    """Write the origin of the message with a descriptor. former: the one that it replaces."""
    if former is not None:
        db.run(
            f"delete from origins where {_MESSAGE} and q_mgr_identifier = ? and queue = ? and there_digest = ?",  # noqa: S608
            (*identity(md), former.q_mgr_identifier, former.q_name, former.digest),
        )
    values = tuple(getattr(origin, name) for name in MessageOrigin.__slots__)
    places = ", ".join("?" * (len(values) + 3))
    db.run(
        f"insert or replace into origins (msg_id, put_date, put_time, {_ORIGIN}) values ({places})",  # noqa: S608
        (*identity(md), *values),
    )


def copy(db: Database, before: MQMD, after: MQMD) -> None:
    """Copy the origins of a message for the MsgId and put time that an edit has given it."""
    for origin in of_message(db, before):
        write(db, after, origin)


def forget_gone(db: Database, q_mgr_identifier: str, q_name: str) -> None:
    """Delete the origins on a queue elsewhere whose messages are no longer here."""
    db.run(
        f"delete from origins where q_mgr_identifier = ? and queue = ? and not {_IS_HERE}",  # noqa: S608
        (q_mgr_identifier, q_name),
    )
