"""Pull and push between two queue managers: messages as they are, once, and their originals replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQRO_COA, MQRO_COD, MQRO_EXPIRATION
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.errors import UsageError
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection, connect
from mqtools.operations.elsewhere import originals
from mqtools.operations.elsewhere.pull import Pull
from mqtools.operations.elsewhere.push import ADDED, EQUAL, FROM_ELSEWHERE
from mqtools.operations.move import Route, carry_batch
from mqtools.rules.message_digest import message_digest
from mqtools.rules.origins import CHANGED, GONE, REPLACED, SEVERAL

from ..copied import three_queues
from ..descriptors import FILLED
from ..mqi.conftest import QM
from .two_queue_managers import bodies, breaking, contents, edit, keys, pull, push

REPORTS = MQRO_COA | MQRO_COD | MQRO_EXPIRATION


@pytest.fixture
def there(tmp_path: Path) -> Iterator[QM]:
    """The queue manager that messages are pulled from, with the queues Q, R and DLQ."""
    made = QM(three_queues(str(tmp_path / "THERE.db")))
    yield made
    made.main.disconnect()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Connection]:
    with connect(three_queues(str(tmp_path / "HERE.db"))) as connection:
        yield connection


def test_a_pulled_message_is_as_it_was_and_comes_once(here, there, advance):
    message = Message(b"\xff\0body", FILLED.replace(), {"colour": Property(MQTYPE_STRING, "red")})
    assert there.main.put_each("Q", [message], MQPMO_SET_ALL_CONTEXT, keep_backout_count=True)[1] is None
    there.put(b"x" * 300_000)
    before = contents(there.main)
    assert pull(here, there.main) == (2, 0)
    assert contents(here) == before == contents(there.main)
    assert pull(here, there.main) == (0, 2)
    there.put(b"new")
    assert pull(here, there.main) == (1, 2)
    assert contents(here) == contents(there.main)


def test_equal_messages_come_as_often_as_they_are_there(here, there):
    equal = Message(b"x", MQMD(msg_id=b"A" * 24, put_date="20261128", put_time="10000000"))
    for number in (2, 3):
        while there.depth() < number:
            there.main.put1("Q", equal.replace(md=equal.md.replace()), MQPMO_SET_ALL_CONTEXT)
        assert pull(here, there.main) == (2 if number == 2 else 1, number - (2 if number == 2 else 1))
    assert pull(here, there.main) == (0, 3)


def test_what_is_here_by_another_way_is_not_doubled(here, there):
    there.put(b"x")
    here.put1("Q", contents(there.main)[0], MQPMO_SET_ALL_CONTEXT)
    assert pull(here, there.main) == (0, 1)
    edit(here, 0, b"y")
    assert push(here, there.main).results == {REPLACED: 1}


def test_what_was_edited_or_moved_is_here_and_what_was_removed_comes_again(here, there):
    for body in (b"a", b"b", b"c"):
        there.put(body)
    pull(here, there.main)
    edit(here, 0, b"edited", msg_id=b"Z" * 24)
    carry_batch(here, Route("Q", "R"), keys(here)[1:2])
    with here.open("Q", 2) as queue:
        queue.get(), queue.get()
    assert bodies(here) == []
    assert pull(here, there.main) == (2, 1)
    assert (bodies(here), bodies(here, "R")) == ([b"a", b"c"], [b"b"])


def test_expiry_stands_still_and_nothing_is_reported_here(here, there, advance):
    there.put(b"x", report=REPORTS, expiry=100, reply_to_q="R")
    there.put(b"y", report=REPORTS, reply_to_q="R")
    advance(4)
    pull(here, there.main)
    advance(3600)
    assert [message.md.expiry for message in contents(here)] == [60, -1]
    carry_batch(here, Route("Q", "DLQ"), keys(here))
    advance(3600)
    edit(here, 0, b"z", "DLQ", priority=7)
    assert [message.md.expiry for message in contents(here, "DLQ")] == [60, -1]
    with here.open("DLQ", 2) as queue:
        assert queue.get().message.md.expiry == 60
        queue.get()
    assert bodies(here, "R") == []
    here.put1("Q", Message(b"own", MQMD(report=REPORTS, expiry=100, reply_to_q="R")))
    assert len(bodies(here, "R")) == 1


def test_a_pull_stops_at_a_full_queue_and_goes_on_later(here, there):
    for body in (b"a", b"b", b"c"):
        there.put(body)
    with here.work() as work:
        work.db.run("update queues set max_q_depth = 2 where name = 'Q'")
    done = Pull(here, there.main.q_mgr_id, "Q")
    error = done.add(contents(there.main))
    assert (done.pulled, error.reason, bodies(here)) == (2, rc.MQRC_Q_FULL, [b"a", b"b"])
    with here.work() as work:
        work.db.run("update queues set max_q_depth = 5 where name = 'Q'")
    assert pull(here, there.main) == (1, 2)


def test_nothing_is_pulled_to_a_queue_whose_messages_leave(here, there):
    with here.work() as work:
        work.db.run("update queues set usage = 1 where name = 'Q'")
    with pytest.raises(UsageError, match="leave this queue manager"):
        Pull(here, there.main.q_mgr_id, "Q").check()


def test_a_repaired_message_takes_the_place_of_its_original(here, there):
    for body in (b"a", b"b", b"c"):
        there.put(body, correl_id=b"C" * 24, priority=3)
    before = contents(there.main)
    pull(here, there.main)
    assert push(here, there.main).results == {EQUAL: 3}
    edit(here, 1, b"repaired", correl_id=b"D" * 24)
    done = push(here, there.main)
    assert (done.results, done.context) == ({EQUAL: 2, REPLACED: 1}, "all")
    assert contents(there.main)[:2] == [before[0], before[2]]
    repaired = contents(there.main)[2]
    assert (repaired.data, repaired.md) == (b"repaired", before[1].md.replace(correl_id=b"D" * 24))
    assert push(here, there.main).results == {EQUAL: 3}
    assert pull(here, there.main) == (0, 3)
    edit(here, 1, b"again")
    assert push(here, there.main).results == {EQUAL: 2, REPLACED: 1}
    assert len(bodies(here)) == 3


def test_an_edited_identifier_still_finds_the_original(here, there):
    there.put(b"a")
    pull(here, there.main)
    edit(here, 0, b"b", msg_id=b"Z" * 24)
    assert push(here, there.main).results == {REPLACED: 1}
    assert [(message.data, message.md.msg_id) for message in contents(there.main)] == [(b"b", b"Z" * 24)]
    assert push(here, there.main).results == {EQUAL: 1}


@pytest.mark.parametrize(("happens", "result"), [("got", GONE), ("replaced", CHANGED), ("twice", SEVERAL)])
def test_an_original_that_is_not_as_it_was_is_skipped(here, there, happens, result):
    there.put(b"a", msg_id=b"A" * 24)
    pull(here, there.main)
    edit(here, 0, b"b")
    if happens == "got":
        there.got()
    elif happens == "replaced":
        edit(there.main, 0, b"other")
    else:
        there.put(b"a", msg_id=b"A" * 24)
    before = contents(there.main)
    assert push(here, there.main).results == {result: 1}
    assert contents(there.main) == before


@pytest.mark.parametrize("is_backed_out", [True, False])
def test_an_original_that_an_interrupted_push_holds_is_awaited_a_while(here, there, monkeypatch, is_backed_out):
    there.put(b"a")
    pull(here, there.main)
    edit(here, 0, b"b")
    other = connect(there.path)
    other.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    clock = [0.0]

    def sleep(pause_s: float) -> None:
        clock[0] += pause_s
        if is_backed_out and clock[0] > 1:
            other.abandon()

    monkeypatch.setattr(originals, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: clock[0]))
    assert push(here, there.main).results == {REPLACED if is_backed_out else GONE: 1}
    other.abandon()
    assert clock[0] == pytest.approx(1 if is_backed_out else 5, abs=0.2)
    assert bodies(there.main) == [b"b" if is_backed_out else b"a"]


def test_expiry_is_that_of_the_original_unless_it_was_edited(here, there, advance):
    there.put(b"a", expiry=1000)
    there.put(b"b", expiry=1000)
    pull(here, there.main)
    advance(30)
    edit(here, 0, b"c")
    edit(here, 1, b"b", expiry=500)
    assert push(here, there.main).results == {REPLACED: 2}
    assert [message.md.expiry for message in contents(there.main)] == [700, 500]
    assert push(here, there.main).results == {EQUAL: 2}


def test_messages_are_added_once(here, there):
    here.put1("Q", Message(b"own", MQMD(expiry=1000)))
    assert push(here, there.main, dry_run=True).results == {ADDED: 1}
    assert push(here, there.main).results == {ADDED: 1}
    assert contents(there.main)[0].md.put_time == contents(here)[0].md.put_time
    assert push(here, there.main).results == push(here, there.main, adds=True).results == {EQUAL: 1}
    there.got()
    assert push(here, there.main, adds=True).results == {EQUAL: 1}


def test_what_was_pulled_elsewhere_is_added_only_on_request(here, there):
    there.put(b"a")
    pull(here, there.main)
    assert push(here, there.main, to="R").results == {FROM_ELSEWHERE: 1}
    assert push(here, there.main, to="R", adds=True).results == {ADDED: 1}
    assert push(here, there.main, to="R", adds=True).results == {EQUAL: 1}
    assert contents(there.main, "R") == contents(there.main)


def test_a_dry_run_changes_nothing_at_either_end(here, there):
    there.put(b"a")
    pull(here, there.main)
    edit(here, 0, b"b")
    before = contents(there.main)
    assert push(here, there.main, dry_run=True).results == {REPLACED: 1}
    assert contents(there.main) == before
    done = Pull(here, there.main.q_mgr_id, "Q", dry_run=True)
    there.put(b"c")
    done.add(contents(there.main))
    assert (done.pulled, done.here, bodies(here)) == (1, 1, [b"b"])


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_a_push_that_breaks_at_any_call_and_is_repeated_ends_right(here, there, is_done):
    for number in range(3):
        there.put(f"old {number}")
    pull(here, there.main)
    at = 0
    while True:
        at += 1
        for place in range(2):
            edit(here, place, f"{place} at {at}".encode())
        here.put1("Q", Message(b"new %d" % at, MQMD()))
        with breaking(there.path, at, is_done=is_done) as broken:
            push(here, broken)
        with connect(there.path, user_identifier="ana") as again:
            assert push(here, again).results.keys() <= {EQUAL, REPLACED, ADDED}
        assert sorted(map(message_digest, contents(there.main))) == sorted(map(message_digest, contents(here)))
        assert push(here, there.main).results == {EQUAL: len(bodies(here))}
        if not broken.is_broken:
            break
    assert at > 10
