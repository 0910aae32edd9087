"""The order of delivery of a queue whose delivery sequence changes."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.message import MQMD
from mqtools.store import queues
from mqtools.store.creation import create_database
from mqtools.store.messages import delivery_order, messages
from mqtools.store.messages.messages import order_key_of, seq_of
from mqtools.store.messages.stored_message import StoredMessage

QUEUE, OTHER = 3, 4


@pytest.fixture(scope="module")
def database():
    with tempfile.TemporaryDirectory() as folder:
        database = create_database(os.path.join(folder, "QM1.db"))
        yield database
        database.close()


def place(database, queue_id, priorities, *, by_priority):
    queues.clear(database, queue_id)
    for number, priority in enumerate(priorities, 1):
        key = order_key_of(priority, number, by_priority=by_priority)
        md = MQMD(priority=priority, persistence=0, msg_id=bytes(24))
        messages.insert(
            database,
            StoredMessage(seq_of(queue_id, number), queue_id, 1, 0, key, None, None, None, 0, None, 0, md),
            b"",
        )


def delivered(database, queue_id):
    return [(stored.seq, stored.order_key) for stored in messages.available(database, queue_id, limit=100)]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=12), st.booleans())
def test_a_reordered_queue_is_as_if_it_had_always_been_so(database, priorities, by_priority):
    place(database, QUEUE, priorities, by_priority=by_priority)
    expected = delivered(database, QUEUE)
    place(database, QUEUE, priorities, by_priority=not by_priority)
    assert delivery_order.reorder(database, QUEUE, by_priority=by_priority) == len(priorities)
    assert delivered(database, QUEUE) == expected
    delivery_order.reorder(database, QUEUE, by_priority=by_priority)
    assert delivered(database, QUEUE) == expected


def test_other_queues_keep_their_order(database):
    place(database, QUEUE, [1, 9], by_priority=False)
    place(database, OTHER, [1, 9], by_priority=False)
    before = delivered(database, OTHER)
    delivery_order.reorder(database, QUEUE, by_priority=True)
    assert delivered(database, OTHER) == before
    assert delivered(database, QUEUE) != before
