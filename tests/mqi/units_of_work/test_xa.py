"""XA: what each function returns in each state of a branch, and what becomes of the messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import backup, queue_managers
from mqtools.admin.checkup import check_up
from mqtools.admin.depths import depths
from mqtools.admin.transactions import list_transactions, resolve
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_ENVIRONMENT_ERROR, MQRC_OBJECT_IN_USE, MQRC_UOW_IN_PROGRESS
from mqtools.constants.states import STATE_NAMES
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle.held_messages import list_locks
from mqtools.message import MQMD, Message
from mqtools.mqi import xa
from mqtools.mqi.connection import Connection
from mqtools.mqi.xa import Xid

from ...rows import assert_counters, messages, rows
from ..children import kill, start_ready
from ..conftest import QM, fails

X, Y = Xid(1, b"global", b"branch"), Xid(1, b"global", b"other")


def work_in(qm: QM, connection: Connection | None = None) -> None:
    """Get the message on Q and put one, under syncpoint."""
    connection = connection or qm.main
    connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    connection.put1("R", Message(b"put", MQMD(persistence=MQPER_PERSISTENT)), MQPMO_SYNCPOINT)


@pytest.fixture
def ready(qm: QM) -> QM:
    """A queue manager with a persistent message on Q."""
    qm.put(b"got", persistence=MQPER_PERSISTENT)
    return qm


def prepared(qm: QM, xid: Xid = X) -> None:
    assert xa.start(qm.main, xid) == xa.XA_OK
    work_in(qm)
    assert xa.end(qm.main, xid) == xa.XA_OK
    assert xa.prepare(qm.main, xid) == xa.XA_OK


def held(qm: QM) -> set[str]:
    return {STATE_NAMES[row["state"]] for q_name in ("Q", "R") for row in messages(qm.path, q_name)}


def restarted(qm: QM) -> Connection:
    for connection in qm.connections:
        connection.disconnect()
    assert queue_managers.end(qm.path) == queue_managers.ENDED
    queue_managers.start(qm.path)
    qm.main = qm.connect()
    return qm.main


@pytest.mark.parametrize(("finish", "on_q", "on_r"), [(xa.commit, [], [b"put"]), (xa.rollback, [b"got"], [])])
def test_a_prepared_branch_survives_the_queue_manager_and_is_ended_by_any_connection(
    ready: QM, finish: Callable[[Connection, Xid], int], on_q: list[bytes], on_r: list[bytes]
) -> None:
    prepared(ready)
    again = restarted(ready)
    assert (xa.recover(again), held(ready)) == ([X], {"get_unconfirmed", "put_unconfirmed"})
    assert (ready.data("Q"), ready.data("R")) == ([], [])
    assert finish(again, X) == xa.XA_OK
    assert ([r.message.data for r in ready.got("Q")], [r.message.data for r in ready.got("R")]) == (on_q, on_r)
    assert (xa.recover(again), finish(again, X)) == ([], xa.XAER_NOTA)
    assert_counters(ready.path)


def test_a_branch_that_is_not_prepared_dies_with_its_connection(ready: QM) -> None:
    other = ready.connect()
    assert xa.start(other, X) == xa.XA_OK
    work_in(ready, other)
    assert xa.end(other, X) == xa.XA_OK
    assert held(ready) == {"get_unconfirmed", "put_unconfirmed"}
    other.abandon()
    assert [result.message.data for result in ready.got("Q")] == [b"got"]
    assert xa.commit(ready.main, X, xa.TMONEPHASE) == xa.XAER_NOTA
    assert_counters(ready.path)


@pytest.mark.parametrize("point", ["started", "ended", "prepared"])
def test_a_process_that_is_killed_leaves_only_what_is_prepared(ready: QM, point: str) -> None:
    steps = ["xa.start(connection, xid)", "work()", "xa.end(connection, xid)", "xa.prepare(connection, xid)"]
    number = {"started": 2, "ended": 3, "prepared": 4}[point]
    program = f"""
