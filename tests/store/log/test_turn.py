"""The write turn: waits have an end, say who is in the way, and keep their place in the line."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.constants.options import MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.errors import LockTimeout, NoMessageAvailable
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.store import database
from mqtools.store.log import turn_wait
from mqtools.store.log.turn_holder import TurnHolder, find_holder
from mqtools.store.log.writer_lock import WriterLock
from mqtools.store.open_database import open_database

from ...mqi.children import kill, start_ready


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "QM.db-run")


@pytest.fixture
def two(folder: str) -> Iterator[tuple[WriterLock, WriterLock]]:
    """Two locks of one queue manager; the first is held."""
    held, late = WriterLock(folder), WriterLock(folder)
    held.acquire()
    yield held, late
    held.close()
    late.close()


def test_the_holder_is_known_with_its_time_and_program(folder):
    lock = WriterLock(folder)
    assert find_holder(folder) is None
    before = int(time.time() * 1000)
    lock.acquire()
    found = find_holder(folder)
    lock.release()
    assert find_holder(folder) is None
    lock.close()
    assert found.pid == os.getpid()
    assert before <= found.since_ms <= time.time() * 1000
    assert not found.is_stopped
    assert f"pid {os.getpid()} (" in found.description()


def test_a_wait_ends_after_its_limit_and_names_the_holder(two):
    held, late = two
    with pytest.raises(LockTimeout, match=f"by pid {os.getpid()}"):
        late.acquire(0)
    held.release()


def test_a_wait_that_ran_out_of_time_keeps_its_place(two):
    held, late = two
    for _ in range(3):
        with pytest.raises(LockTimeout):
            late.acquire(0)
    assert late.has_pending_wait
    held.release()
    late.acquire()
    assert not late.has_pending_wait
    with pytest.raises(LockTimeout):
        held.acquire(0)
    late.release()
    held.acquire()


def test_a_turn_that_nobody_wants_any_more_is_released(two):
    held, late = two
    with pytest.raises(LockTimeout):
        late.acquire(0)
    late.close()  # its files are closed by the thread that waits
    held.release()
    held.acquire(10)


def test_a_process_that_can_start_no_thread_waits_for_no_turn(two, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    held, late = two
    with pytest.raises(LockTimeout):
        late.acquire(30)
    held.release()
    late.acquire(0)


def test_a_long_wait_is_told_once(two, monkeypatch):
    monkeypatch.setattr(turn_wait, "NOTICE_AFTER_S", turn_wait.SHORT_S)
    late = two[1]
    words = "waiting for the write turn: it is held by pid"
    with pytest.warns(UserWarning, match=words) as told, pytest.raises(LockTimeout):
        late.acquire(0.11)
    assert len(told) == 1


def test_the_limit_is_that_of_the_configuration(two, monkeypatch):
    monkeypatch.setenv("MQX_LOCK_TIMEOUT", "0s")
    late = two[1]
    with pytest.raises(LockTimeout, match="waited 0 s"):
        late.acquire()


def test_a_stopped_process_is_told_with_what_to_do():
    holder = TurnHolder(77, None, "mqx move A B", "ana", True)
    assert holder.description() == "pid 77 (mqx move A B, user ana, stopped)"
    assert holder.is_in_the_way
    assert "kill -CONT 77" in holder.hint()
    assert TurnHolder(0, None, "", "", False).description() == "a process that cannot be seen from here"


def test_a_connection_that_waits_too_long_changes_nothing_and_ends_at_once(qmgr):
    holder = open_database(qmgr)
    holder.begin_writing()
    with pytest.raises(LockTimeout), connect(qmgr, lock_timeout=0) as connection:
        connection.put1("Q", Message(b"a"))
    holder.end_block(keep=False, writing=True)
    holder.close()
    with connect(qmgr) as connection, warnings.catch_warnings():
        warnings.simplefilter("error")
        connection.put1("Q", Message(b"b"))
        assert connection.db.one("select depth from queue_status where queue_id = 1") is not None


def test_a_program_without_the_turn_is_named_and_not_waited_for_without_end(qmgr, monkeypatch):
    monkeypatch.setattr(database, "_BEGIN_TIMEOUT_S", 0.01)
    monkeypatch.setattr(turn_wait, "NOTICE_AFTER_S", 0.01)
    with connect(qmgr, lock_timeout=0.3) as connection:
        connection.put1("Q", Message(b"a"))
        stranger = sqlite3.connect(connection.db.path, isolation_level=None)  # as the shell of SQLite
        stranger.execute("begin immediate")
        with (
            pytest.warns(UserWarning, match="^waiting to write: (pid|another program).* writes to the file$") as told,
            pytest.raises(LockTimeout, match=r"waited 0.3 s to write: (pid|another program)"),
        ):
            connection.put1("Q", Message(b"b"))
        assert len({str(warning.message) for warning in told}) == 1
        stranger.execute("rollback")
        connection.put1("Q", Message(b"c"))
        stranger.close()


def test_a_short_lock_timeout_holds_for_programs_without_the_turn(qmgr):
    stranger = sqlite3.connect(qmgr, isolation_level=None)
    stranger.execute("begin immediate")
    with connect(qmgr, lock_timeout=0.2) as connection:
        begun = time.monotonic()
        with pytest.raises(LockTimeout, match=r"waited 0.2 s to write"):
            connection.put1("Q", Message(b"a"))
        assert time.monotonic() - begun < 1
        stranger.execute("rollback")
    stranger.close()


def test_a_unit_of_work_that_waited_in_vain_is_left_without_another_wait(qmgr, monkeypatch):
    waits = []

    def wait_in_vain(*_):
        waits.append(True)
        raise LockTimeout("a program writes to the file")

    monkeypatch.setattr(database, "_BEGIN_TIMEOUT_S", 0.01)
    monkeypatch.setattr(turn_wait, "begin_after_others", wait_in_vain)
    stranger = sqlite3.connect(qmgr, isolation_level=None)

    def put_both():
        with connect(qmgr) as connection:
            connection.put1("Q", Message(b"a"), MQPMO_SYNCPOINT)
            stranger.execute("begin immediate")
            connection.put1("Q", Message(b"b"), MQPMO_SYNCPOINT)

    with connect(qmgr) as other, other.open("Q", MQOO_INPUT_SHARED) as queue:
        with pytest.raises(LockTimeout):
            put_both()
        assert len(waits) == 1
        stranger.execute("rollback")
        stranger.close()  # not the last one: SQLite would remove the log
        with pytest.raises(NoMessageAvailable):
            queue.get()


def test_a_killed_holder_is_in_nobodys_way(folder):
    program = "from mqtools.store.log.writer_lock import WriterLock\nWriterLock(path).acquire()\n"
    child = start_ready(program + "print('held', flush=True)\nsys.stdin.read()", folder, says="held")
    assert find_holder(folder).pid == child.pid
    kill(child)
    lock = WriterLock(folder)
    lock.acquire(10)
    lock.close()
