"""QTIME: the time of messages on a queue, while MONQ is on."""

from __future__ import annotations

from collections.abc import Callable

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.message import Message

from ..conftest import QM


def q_time(qm: QM) -> str | None:
    (report,) = run_mqsc(qm.main, "DISPLAY QSTATUS(Q) QTIME").commands
    return report.objects[0].attributes["QTIME"]


def test_the_time_on_a_queue_is_kept_while_monq_is_on(qm: QM, advance: Callable[[float], None]) -> None:
    def pass_message(seconds: float) -> None:
        with qm.connect() as connection, connection.open("Q", MQOO_INPUT_SHARED) as handle:
            connection.put1("Q", Message(b"x"))
            advance(seconds)
            handle.get()

    pass_message(5)
    assert q_time(qm) == ","
    qm.alter_qmgr(monitoring_q=17)
    assert q_time(qm) == ","
    pass_message(8)
    assert q_time(qm) == "8000000,8000000"
    pass_message(16)
    assert q_time(qm) == "9000000,8125000"
    qm.alter("Q", monitoring_q=0)
    assert q_time(qm) == ","
