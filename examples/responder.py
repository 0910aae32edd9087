#!/usr/bin/env python3
"""Reply to rebooking requests: ``python examples/responder.py REBOOKING``, until none arrives for a while.

Each request is got, answered and committed in one unit of work. The library derives answers from their request: they
have the identifiers that its report options ask for, and go where it wants them.
"""

from __future__ import annotations

import argparse

from mqtools.constants.message import MQFB_NAN, MQFB_PAN, MQRO_NAN, MQRO_PAN
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_SAVE_ALL_CONTEXT, MQPMO_SYNCPOINT
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.get.request import GetResult
from mqtools.operations.consumer import consume
from mqtools.operations.reports.generation import REPLY, REPORT, Order, derive


def answers(request: Message) -> list[Order]:
    """Return the messages that answer a request: a reply, and a report if it requests one."""
    flight = request.data.decode("utf-8", "replace").strip()
    if flight:
        reply = Order(REPLY, text=f"rebooked from {flight} to tomorrow\n")
        return [reply, Order(REPORT, feedback=MQFB_PAN)] if request.md.report & MQRO_PAN else [reply]
    if request.md.report & MQRO_NAN:
        return [Order(REPORT, feedback=MQFB_NAN)]
    return [Order(REPLY, text="which flight?\n")]


def put_answer(connection: Connection, request: Message, order: Order) -> None:
    """Put one answer; if its queue refuses it, on the dead-letter queue."""
    made = derive(order, request, connection.name)
    _, error = connection.put_each(
        made.q_name, [made.message], MQPMO_SYNCPOINT, q_mgr_name=made.q_mgr_name, dead_letter=True
    )
    if error is not None:
        raise error


def main() -> None:
    """Serve the queue given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queue")
    parser.add_argument("-m", "--qmgr", help="queue manager; default: the one that mqx would take")
    parser.add_argument("--wait", type=float, default=5, help="seconds to wait for the next request")
    line = parser.parse_args()

    with connect(line.qmgr, appl_name="responder") as connection:

        def serve(result: GetResult) -> None:
            for order in answers(result.message):
                put_answer(connection, result.message, order)

        with connection.open(line.queue, MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT) as requests:
            print(f"{consume(requests, serve, wait_ms=int(line.wait * 1000))} requests answered")


if __name__ == "__main__":
    main()
