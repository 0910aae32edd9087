"""The write turn kept between the calls of a unit of work: nobody else sees a difference, whatever ends it."""

from __future__ import annotations

import gc
import os
import time

import pytest

from mqtools.constants.options import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_BACKED_OUT, MQRC_Q_FULL, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi import prepared_put
from mqtools.mqi.connection import connect
from mqtools.operations.selection import select
from mqtools.store import database
from mqtools.store.database import Database
from mqtools.store.log import kept_turn

from ..children import kill, output_of, start_child, until
from .kept import depth, is_kept, put_in_unit

#: Keeps the turn from the second call on, and until somebody asks for it.
PATIENT = """
from mqtools.store import database
from mqtools.store.log import kept_turn
database._AT_ONCE_S = kept_turn.LONGEST_S = 3600
kept_turn.IDLE_MS = 3_600_000
"""

#: Does what it is told by lines: put, get, commit, backout; answers each with a line.
SERVANT = (
    PATIENT
    + """
connection = connect(path)
handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT)
calls = {
    "put": lambda: handle.put(Message(b"put"), MQPMO_SYNCPOINT) and "put",
    "get": lambda: handle.get(MQGMO_SYNCPOINT).message.data.decode(),
    "commit": lambda: connection.commit() or "committed",
    "backout": lambda: connection.backout() or "backed out",
}
for line in sys.stdin:
    print(calls[line.strip()](), connection.db.kept_turn is not None and connection.db.kept_turn.is_held, flush=True)
connection.disconnect()
"""
)


@pytest.fixture
def servant(qm):
    """Another process with a unit of work: ``servant("put")`` gives its answer, and whether it has kept the turn."""
    child = start_child(SERVANT, qm.path)

    def tell(order: str) -> tuple[str, bool]:
        print(order, file=child.stdin, flush=True)
        answer, _, kept = child.stdout.readline().rstrip().rpartition(" ")
        return answer, kept == "True"

    tell.child = child  # type: ignore[attr-defined]
    yield tell
    if child.poll() is None:
        kill(child)


@pytest.mark.usefixtures("patient")
def test_it_is_kept_from_the_second_call_on_and_given_back_by_the_commit(qm):
    handle = qm.open()
    put_in_unit(handle, 1)
    assert not is_kept(qm.main)
    put_in_unit(handle, 2)
    assert is_kept(qm.main)
    qm.main.commit()
    assert not is_kept(qm.main)
    assert [result.message.data for result in qm.got()] == [b"0", b"0", b"1"]


def test_who_reads_sees_each_put_of_another_process_as_soon_as_it_has_returned(qm, servant):
    kept = 0
    for number in range(1, 200):
        answer, is_held = servant("put")
        assert answer == "put"
        kept += is_held
        assert depth(qm) == (number, number)
    assert kept > 3, "the turn was never kept: nothing was tried"


def test_who_gets_never_gets_what_another_process_has_got(qm, servant):
    for number in range(40):
        qm.put(str(number))
    handle, got, kept = qm.open(), [], 0
    for _ in range(4):
        for _ in range(5):
            answer, is_held = servant("get")
            got.append(answer)
            kept += is_held
        got += [handle.get(MQGMO_NO_SYNCPOINT).message.data.decode() for _ in range(5)]
    assert kept
    assert got == [str(number) for number in range(40)]
    assert servant("commit")[0] == "committed"
    assert depth(qm) == (0, 0)


@pytest.mark.parametrize("number", [1, 2, 6])
def test_a_process_that_is_killed_is_backed_out_and_each_get_is_counted(qm, servant, number):
    for each in range(8):
        qm.put(str(each))
    assert [servant("get")[0] for _ in range(number)] == [str(each) for each in range(number)]
    assert servant("put") == ("put", True)
    kill(servant.child)
    got = [(result.message.data, result.message.md.backout_count) for result in qm.got()]
    assert got == [(b"%d" % each, int(each < number)) for each in range(8)]
    assert depth(qm) == (0, 0)
    assert not [name for name in os.listdir(f"{qm.path}-run") if name.startswith(("got-", "turn-"))]


def test_gets_that_were_given_back_and_gets_that_were_not_are_counted_once_each(qm, servant):
    for each in range(8):
        qm.put(str(each))
    for _ in range(4):
        servant("get")
    assert depth(qm) == (4, 4)  # given back for this
    for _ in range(kept_turn.REST + 2):
        servant("put")
    assert [servant("get")[1] for _ in range(2)] == [True, True]
    kill(servant.child)
    assert [result.message.md.backout_count for result in qm.got()] == [1] * 6 + [0] * 2


@pytest.mark.usefixtures("patient")
def test_a_call_that_fails_undoes_itself_and_nothing_else(qm, monkeypatch):
    handle = qm.open()
    put_in_unit(handle, 3)

    def fail(*_: object) -> None:
        raise MQError("full", MQRC_Q_FULL)

    with monkeypatch.context() as patch:
        patch.setattr(prepared_put, "PutResult", fail)  # the message has been stored and counted then
        with pytest.raises(MQError, match="full"):
            handle.put(Message(b"never"), MQPMO_SYNCPOINT)
    put_in_unit(handle, 1)
    qm.main.commit()
    assert [result.message.data for result in qm.got()] == [b"0", b"1", b"2", b"0"]
    assert depth(qm) == (0, 0)


