"""Dead letters for the tests of commands: put as a channel does."""

from __future__ import annotations

from typing import Any

from mqtools.constants.reasons import MQRC_Q_FULL
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

DLQ, TO, OTHER = "DEV.DEAD.LETTER.QUEUE", "DEV.QUEUE.1", "DEV.QUEUE.2"


def bury(
    data: bytes = b"hello",
    *,
    to: str = TO,
    reason: int = MQRC_Q_FULL,
    encoding: int = 546,
    ccsid: int = 1208,
    q_name: str = DLQ,
    q_mgr: str = "QM1",
    swap: tuple[bytes, bytes] | None = None,
    **md: Any,
) -> str:
    """Put a dead letter; give its id in hex. swap: bytes to put in the place of others."""
    given = MQMD(format="MQSTR", coded_char_set_id=1208, **md)
    dead_md, dead = prefix_dlh(
        given, data, reason=reason, dest_q_name=to, dest_q_mgr_name=q_mgr, encoding=encoding, ccsid=ccsid
    )
    message = Message(dead if swap is None else dead.replace(*swap), dead_md)
    with connect(q_mgr) as connection:
        connection.put1(q_name, message)
    return message.md.msg_id.hex().upper()
