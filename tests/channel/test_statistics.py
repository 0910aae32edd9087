"""Statistics of channels: both ends count the same messages, batch by batch."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.mqi.connection import Connection

from ..mqi.statistics.records import CHANNELS, records, reset
from .conftest import CHANNEL, Ends


def channel_records(connection: Connection) -> list[dict[str, Any]]:
    reset(connection)
    return [group for record in records(connection, CHANNELS) for group in record["objects"]]


def test_both_ends_count_messages_bytes_and_batches(ends: Ends) -> None:
    for end in (ends.one, ends.two):
        end.mqsc("ALTER QMGR STATCHL(MEDIUM)")
    for number in range(60):
        ends.one.put(b"12345", persistence=number % 2)
    ends.drain()
    (sent,), (received,) = channel_records(ends.one.main), channel_records(ends.two.main)
    for record in (sent, received):
        assert (record["channel_name"], record["msg_count"], record["total_bytes"]) == (CHANNEL, [30, 30], [150, 150])
        assert (record["full_batches"], record["incomplete_batches"], record["avg_batch_size"]) == (1, 1, 30)
    assert (sent["channel_type"], sent["remote_q_mgr_name"]) == ("MQCHT_SENDER", "QM2")
    assert (received["channel_type"], received["remote_q_mgr_name"]) == ("MQCHT_RECEIVER", "QM1")


@pytest.mark.parametrize(("of_q_mgr", "own", "number"), [("OFF", "QMGR", 0), ("NONE", "HIGH", 0), ("OFF", "LOW", 1)])
def test_a_channel_says_whether_it_is_counted(ends: Ends, of_q_mgr: str, own: str, number: int) -> None:
    ends.one.mqsc(f"ALTER QMGR STATCHL({of_q_mgr})", f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) STATCHL({own})")
    ends.one.put()
    ends.drain()
    assert len(channel_records(ends.one.main)) == number
