"""Messages of a batch that have arrived together are put in one transaction, and each has its own outcome."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQRO_COA

from .conftest import Ends
from .test_broken import converse


@pytest.mark.parametrize("persistence", [1, MQPER_NOT_PERSISTENT])
def test_those_behind_one_that_is_refused_are_put(ends: Ends, persistence: int) -> None:
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXMSGL(10)")
    for data in ("a", "far too long for it", "b"):
        ends.one.put(data, persistence=persistence)
    converse(ends)
    assert ends.two.data() == [b"a", b"b"]
    assert ends.two.depth("DLQ") == 1


def test_the_depth_of_a_queue_is_its_limit_within_a_portion(ends: Ends) -> None:
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(3)", "DEFINE QLOCAL(OTHERS) MAXDEPTH(1)")
    ends.one.mqsc("DEFINE QREMOTE(OTHERS) RNAME(OTHERS) RQMNAME(QM2) XMITQ(QM2)")
    for number, q_name in enumerate(("ORDERS", "OTHERS", "ORDERS", "ORDERS", "OTHERS", "ORDERS")):
        ends.one.put(f"{number}", q_name)
    converse(ends)
    assert [ends.two.data(q_name) for q_name in ("ORDERS", "OTHERS")] == [[b"0", b"2", b"3"], [b"1"]]
    assert ends.two.depth("DLQ") == 2


def test_a_report_on_the_queue_of_its_message_counts_in_the_depth(ends: Ends) -> None:
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(3)")
    ends.one.put("reported", report=MQRO_COA, reply_to_q="ORDERS", reply_to_q_mgr="QM2")
    ends.one.put("room")
    ends.one.put("no room")
    converse(ends)
    assert ends.two.depth() == 3
    assert ends.two.depth("DLQ") == 1


def test_a_settled_batch_is_flushed_before_the_channel_rests(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[int | None] = []

    ends.one.put("a")
    database = type(ends.one.main.db)
    sync = database.sync

    def noted(self: Any) -> None:
        sync(self)
        if self.path == ends.one.path:
            flushed.append(ends.one.status().indoubt_sequence)

    monkeypatch.setattr(database, "sync", noted)
    converse(ends)
    assert flushed[-2:] == [1, None]  # in doubt before the end of the batch is sent, then settled
