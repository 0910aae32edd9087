"""CLEAR in steps: all that lay there goes, what arrives meanwhile stays, the trash has it all."""

from __future__ import annotations

import pytest

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.mqi import clear
from mqtools.mqi.objects.definitions import alter_queue, delete_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.trash_contents import select_trashed
from mqtools.operations.views.trash_view import list_removals, load_trashed

from ..errors import fails

#: Data that lies in chunks.
LONG = b"y" * 600_000


@pytest.fixture
def small_steps(monkeypatch):
    monkeypatch.setattr(clear, "STEP", 2)


def test_all_messages_go_in_steps(qm, small_steps):
    for number in range(5):
        qm.put(str(number))
    assert clear.clear_in_steps(qm.main, "Q") == 5
    assert qm.depth() == 0
    assert qm.main.db.all("select count(*) from messages") == [(0,)]


def test_an_empty_queue_can_be_cleared(qm):
    assert clear.clear_in_steps(qm.main, "Q") == 0


def test_what_arrives_meanwhile_stays(qm, small_steps, monkeypatch):
    for number in range(4):
        qm.put(str(number))
    found = clear.key_ranges.end_of_step
    arrivals = iter([b"late"])

    def arrive(db, first, end, most, most_bytes):
        for data in arrivals:
            qm.put(data)
        return found(db, first, end, most, most_bytes)

    monkeypatch.setattr(clear.key_ranges, "end_of_step", arrive)
    assert clear.clear_in_steps(qm.main, "Q") == 4
    assert [result.message.data for result in qm.got()] == [b"late"]


def test_a_message_that_is_locked_between_two_steps_ends_it(qm, small_steps, monkeypatch):
    for number in range(4):
        qm.put(str(number))
    remove = clear.Clearing.remove_some

    def remove_and_hold(self, work, queue):
        remove(self, work, queue)
        work.db.run("update messages set state = 2 where seq = (select max(seq) from messages)")

    monkeypatch.setattr(clear.Clearing, "remove_some", remove_and_hold)
    with fails(MQRC_OBJECT_IN_USE):
        clear.clear_in_steps(qm.main, "Q")
    assert qm.main.db.all("select count(*) from messages") == [(2,)]


def test_the_trash_keeps_all_as_one_removal(qm, small_steps):
    for data in (b"a", b"y" * 300_000, b"c"):
        qm.put(data)
    qm.main.trash = Trash(3600, 10_000_000)
    clear.clear_in_steps(qm.main, "Q")
    (removal,) = list_removals(qm.main)
    assert removal.messages == 3
    assert qm.main.trash.lost == 0


def test_the_trash_keeps_the_last_that_fit(qm, small_steps):
    for number in range(5):
        qm.put(str(number))
    qm.main.trash = Trash(3600, 2 * 513)
    clear.clear_in_steps(qm.main, "Q")
    assert [load_trashed(qm.main, each).data for each in select_trashed(qm.main.db)] == [b"3", b"4"]
    assert qm.main.trash.lost == 3


def test_each_message_is_in_the_journal_once(qm, small_steps):
    with qm.main.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"journal": 1})
    for number in range(3):
        qm.put(str(number))
    clear.clear_in_steps(qm.main, "Q")
    rows = qm.main.db.all("select seq from journal where event = 'delete'")
    assert len(rows) == len(set(rows)) == 3


def test_a_step_ends_with_many_bytes(qm):
    for _ in range(3):
        qm.put(b"y" * 1000)
    db = qm.main.db
    queue_id = db.all("select id from queues where name = 'Q'")[0][0]
    first, end = clear.key_ranges.key_range(db, queue_id)
    assert clear.key_ranges.end_of_step(db, first, end, 10, 1500) == first + 2


@pytest.mark.parametrize("name", ["B", "C", "D"])
def test_a_queue_that_is_deleted_with_its_messages_takes_none_of_its_neighbours(qm, name):
    neighbours = ["B", "C", "D"]
    for each in neighbours:
        qm.define(each)
    for each in neighbours:
        qm.put("short", each)
        qm.put(LONG, each)
    with qm.main.work() as work:
        assert delete_queue(work, "QLOCAL", name, purge=True) == 2
    neighbours.remove(name)
    assert [(qm.depth(each), qm.data(each)) for each in neighbours] == [(2, [b"short", LONG])] * 2
