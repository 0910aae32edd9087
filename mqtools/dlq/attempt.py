"""One attempt at a dead letter: its get and its put in one unit of work (BEY-77)."""

from __future__ import annotations

from mqtools.constants.options import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_GET_INHIBITED,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_NONE,
    MQRC_Q_DELETED,
    MQRC_Q_MGR_QUIESCING,
)
from mqtools.dlq.selection import forwarded
from mqtools.dlq.target import carried_over
from mqtools.errors import MQError, StorageError
from mqtools.message import Message
from mqtools.mqi import trash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.dlq.rule import Rule
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.handle import Handle

#: Reasons that end the handler in order, whichever call gets them: there is no queue to read any more.
ENDINGS = frozenset((MQRC_GET_INHIBITED, MQRC_Q_DELETED, MQRC_Q_MGR_QUIESCING, MQRC_CONNECTION_BROKEN))

_GET = MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
_PUT = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT | MQPMO_FAIL_IF_QUIESCING


def act(connection: Connection, handle: Handle, rule: Rule, target: tuple[str, str]) -> int | None:
    """Do DISCARD, RETRY or FWD with the message under the browse cursor.

    target: queue and queue manager of the put.
    Gives MQRC_NONE when it is done and committed, the reason of the put when all is backed out, None when the
    message was no longer there.
    Raises MQError, everything backed out: a reason of ``ENDINGS``, or StorageError.  Source: BEY-71, BEY-77.
    """
    try:
        reason = _get_and_put(connection, handle, rule, target)
        if reason == MQRC_NONE and rule.action == "DISCARD":
            trash.commit_and_keep(connection, trash.DISCARD)
        elif reason == MQRC_NONE:
            connection.commit()
        else:
            connection.backout()
    except BaseException:
        connection.backout()
        raise
    return reason


def _get_and_put(connection: Connection, handle: Handle, rule: Rule, target: tuple[str, str]) -> int | None:
    try:
        message = handle.get(_GET).message
    except MQError as error:
        if error.reason == MQRC_NO_MSG_UNDER_CURSOR:
            return None
        raise
    return MQRC_NONE if rule.action == "DISCARD" else _put(connection, handle, rule, message, target)


def _put(connection: Connection, handle: Handle, rule: Rule, message: Message, target: tuple[str, str]) -> int:
    md, data = forwarded(rule, message.md, message.data)
    return put_on(connection, handle, Message(data, md, carried_over(rule, message.properties)), target)


def put_on(connection: Connection, handle: Handle, message: Message, target: tuple[str, str]) -> int:
    """Put a message with all the context of what was got last; give the reason when that failed or gave a warning.

    Raises MQError: a reason of ``ENDINGS``, or StorageError.
    """
    q_name, q_mgr_name = target
    try:
        return connection.put1(q_name, message, _PUT, q_mgr_name=q_mgr_name, context=handle.context).reason
    except StorageError:
        raise
    except MQError as error:
        if error.reason in ENDINGS:
            raise
        return error.reason
