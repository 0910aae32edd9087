"""Definitions, depths and groups are those of the file in each call, whoever has changed them in between."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP, MQRO_COA
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_LOGICAL_ORDER,
    MQGMO_SYNCPOINT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_MSG_TOO_BIG_FOR_Q_MGR, MQRC_Q_FULL
from mqtools.message import MQMD, Message
from mqtools.mqi.objects.definitions import alter_queue, define_queue, delete_queue
from mqtools.operations.load import load_messages

from ..rows import assert_counters, connected
from .children import getter, start_waiting
from .conftest import QM, fails, take


class Undone(Exception):
    """Raised to undo a transaction."""


@pytest.fixture
def other(qm: QM) -> QM:
    """The same queue manager, used by another connection."""
    opened = QM(qm.path)
    qm.connections += opened.connections
    return opened


def test_what_another_connection_puts_and_gets_is_counted_by_the_next_call(qm: QM, other: QM) -> None:
    qm.alter("Q", max_q_depth=4)
    here, there = qm.open(), other.open()
    for number in range(20):
        for handle in (here, there):
            handle.put(Message(b"%d" % number))
        assert qm.depth() == 2
        assert (take(there), take(here)) == (b"%d" % number,) * 2
    seqs = [handle.put(Message(b"x")).seq for handle in (here, there, there, here)]
    assert seqs == sorted(set(seqs))
    for handle in (here, there):
        with fails(MQRC_Q_FULL):
            handle.put(Message(b"x"))
    assert_counters(qm.path)


def test_a_queue_manager_that_another_connection_alters_is_seen_altered(qm: QM, other: QM) -> None:
    qm.put(b"x" * 40_000)
    other.alter_qmgr(max_msg_length=32_768)
    with fails(MQRC_MSG_TOO_BIG_FOR_Q_MGR):
        qm.put(b"x" * 40_000)


def test_a_queue_that_is_deleted_and_defined_again_is_another_one(qm: QM, other: QM) -> None:
    assert qm.put("old").priority == 0
    with other.main.work() as work:
        delete_queue(work, "QLOCAL", "Q", purge=True)
        define_queue(work, "QLOCAL", "Q", {"def_priority": 3})
    assert qm.put("new").priority == 3
    assert qm.data() == [b"new"]


def test_definitions_and_counts_that_are_undone_are_forgotten(qm: QM, other: QM) -> None:
    """Another change is given the version of the file that they would have had."""
    with suppress(Undone), qm.main.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"def_priority": 7})
        assert qm.put().priority == 7
        raise Undone
    other.alter("Q", def_priority=2)
    assert qm.put().priority == 2
    assert qm.depth() == 1
    handle = qm.open()
    handle.get(MQGMO_SYNCPOINT)
    qm.put(options=MQPMO_SYNCPOINT)
    qm.main.backout()
    assert qm.depth() == 1
    assert_counters(qm.path)


@pytest.mark.parametrize("reads", [False, True])
def test_a_transaction_inside_another_is_undone_alone(qm: QM, other: QM, reads: bool) -> None:
    with qm.main.work():
        qm.put("before")
        with suppress(Undone), qm.main.work():
            qm.put("undone")
            assert not reads or qm.depth() == 2
            raise Undone
        with qm.main.work():
            qm.put("after")
        assert other.depth() == 0
    assert other.data() == [b"before", b"after"]
    assert_counters(qm.path)


def test_a_wait_ends_after_the_outer_commit_or_not_at_all(qm: QM) -> None:
    (waiting,) = start_waiting(qm.path, qm.main, getter())
    with suppress(Undone), qm.main.work():
        qm.put("undone")
        raise Undone
    with qm.main.work():
        qm.put("a")
        waiting.is_still_waiting()
    assert waiting.finish() == b"a"


def test_a_connection_that_was_recorded_in_an_undone_transaction_is_recorded_no_more(qm: QM, other: QM) -> None:
    with suppress(Undone), other.main.work():
        other.open()
        raise Undone
    assert connected(qm.main) == []


def test_an_arrival_behind_its_own_report_has_a_number_of_its_own(qm: QM) -> None:
    asks = MQMD(report=MQRO_COA, reply_to_q="Q")  # confirms its arrival to the queue that it arrives on
    qm.main.put_each("Q", [Message(b"a", asks), Message(b"b", asks.replace()), Message(b"c")])
    assert qm.data() == [b"a", b"", b"b", b"", b"c"]
    assert_counters(qm.path)


# -- Counting of groups begins with the first message of a group that comes to a file


def member(number: int) -> Message:
    flags = MQMF_LAST_MSG_IN_GROUP if number == 2 else MQMF_MSG_IN_GROUP
    return Message(b"%d" % number, MQMD(group_id=b"G" * 24, msg_seq_number=number, msg_flags=flags))


def put(qm: QM) -> None:
    qm.main.put1("Q", member(1))


def put_many(qm: QM) -> None:
    qm.main.put_each("Q", [Message(b"alone"), member(1)], MQPMO_NO_SYNCPOINT)


def load(qm: QM) -> None:
    load_messages(qm.main, "Q", [Message(b"alone", MQMD(msg_id=b"M" * 24)), member(1)])


@pytest.mark.parametrize("bring", [put, put_many, load])
def test_the_first_message_in_a_group_is_counted_whatever_brings_it(
    qm: QM, other: QM, bring: Callable[[QM], None]
) -> None:
    for each in (qm, other):
        each.put("alone")
        each.open().get()  # their statements are compiled
    with suppress(Undone), qm.main.work():
        bring(qm)
        raise Undone
    bring(qm)
    assert_counters(qm.path)
    other.main.put1("Q", member(2))
    assert_counters(qm.path)
    handle = qm.open()
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    assert [data for data in (take(handle, options) for _ in range(qm.depth())) if data != b"alone"] == [b"1", b"2"]
    assert_counters(qm.path)
