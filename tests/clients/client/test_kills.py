"""The connection is cut at every segment of a unit of work: nothing is lost, nothing is doubled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from time import monotonic, sleep

import pytest

from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.options import HostPort
from mqtools.constants.options import (
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Message

from ...java.proxy import Cut, Proxy
from .conftest import Elsewhere, Q

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
    """Return what is on both queues once the other end has noticed the cut: one message, on one of them."""
    limit = monotonic() + PATIENCE_S
    while True:
        found = data_of(elsewhere, Q), data_of(elsewhere, OTHER)
        if len(found[0]) + len(found[1]) == 1 or monotonic() > limit:
            return found
        sleep(0.02)


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
