"""Administration as monitors do it: the status of 1,000 queues in one command, and in one command each."""

from __future__ import annotations

import time

from measure import COUNT, new_qmgr, report

from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.administration import MQCFT_COMMAND_XR
from mqtools.constants.message import MQENC_NATIVE, MQMT_REQUEST
from mqtools.headers.pcf import CFH, CFST
from mqtools.headers.pcf_bytes import pack_pcf
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import define_queue


def administration() -> None:
    """Measure INQUIRE_Q_STATUS with a pattern and with single names; the replies are put on a queue."""
    with connect(new_qmgr()) as connection:
        with connection.work() as work:
            for number in range(COUNT):
                define_queue(work, "QLOCAL", f"Q.{number}", {})
        for what, names, goal in (
            ("1,000 queues in one command", ["Q.*"], "at most 1 s"),
            ("1,000 queues, one command each", [f"Q.{number}" for number in range(COUNT)], "at most 3 s"),
        ):
            _ask(connection, names[0])
            began = time.perf_counter()
            for name in names:
                _ask(connection, name)
            report("admin", f"INQUIRE_Q_STATUS, {what}", f"{time.perf_counter() - began:.2f} s", goal)


def _ask(connection: Connection, name: str) -> None:
    header = CFH(c.MQCMD_INQUIRE_Q_STATUS, type=MQCFT_COMMAND_XR, version=3)
    body = pack_pcf(header, [CFST(o.MQCA_Q_NAME, name.encode())], MQENC_NATIVE)
    request = MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="BENCH")
    connection.put1(o.COMMAND_QUEUE, Message(body, request))
