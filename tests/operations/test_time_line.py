"""The time line of a queue: what came and went in each interval, the depth, and the instants that are stepped to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqtools.constants.options import MQGMO_NO_SYNCPOINT, MQGMO_SYNCPOINT, MQPMO_SYNCPOINT
from mqtools.message import Message
from mqtools.mqi import identity
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import trash_contents
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.journal import time_line
from mqtools.operations.journal.time_line import last_put_and_get, read_time_line, step

from ..mqi.conftest import QM

BEGIN = 1_800_000_000_000
S = 1000


@pytest.fixture
def kept(qm: QM) -> Iterator[QM]:
    """The queue Q, with a journal from BEGIN on: a put after 10 s, two after 20 s, and a get after 30 s."""
    identity.set_clock(BEGIN)
    qm.alter("Q", journal=2)
    for after in (10, 20, 20):
        identity.set_clock(BEGIN + after * S)
        qm.put(b"%d" % after)
    identity.set_clock(BEGIN + 30 * S)
    with qm.open() as handle:
        handle.get(MQGMO_NO_SYNCPOINT)
    identity.set_clock(BEGIN + 40 * S)
    yield qm
    identity.set_clock(None)


def test_each_interval_has_what_came_and_went_and_the_depth_at_its_end(kept: QM) -> None:
    line = read_time_line(kept.main.db, "Q", 4, BEGIN + 40 * S)
    assert line is not None
    assert (line.begin, line.end, line.is_whole) == (BEGIN, BEGIN + 40 * S, True)
    assert line.puts == [0, 1, 2, 0]
    assert line.gets == [0, 0, 0, 1]
    assert line.depths == [0, 1, 3, 2]


def test_an_interval_begins_where_its_instant_is(kept: QM) -> None:
    line = read_time_line(kept.main.db, "Q", 4, BEGIN + 40 * S)
    assert line is not None
    assert [line.bar_of(line.instant_of(bar)) for bar in range(4)] == [0, 1, 2, 3]
    assert (line.bar_of(0), line.bar_of(BEGIN + 99 * S)) == (0, 3)


def test_more_events_than_are_read_begin_with_the_first_of_the_latest(
    kept: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_line, "MOST_EVENTS", 2)
    line = read_time_line(kept.main.db, "Q", 2, BEGIN + 40 * S)
    assert line is not None
    assert (line.begin, line.is_whole) == (BEGIN + 20 * S, False)
    assert (line.puts, line.gets, line.depths) == ([1, 0], [0, 1], [3, 2])


def test_a_queue_without_a_journal_has_none(qm: QM) -> None:
    assert read_time_line(qm.main.db, "Q", 4, BEGIN) is None


def test_steps_go_to_just_before_the_events_and_events_of_one_instant_are_one(kept: QM) -> None:
    db, now = kept.main.db, BEGIN + 40 * S
    back = [step(db, "Q", now, -number) for number in (1, 2, 3, 4)]
    assert back == [BEGIN + 30 * S - 1, BEGIN + 20 * S - 1, BEGIN + 10 * S - 1, None]
    assert step(db, "Q", BEGIN + 10 * S - 1, 1) == BEGIN + 20 * S - 1
    assert step(db, "Q", BEGIN + 15 * S, 1) == BEGIN + 30 * S - 1
    assert step(db, "Q", BEGIN + 10 * S - 1, 2) == BEGIN + 30 * S - 1
    assert step(db, "Q", BEGIN + 30 * S - 1, 1) is None


def test_the_last_put_and_get_are_those_until_the_instant(kept: QM) -> None:
    db = kept.main.db
    assert last_put_and_get(db, "Q", BEGIN + 5 * S) == (None, None)
    assert last_put_and_get(db, "Q", BEGIN + 29 * S) == (BEGIN + 20 * S, None)
    assert last_put_and_get(db, "Q", BEGIN + 30 * S) == (BEGIN + 20 * S, BEGIN + 30 * S)


def test_what_is_uncommitted_counts_as_if_nobody_had_begun(kept: QM) -> None:
    with kept.connect() as other, kept.open(connection=other) as handle:
        handle.get(MQGMO_SYNCPOINT)
        handle.put(Message(b"held"), MQPMO_SYNCPOINT)
        line = read_time_line(kept.main.db, "Q", 4, BEGIN + 40 * S)
        other.backout()
    assert line is not None
    assert line.depths == [0, 1, 3, 2]


def test_versions_that_are_exchanged_with_those_in_the_trash_leave_the_depth_as_it_is(kept: QM) -> None:
    kept.main.trash = Trash(1000, 1 << 20)
    edit_batch(kept.main, "Q", kept.seqs(), Changes(body=b"edited").apply)
    trash_contents.restore(kept.main, [one.number for one in trash_contents.select_trashed(kept.main.db)])
    line = read_time_line(kept.main.db, "Q", 4, BEGIN + 40 * S)
    assert line is not None
    assert line.depths == [0, 1, 3, 2]


def test_a_time_line_can_be_limited_to_the_last_moments_and_marks_dead_letters(kept: QM) -> None:
    line = read_time_line(kept.main.db, "Q", 2, BEGIN + 40 * S, 15 * S)
    assert line is not None
    assert (line.begin, line.puts, line.gets, line.depths) == (BEGIN + 25 * S, [0, 0], [1, 0], [2, 2])
    assert line.dead == frozenset()
