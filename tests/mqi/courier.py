"""A channel in the small: what lies on a transmission queue is put at the other queue manager, as a channel does."""

from __future__ import annotations

from mqtools.constants.options import MQOO_INPUT_SHARED, MQPMO_NO_SYNCPOINT, MQPMO_SET_ALL_CONTEXT
from mqtools.constants.structures import MQXQH_LENGTH_1
from mqtools.headers.mqxqh import unpack_mqxqh
from mqtools.message import MQMD, Message

from .conftest import QM


def carry(source: QM, target: QM, number: int = 1) -> list[MQMD]:
    """Carry messages from the transmission queue that is called like the target; give what arrived.

    The descriptor on the way is of version 1, so that an MQMDE is still there for the target to look at.
    """
    arrived = []
    with source.connect() as connection, connection.open(target.main.name, MQOO_INPUT_SHARED) as handle:
        for _ in range(number):
            sent = handle.get().message
            header = unpack_mqxqh(sent.data, sent.md.encoding, sent.md.coded_char_set_id)
            message = Message(sent.data[MQXQH_LENGTH_1:], header.msg_desc)
            options = MQPMO_SET_ALL_CONTEXT | MQPMO_NO_SYNCPOINT
            target.main.put1(header.remote_q_name, message, options, q_mgr_name=header.remote_q_mgr_name)
            arrived.append(message.md)
    return arrived
