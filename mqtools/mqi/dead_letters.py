"""Dead letters of applications: put a message that its queue refuses on the dead-letter queue (BEY-67)."""

from __future__ import annotations

from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.journal import DEAD_LETTER
from mqtools.mqi.put import PutResult, put
from mqtools.mqi.report_messages import with_dlh
from mqtools.mqi.resolution import resolve_for_put
from mqtools.mqi.transaction import Work

#: Reasons that speak of the destination, not of the message: elsewhere the message could be put. A message
#: refused for any other reason is wrong in itself and is not dead-lettered.
ABOUT_DESTINATION = frozenset(
    (
        rc.MQRC_PUT_INHIBITED,
        rc.MQRC_Q_FULL,
        rc.MQRC_MSG_TOO_BIG_FOR_Q,
        rc.MQRC_PERSISTENT_NOT_ALLOWED,
        rc.MQRC_UNKNOWN_OBJECT_NAME,
        rc.MQRC_UNKNOWN_ALIAS_BASE_Q,
        rc.MQRC_ALIAS_BASE_Q_TYPE_ERROR,
        rc.MQRC_UNKNOWN_REMOTE_Q_MGR,
        rc.MQRC_UNKNOWN_OBJECT_Q_MGR,
        rc.MQRC_UNKNOWN_XMIT_Q,
        rc.MQRC_XMIT_Q_TYPE_ERROR,
        rc.MQRC_XMIT_Q_USAGE_ERROR,
        rc.MQRC_UNKNOWN_DEF_XMIT_Q,
        rc.MQRC_DEF_XMIT_Q_TYPE_ERROR,
        rc.MQRC_DEF_XMIT_Q_USAGE_ERROR,
    )
)


def put_dead_letter(
    work: Work,
    error: MQError,
    message: Message,
    destination: tuple[str, str],
    options: int,
    holder_id: int | None,
    *,
    by_queue_manager: bool = False,
) -> PutResult:
    """Put a message that its destination refused on the dead-letter queue, with the reason in an MQDLH.

    error: the refusal.  destination: queue and queue manager.  by_queue_manager: the MQDLH names the queue manager, not
    the program, as what put it there.
    Returns a warning with the reason of the refusal.
    Raises the refusal itself when it is about the message, or there is no dead-letter queue; the error of
    the dead-letter queue when that refuses too.
    """
    if error.reason not in ABOUT_DESTINATION or not work.qmgr.dead_letter_q_name:
        raise error
    dead = message.md
    if dead.coded_char_set_id == 0:
        dead = dead.replace(coded_char_set_id=work.qmgr.coded_char_set_id)
    md, data = with_dlh(work, dead, message.data, error.reason, destination, by_queue_manager=by_queue_manager)
    letter = message.replace(md=md, data=data)
    target = resolve_for_put(work.db, work.qmgr, work.qmgr.dead_letter_q_name)
    with work.caused_by(DEAD_LETTER, error.reason, f"for {destination[0]}"):
        result = put(work, target, letter, options, holder_id=holder_id)
    message.md = letter.md
    return result.replace(comp_code=rc.MQCC_WARNING, reason=error.reason)
