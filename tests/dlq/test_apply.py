"""Apply: what a plan says is done once on its queue manager, and nothing is removed that is not in a dump."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.options import MQOO_INPUT_SHARED, MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.dlq.apply import APPLIED, APPLIED_BEFORE, FAILED, Apply, check_place
from mqtools.dlq.dry_run import forecast
from mqtools.dlq.plan import PlannedAction, plan_action
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import UsageError
from mqtools.formats.envelope.envelope import from_envelope
from mqtools.message import Property
from mqtools.mqi.connection import Connection, connect
from mqtools.operations.elsewhere.removed_dump import RemovedDump
from mqtools.operations.stored_messages import local_queue
from mqtools.rules.message_digest import message_digest
from mqtools.rules.origins import CHANGED, GONE, SEVERAL

from ..copied import developers
from ..operations.two_queue_managers import breaking, contents, edit, pull
from .dead_letters import DLQ, FULL, OTHER, TO, bury, once

TABLE = f"""APPLIDAT(R) ACTION(RETRY)
APPLIDAT(F) ACTION(FWD) FWDQ({OTHER})
APPLIDAT(N) ACTION(FWD) FWDQ({OTHER}) HEADER(NO)
APPLIDAT(D) ACTION(DISCARD)
APPLIDAT(I) ACTION(IGNORE)"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "dump.jsonl")


def plan(connection: Connection) -> list[PlannedAction]:
    """Return the plan of the table for the dead letters of a queue manager."""
    queue = local_queue(connection, DLQ)
    outcomes = (answer.outcome for answer in forecast(connection, parse_rules_table(TABLE), DLQ))
    succeeding = (each for each in outcomes if each.rule and each.rule.action != "IGNORE" and not each.reason)
    planned = (plan_action(connection, queue, each) for each in succeeding)
    return [each for each in planned if each is not None]


def apply(connection, planned: list[PlannedAction], path: str, *, only_looks: bool = False) -> dict[str, int]:
    with RemovedDump(path, only_looks=only_looks) as dump:
        run = Apply(connection, dump)
        for each in planned:
            run.action(each)
        return dict(run.results)


def apply_anew(
    conn: Connection, planned: list[PlannedAction], path: str, *, only_looks: bool = False
) -> dict[str, int]:
    """Apply as a new process does, whose connection has nothing open yet."""
    with connect(conn.db.path) as connection:
        return apply(connection, planned, path, only_looks=only_looks)


def bury_each(conn: Connection) -> None:
    properties = {"colour": Property(MQTYPE_STRING, "red")}
    for kind in "RFNDI":
        bury(conn, b"letter " + kind.encode(), appl_identity_data=kind, persistence=1, properties=properties)


def dumped(path: str) -> list[bytes]:
    with open(path, "rb") as lines:
        return [message_digest(from_envelope(json.loads(line))) for line in lines]


def test_a_plan_does_what_the_handler_would_have_done(conn, path, tmp_path):
    bury_each(conn)
    other = str(tmp_path / "handled" / "QM1.db")
    os.makedirs(os.path.dirname(other))
    developers(other)
    with connect(other) as handled:
        handled.put_each(DLQ, contents(conn, DLQ), MQPMO_SET_ALL_CONTEXT)
        once(handled, TABLE)
        before = contents(conn, DLQ)
        assert apply(conn, plan(conn), path) == {APPLIED: 4}
        for q_name in (TO, OTHER):
            assert contents(conn, q_name) == contents(handled, q_name)
        (left,), (backed_out,) = contents(conn, DLQ), contents(handled, DLQ)
        assert backed_out.md == left.md.replace(backout_count=1)
    assert dumped(path) == [message_digest(message) for message in before[:4]]
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_others_wait_for_a_dump_until_it_is_closed(path):
    with RemovedDump(path), open(path, "ab") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with open(path, "ab", buffering=0) as other:
        other.write(b"no message\n")
        with pytest.raises(UsageError):
            RemovedDump(path)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_second_apply_does_nothing(conn, path):
    bury_each(conn)
    planned = plan(conn)
    assert apply(conn, planned, path, only_looks=True) == {APPLIED: 4}
    assert not os.path.exists(path)
    apply_anew(conn, planned, path)
    there = [contents(conn, q_name) for q_name in (DLQ, TO, OTHER)]
    dump = Path(path).read_bytes()
    for only_looks in (False, True):
        assert apply_anew(conn, planned, path, only_looks=only_looks) == {APPLIED_BEFORE: 4}
    assert [contents(conn, q_name) for q_name in (DLQ, TO, OTHER)] == there
    assert Path(path).read_bytes() == dump