@pytest.mark.usefixtures("patient")
def test_what_cannot_be_committed_when_the_turn_is_given_back_is_backed_out(qm, monkeypatch):
    other = qm.connect()
    for each in range(4):
        qm.put(str(each))
    handle = qm.open()
    for _ in range(3):
        handle.get(MQGMO_SYNCPOINT)
    assert is_kept(qm.main)
    own = qm.main.db

    def fail(self: Database) -> None:
        if self is own:
            self.sql.execute("rollback")
            self.counted = {}
            raise StorageError("no space left", MQRC_STORAGE_MEDIUM_FULL)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "commit_kept", fail)
        assert qm.open(connection=other).get(MQGMO_NO_SYNCPOINT).message.data == b"1"  # asks for the turn
    with pytest.raises(MQError) as caught:
        qm.main.commit()
    assert caught.value.reason == MQRC_BACKED_OUT
    assert [(result.message.data, result.message.md.backout_count) for result in qm.got()] == [
        (b"0", 1),
        (b"2", 1),
        (b"3", 0),
    ]
    qm.main.commit()


def test_it_is_given_back_when_no_call_comes(qm, monkeypatch):
    monkeypatch.setattr(database, "_AT_ONCE_S", 3600)
    handle = qm.open()
    put_in_unit(handle, 3)
    until(lambda: not is_kept(qm.main))
    assert depth(qm) == (3, 3)


def test_it_is_given_back_when_it_was_kept_for_long(qm, monkeypatch):
    monkeypatch.setattr(database, "_AT_ONCE_S", 3600)
    monkeypatch.setattr(kept_turn, "LONGEST_S", 0)
    monkeypatch.setattr(kept_turn, "IDLE_MS", 3_600_000)
    handle = qm.open()
    put_in_unit(handle, 3)
    assert not is_kept(qm.main)


@pytest.mark.usefixtures("patient")
def test_a_unit_of_more_gets_than_the_list_has_room_for_is_counted_whole(qm):
    from mqtools.store.log.got_list import CAPACITY

    handle = qm.open()
    for each in range(CAPACITY + 5):
        handle.put(Message(b"%d" % each), MQPMO_NO_SYNCPOINT)
    for _ in range(CAPACITY + 5):
        handle.get(MQGMO_SYNCPOINT)
    qm.main.backout()
    assert {result.message.md.backout_count for result in qm.got()} == {1}


@pytest.mark.usefixtures("patient")
def test_any_other_verb_of_the_connection_gives_it_back_first(qm):
    handle = qm.open()
    put_in_unit(handle, 2)
    for verb in (
        lambda: qm.main.put1("Q", Message(b"now")),
        lambda: list(select(qm.main.db, handle.queue_id)),
        lambda: qm.main.open("Q", 8).close(),
    ):
        put_in_unit(handle, 2)
        assert is_kept(qm.main)
        verb()
        assert not is_kept(qm.main)
    put_in_unit(handle, 2)
    with pytest.raises(NoMessageAvailable):
        handle.get(MQGMO_SYNCPOINT, md=MQMD(msg_id=b"nowhere".ljust(24)), match_options=MQMO_MATCH_MSG_ID)
    qm.main.backout()
    assert depth(qm) == (1, 0)


@pytest.mark.usefixtures("patient")
def test_who_asks_for_a_depth_between_two_calls_gives_it_back_first(qm):
    """Else the thread that gives it back could change the counters while they are read."""
    put_in_unit(qm.open(), 3)
    assert is_kept(qm.main)
    assert depth(qm) == (3, 3)
    assert not is_kept(qm.main)


@pytest.mark.usefixtures("patient")
def test_a_connection_that_is_forgotten_keeps_nobody_waiting(qm):
    connection = connect(qm.path)
    handle = connection.open("Q", 16)
    put_in_unit(handle, 3)
    assert is_kept(connection)
    del connection, handle
    gc.collect()
    begun = time.monotonic()
    qm.put("next")
    assert time.monotonic() - begun < 5
    assert [result.message.data for result in qm.got()][-1] == b"next"


@pytest.mark.usefixtures("patient")
def test_a_child_of_a_fork_leaves_the_unit_of_work_alone(qm):
    handle = qm.open()
    put_in_unit(handle, 3)
    assert is_kept(qm.main)
    child = os.fork()
    if not child:
        gc.collect()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    put_in_unit(handle, 3)
    qm.main.commit()
    assert len(qm.got()) == 6


@pytest.mark.slow
def test_sixteen_processes_in_units_lose_and_double_nothing(qm):
    worker = """
connection = connect(path)
handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT)
name, units = arguments[0], int(arguments[1])
for unit in range(units):
    for each in range(10):
        handle.put(Message(f"{name}.{unit}.{each}".encode()), MQPMO_SYNCPOINT)
    connection.backout() if unit % 3 == 2 else connection.commit()
got = []
while len(got) < 10 * (units - units // 3):
    try:
        got += [handle.get(MQGMO_SYNCPOINT).message.data.decode() for each in range(5)]
    except NoMessageAvailable:
        connection.backout()
        continue
    connection.commit()
print(*got)
connection.disconnect()
"""
    workers = [start_child(worker, qm.path, number, 6) for number in range(16)]
    got = [line for worker in workers for line in output_of(worker).split()]
    sent = [f"{name}.{unit}.{each}" for name in range(16) for unit in (0, 1, 3, 4) for each in range(10)]
    assert sorted(got) == sorted(sent)
    assert depth(qm) == (0, 0)
