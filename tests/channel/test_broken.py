"""A stream that breaks after any byte loses no persistent message and doubles none."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from threading import Thread

import pytest

from mqtools.admin.channels import find_channel
from mqtools.channel.acceptor import serve
from mqtools.channel.errors import LinkError
from mqtools.channel.link import Link
from mqtools.channel.sender import Sender
from mqtools.channel.session import ChannelSession
from mqtools.channel.streams import SocketStream
from mqtools.errors import MQError

from .conftest import CHANNEL, PATIENCE_S, Ends, fails

#: Every so many bytes the stream is cut; ``make soak`` cuts it after each.
STEP = 1 if "MQX_SOAK_SEED" in os.environ else 3
#: Parts that the bytes of a conversation are shared out to, so that the tests can run side by side.
PARTS = 4


class Cut(SocketStream):
    """A stream that breaks when so many bytes have gone one way. count: of those that have gone."""

    def __init__(self, connected: socket.socket, *, outward: int | None = None, inward: int | None = None) -> None:
        super().__init__(connected)
        self.outward = outward
        self.inward = inward
        self.gone_out = 0
        self.come_in = 0

    def write(self, data: bytes, timeout_s: float | None) -> None:
        left = len(data) if self.outward is None else self.outward - self.gone_out
        super().write(data[:left], timeout_s)
        self.gone_out += min(left, len(data))
        if left < len(data):
            self._break()

    def read(self, most: int, timeout_s: float | None) -> bytes:
        if self.inward is not None and self.come_in >= self.inward:
            self._break()
        data = super().read(most if self.inward is None else min(most, self.inward - self.come_in), timeout_s)
        self.come_in += len(data)
        return data

    def read_now(self, most: int) -> bytes | None:
        return self.read(most, PATIENCE_S)

    def _break(self) -> None:
        self.close()
        raise LinkError("cut")


def converse(ends: Ends, **cut: int) -> Cut:
    """Send what there is through a stream that may be cut; give the stream."""
    ours, theirs = socket.socketpair()
    stream = Cut(ours, **cut)
    ends.send_over(Link(stream, PATIENCE_S), theirs)
    return stream


@pytest.fixture
def whole(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> Cut:
    """A conversation that is not cut, to count its bytes; it leaves nothing. Nobody pulls a plug here: no flushes."""
    monkeypatch.setattr("mqtools.store.database.os.fdatasync", lambda _: None)
    ends.one.put("whole")
    stream = converse(ends)
    assert ends.two.data() == [b"whole"]
    return stream


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("way", ["outward", "inward"])
@pytest.mark.timeout(600)
def test_a_stream_cut_after_any_byte_loses_and_doubles_nothing(ends: Ends, whole: Cut, way: str, part: int) -> None:
    length = whole.gone_out if way == "outward" else whole.come_in
    for at in range(part * STEP, length, PARTS * STEP):
        ends.one.put("once")
        converse(ends, **{way: at})
        converse(ends)
        assert (at, ends.two.data()) == (at, [b"once"])
        assert (ends.one.depth("QM2"), ends.two.depth()) == (0, 0)
        sent, received = ends.one.status(), ends.two.status()
        assert sent.sequence == received.sequence
        assert (sent.indoubt_sequence, sent.messages, received.messages) == (None, sent.sequence, sent.sequence)


def test_a_batch_without_an_answer_is_in_doubt_until_the_other_end_is_asked(ends: Ends, whole: Cut) -> None:
    ends.one.put("in doubt")
    converse(ends, inward=whole.come_in - 1)
    status = ends.one.status()
    assert (status.state, status.sequence, status.indoubt_sequence) == ("indoubt", 1, 2)
    assert ends.one.data("QM2") == []
    assert ends.two.data() == [b"in doubt"]
    ends.one.put("next")
    converse(ends)
    assert ends.two.data() == [b"next"]
    status = ends.one.status()
    assert (status.state, status.sequence, status.indoubt_sequence) == ("inactive", 3, None)


def test_a_batch_that_the_other_end_never_saw_is_sent_again(ends: Ends, whole: Cut) -> None:
    ends.one.put("first")
    ends.one.put("second")
    converse(ends, outward=whole.gone_out - 60)
    assert ends.one.status().state == "indoubt"
    assert ends.two.data() == []
    converse(ends)
    assert ends.two.data() == [b"first", b"second"]


def test_a_batch_of_which_the_other_end_knows_nothing_stays_in_doubt(ends: Ends, whole: Cut) -> None:
    ends.one.put("in doubt")
    converse(ends, inward=whole.come_in - 1)
    ends.two.mqsc(f"RESET CHANNEL({CHANNEL}) SEQNUM(50)")
    with fails(2042):
        ends.drain()
    assert ends.one.status().state == "indoubt"
    ends.one.mqsc(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)", f"RESET CHANNEL({CHANNEL}) SEQNUM(1)")
    ends.drain()
    assert ends.two.data() == [b"in doubt"]


def test_a_session_that_was_followed_by_another_commits_nothing_more(ends: Ends) -> None:
    """A sender died with its end of batch on the way: the next one sends the batch again, and it counts once."""
    ends.one.put("once")
    ours, theirs = socket.socketpair()
    early = Cut(ours)
    held_back = bytearray()
    stream_write = early.write

    def hold_the_end(data: bytes, timeout_s: float | None) -> None:
        at = data.find(b"MX\x06")
        held_back.extend(data[at:] if at >= 0 else b"")
        stream_write(data[:at] if at >= 0 else data, timeout_s)
        if at >= 0:
            raise LinkError("the sender is gone")

    early.write = hold_the_end  # type: ignore[method-assign]
    early.read_now = lambda _: None  # type: ignore[method-assign]
    other = Link(SocketStream(theirs), PATIENCE_S)
    refused: list[MQError] = []

    def receive() -> None:
        try:
            serve(ends.two.connect_apart, other, retries=False, note=ends.notes.append)
        except MQError as error:
            refused.append(error)
        other.close()

    thread = Thread(target=receive)
    thread.start()
    with ends.one.connect() as connection:
        session = ChannelSession(connection, CHANNEL)
        session.begin()
        with session, suppress(LinkError):
            Sender(
                session, find_channel(connection.db, CHANNEL), Link(early, PATIENCE_S), drains=True, note=print
            ).run()
    ends.drain()
    assert held_back
    ours.sendall(held_back)
    early.close()
    thread.join()
    assert ends.two.data() == [b"once"]
    assert "taken over" in refused[0].text
