"""A forked child keeps nothing of its parent's that the kernel takes for a sign of life."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from mqtools.constants.options import MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_HCONN_ERROR, MQRC_RESOURCE_PROBLEM
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection, connect
from mqtools.store.liveness import Presence, is_alive

from ..errors import fails
from ..mqi.children import PATIENCE_S, output_of, start_child
from ..rows import assert_counters

#: A parent that holds something of the queue manager, forks a child that lives on, says so and is then killed.
PARENT = """
import signal
connection = connect(path)
{held}
if os.fork() == 0:
    print(os.getpid(), flush=True)
    signal.pause()
signal.pause()
"""
UNIT_OF_WORK = 'connection.put1("Q", Message(b"uncommitted"), MQPMO_SYNCPOINT)'
TRANSACTION = "work = connection.work().__enter__()"


@pytest.fixture
def path(qmgr: str) -> str:
    return qmgr


@contextmanager
def orphan_of(path: str, held: str) -> Iterator[int]:
    """A child whose parent was killed while it held something; the child ends with the block."""
    parent = start_child(PARENT.format(held=held), path)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        parent.kill()
        parent.wait(PATIENCE_S)
        os.kill(child, 0)
        yield child
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        parent.communicate()


def in_a_child(action: Callable[[], None]) -> int:
    """Run something in a forked child; give its exit status, 77 where it fails."""
    child = os.fork()
    if child == 0:
        status = 77
        try:
            action()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_what_a_killed_process_held_is_free_although_its_child_lives(path: str) -> None:
    with orphan_of(path, UNIT_OF_WORK), connect(path) as connection:
        with connection.work() as work:
            assert recovery.recover(work)
        assert connection.db.all("select count(*) from messages") == [(0,)]


def test_the_writer_s_turn_of_a_killed_process_does_not_go_on_in_its_child(path: str) -> None:
    with orphan_of(path, TRANSACTION):
        began = time.monotonic()
        output_of(start_child('connect(path).put1("Q", Message(b"next"))', path))
        assert time.monotonic() - began < PATIENCE_S / 2


def test_the_parent_stays_alive_when_its_child_ends(path: str) -> None:
    with connect(path) as connection:
        database = connection.db
        presence = Presence(database)
        presence.listen()
        assert in_a_child(presence.listen) == 0
        assert is_alive(database, presence.token)
        presence.close()
        assert not [name for name in os.listdir(database.run_folder) if name.startswith(("life-", "bell-"))]


def test_a_child_of_a_child_keeps_nothing_either(path: str) -> None:
    def check() -> None:
        for descriptor in kept:
            assert os.path.sameopenfile(descriptor, os.open(os.devnull, os.O_RDONLY))

    def check_again() -> None:
        check()
        assert in_a_child(check) == 0

    with connect(path) as connection:
        presence = Presence(connection.db)
        kept = presence.share()
        assert in_a_child(check_again) == 0
        presence.close()


def leave_the_blocks(connection: Connection) -> None:
    """End as a child does that was forked in the middle of its parent's blocks."""
    with connection, connection.handles[0]:
        sys.exit(5)


def test_a_child_that_leaves_its_parent_s_blocks_ends_nothing_of_the_parent_s(path: str) -> None:
    with connect(path) as connection:
        connection.open("Q", MQOO_INPUT_SHARED)
        connection.put1("Q", Message(b"mine"), MQPMO_SYNCPOINT)
        assert in_a_child(lambda: leave_the_blocks(connection)) == 5
        with connect(path) as other, other.work() as work:
            assert not recovery.recover(work)
        assert connection.db.all("select state from messages") == [(0,)]
        connection.commit()
        assert connection.db.all("select state from messages") == [(1,)]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda connection: connection.put1("Q", Message(b"x")), id="put1"),
        pytest.param(lambda connection: connection.commit(), id="commit"),
        pytest.param(lambda connection: connection.backout(), id="backout"),
        pytest.param(lambda connection: connection.handles[0].close(), id="close"),
    ],
)
def test_a_child_cannot_use_the_connection_of_its_parent(path: str, call: Callable[[Connection], object]) -> None:
    with connect(path) as connection:
        connection.open("Q", MQOO_INPUT_SHARED)
        connection.put1("Q", Message(b"mine"), MQPMO_SYNCPOINT)

        def check() -> None:
            with pytest.raises(MQError) as caught:
                call(connection)
            assert caught.value.reason == MQRC_HCONN_ERROR
            assert "parent" in caught.value.text

        assert in_a_child(check) == 0
        connection.backout()