from mqtools.mqi import xa
connection, xid = connect(path), xa.Xid(1, b"global", b"branch")
def work():
    connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
{chr(10).join(steps[:number])}
print("ready", flush=True)
sys.stdin.read()
"""
    kill(start_ready(program, ready.path))
    assert len(ready.got("Q")) == (point != "prepared")
    assert xa.recover(ready.main) == ([X] if point == "prepared" else [])
    assert xa.rollback(ready.main, X) == (xa.XA_OK if point == "prepared" else xa.XAER_NOTA)
    assert len(ready.got("Q")) == (point == "prepared")


def test_one_phase(ready: QM) -> None:
    xa.start(ready.main, X)
    work_in(ready)
    xa.end(ready.main, X)
    assert xa.commit(ready.main, X) == xa.XAER_PROTO
    assert xa.commit(ready.main, X, xa.TMONEPHASE) == xa.XA_OK
    assert (ready.data("Q"), ready.data("R")) == ([], [b"put"])
    prepared_twice = xa.start(ready.main, X), xa.end(ready.main, X), xa.prepare(ready.main, X)
    assert prepared_twice == (xa.XA_OK, xa.XA_OK, xa.XA_RDONLY)
    assert xa.recover(ready.main) == []


def test_a_suspended_branch_is_resumed_and_another_runs_meanwhile(ready: QM) -> None:
    main = ready.main
    xa.start(main, X)
    work_in(ready)
    assert xa.end(main, X, xa.TMSUSPEND) == xa.XA_OK
    assert (xa.start(main, Y), xa.end(main, Y), xa.prepare(main, Y)) == (xa.XA_OK, xa.XA_OK, xa.XA_RDONLY)
    assert xa.start(ready.connect(), X, xa.TMRESUME) == xa.XAER_PROTO
    assert xa.start(main, X, xa.TMRESUME) == xa.XA_OK
    ready.put(b"more", "R", MQPMO_SYNCPOINT)
    assert (xa.end(main, X), xa.prepare(main, X), xa.commit(main, X)) == (xa.XA_OK, xa.XA_OK, xa.XA_OK)
    assert ready.data("R") == [b"put", b"more"]


def test_two_connections_join_one_branch(ready: QM) -> None:
    other = ready.connect()
    assert xa.start(other, X, xa.TMJOIN) == xa.XAER_NOTA
    xa.start(ready.main, X)
    assert xa.start(other, X) == xa.XAER_DUPID
    assert xa.start(other, X, xa.TMJOIN) == xa.XA_OK
    work_in(ready)
    other.put1("R", Message(b"more"), MQPMO_SYNCPOINT)
    assert xa.end(ready.main, X) == xa.XA_OK
    assert xa.prepare(ready.main, X) == xa.XAER_PROTO
    assert xa.end(other, X) == xa.XA_OK
    assert (xa.prepare(other, X), xa.start(other, X, xa.TMJOIN)) == (xa.XA_OK, xa.XAER_PROTO)
    assert xa.commit(other, X) == xa.XA_OK
    assert ready.data("R") == [b"put", b"more"]


@pytest.mark.parametrize("finish", [xa.prepare, lambda connection, xid: xa.commit(connection, xid, xa.TMONEPHASE)])
def test_a_branch_that_failed_can_only_be_backed_out(ready: QM, finish: Callable[[Connection, Xid], int]) -> None:
    xa.start(ready.main, X)
    work_in(ready)
    assert xa.end(ready.main, X, xa.TMFAIL) == xa.XA_OK
    assert xa.start(ready.main, X, xa.TMJOIN) == xa.XA_RBROLLBACK
    assert finish(ready.main, X) == xa.XA_RBROLLBACK
    assert (ready.data("Q"), ready.data("R"), list_transactions(ready.main)) == ([b"got"], [], [])


def test_calls_that_the_protocol_does_not_allow(ready: QM) -> None:
    main = ready.main
    for bad in (Xid(-1, b"x"), Xid(1, b""), Xid(1, b"x" * 65), Xid(1, b"x", b"y" * 65)):
        assert (xa.start(main, bad), xa.prepare(main, bad)) == (xa.XAER_INVAL, xa.XAER_INVAL)
    assert (xa.start(main, X, 1), xa.end(main, X, 1), xa.commit(main, X, 1)) == (xa.XAER_INVAL,) * 3
    assert xa.end(main, X) == xa.XAER_PROTO
    ready.put(b"local", options=MQPMO_SYNCPOINT)
    assert xa.start(main, X) == xa.XAER_OUTSIDE
    main.backout()
    xa.start(main, X)
    assert (xa.start(main, Y), xa.end(main, Y), xa.prepare(main, X), xa.rollback(main, X)) == (xa.XAER_PROTO,) * 4
    for verb in (main.commit, main.backout):
        with fails(MQRC_ENVIRONMENT_ERROR):
            verb()
    work_in(ready)
    main.disconnect()
    assert [result.message.data for result in ready.got("Q")] == [b"got"]
    assert xa.start(main, X) == xa.XAER_RMFAIL


def test_an_operator_decides_and_the_transaction_manager_is_told(ready: QM) -> None:
    prepared(ready)
    assert xa.forget(ready.main, X) == xa.XAER_PROTO
    (before,) = list_transactions(ready.main)
    assert (before.state, before.puts, before.gets, before.q_names) == ("prepared", 1, 1, ["Q", "R"])
    resolve(ready.main, str(X), "commit")
    (after,) = list_transactions(ready.main)
    assert (after.state, after.puts, ready.data("R")) == ("committed", 0, [b"put"])
    with fails(MQRC_OBJECT_IN_USE):
        resolve(ready.main, str(after.number), "backout")
    assert xa.recover(ready.main) == [X]
    assert (xa.commit(ready.main, X), xa.rollback(ready.main, X)) == (xa.XA_HEURCOM, xa.XA_HEURCOM)
    assert (xa.forget(ready.main, X), xa.forget(ready.main, X)) == (xa.XA_OK, xa.XAER_NOTA)


def test_a_backup_has_what_is_prepared(ready: QM, tmp_path: Path) -> None:
    prepared(ready)
    backup.back_up(ready.path, str(tmp_path / "copy.db"))
    restored = QM(str(tmp_path / "copy.db"))
    assert xa.commit(restored.main, X) == xa.XA_OK
    assert restored.data("R") == [b"put"]
    restored.main.disconnect()


def test_displays_show_what_is_prepared(ready: QM, advance: Callable[[float], None]) -> None:
    prepared(ready)
    assert {(lock.kind, lock.holder) for lock in list_locks(ready.main, None)} == {("transaction", f"transaction {X}")}
    assert not [each for each in check_up(ready.main.db) if each.check == "transactions" and each.hint]
    advance(3601)
    (finding,) = [each for each in check_up(ready.main.db) if each.check == "transactions"]
    assert finding.hint
    assert [(row["uncommitted"], row["oldest_uow_s"]) for row in depths(ready.main, ["Q"])] == [(1, 3601)]


def test_a_program_prepares_its_own_unit_of_work(ready: QM) -> None:
    work_in(ready)
    assert ready.main.prepare(X)
    assert not ready.main.prepare(Y)
    ready.put(b"next", options=MQPMO_SYNCPOINT)
    with fails(MQRC_UOW_IN_PROGRESS):
        ready.main.prepare(X)
    ready.main.backout()
    with pytest.raises(NoMessageAvailable):
        ready.open("Q").get()
    assert xa.commit(ready.main, X) == xa.XA_OK
    assert ready.data("R") == [b"put"]


def test_journaled_messages_have_their_events_when_the_branch_ends(ready: QM) -> None:
    ready.alter("R", journal=1)
    prepared(ready)
    assert rows(ready.path, "select event from journal") == []
    xa.commit(restarted(ready), X)
    assert rows(ready.path, "select event, state_before, state_after from journal") == [("put", 0, 1)]
