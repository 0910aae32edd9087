"""What goes into a batch, and what becomes of the rest when the line breaks or the channel is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.channel import frames
from mqtools.channel.errors import LinkError
from mqtools.channel.link import Link
from mqtools.channel.streams import SocketStream
from mqtools.constants.message import MQPER_NOT_PERSISTENT
from mqtools.constants.reasons import MQRC_GET_INHIBITED
from mqtools.mqi import transaction

from ..rows import rows
from .conftest import CHANNEL, PATIENCE_S, Ends, fails


class Observed(Link):
    """A link of a sender that calls a function when the first batch has been sent, and before it is confirmed."""

    ended: Callable[[], object] | None = None
    waits: Callable[[], object] | None = None

    def send(self, kind: int, *rest: Any, **options: Any) -> None:
        super().send(kind, *rest, **options)
        if kind == frames.END_OF_BATCH and self.ended is not None:
            ended, self.ended = self.ended, None
            ended()

    def expect(self, kind: int, *rest: Any, **options: Any) -> Any:
        if kind == frames.CONFIRM and self.waits is not None:
            waits, self.waits = self.waits, None
            waits()
        return super().expect(kind, *rest, **options)


def send(ends: Ends, *, ended: Callable[[], object] | None = None, waits: Callable[[], object] | None = None) -> None:
    """Send what there is. ended, waits: called when the first batch is sent, and before its confirmation is read."""
    ours, theirs = socket.socketpair()
    link = Observed(SocketStream(ours), PATIENCE_S)
    link.ended, link.waits = ended, waits
    ends.send_over(link, theirs)


def break_line() -> None:
    raise LinkError("cut")


def held(ends: Ends) -> list[int]:
    """Return how many messages each unit of work holds."""
    return [
        number for (number,) in rows(ends.one.main, "select count(*) from messages where state <> 1 group by holder_id")
    ]


@pytest.fixture
def five(ends: Ends) -> list[bytes]:
    """Five messages for batches of two."""
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHSZ(2)")
    for number in range(5):
        ends.one.put(f"{number}")
    return [b"%d" % number for number in range(5)]


def test_only_the_batch_in_doubt_is_off_the_queue_when_the_line_breaks(ends: Ends, five: list[bytes]) -> None:
    send(ends, waits=break_line)
    assert held(ends) == [2]
    assert ends.one.status().indoubt_sequence == 2
    send(ends)
    assert ends.two.data() == five
    assert ends.one.depth("QM2") == 0


def test_a_fast_message_of_the_next_batch_is_not_lost_when_the_line_breaks(ends: Ends) -> None:
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHSZ(1)")
    ends.one.put("persistent")
    ends.one.put("fast", persistence=MQPER_NOT_PERSISTENT)
    send(ends, waits=break_line)
    send(ends)
    assert ends.two.data() == [b"persistent", b"fast"]


def test_the_last_batch_is_settled_where_the_next_one_cannot_be_got(ends: Ends, five: list[bytes]) -> None:
    with fails(MQRC_GET_INHIBITED):
        send(ends, ended=lambda: ends.one.mqsc("ALTER QLOCAL(QM2) GET(DISABLED)"))
    assert ends.two.data() == five[:2]
    status = ends.one.status()
    assert (status.sequence, status.indoubt_sequence) == (2, None)
    assert ends.one.depth("QM2") == 3


def test_a_channel_that_is_stopped_ends_after_the_batch_in_hand(ends: Ends, five: list[bytes]) -> None:
    send(ends, waits=lambda: ends.one.mqsc(f"STOP CHANNEL({CHANNEL})"))
    assert ends.two.data() == five[:2]
    assert ends.one.depth("QM2") == 3


@pytest.mark.parametrize(("length", "batches"), [(600, 3), (1024, 6), (3000, 6)])
def test_a_batch_ends_at_its_limit_of_bytes_however_its_messages_were_got(
    ends: Ends, length: int, batches: int
) -> None:
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHLIM(1)")
    for _ in range(6):
        ends.one.put(b"x" * length)
    send(ends)
    assert ends.one.status().batches == batches


def test_messages_that_have_expired_between_others_are_not_sent(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    for data, expiry in (("a", -1), ("expired", 100), ("b", 100_000), ("expired too", 100), ("c", -1)):
        ends.one.put(data, expiry=expiry)
    now_ms = transaction.now_ms
    monkeypatch.setattr(transaction, "now_ms", lambda: now_ms() + 60_000)
    send(ends)
    assert [(result.message.data, result.message.md.expiry > 0) for result in ends.two.got()] == [
        (b"a", False),
        (b"b", True),
        (b"c", False),
    ]
    assert ends.one.depth("QM2") == 0


def test_a_message_put_in_front_of_others_is_sent_first(ends: Ends) -> None:
    for data, priority in (("low", 1), ("also low", 1), ("high", 9), ("long" * 10_000, 5)):
        ends.one.put(data, priority=priority)
    send(ends)
    assert ends.two.data() == [b"high", b"long" * 10_000, b"low", b"also low"]