def test_a_child_has_connections_of_its_own(path: str) -> None:
    with connect(path) as connection:
        connection.put1("Q", Message(b"mine"), MQPMO_SYNCPOINT)

        def work() -> None:
            with connect(path) as own:
                own.put1("Q", Message(b"child's"), MQPMO_SYNCPOINT)

        assert in_a_child(work) == 0
        assert connection.db.all("select state from messages order by state") == [(0,), (1,)]


#: A parent that connects, forks a child that does so too, and ends; told to, the child puts once more.
FORKING = """
parent = connect(path)
parent.put1("Q", Message(b"parent's"))
ready, tell = os.pipe()
if os.fork() == 0:
    with connect(path) as own:
        own.put1("Q", Message(b"first"))
        os.write(tell, b"x")
        sys.stdin.readline()
        own.put1("Q", Message(b"second"))
    print("put", flush=True)
else:
    os.read(ready, 1)
    parent.disconnect()
"""
PUT = 'with connect(path) as connection: connection.put1("Q", Message(b"another\'s"))'


def test_what_a_child_puts_is_there_after_its_parent_and_another_process_have_gone(path: str) -> None:
    """Else the other one takes the log for deserted, and deletes it under the child."""
    parent = start_child(FORKING, path)
    assert parent.wait(PATIENCE_S) == 0
    output_of(start_child(PUT, path))
    assert parent.communicate("\n", PATIENCE_S)[0] == "put\n"
    with connect(path) as connection:
        assert connection.db.all("select count(*) from messages") == [(4,)]
    assert_counters(path)


def test_what_a_parent_puts_is_there_after_its_child_and_another_process_have_gone(path: str) -> None:
    with connect(path) as connection:
        connection.put1("Q", Message(b"before"))
        assert in_a_child(lambda: connect(path).disconnect()) == 0
        output_of(start_child(PUT, path))
        connection.put1("Q", Message(b"after"))
    with connect(path) as connection:
        assert connection.db.all("select count(*) from messages") == [(3,)]


def refused(path: str) -> None:
    with fails(MQRC_RESOURCE_PROBLEM, "forked while"):
        connect(path)


def test_a_child_forked_in_the_middle_of_a_transaction_is_refused_the_file(path: str) -> None:
    with connect(path) as connection:
        with connection.db.writing():
            connection.db.run("delete from waiters")
            assert in_a_child(lambda: refused(path)) == 0
        assert in_a_child(lambda: connect(path).disconnect()) == 0


def have_a_child() -> None:
    """Fork once more; fail where that child waits for something that never comes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        os._exit(0)
    if signal.sigtimedwait({signal.SIGCHLD}, PATIENCE_S / 2) is None:
        os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == 0


def test_a_child_forked_in_the_middle_of_another_thread_s_statement_is_refused_the_file(path: str) -> None:
    """It could not even close it: a lock in memory is held by a thread that the child has not."""
    entered, go_on = threading.Event(), threading.Event()

    def hold() -> int:
        entered.set()
        return int(go_on.wait(PATIENCE_S))

    with connect(path) as connection:
        connection.db.sql.create_function("hold", 0, hold)
        thread = threading.Thread(target=connection.db.all, args=("select hold()",))
        thread.start()
        assert entered.wait(PATIENCE_S)
        status = in_a_child(lambda: refused(path))
        of_a_child = in_a_child(have_a_child)
        go_on.set()
        thread.join(PATIENCE_S)
        assert (status, of_a_child) == (0, 0)
