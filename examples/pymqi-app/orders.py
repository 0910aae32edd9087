"""Order service: gets orders from the queue ORDERS and replies to each in the same unit of work."""

from __future__ import annotations

import json
import sys

import pymqi

IN_STOCK = {"sledge": 5, "skates": 1}


def answer(order: dict) -> dict:
    """Return the reply to an order: enough in stock or not. Raises KeyError for an unknown item."""
    return {"item": order["item"], "confirmed": IN_STOCK.get(order["item"], 0) >= order["count"]}


def reply(qmgr: pymqi.QueueManager, request: pymqi.MD, body: dict) -> None:
    """Put the reply on the reply-to queue of the request."""
    md = pymqi.MD(MsgType=pymqi.CMQC.MQMT_REPLY, CorrelId=request.MsgId, Persistence=request.Persistence)
    pmo = pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT)
    od = pymqi.OD(ObjectName=request.ReplyToQ, ObjectQMgrName=request.ReplyToQMgr)
    qmgr.put1(od, json.dumps(body), md, pmo)


def serve(qmgr: pymqi.QueueManager, wait_ms: int = 1000) -> int:
    """Serve until no order arrives within the time; return the number of orders."""
    queue = pymqi.Queue(qmgr, "ORDERS", pymqi.CMQC.MQOO_INPUT_AS_Q_DEF | pymqi.CMQC.MQOO_FAIL_IF_QUIESCING)
    gmo = pymqi.GMO(Version=pymqi.CMQC.MQGMO_VERSION_2, MatchOptions=pymqi.CMQC.MQMO_NONE, WaitInterval=wait_ms)
    gmo.Options = pymqi.CMQC.MQGMO_WAIT | pymqi.CMQC.MQGMO_SYNCPOINT | pymqi.CMQC.MQGMO_FAIL_IF_QUIESCING
    done = 0
    while True:
        md = pymqi.MD()
        try:
            data = queue.get(None, md, gmo)
        except pymqi.MQMIError as error:
            if error.reason != pymqi.CMQC.MQRC_NO_MSG_AVAILABLE:
                raise
            queue.close()
            return done
        try:
            reply(qmgr, md, answer(json.loads(data)))
            done += 1
        except (ValueError, KeyError, TypeError):
            qmgr.put1("ORDERS.ASIDE", data, pymqi.MD(), pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT))
        qmgr.commit()


if __name__ == "__main__":
    manager = pymqi.connect(sys.argv[1], "DEV.APP.SVRCONN", "localhost(1414)", "app", "secret")
    print(serve(manager), "orders answered")
    manager.disconnect()
