"""Checks that several verbs begin with, in a module that imports little: a get loads nothing of a put for them."""

from __future__ import annotations

from mqtools.constants.options import MQACTP_NEW, MQPMO_MD_FOR_OUTPUT_ONLY
from mqtools.constants.reasons import MQRC_Q_MGR_QUIESCING
from mqtools.errors import MQError
from mqtools.mqi.transaction import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.message_handles.handle import MessageHandle


def fail_if_quiescing(work: Work) -> None:
    """Raise MQRC_Q_MGR_QUIESCING while the queue manager is quiescing, MQRC_CONNECTION_QUIESCING for a channel."""
    if work.qmgr.state == "quiescing":
        raise MQError(f"queue manager {work.qmgr.name} is quiescing", MQRC_Q_MGR_QUIESCING, q_mgr_name=work.qmgr.name)
    if work.connection.channel:
        from mqtools.mqi.client_connections import fail_if_stopping

        fail_if_stopping(work.connection)


def is_derived(options: int, action: int, original: MessageHandle | None, new: MessageHandle | None) -> bool:
    """Return whether what an action makes of a message and message handles is put, and not the message as it is."""
    return action != MQACTP_NEW or original is not None or new is not None or options & MQPMO_MD_FOR_OUTPUT_ONLY != 0
