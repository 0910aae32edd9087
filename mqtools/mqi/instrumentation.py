"""Instrumentation messages of the queue manager: events, statistics and accounting."""

from __future__ import annotations

from mqtools.constants.message import MQAT_QMGR, MQENC_NATIVE, MQMT_DATAGRAM
from mqtools.errors import MQError, StorageError
from mqtools.message import MQMD
from mqtools.mqi import delivery
from mqtools.mqi.identity import new_id, put_date_and_time
from mqtools.mqi.resolution import Target, find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.reports import PUT_APPL_NAME_LENGTH


def put_instrumentation_message(work: Work, q_name: str, message_format: str, data: bytes) -> bool:
    """Put a PCF message of the queue manager on one of its queues; return whether the queue took it.

    It is part of the transaction, and of no unit of work. A queue that is full or put-inhibited loses the message, as
    in IBM MQ: the call that causes it succeeds. message_format: MQFMT_EVENT or MQFMT_ADMIN.  data: PCF in MQENC_NATIVE
    and the character set of the queue manager.
    Raises StorageError.
    """
    placed = len(work.placed)
    try:
        queue = find_queue(work.db, q_name)
        put_date, put_time = put_date_and_time(work.now_ms)
        md = MQMD(
            msg_type=MQMT_DATAGRAM,
            format=message_format,
            encoding=MQENC_NATIVE,
            coded_char_set_id=work.qmgr.coded_char_set_id,
            priority=queue.def_priority,
            persistence=queue.def_persistence,
            msg_id=new_id(work.qmgr.name),
            reply_to_q_mgr=work.qmgr.name,
            put_appl_type=MQAT_QMGR,
            put_appl_name=work.qmgr.name[:PUT_APPL_NAME_LENGTH],
            put_date=put_date,
            put_time=put_time,
        )
        with work.caused_by("put"):  # whatever the transaction does otherwise
            delivery.deliver(work, Target(queue, (queue,)), md, data)
    except StorageError:
        raise
    except MQError:
        return False
    del work.placed[placed:]
    return True
