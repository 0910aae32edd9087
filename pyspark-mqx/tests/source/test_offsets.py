"""How far a stream is: where a batch ends, what it has, and what is said of events and files that are gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark_mqx.source import offsets
from pyspark_mqx.source.offsets import (
    EventGap,
    Journal,
    Piece,
    advance,
    count_unread,
    plan_pieces,
    pop_gaps,
    record_gaps,
)

from mqtools.constants.reasons import MQRC_NO_RECORD_AVAILABLE, MQRC_Q_MGR_NAME_ERROR
from tests.errors import fails
from tests.rows import rows

A, B = "/a/QM1.db", "/b/QM2.db"


def there(*, first: int = 1, last: int, identifier: str = "one") -> Journal:
    return Journal("QM", identifier, first, last)


def at(seq: int, *, begun: int = 0, identifier: str = "one", **more: object) -> dict[str, Any]:
    return {"id": identifier, "from": begun, "seq": seq, **more}


def test_a_stream_begins_with_the_oldest_event_that_is_kept() -> None:
    assert advance({}, {A: there(first=40, last=60)}, None) == ({A: at(60, begun=39)}, [])
    assert advance({}, {A: there(first=40, last=60)}, 5) == ({A: at(44, begun=39)}, [])
    assert advance({}, {A: there(first=1, last=0)}, 5) == ({A: at(0)}, [])


def test_a_batch_has_no_more_events_than_there_is_room() -> None:
    two = {A: there(last=9), B: there(last=9, identifier="two")}
    end, gaps = advance({A: at(2), B: at(7, identifier="two")}, two, 8)
    assert (end, gaps) == ({A: at(9), B: at(8, identifier="two")}, [])
    assert advance(end, two, 8)[0] == {A: at(9), B: at(9, identifier="two")}


def test_where_nothing_is_new_the_end_is_the_start() -> None:
    start = {A: at(9)}
    assert advance(start, {A: there(last=9)}, 8)[0] is start


def test_a_queue_manager_that_is_found_later_is_begun_with_its_oldest_event() -> None:
    end, gaps = advance({A: at(9)}, {A: there(last=9), B: there(first=3, last=4, identifier="two")}, None)
    assert (end, gaps) == ({A: at(9), B: at(4, begun=2, identifier="two")}, [])
    found, _ = plan_pieces(
        {A: at(9)}, end, {A: there(last=9), B: there(first=3, last=4, identifier="two")}, is_new=True
    )
    assert found == [Piece(B, "QM", 2, 4, is_whole=False)]


def test_one_that_has_gone_is_said_once_and_goes_on_when_it_is_back() -> None:
    end, gaps = advance({A: at(9), B: at(3, identifier="two")}, {A: there(last=9)}, None)
    assert gaps == [EventGap(B, 4, None, "this queue manager is no longer among those that are followed")]
    assert end[B] == at(3, identifier="two", gone=True)
    assert advance(end, {A: there(last=9)}, None) == (end, [])
    back = {A: there(last=9), B: there(last=5, identifier="two")}
    again, gaps = advance(end, back, None)
    assert (again[B], gaps) == (at(5, identifier="two"), [])
    assert plan_pieces(end, again, back, is_new=True)[0] == [Piece(B, "QM", 3, 5, is_whole=True)]


def test_one_that_was_made_anew_is_said_and_begun_with_its_oldest_event() -> None:
    now = {A: there(last=2, identifier="another")}
    end, gaps = advance({A: at(9)}, now, None)
    assert [str(gap) for gap in gaps] == [
        f"{A}: it was replaced by another queue manager (another); its events from 10 on have not been read"
    ]
    assert end == {A: at(2, identifier="another")}
    assert plan_pieces({A: at(9)}, end, now, is_new=True)[0] == [Piece(A, "QM", 0, 2, is_whole=False)]


def test_one_that_was_put_back_from_a_copy_is_said_and_goes_on_from_its_end() -> None:
    end, gaps = advance({A: at(9)}, {A: there(last=7)}, None)
    assert [str(gap) for gap in gaps] == [
        f"{A}: restored from a copy: its journal ends before event 9; its events from 8 on have not been read"
    ]
    assert end == {A: at(7)}
    assert plan_pieces({A: at(9)}, end, {A: there(last=7)}, is_new=True) == ([], [])


def test_a_file_that_was_moved_goes_on_where_it_was() -> None:
    moved = {"/new/QM1.db": there(last=12)}
    start = {A: at(9)}
    end, gaps = advance(start, moved, None)
    assert (end, gaps) == ({"/new/QM1.db": at(12)}, [])
    assert plan_pieces(start, end, moved, is_new=True)[0] == [Piece("/new/QM1.db", "QM", 9, 12, is_whole=True)]
    assert advance(start, {"/new/QM1.db": there(last=9)}, None) == (start, [])
    planned = {A: at(12)}  # a batch that was planned before the move is read again
    assert plan_pieces(start, planned, moved, is_new=False)[0] == [Piece("/new/QM1.db", "QM", 9, 12, is_whole=True)]


def test_a_batch_that_is_read_again_must_be_whole_from_its_first_event() -> None:
    found, _ = plan_pieces({}, {A: at(9, begun=2)}, {A: there(first=5, last=9)}, is_new=False)
    assert found == [Piece(A, "QM", 2, 9, is_whole=True)]
    assert str(found[0].gap(5)) == (
        f"{A}: the journal has removed them by age or size; events 3 to 4 (2) have not been read"
    )


@pytest.mark.parametrize(("first", "last"), [(3, None), (4, 3), (9, 8), (10, 9), (20, 9)])
def test_what_a_journal_has_removed_of_a_piece_is_known(first: int, last: int | None) -> None:
    gap = Piece(A, "QM", 2, 9, is_whole=True).gap(first)
    assert (gap and gap.last) == last
    assert gap is None or (gap.first, gap.events) == (3, gap.last - 2)
    assert Piece(A, "QM", 2, 9, is_whole=False).gap(first) is None


@pytest.mark.parametrize("now", [{}, {A: there(last=9, identifier="another")}])
def test_a_planned_batch_of_a_file_that_has_gone_is_a_gap(now: dict[str, Journal]) -> None:
    found, gaps = plan_pieces({A: at(2)}, {A: at(9)}, now, is_new=False)
    assert (found, gaps) == ([], [EventGap(A, 3, 9, "this queue manager no longer exists")])


def test_what_is_left_to_read_is_counted() -> None:
    two = {A: there(last=9), B: there(first=3, last=5, identifier="two")}
    assert count_unread({A: at(2)}, two) == 7 + 3
    assert count_unread({}, two) == 9 + 3


def test_a_gap_is_an_error_unless_it_may_be_written_down(tmp_path: Path) -> None:
    gap = EventGap(A, 3, 9, "why")
    with fails(MQRC_NO_RECORD_AVAILABLE, r"events 3 to 9 \(7\)"):
        record_gaps([gap], "")
    folder = str(tmp_path / "lost")
    record_gaps([gap, gap, EventGap(B, 4, None, "why")], folder)
    assert sorted(pop_gaps(folder), key=lambda one: one.path) == [gap, EventGap(B, 4, None, "why")]
    assert pop_gaps(folder) == []


def test_a_journal_knows_its_first_and_last_event(qm: Any) -> None:
    ((identifier,),) = rows(qm.path, "select q_mgr_identifier from qmgr")

    def journal() -> Journal:
        (found,) = offsets.read_journals(qm.path).values()
        return found

    qm.define("Q", "QUEUE", journal=2)
    assert journal() == Journal("QM1", identifier, 1, 0)
    for _ in range(3):
        qm.put()
    assert journal() == Journal("QM1", identifier, 1, 3)
    qm.forget_events()
    assert journal() == Journal("QM1", identifier, 3, 3)


def test_queue_managers_mean_the_same_to_every_process(qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(qm.path).parent
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MQX_HOME", str(folder))
    assert offsets.absolute_words("./QM1.db, Q*,QM1") == f"{qm.path},{folder}/Q*.db,{qm.path}"
    assert offsets.absolute_words("") == qm.path
    with fails(MQRC_Q_MGR_NAME_ERROR):
        offsets.absolute_words("NOPE")
