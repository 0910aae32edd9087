"""Queues as they were: which times can be shown, which are refused, and what a view shows while it is open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.formats.times import parse_time
from mqtools.formats.units import rfc3339
from mqtools.mqi import identity
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.mqi.transaction import EVICT_EVERY
from mqtools.operations.journal.past import PastUnavailable, Period, open_past, whole_periods
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import load_data

from ..errors import fails
from ..mqi.conftest import QM
from .past import BODY, now_shown, was


@pytest.mark.parametrize(
    ("levels", "removed_at", "wanted"),
    [
        ([], 0, []),
        ([(1, 10, 0)], 0, []),
        ([(2, 10, 0)], 0, [Period(10)]),
        ([(2, 10, 0)], 50, [Period(50)]),
        ([(2, 10, 0), (0, 20, 7), (2, 30, 7)], 0, [Period(10, 20, 7), Period(30)]),
        ([(2, 10, 0), (1, 20, 7), (0, 25, 9), (2, 30, 9)], 15, [Period(15, 20, 7), Period(30)]),
        ([(2, 10, 0), (0, 20, 7)], 20, []),
        ([(2, 10, 0), (2, 20, 7)], 0, [Period(10)]),
    ],
)
def test_the_periods_in_which_a_queue_can_be_shown(
    levels: list[tuple[int, int, int]], removed_at: int, wanted: list[Period]
) -> None:
    assert whole_periods(levels, removed_at) == wanted


def test_a_time_before_the_journal_is_refused_with_the_earliest_that_works(
    qm: QM, advance: Callable[[float], None]
) -> None:
    qm.put(b"older")
    advance(60)
    qm.alter("Q", journal=BODY)
    began = identity.now_ms()
    advance(60)
    qm.put(b"newer")
    with pytest.raises(PastUnavailable) as refused:
        was(qm.path, "Q", began - 1)
    assert refused.value.earliest == rfc3339(began)
    assert rfc3339(began) in str(refused.value)
    assert len(was(qm.path, "Q", parse_time(refused.value.earliest, 0))) == 2


def test_a_queue_without_bodies_is_refused(qm: QM) -> None:
    qm.alter("Q", journal=1)
    with pytest.raises(PastUnavailable, match=r"JOURNAL\(BODY\)"):
        was(qm.path, "Q", identity.now_ms())


def test_the_future_is_refused(qm: QM) -> None:
    qm.alter("Q", journal=BODY)
    with pytest.raises(PastUnavailable, match="in the future"):
        was(qm.path, "Q", identity.now_ms() + 60_000)


def test_what_retention_has_removed_is_refused(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    qm.alter_qmgr(journal_age_s=60)
    begun = identity.now_ms()
    for _ in range(20):
        advance(10)
        qm.put()
    before = now_shown(qm.path, "Q", identity.now_ms())
    at = identity.now_ms()
    advance(5)
    qm.got()
    with pytest.raises(PastUnavailable) as refused:
        was(qm.path, "Q", begun)
    assert refused.value.earliest is not None
    assert len(was(qm.path, "Q", parse_time(refused.value.earliest, 0))) < 22
    assert was(qm.path, "Q", at) == before


def test_an_alias_shows_its_queue(qm: QM, advance: Callable[[float], None]) -> None:
    qm.define("A", "QALIAS", base_q_name="Q")
    qm.alter("Q", journal=BODY)
    qm.put(b"1")
    at = identity.now_ms()
    advance(1)
    qm.got()
    assert [row[4] for row in was(qm.path, "A", at)[:-1]] == [b"1"]


def test_a_deleted_and_defined_queue_has_the_past_of_the_new_one(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    qm.put(b"1")
    first = identity.now_ms()
    advance(1)
    with qm.main.work() as work:
        delete_queue(work, "QLOCAL", "Q", purge=True)
    advance(1)
    qm.define("Q", journal=BODY)
    second = identity.now_ms()
    advance(1)
    assert was(qm.path, "Q", second) == [(0, 0)]
    assert [row[4] for row in was(qm.path, "Q", first)[:-1]] == [b"1"]


def test_nothing_is_written(qm: QM) -> None:
    qm.alter("Q", journal=BODY)
    qm.put(b"1")
    before = qm.main.db.version()
    assert len(was(qm.path, "Q", identity.now_ms())) == 2
    assert qm.main.db.version() == before


def test_a_view_shows_what_goes_while_it_is_open(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    data = [b"short", b"long" * 100_000, b"", b"stays"]
    for each in data:
        qm.put(each)
    at = identity.now_ms()
    advance(1)
    with open_past(qm.path, at) as view:
        queue = view.show("Q")
        keys = [stored.seq for stored in select(view.db, queue.id)]
        for _ in data[:-1]:
            qm.main.open("Q", MQOO_INPUT_SHARED).get()
        with pytest.raises(LookupError), view.reading():
            raise LookupError  # a block that fails takes nothing of this away
        assert [load_data(view, seq) for seq in keys] == data
        assert not view.db.in_transaction


def test_a_view_whose_events_have_gone_says_so(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    qm.alter_qmgr(journal_age_s=60)
    qm.put(b"old")
    at = identity.now_ms()
    advance(1)
    qm.got()
    with open_past(qm.path, at) as view:
        (seq,) = [stored.seq for stored in select(view.db, view.show("Q").id)]
        assert load_data(view, seq) == b"old"
        advance(100)
        qm.main.events_noted = EVICT_EVERY  # it looks at its next event
        qm.put(b"new")
        with fails(MQRC_OBJECT_CHANGED, "the journal no longer has what is shown"):
            load_data(view, seq)
