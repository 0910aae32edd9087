"""Gets of asyncio tasks: they wait without a thread, and lose and double nothing."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import mqtools as mq
from mqtools.constants.reasons import MQRC_GET_INHIBITED, MQRC_HCONN_ERROR
from mqtools.mqi import async_get

from ..mqi.children import kill, start_child

PATIENCE_S = 60


@pytest.fixture
def orders(qmgr):
    return qmgr.queue("DEV.QUEUE.1")


@pytest.fixture
def writer(qmgr):
    """Another program that puts on the queue."""
    with mq.connect(qmgr.connection.db.path) as other:
        yield other.queue("DEV.QUEUE.1")


def waiters(qmgr) -> int:
    (row,) = qmgr.connection.db.all("select sum(waiters) from queue_status")
    return int(row[0])


async def until(condition: Callable[[], bool]) -> None:
    """Let other tasks run until a condition is true."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.001)


def run(story: Awaitable[object]) -> object:
    async def limited() -> object:
        async with asyncio.timeout(PATIENCE_S):
            return await story

    return asyncio.run(limited())


def test_what_is_there_is_got_at_once(orders):
    orders.put("first")
    assert run(orders.aget()).data == b"first"
    with pytest.raises(mq.NoMessageAvailable):
        run(orders.aget())


def test_a_task_that_waits_lets_others_run_and_holds_no_thread(qmgr, orders, writer):
    async def story():
        threads = threading.active_count()
        waiting = asyncio.create_task(orders.aget(wait=None))
        await until(lambda: waiters(qmgr) == 1)
        assert (threading.active_count(), waiting.done()) == (threads, False)
        writer.put("late")
        return (await waiting).data

    assert run(story()) == b"late"
    assert waiters(qmgr) == 0


def test_an_event_loop_sleeps_while_its_tasks_wait(orders, monkeypatch):
    """Only the end of the wait wakes it."""
    searches = []
    search = async_get.search

    def count(attempt):
        searches.append(attempt)
        return search(attempt)

    monkeypatch.setattr(async_get, "search", count)
    with pytest.raises(mq.NoMessageAvailable):
        run(orders.aget(wait=0.2))
    assert len(searches) == 2


def test_a_hundred_tasks_of_one_connection_get_a_hundred_messages_once_each(qmgr, orders, writer):
    async def story():
        tasks = [asyncio.create_task(orders.aget(wait=PATIENCE_S)) for _ in range(100)]
        await until(lambda: waiters(qmgr) == 100)
        for number in range(100):
            writer.put(str(number))
            await asyncio.sleep(0)
        return await asyncio.gather(*tasks)

    assert sorted(int(got.data) for got in run(story())) == list(range(100))
    assert (orders.depth, waiters(qmgr)) == (0, 0)
    assert len(orders._idle[""]) == 100  # the handles serve the next tasks
    writer.put("next")
    assert run(orders.aget()).data == b"next"
    assert len(orders._idle[""]) == 100


def test_tasks_wait_for_what_they_select(qmgr, orders, writer):
    async def story():
        mine = asyncio.create_task(orders.aget(wait=PATIENCE_S, correl_id=b"m" * 24))
        red = asyncio.create_task(orders.aget(wait=PATIENCE_S, where="colour = 'red'"))
        await until(lambda: waiters(qmgr) == 2)
        writer.put("plain")
        writer.put("red", properties={"colour": "red"})
        writer.put("mine", correl_id=b"m" * 24)
        return (await mine).data, (await red).data, (await orders.aget()).data

    assert run(story()) == (b"mine", b"red", b"plain")


def test_a_get_that_blocks_the_event_loop_takes_no_ring_from_its_tasks(qmgr, orders, writer):
    async def story():
        waiting = asyncio.create_task(orders.aget(wait=PATIENCE_S))
        await until(lambda: waiters(qmgr) == 1)
        writer.put("for the task")
        with pytest.raises(mq.NoMessageAvailable):
            orders.get(wait=0.1, correl_id=b"n" * 24)
        return (await waiting).data

    assert run(story()) == b"for the task"


def test_a_task_that_is_cancelled_has_got_nothing(qmgr, orders, writer):
    async def story():
        waiting = asyncio.create_task(orders.aget(wait=None))
        await until(lambda: waiters(qmgr) == 1)
        waiting.cancel()
        writer.put("kept")
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run(story())
    assert (orders.depth, waiters(qmgr)) == (1, 0)
    assert run(orders.aget()).data == b"kept"  # in another loop


