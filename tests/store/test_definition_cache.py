"""Definition cache and counters: always equal to those in the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import alter_qmgr, alter_queue, define_queue, delete_queue
from mqtools.store import queues


class Undone(Exception):
    pass


@pytest.fixture
def ours(qmgr: str) -> Iterator[Connection]:
    with connect(qmgr) as connection:
        connection.put1("Q", Message(b"first"))
        yield connection


@pytest.fixture
def other(qmgr: str) -> Iterator[Connection]:
    with connect(qmgr) as connection:
        yield connection


def status(connection: Connection, name: str = "Q") -> tuple[int, int, int]:
    return connection.db.all(
        "select depth, uncommitted, last_number from queues join queue_status on queue_id = id where name = ?", (name,)
    )[0]


def test_a_queue_that_another_connection_alters_is_seen_altered(ours, other):
    with other.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"inhibit_put": 1})
    with pytest.raises(MQError, match="inhibited"):
        ours.put1("Q", Message())


def test_a_queue_that_the_same_transaction_alters_is_seen_altered(ours):
    with ours.work() as work:
        before = queues.by_name(work.db, "Q")
        alter_queue(work, "QLOCAL", "Q", {"def_priority": 7})
        after = queues.by_name(work.db, "Q")
    assert (before.def_priority, after.def_priority) == (0, 7)


def test_a_queue_manager_that_another_connection_alters_is_seen_altered(ours, other):
    with other.work() as work:
        alter_qmgr(work, {"max_msg_length": 32768})
    with ours.work() as work:
        assert work.qmgr.max_msg_length == 32768


def test_a_queue_that_is_deleted_and_defined_again_is_another_one(ours, other):
    before = queues.by_name(ours.db, "R").id
    with other.work() as work:
        delete_queue(work, "QLOCAL", "R")
        define_queue(work, "QLOCAL", "R", {"def_priority": 3})
    after = queues.by_name(ours.db, "R")
    assert after.id != before
    assert after.def_priority == 3
    assert queues.by_id(ours.db, before) is None


def test_what_was_read_of_definitions_that_are_undone_is_forgotten(ours, other):
    """The version of the file that they would have made is given to another change."""
    with suppress(Undone), ours.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"def_priority": 7})
        assert queues.by_name(work.db, "Q").def_priority == 7
        raise Undone
    with other.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"def_priority": 2})
    assert queues.by_name(ours.db, "Q").def_priority == 2


def test_the_counters_of_a_transaction_are_there_for_whatever_looks(ours):
    with ours.work():
        ours.put1("Q", Message(b"second"))
        ours.put1("Q", Message(b"third"), MQPMO_SYNCPOINT)
        assert status(ours) == (3, 1, 3)
        queue = queues.by_name(ours.db, "Q")
        assert (queue.depth, queue.uncommitted, queue.last_number) == (3, 1, 3)


def test_what_is_counted_is_undone_with_the_transaction(ours):
    with suppress(Undone), ours.work():
        ours.put1("Q", Message(b"second"))
        raise Undone
    assert status(ours) == (1, 0, 1)
    ours.put1("Q", Message(b"second"))
    assert status(ours) == (2, 0, 2)


def test_arrivals_counted_by_turns_have_numbers_of_their_own(ours, other):
    for connection in (ours, other, ours, ours, other):
        assert connection.put1("Q", Message()).reason == 0
    with ours.work():
        for q_name in ("Q", "R", "Q", "R"):
            ours.put1(q_name, Message())
    assert (status(ours), status(ours, "R")) == ((8, 0, 8), (2, 0, 2))


def test_an_arrival_behind_its_own_report_has_a_number_of_its_own(ours):
    asks = MQMD(report=0x100, reply_to_q="Q")  # confirms its arrival to the queue that it arrives on
    ours.put_each("Q", [Message(b"a", asks), Message(b"b", asks.replace()), Message(b"c")])
    assert status(ours) == (6, 0, 6)


def test_a_block_of_queries_sees_what_has_changed_since_the_block_before(ours, other):
    depths = []
    for _ in range(3):
        with ours.db.reading():
            queue = queues.by_name(ours.db, "Q")
            again = queues.by_name(ours.db, "Q")
            assert queue.depth == again.depth
            depths.append(queue.depth)
        other.put1("Q", Message())
    assert depths == [1, 2, 3]


def test_queries_outside_of_a_block_see_each_change(ours, other):
    for depth in (1, 2, 3):
        assert queues.by_name(ours.db, "Q").depth == depth
        other.put1("Q", Message())


def test_a_block_of_queries_sees_the_queue_manager_as_it_is_now(ours, other):
    for name in ("DLQ1", "DLQ2"):
        with other.work() as work:
            alter_qmgr(work, {"dead_letter_q_name": name})
        with ours.db.reading():
            assert queues.qmgr(ours.db).dead_letter_q_name == name
            assert queues.qmgr(ours.db).dead_letter_q_name == name


def test_counts_of_a_transaction_are_in_what_is_read_again(ours):
    with ours.work() as work:
        for depth in (2, 3):
            ours.put1("Q", Message())
            assert queues.by_name(work.db, "Q").depth == depth
            assert queues.by_name(work.db, "Q").last_number == depth
    assert status(ours) == (3, 0, 3)
