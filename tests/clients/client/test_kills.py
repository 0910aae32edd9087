"""The connection is cut at every segment of a unit of work: nothing is lost, nothing is doubled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from time import monotonic, sleep

import pytest

from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.options import HostPort
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.selection import EVERYTHING

from ...java.proxy import Cut, Proxy
from .conftest import CHANNEL, PLAIN_CHANNEL, Elsewhere, Q

OTHER = "DEV.QUEUE.2"
PATIENCE_S = 10


@pytest.fixture
def proxy(elsewhere: Elsewhere) -> Iterator[Proxy]:
    made = Proxy(elsewhere.port)
    yield made
    made.close()


def data_of(elsewhere: Elsewhere, q_name: str) -> list[bytes]:
    with elsewhere.here() as here, here.open(q_name, MQOO_BROWSE) as queue:
        return [result.message.data for result in queue.get_each(1000, MQGMO_BROWSE_NEXT)[0]]


def settled(elsewhere: Elsewhere) -> tuple[list[bytes], list[bytes]]:
    """Return what is on both queues once the other end has noticed the cut, and ended its connection."""
    limit = monotonic() + PATIENCE_S
    while elsewhere.listener._served:
        assert monotonic() < limit
        sleep(0.01)
    return data_of(elsewhere, Q), data_of(elsewhere, OTHER)


@pytest.mark.parametrize("is_half", [False, True], ids=["whole", "half"])
@pytest.mark.parametrize("side", ["client", "server"])
def test_a_message_that_is_moved_is_on_one_of_the_queues(
    elsewhere: Elsewhere, proxy: Proxy, side: str, is_half: bool
) -> None:
    options = replace(elsewhere.options, hosts=(HostPort("127.0.0.1", proxy.own_port),))
    for after in count():
        with elsewhere.here() as here:
            here.put1(Q, Message(b"%d" % after, MQMD(persistence=1)))
        proxy.cut = Cut(side, after, is_half)
        is_committed = False
        with suppress(MQError):
            connection = connect_remote(options)
            source, target = connection.open(Q, MQOO_INPUT_SHARED), connection.open(OTHER, MQOO_OUTPUT)
            target.put(source.get(MQGMO_SYNCPOINT).message, MQPMO_SYNCPOINT)
            connection.commit()
            is_committed = True
            connection.disconnect()
        was_cut = proxy.cut is None
        left, moved = settled(elsewhere)
        assert len(left) + len(moved) == 1, (after, left, moved)
        assert not (is_committed and left), after
        with elsewhere.here() as here:
            for q_name in (Q, OTHER):
                with here.open(q_name, MQOO_INPUT_SHARED) as queue:
                    queue.get_each(10)
        if not was_cut:
            proxy.cut = None
            break
    assert after > 8


def test_a_browse_that_is_cut_leaves_the_queue_as_it_is(elsewhere: Elsewhere, proxy: Proxy) -> None:
    expected = [b"%d" % number for number in range(20)]
    with elsewhere.here() as here:
        here.put_each(Q, [Message(data) for data in expected])
    options = replace(elsewhere.options, hosts=(HostPort("127.0.0.1", proxy.own_port),))
    for after in (9, 12, 20):
        proxy.cut = Cut("server", after, is_half=True)
        with connect_remote(options) as connection, connection.open(Q, MQOO_BROWSE) as queue:
            seen, error = queue.get_each(1, MQGMO_BROWSE_NEXT)
            with suppress(MQError):
                more, error = queue.get_each(100, MQGMO_BROWSE_NEXT)
                seen += more
            assert [result.message.data for result in seen] == expected[: len(seen)]
            assert error is None or error.reason in (2009, 2033)
        assert data_of(elsewhere, Q) == expected


@pytest.mark.parametrize("after", [9, 12, 30])
@pytest.mark.parametrize("channel", [CHANNEL, PLAIN_CHANNEL])
def test_a_browse_goes_on_where_the_connection_broke(
    elsewhere: Elsewhere, proxy: Proxy, channel: str, after: int
) -> None:
    expected = [b"%d" % number for number in range(20)]
    with elsewhere.here() as here:
        here.put_each(Q, [Message(data) for data in expected])
    options = replace(elsewhere.options, hosts=(HostPort("127.0.0.1", proxy.own_port),), channel=channel)
    reports: list[str] = []
    with connect_remote(options) as connection, connection.open(Q, MQOO_BROWSE) as queue:
        connection.reconnected = lambda: reports.append("made again")
        proxy.cut = Cut("server", after, is_half=True)
        seen = [queue.get(MQGMO_BROWSE_FIRST).message.data]
        for number in range(1, 20):
            if number == 10:
                connection.calls.wire._connected.close()
                proxy.cut = None
            seen.append(queue.get(MQGMO_BROWSE_NEXT).message.data)
        with pytest.raises(NoMessageAvailable):
            queue.get(MQGMO_BROWSE_NEXT)
    assert (seen, reports) == (expected, ["made again"])


def test_a_browse_goes_on_where_the_message_seen_last_is_gone(elsewhere: Elsewhere) -> None:
    with elsewhere.here() as here, elsewhere.connect() as connection:
        here.put_each(Q, [Message(b"%d" % number) for number in range(3)])
        with connection.open(Q, MQOO_BROWSE) as queue:
            queue.get_each(2, MQGMO_BROWSE_FIRST)
            assert queue.get(MQGMO_BROWSE_NEXT).message.data == b"2"
            with here.open(Q, MQOO_BROWSE | MQOO_INPUT_SHARED) as ours:
                ours.get_each(3, MQGMO_BROWSE_FIRST)
                ours.get(MQGMO_MSG_UNDER_CURSOR)  # the one that was seen last
                here.put1(Q, Message(b"3"))
                connection.calls.wire.close()
                assert queue.get(MQGMO_BROWSE_NEXT).message.data == b"3"
                ours.get_each(10, 0)
                connection.calls.wire.close()
                with pytest.raises(ConnectionBroken):  # nothing tells the place
                    queue.get(MQGMO_BROWSE_NEXT)


def test_what_is_in_doubt_is_not_resumed(elsewhere: Elsewhere) -> None:
    with suppress(MQError), elsewhere.connect() as connection:
        connection.put1(Q, Message(b"in doubt"), MQPMO_SYNCPOINT)
        with connection.open(Q, MQOO_BROWSE) as queue:
            connection.calls.wire.close()
            with pytest.raises(ConnectionBroken):
                queue.get(MQGMO_BROWSE_FIRST)


def test_arrivals_go_on_after_a_break_and_come_once(elsewhere: Elsewhere) -> None:
    with elsewhere.here() as here, elsewhere.connect() as connection, BrowsedQueue(connection, Q) as queue:
        found: list[bytes | None] = []
        for data in (b"0", b"1", b"2"):
            here.put1(Q, Message(data))
            found += [stored.data for stored in queue.arrivals(EVERYTHING, wait_ms=0)]
            connection.calls.wire.close()
        found += [stored.data for stored in queue.arrivals(EVERYTHING, wait_ms=0)]
    assert found == [b"0", b"1", b"2"]
