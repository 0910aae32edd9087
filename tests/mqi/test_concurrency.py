"""Many processes on one queue: nothing lost, nothing doubled, nobody starved, every waiter woken."""

from __future__ import annotations

import os
import subprocess
from collections import Counter

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
)
from mqtools.constants.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_DELETED,
    MQRC_Q_FULL,
    MQRC_Q_MGR_QUIESCING,
)
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import define_queue

from ..errors import fails
from ..rows import connected
from .children import getter, kill, output_of, put, start_child, start_ready, start_waiting, until

pytestmark = pytest.mark.slow

# Throughput


WRITER = """
number, count = map(int, arguments)
with connect(path) as connection:
    for n in range(count):
        if n % 3:
            connection.put1("Q", Message(b"%d.%d" % (number, n), MQMD(persistence=n % 2)))
        else:
            connection.put1("Q", Message(b"%d.%d" % (number, n)), MQPMO_SYNCPOINT)
        if n % 5 == 0:
            connection.commit()
    connection.commit()
"""

GETTER = """
count = int(arguments[0])
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    got = 0
    while True:
        options = MQGMO_WAIT | (MQGMO_SYNCPOINT if got % 2 else 0)
        data = handle.get(options, wait_ms=-1).message.data
        if data == b"end":
            break
        if got % 14 == 13 and not data.endswith(b"*"):
            connection.backout()
            got += 1
            continue
        connection.commit()
        print(data.decode())
        got += 1
"""


def test_nothing_is_lost_and_nothing_doubled_among_eight_writers_and_four_getters(path, here):
    writers = [start_child(WRITER, path, number, 60) for number in range(8)]
    getters = [start_child(GETTER, path, 60) for _ in range(4)]
    for writer in writers:
        output_of(writer)
    until(lambda: here.db.all("select count(*) from messages")[0][0] == 0)
    for _ in getters:
        put(here, b"end")
    got = Counter(line for child in getters for line in output_of(child).split())
    assert got == Counter(f"{number}.{n}" for number in range(8) for n in range(60))
    assert set(here.db.all("select depth, uncommitted, waiters from queue_status")) == {(0, 0, 0)}


PUT_AND_GET = """
with connect(path) as connection:
    given = Message(b"x" * int(arguments[0]))
    connection.put1("Q", given)
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    found = handle.get(0, md=MQMD(msg_id=given.md.msg_id)).message
    assert found.data == given.data
    print(found.md.msg_id.hex())
"""


def test_thirty_two_processes_that_start_at_once_do_not_disturb_each_other(path, here):
    children = [start_child(PUT_AND_GET, path, number) for number in range(32)]
    ids = [output_of(child).strip() for child in children]
    assert len(set(ids)) == 32
    assert here.db.all("select count(*) from messages") == [(0,)]
    assert connected(here) == []


@pytest.mark.conformance("BROWSE-29")
def test_messages_of_one_writer_stay_in_order_while_others_write(path, here):
    writers = [start_child(WRITER, path, number, 30) for number in range(3)]
    for writer in writers:
        output_of(writer)
    handle = here.open("Q", MQOO_BROWSE)
    seen: dict[str, list[int]] = {}
    for _ in range(90):
        number, n = handle.get(MQGMO_BROWSE_NEXT).message.data.decode().split(".")
        seen.setdefault(number, []).append(int(n))
    assert all(order == list(range(30)) for order in seen.values())


# The end of somebody


