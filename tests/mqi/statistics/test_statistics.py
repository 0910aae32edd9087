"""Statistics: counters of all programs add up, whatever the intervals and whoever is killed."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ..children import output_of, start_child, start_ready
from ..conftest import QM, fails
from .records import MQI, QUEUES, of_queue, records, reset, total

#: Makes calls at random, until it has made some; prints how many of each did what it was for.
CALLER = """
import random
from collections import Counter
choose, counted = random.Random(int(arguments[0])), Counter(conn_count=1)
def count(name, call):
    try:
        call()
        counted[name + "_count"] += 1
    except MQError:
        counted[name + "_fail_count"] += 1
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE)
    counted["open_count"] += 1
    for number in range(60):
        data = b"x" * choose.randrange(50)
        message = lambda: Message(data, MQMD(persistence=choose.randrange(2)))
        match choose.randrange(7):
            case 0:
                count("put", lambda: handle.put(message(), choose.choice((0, MQPMO_SYNCPOINT))))
                counted["put_bytes"] += len(data)
            case 1:
                count("put1", lambda: connection.put1("Q", message()))
                counted["put_bytes"] += len(data)
            case 2:
                count("get", lambda: handle.get(choose.choice((0, MQGMO_SYNCPOINT))))
            case 3:
                count("browse", lambda: handle.get(MQGMO_BROWSE_FIRST))
            case 4:
                count("commit", connection.commit)
            case 5:
                count("back", connection.backout)
            case 6:
                count("put1", lambda: connection.put1("NOPE", message()))
    handle.close()
    counted["close_count"] += 1
print(" ".join(f"{name}={number}" for name, number in counted.items()))
"""
#: Puts messages until it is killed.
ENDLESS = """
connection = connect(path)
handle = connection.open("Q", MQOO_OUTPUT)
print("ready", flush=True)
while True:
    handle.put(Message(b"x"))
