"""Time of messages on a queue, for QTIME: two averages that each get moves, while MONQ is on."""

from __future__ import annotations

from mqtools.store import objects
from mqtools.store.database import Database

#: Kind under which the store keeps the averages of a queue, in microseconds.
KIND = "q_time"
#: How much the latest message counts in the short-term and in the long-term average.
_SHARES = (1 / 8, 1 / 64)
#: The longest time that QTIME shows, in microseconds.
_LONGEST = 999_999_999


def note_time(db: Database, q_name: str, time_us: int) -> None:
    """Note how long a message was on the queue when a get removed it."""
    found = objects.definition(db, KIND, q_name)
    averages = [time_us] * 2 if found is None else found["averages"]
    moved = [average + (time_us - average) * share for average, share in zip(averages, _SHARES, strict=True)]
    objects.define(db, KIND, q_name, {"averages": moved})


def read_times(db: Database, q_name: str) -> tuple[int, ...] | None:
    """Return the short-term and the long-term average of a queue in microseconds; None where nothing was noted."""
    found = objects.definition(db, KIND, q_name)
    return None if found is None else tuple(min(round(average), _LONGEST) for average in found["averages"])