@pytest.fixture
def outer(qmgr, orders):
    """An event loop, and its task that waits for a message of its own."""
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(orders.aget(wait=None, correl_id=OUTER))
    loop.run_until_complete(until(lambda: waiters(qmgr) == 1))
    return loop, waiting


OUTER = b"o" * 24


async def as_a_second(qmgr, orders, writer):
    """Wait beside the outer loop's task for any message, which is put when both wait; return its data."""
    waiting = asyncio.create_task(orders.aget(wait=None))
    await until(lambda: waiters(qmgr) == 2)
    writer.put("for the inner")
    return (await waiting).data


def test_event_loops_that_take_turns_each_hear_the_rings_for_their_tasks(qmgr, orders, writer, outer):
    outer, waiting = outer
    assert run(as_a_second(qmgr, orders, writer)) == b"for the inner"
    writer.put("for the outer", correl_id=OUTER)
    assert outer.run_until_complete(asyncio.wait_for(waiting, PATIENCE_S)).data == b"for the outer"
    outer.close()


def test_a_task_that_is_left_in_a_closed_loop_takes_no_ring(qmgr, orders, writer, outer):
    closed, left = outer
    closed.close()
    assert run(as_a_second(qmgr, orders, writer)) == b"for the inner"
    coroutine = left.get_coro()
    assert coroutine is not None
    coroutine.close()
    assert waiters(qmgr) == 0


def test_an_exception_in_a_transaction_gives_the_message_back(qmgr, orders, writer):
    async def story():
        with qmgr.transaction():
            waiting = asyncio.create_task(orders.aget(wait=PATIENCE_S))
            await until(lambda: waiters(qmgr) == 1)
            writer.put("order")
            assert (await waiting).data == b"order"
            raise ValueError

    with pytest.raises(ValueError):
        run(story())
    assert orders.get().md.backout_count == 1


def test_a_task_that_was_cancelled_may_end_after_its_connection(qmgr, orders):
    async def story():
        waiting = asyncio.create_task(orders.aget(wait=None))
        await until(lambda: waiters(qmgr) == 1)
        waiting.cancel()
        qmgr.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run(story())


def test_a_disconnect_ends_the_waits(qmgr, orders):
    async def story():
        waiting = asyncio.create_task(orders.aget(wait=None))
        await until(lambda: waiters(qmgr) == 1)
        qmgr.close()
        with pytest.raises(mq.MQError) as caught:
            await waiting
        return caught.value.reason

    assert run(story()) == MQRC_HCONN_ERROR


def test_a_queue_that_is_inhibited_ends_the_waits(qmgr, orders):
    async def story():
        waiting = asyncio.create_task(orders.aget(wait=None))
        await until(lambda: waiters(qmgr) == 1)
        with mq.connect(qmgr.connection.db.path) as other:
            assert not other.mqsc("ALTER QLOCAL(DEV.QUEUE.1) GET(DISABLED)").failed
        with pytest.raises(mq.MQError) as caught:
            await waiting
        return caught.value.reason

    assert run(story()) == MQRC_GET_INHIBITED


def test_who_empties_the_run_folder_delays_tasks_and_loses_nothing(qmgr, orders, writer, monkeypatch):
    monkeypatch.setattr("mqtools.store.liveness._TURN_S", 0.05)

    async def story():
        tasks = [asyncio.create_task(orders.aget(wait=PATIENCE_S)) for _ in range(2)]
        await until(lambda: waiters(qmgr) == 2)
        shutil.rmtree(qmgr.connection.db.run_folder)
        Path(qmgr.connection.db.run_folder).mkdir(mode=0o700)
        writer.put("1")
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        writer.put("2")  # rings the new bell
        return sorted([(await task).data for task in tasks])

    assert run(story()) == [b"1", b"2"]


HOLDER = """
connection = connect(path)
connection.open("DEV.QUEUE.1", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
def test_a_task_gets_what_a_process_held_that_was_killed(qmgr, orders):
    orders.put("held")
    holder = start_child(HOLDER, qmgr.connection.db.path)

    async def story():
        waiting = asyncio.create_task(orders.aget(wait=PATIENCE_S))
        await until(lambda: waiters(qmgr) == 1)
        assert not waiting.done()
        holder.kill()
        return (await waiting).data

    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert run(story()) == b"held"
    finally:
        kill(holder)