"""


@pytest.fixture
def counted(qm: QM) -> QM:
    """A queue manager with all statistics on."""
    qm.alter_qmgr(statistics_mqi=1, statistics_q=1)
    return qm


def test_nothing_is_collected_by_default(qm: QM) -> None:
    qm.main.put1("Q", Message(b"x"))
    qm.got()
    reset(qm.main)
    assert (qm.main.counters, records(qm.main, MQI), records(qm.main, QUEUES)) == (None, [], [])


def test_what_several_programs_do_adds_up_over_all_intervals(counted: QM) -> None:
    children = [start_child(CALLER, counted.path, seed) for seed in range(3)]
    while any(child.poll() is None for child in children):
        reset(counted.main)
    expected: dict[str, int] = {}
    for child in children:
        for name, _, number in (word.partition("=") for word in output_of(child).split()):
            expected[name] = expected.get(name, 0) + int(number)
    reset(counted.main)
    of_q_mgr = total(records(counted.main, MQI))
    assert {name: of_q_mgr[name] for name in expected} == expected
    assert of_q_mgr["disc_count"] == 3
    names = ("put_count", "put1_count", "put_bytes", "get_count", "get_fail_count", "browse_count", "browse_fail_count")
    on_queue = of_queue(counted.main, QUEUES)
    assert {name: on_queue[name] for name in names} == {name: expected.get(name, 0) for name in names}


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_program_loses_no_count_of_what_it_put(counted: QM, seed: int) -> None:
    child = start_ready(ENDLESS, counted.path)
    other = counted.connect()
    for _ in range(random.Random(seed).randrange(5, 40)):
        other.put1("Q", Message(b"y"))
    child.send_signal(signal.SIGKILL)
    child.wait()
    reset(counted.main)
    sums = of_queue(counted.main, QUEUES)
    assert sums["put_count"] + sums["put1_count"] == counted.depth()


def test_an_interval_that_has_ended_is_written_by_the_next_call_of_any_program(
    counted: QM, advance: Callable[[float], None]
) -> None:
    counted.alter_qmgr(statistics_interval=60)
    one, other = counted.connect(), counted.connect()
    one.put1("Q", Message(b"1"))
    advance(59)
    other.put1("Q", Message(b"2"))
    assert records(counted.main, MQI) == []
    advance(1)
    other.put1("Q", Message(b"3"))
    one.put1("Q", Message(b"4"))
    assert [record["put1_count"] for record in records(counted.main, MQI)] == [[2, 0]]
    reset(counted.main)
    assert [record["put1_count"] for record in records(counted.main, MQI)] == [[2, 0], [2, 0]]


def test_an_interval_of_0_ends_by_a_reset_only(counted: QM, advance: Callable[[float], None]) -> None:
    counted.alter_qmgr(statistics_interval=0)
    with counted.connect() as connection:
        connection.put1("Q", Message(b"1"))
        advance(1e6)
        connection.put1("Q", Message(b"2"))
    assert records(counted.main, MQI) == []


def test_a_queue_record_has_sizes_depths_and_the_average_time(counted: QM, advance: Callable[[float], None]) -> None:
    counted.put(b"before")  # by a connection that is not counted
    with counted.connect() as connection, connection.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED) as handle:
        handle.put(Message(b"12345", MQMD(persistence=1)))
        handle.put(Message(b"123", MQMD(expiry=10)))
        advance(2)
        assert [handle.get().message.data for _ in range(2)] == [b"before", b"12345"]
        with fails(2033):
            handle.get()
    reset(counted.main)
    ((group,),) = [record["objects"] for record in records(counted.main, QUEUES)]
    assert (group["q_name"], group["q_type"]) == ("Q", "MQQT_LOCAL")
    assert (group["put_count"], group["put_bytes"], group["get_count"]) == ([1, 1], [3, 5], [1, 1])
    assert (group["q_depth_min"], group["q_depth_max"]) == (0, 3)
    assert (group["avg_time_on_q"], group["expired_msg_count"]) == ([2_000_000] * 2, 1)
    assert (group["get_fail_count"], group["purge_count"]) == (1, 0)


@pytest.mark.parametrize(
    ("of_q_mgr", "own", "is_collected"),
    [(0, -3, False), (1, -3, True), (0, 1, True), (1, 0, False), (-1, 1, False), (-1, -3, False)],
)
def test_a_queue_says_whether_its_statistics_are_collected(qm: QM, of_q_mgr: int, own: int, is_collected: bool) -> None:
    qm.alter_qmgr(statistics_q=of_q_mgr)
    qm.alter("Q", statistics_q=own)
    with qm.connect() as connection:
        connection.put1("Q", Message(b"x"))
    reset(qm.main)
    assert bool(of_queue(qm.main, QUEUES)) == is_collected
    assert records(qm.main, MQI) == []


def test_collection_ends_when_the_last_attribute_is_off(qm: QM) -> None:
    qm.alter("Q", statistics_q=1)
    assert qm.connect().counters is not None
    qm.alter("Q", statistics_q=0)
    assert qm.connect().counters is None


def test_a_connection_without_calls_leaves_a_queue_manager_that_has_ended(counted: QM) -> None:
    idle = counted.connect()
    counted.main.disconnect()
    queue_managers.end(counted.path, immediate=True)
    idle.disconnect()


def test_a_call_by_an_alias_counts_for_the_local_queue(counted: QM) -> None:
    counted.define("A", "QALIAS", base_q_name="Q")
    with counted.connect() as connection, connection.open("A", MQOO_INPUT_SHARED) as handle:
        connection.put1("A", Message(b"x"))
        handle.get()
        with fails(2033):
            handle.get()
    reset(counted.main)
    sums = of_queue(counted.main, QUEUES)
    assert (sums["put1_count"], sums["get_count"], sums["get_fail_count"]) == (1, 1, 1)


def test_a_publication_counts_once_and_its_copies_on_their_queues(counted: QM) -> None:
    from mqtools.operations.subscribe import publish

    counted.main.disconnect()
    counted.main = counted.connect()
    publish(counted.main, "news", Message(b"abc", MQMD(persistence=0)))
    reset(counted.main)
    (record,) = records(counted.main, MQI)
    assert (record["put1_topic_count"], record["put_topic_bytes"]) == ([1, 0], [3, 0])
    assert (record["put1_count"], record["publish_msg_count"]) == ([0, 0], [0, 0])


@pytest.mark.parametrize("why", ["full", "inhibited"])
def test_a_queue_that_takes_no_record_fails_no_call(counted: QM, why: str) -> None:
    name = "SYSTEM.ADMIN.STATISTICS.QUEUE"
    values: dict[str, Any] = {"max_q_depth": 0} if why == "full" else {"inhibit_put": 1}
    counted.alter(name, **values)
    with counted.connect() as connection:
        connection.put1("Q", Message(b"x"))
        reset(connection)
    assert (counted.depth(), records(counted.main, MQI)) == (1, [])


def test_the_end_of_the_queue_manager_writes_what_was_counted(counted: QM) -> None:
    counted.alter("SYSTEM.ADMIN.STATISTICS.QUEUE", def_persistence=1)
    with counted.connect() as connection:
        connection.put1("Q", Message(b"x"))
    counted.main.disconnect()
    assert queue_managers.end(counted.path) == "ended"
    queue_managers.start(counted.path)
    with connect(counted.path) as connection:
        assert [record["put1_count"] for record in records(connection, MQI)] == [[1, 0]]


def test_the_last_program_of_a_quiescing_queue_manager_writes_its_own_calls_too(counted: QM) -> None:
    counted.alter("SYSTEM.ADMIN.STATISTICS.QUEUE", def_persistence=1)
    counted.main.disconnect()
    last = counted.connect()
    last.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
    queue_managers.end(counted.path)
    last.disconnect()
    queue_managers.start(counted.path)
    with connect(counted.path) as connection:
        (record,) = records(connection, MQI)
    assert (record["put1_count"], record["disc_count"]) == ([1, 0], [1, 0, 0])


def test_calls_before_a_transaction_that_fails_are_counted_by_the_next(
    counted: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = counted.connect()
    with connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT) as handle:
        with fails(2033):
            handle.get()
        connection.set_commit_hook(lambda: (_ for _ in ()).throw(OSError("the disk is gone")))
        with pytest.raises(OSError, match="gone"):
            handle.put(Message(b"x"))
        connection.set_commit_hook(None)
    connection.disconnect()
    reset(counted.main)
    (record,) = records(counted.main, MQI)
    assert (record["put_count"], record["get_fail_count"], record["open_count"][1]) == ([0, 0], 1, 1)
