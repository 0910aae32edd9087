"""Statistics of queues from the journal: puts, gets, waiting times, and the activity over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from mqtools.operations.trace.lives import is_arrival, is_departure
from mqtools.store.database import Database
from mqtools.store.messages import history, journal_events
from mqtools.store.messages.journal_events import Step
from mqtools.store.source import Source

#: Events of a get: by a program, or by a channel that sends the message.
_GETS = ("get", "channel_send")
#: Events that replace a message where it is.
_NOT_PUTS = ("edit",)

#: Number of the intervals of the activity.
INTERVALS = 24


@dataclass(slots=True)
class QueueStats:
    """Statistics of one queue. waits_s: of each get, seconds.  puts_at: milliseconds since 1970."""

    puts: int = 0
    gets: int = 0
    events: int = 0
    waits_s: list[float] = field(default_factory=list)
    puts_at: list[int] = field(default_factory=list)

    def wait_s(self, share: float) -> float | None:
        """Return the waiting time that a share of the messages does not exceed; None without gets."""
        if not self.waits_s:
            return None
        self.waits_s.sort()
        return self.waits_s[max(0, ceil(share * len(self.waits_s)) - 1)]


def read_stats(source: Source, q_name: str, since_ms: int = 0) -> QueueStats:
    """Read the statistics of a queue from an instant on.

    The waiting time is from the event of the put to that of the get; where the put is not recorded, from the arrival.
    """
    db = source.db
    first = journal_events.first_whole(db, history.last_until(db, since_ms - 1) + 1)
    found = QueueStats()
    arrived: dict[int, int] = {}
    for step in journal_events.steps_of_queue(db, q_name, first):
        counts = step.event_at >= since_ms
        found.events += counts
        if _is_put(step):
            arrived[step.seq] = step.event_at
            if counts:
                found.puts += 1
                found.puts_at.append(step.event_at)
        elif is_departure(step) and step.event not in _NOT_PUTS:
            begin = arrived.pop(step.seq, None)
            if counts and step.event in _GETS:
                found.gets += 1
                begin = _arrival_before(db, step, first) if begin is None else begin
                found.waits_s.append(max(0, step.event_at - begin) / 1000)
    return found


def _arrival_before(db: Database, got: Step, first: int) -> int:
    """Return when a message came by an event before those that are read."""
    steps = journal_events.steps_of_message(db, got.msg_id, got.seq, first)
    return next((step.event_at for step in reversed(steps) if _is_put(step)), got.put_at)


def _is_put(step: Step) -> bool:
    return is_arrival(step) and step.event not in _NOT_PUTS


def activity(puts_at: Sequence[int], first_ms: int, last_ms: int) -> list[int]:
    """Return how many puts there were in each of a number of intervals between two instants."""
    counts = [0] * INTERVALS
    span = max(1, last_ms - first_ms)
    for at in puts_at:
        counts[min(INTERVALS - 1, max(0, (at - first_ms) * INTERVALS // span))] += 1
    return counts
