"""An original message, and the queues for it and the messages generated from it."""

from __future__ import annotations

from mqtools.constants import message as c
from mqtools.message import MQMD, Message

A, B = b"A" * 24, b"B" * 24
SOURCE, ANSWERS, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"


def original(report=0, data=b"hello", **changes):
    fields = {
        "report": report,
        "msg_type": c.MQMT_REQUEST,
        "msg_id": A,
        "correl_id": B,
        "format": "MQSTR",
        "coded_char_set_id": 1208,
        "priority": 7,
        "persistence": 1,
        "reply_to_q": ANSWERS,
        "reply_to_q_mgr": "QM1",
        "user_identifier": "ana",
        "put_appl_name": "orders",
        "put_date": "20261120",
        "put_time": "08154233",
    }
    return Message(data, MQMD(**{**fields, **changes}))
