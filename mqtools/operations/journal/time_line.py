"""Time line of a queue from its journal: depth, puts and gets over time, and the instants that a reader steps to."""

from __future__ import annotations

from typing import NamedTuple

from mqtools.constants.states import GET_UNCONFIRMED, PUT_UNCONFIRMED
from mqtools.mqi.resolution import resolve_for_get
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import activity, history, queue_events, units_of_work
from mqtools.store.source import Source

#: Most events of a queue that a time line is made of: the latest ones, so that it is there within a moment.
MOST_EVENTS = 100_000
#: Uncommitted messages are counted up to this number.
_MOST_HELD = 10_000
#: Dead letters that are marked: the latest ones.
_MOST_LETTERS = 1000


class TimeLine(NamedTuple):
    """Activity of a queue in intervals of equal length.

    begin, end: milliseconds since 1970.  depths: messages at the end of each interval, without uncommitted puts.
    puts, gets: messages that came, and that left, in each, whatever the way.  dead: intervals in which dead letters
    came.  is_whole: it begins with the journal or as requested, not with the latest MOST_EVENTS events.
    """

    q_name: str
    begin: int
    end: int
    depths: list[int]
    puts: list[int]
    gets: list[int]
    is_whole: bool
    dead: frozenset[int] = frozenset()

    def bar_of(self, at_ms: int) -> int:
        number = len(self.depths)
        return max(0, min(number - 1, (at_ms - self.begin) * number // max(1, self.end - self.begin)))

    def instant_of(self, bar: int) -> int:
        return self.begin - (-bar * (self.end - self.begin) // len(self.depths))


def has_journal(db: Database, q_name: str) -> bool:
    """Return whether a queue has a journal. Raises MQError: no such queue."""
    return bool(resolve_for_get(db, q_name)[0].journal)


def read_time_line(
    db: Database, q_name: str, number: int, now_ms: int, length_ms: int | None = None
) -> TimeLine | None:
    """Read the time line of a queue in a number of intervals; None for a queue that has no journal.

    length_ms: the time until now that it shows at most; None for all. Raises MQError.
    """
    queue = resolve_for_get(db, q_name)[0]
    levels = history.levels(db, queue.name)
    if not queue.journal or not levels:
        return None
    first = activity.latest(db, queue.name, MOST_EVENTS)
    since = max(levels[-1][1], history.removed_at(db))
    is_whole = first is None or first[1] <= since or activity.latest(db, queue.name, MOST_EVENTS + 1) == first
    begin = since if is_whole or first is None else first[1]
    first_event = first[0] if first else 0
    if length_ms is not None and now_ms - length_ms > begin:
        begin, is_whole = now_ms - length_ms, True
        first_event = max(first_event, history.last_until(db, begin - 1) + 1)
    span = max(number, now_ms - begin)
    puts, gets = [0] * number, [0] * number
    for bar, came, went in activity.bars(db, queue.name, first_event, begin, span, number):
        puts[bar], gets[bar] = came, went
    letters = queue_events.select(
        db, "event_at", queue.name, first_event, limit=_MOST_LETTERS, which="event = 'dead_letter'", backwards=True
    )
    dead = frozenset(max(0, min(number - 1, (int(at) - begin) * number // span)) for (at,) in letters)
    depths = [0] * number
    depth = _committed(db, queue.id)
    for bar in reversed(range(number)):
        depths[bar] = max(0, depth)
        depth += gets[bar] - puts[bar]
    return TimeLine(queue.name, begin, begin + span, depths, puts, gets, is_whole, dead)


def _committed(db: Database, queue_id: int) -> int:
    """Return the number of messages whose puts are committed, those of uncommitted gets included."""
    held = units_of_work.held_states(db, queue_id, _MOST_HELD)
    gets = sum(state >= GET_UNCONFIRMED for state in held)
    return int(queues.status(db, queue_id)[0]) - held.count(PUT_UNCONFIRMED) + gets


def step(db: Database, q_name: str, at_ms: int, by: int) -> int | None:
    """Return the instant some events of a queue before or behind another instant: just before that event happened.

    by: number of events, negative for earlier ones; those of the same millisecond are one.  None: beyond the last one,
    which is the present, or before the first one.
    """
    at = at_ms
    for _ in range(abs(by)):
        if by < 0:
            found = activity.event_until(db, q_name, history.last_until(db, at))
        else:
            following = activity.event_after(db, q_name, history.last_until(db, at))
            found = None if following is None else activity.event_after(db, q_name, history.last_until(db, following))
        if found is None:
            return None
        at = found - 1
    return at


def last_put_and_get(source: Source, q_name: str, at_ms: int) -> tuple[int | None, int | None]:
    """Return when a message was put on a queue last, and got from it, until an instant; None where it is not known.

    Known is what the latest MOST_EVENTS events of the queue tell.
    """
    db = source.db
    first = activity.latest(db, q_name, MOST_EVENTS)
    return (None, None) if first is None else activity.last_times(db, q_name, first[0], history.last_until(db, at_ms))
