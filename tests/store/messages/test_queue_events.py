"""Events of one queue: those that are entered in its index, and the newest, which are not yet."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest

from mqtools.message import MQMD
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.messages import activity, insertion, journal, journal_retention, queue_events
from mqtools.store.messages.stored_message import StoredMessage, seq_of

#: Numbers of the events of Q among those of two queues, 1 to 11.
OF_Q = [1, 3, 5, 7, 9, 11]


@pytest.fixture(params=[0, 1, 4, 11], ids=lambda entered: f"{entered} entered")
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """Eleven events of two queues in turn, as many of them entered as the parameter says."""
    with tempfile.TemporaryDirectory() as folder:
        database = create_database(os.path.join(folder, "QM1.db"))
        md = MQMD(priority=0, persistence=0, msg_id=bytes(24))
        seq = seq_of(3, 1)
        with database.writing():
            insertion.insert(database, StoredMessage(seq, 3, 1, 0, 1, None, None, None, 0, None, 0, md), b"")
            for number in range(1, 12):
                name = "Q" if number % 2 else "OTHER"
                journal.write_arrival(database, seq, (100 * number, "put", "me", "it", 0, name, False, None))
            journal_retention.count_new(database, request.param)
        yield database
        database.close()


def numbers(database: Database, **how: object) -> list[int]:
    return [row[0] for row in queue_events.select(database, "event_seq", "Q", **how)]  # type: ignore[arg-type]


def test_all_events_of_a_queue_are_read_in_order_both_ways(database: Database) -> None:
    assert numbers(database, limit=99) == OF_Q
    assert numbers(database, limit=99, backwards=True) == OF_Q[::-1]


@pytest.mark.parametrize("limit", range(1, 7))
def test_a_limit_counts_over_both_parts(database: Database, limit: int) -> None:
    assert numbers(database, limit=limit) == OF_Q[:limit]
    assert numbers(database, limit=limit, backwards=True) == OF_Q[::-1][:limit]
    assert numbers(database, first=3, last=9, limit=limit) == OF_Q[1:5][:limit]


def test_a_condition_chooses_in_both_parts(database: Database) -> None:
    assert numbers(database, limit=99, which="event_at in (300, 400, 1100)") == [3, 11]


@pytest.mark.parametrize("number", range(1, 9))
def test_the_first_of_the_last_events_is_the_oldest_where_there_are_not_so_many(
    database: Database, number: int
) -> None:
    assert queue_events.first_of_last(database, "Q", number) == OF_Q[max(0, 6 - number)]
    assert queue_events.first_of_last(database, "NONE", number) is None


def test_bars_count_over_both_parts(database: Database) -> None:
    assert sorted(activity.bars(database, "Q", 3, 0, 1200, 2)) == [(0, 2, 0), (1, 3, 0)]


def test_what_is_removed_is_no_longer_entered(database: Database) -> None:
    with database.writing():
        journal_retention.remove_through(database, 5)
    assert numbers(database, limit=99) == [7, 9, 11]
    assert database.all("select number from journal_queues where number <= 5") == []