@pytest.mark.parametrize(
    ("happens", "result"),
    [("got", GONE), ("edited", CHANGED), ("twice", SEVERAL), ("full", FAILED), ("put time", CHANGED)],
)
def test_what_is_not_as_planned_is_skipped(conn, path, happens, result):
    bury(conn, to=FULL if happens == "full" else TO, appl_identity_data="R", persistence=1)
    planned = plan(conn)
    if happens == "full":
        assert planned == []  # the dry run knows
        with conn.work() as work:
            work.db.run("update queues set max_q_depth = 1 where name = ?", (FULL,))
        planned = plan(conn)
        with conn.work() as work:
            work.db.run("update queues set max_q_depth = 0 where name = ?", (FULL,))
    elif happens == "got":
        with conn.open(DLQ, MQOO_INPUT_SHARED) as queue:
            queue.get()
    elif happens == "edited":
        edit(conn, 0, b"edited", DLQ)
    elif happens == "twice":
        conn.put_each(DLQ, contents(conn, DLQ), MQPMO_SET_ALL_CONTEXT)
    else:
        planned = [replace(each, put_time="00000000") for each in planned]
    before = contents(conn, DLQ)
    assert len(planned) == 1
    assert apply(conn, planned, path) == {result: 1}
    assert list(map(message_digest, contents(conn, DLQ))) == list(map(message_digest, before))
    assert contents(conn, TO) == []


def test_the_plan_of_a_copy_is_for_the_queue_manager_it_comes_from(conn, path, tmp_path):
    bury_each(conn)
    with connect(developers(str(tmp_path / "COPY.db"))) as copy:
        pull(copy, conn, DLQ)
        run_mqsc(copy, "DEFINE QREMOTE(QM1) RQMNAME(COPY)")
        edit(copy, 3, b"edited", DLQ)
        planned = plan(copy)
        assert [each.action for each in planned] == ["RETRY", "FWD", "FWD"]  # what was edited has to be pushed first
        check_place(planned, conn)
        with pytest.raises(UsageError, match="the plan is for queue manager QM1_"):
            check_place(planned, copy)
    assert apply(conn, planned, path) == {APPLIED: 3}


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_an_apply_that_breaks_at_any_call_and_is_repeated_ends_right(conn, path, is_done):
    at = 0
    while True:
        at += 1
        bury_each(conn)
        planned = plan(conn)
        wanted = sorted(map(message_digest, contents(conn, DLQ)))
        with breaking(conn.db.path, at, is_done=is_done) as broken:
            apply(broken, planned, path)
        there = set(map(message_digest, contents(conn, DLQ)))
        assert {digest for digest in wanted if digest not in there} <= set(dumped(path))
        results = apply_anew(conn, planned, path)
        assert results.keys() <= {APPLIED, APPLIED_BEFORE}
        assert sum(results.values()) == 4
        if not broken.is_broken:
            break
    assert at > 15
    assert len(dumped(path)) == len(set(dumped(path))) == 4 * at
    letters = {q_name: len(contents(conn, q_name)) for q_name in (DLQ, TO, OTHER)}
    assert letters == {DLQ: at, TO: at, OTHER: 2 * at}


def test_a_dump_that_was_cut_goes_on_behind_its_last_whole_line(conn, path):
    bury_each(conn)
    planned = plan(conn)
    apply_anew(conn, planned[:2], path)
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:-5])
    assert apply(conn, planned, path) == {APPLIED_BEFORE: 1, GONE: 1, APPLIED: 2}
    assert len(dumped(path)) == 3


@pytest.mark.parametrize("content", [b"hello\n", b"[]\n", b'{"mqx":2}\n', b"\xff\n"])
def test_another_file_is_no_dump_and_stays_as_it_is(conn, path, content):
    bury_each(conn)
    Path(path).write_bytes(content)
    with pytest.raises(UsageError, match="is not a dump"):
        apply(conn, plan(conn), path)
    assert Path(path).read_bytes() == content
    os.unlink(path)
    os.symlink(os.devnull, path)
    with pytest.raises(OSError, match="symbolic"):
        apply(conn, plan(conn), path)
    assert len(contents(conn, DLQ)) == 5