HOLDER = """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
    handle.get(int(arguments[0]))
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.conformance("LOCK-26", "SYNC-02")
@pytest.mark.parametrize("options", [MQGMO_SYNCPOINT, MQGMO_BROWSE_FIRST | MQGMO_LOCK], ids=["got", "locked"])
def test_the_death_of_the_holder_satisfies_a_wait(path, here, options):
    put(here, b"freed")
    child = start_ready(HOLDER, path, options, says="held")
    (waiting,) = start_waiting(path, here, getter())
    kill(child)
    assert waiting.finish() == b"freed"
    assert child.pid not in connected(here)


@pytest.mark.conformance("WAIT-48", "WAIT-50")
def test_quiescing_ends_the_waits_that_asked_for_it_and_no_other(path, here):
    asked, silent = start_waiting(path, here, getter(MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING), getter())
    assert queue_managers.end(path) == queue_managers.QUIESCING
    asked.finish()
    assert asked.reason == MQRC_Q_MGR_QUIESCING
    silent.is_still_waiting()
    put(here, b"late")
    assert silent.finish() == b"late"


def test_an_immediate_end_breaks_a_wait(path, here):
    (waiting,) = start_waiting(path, here, getter(wait_ms=-1))
    assert queue_managers.end(path, immediate=True) == queue_managers.ENDED
    waiting.finish()
    assert waiting.reason == MQRC_CONNECTION_BROKEN


def test_a_wait_on_a_temporary_queue_ends_when_the_queue_goes(path, here):
    with here.work() as work:
        define_queue(work, "QMODEL", "MODEL", {"shareability": 1})
    maker = connect(path)
    name = maker.open("MODEL", MQOO_INPUT_SHARED, dynamic_q_name="REPLY.*").q_name

    def wait(connection: Connection) -> object:
        return connection.open(name, MQOO_INPUT_SHARED).get(MQGMO_WAIT, wait_ms=-1)

    (waiting,) = start_waiting(path, here, wait)
    maker.disconnect()
    waiting.finish()
    assert waiting.reason == MQRC_Q_DELETED


OPENER = """
connection = connect(path)
handle = connection.open("Q", int(arguments[0]))
for n in range(int(arguments[1])):
    handle.put(Message(b"never"), MQPMO_SYNCPOINT)
print("open", flush=True)
sys.stdin.read()
"""


def start_opener(path: str, options: int, puts: int) -> subprocess.Popen[str]:
    return start_ready(OPENER, path, options, puts, says="open")


@pytest.mark.conformance("BEY-47")
def test_the_dead_exclude_nobody_and_leave_nothing(path, here):
    child = start_opener(path, MQOO_INPUT_EXCLUSIVE | MQOO_OUTPUT, 0)
    with fails(MQRC_OBJECT_IN_USE):
        here.open("Q", MQOO_INPUT_SHARED)
    kill(child)
    here.open("Q", MQOO_INPUT_SHARED)
    assert connected(here) == [os.getpid()]
    assert len([name for name in os.listdir(here.db.run_folder) if name.startswith("life-")]) == 1


@pytest.mark.conformance("BEY-38")
def test_a_queue_full_of_what_the_dead_had_not_committed_has_room(qm, path, here):
    qm.alter("Q", max_q_depth=3)
    put(here, b"mine")
    child = start_opener(path, MQOO_OUTPUT, 2)
    with fails(MQRC_Q_FULL):
        put(here, b"too many")
    kill(child)
    put(here, b"fits")
    assert qm.data() == [b"mine", b"fits"]
    qm.alter("Q", max_q_depth=2)
    with fails(MQRC_Q_FULL):
        put(here, b"too many again")


@pytest.mark.conformance("BEY-38")
def test_a_queue_that_is_full_of_more_than_the_dead_had_is_full(qm, path, here):
    child = start_opener(path, MQOO_OUTPUT, 1)
    for text in (b"1", b"2"):
        put(here, text)
    kill(child)
    qm.alter("Q", max_q_depth=2)
    with fails(MQRC_Q_FULL):
        put(here, b"3")


# The cost of waiting


@pytest.mark.parametrize("held", [False, True], ids=["nothing", "what the living hold"])
def test_waiting_uses_no_cpu(path, here, held):
    """The first wait has imported everything."""
    if held:
        put(here, b"held")
        here.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    child = start_child(
        """
import time
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    for wait_ms in (1, 1000):
        before = time.process_time()
        try:
            handle.get(MQGMO_WAIT, wait_ms=wait_ms)
        except NoMessageAvailable:
            used_s = time.process_time() - before
print(used_s)
""",
        path,
    )
    assert float(output_of(child)) < 0.25
