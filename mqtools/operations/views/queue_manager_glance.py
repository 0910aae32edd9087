"""A queue manager at a glance: its state, and counters of its queues and channels."""

from __future__ import annotations

from typing import NamedTuple

from mqtools.admin import channels
from mqtools.admin.channel_status import statuses
from mqtools.mqi.recovery import current_state
from mqtools.operations.views.queue_overview import overview
from mqtools.rules.object_names import SYSTEM_PREFIX
from mqtools.store.database import Database

#: Percentage of its depth that makes a queue full.
_FULL = 95
#: States of a channel that need no attention.
_IN_ORDER = (channels.RUNNING, channels.INACTIVE)


class QueueManagerGlance(NamedTuple):
    """A queue manager in a line.

    queues: number of local ones, without those of the system.  depth: messages on all queues.  dead: on its
    dead-letter queue.  full: names of full queues.  running, waiting: channels that run, and that neither run nor rest.
    problem: why it cannot be read; empty when it was.
    """

    name: str
    state: str = ""
    queues: int = 0
    depth: int = 0
    dead: int = 0
    full: tuple[str, ...] = ()
    running: int = 0
    waiting: tuple[str, ...] = ()
    problem: str = ""


def read_glance(db: Database, name: str) -> QueueManagerGlance:
    """Return the line of a queue manager, from counters: no message is counted. Raises MQError."""
    with db.reading():
        rows = overview(db)
        states = {one.name: one.state for one in statuses(db) if not one.name.startswith(SYSTEM_PREFIX)}
        return QueueManagerGlance(
            name,
            current_state(db).upper(),
            sum(not row["name"].startswith(SYSTEM_PREFIX) for row in rows),
            sum(row["depth"] for row in rows),
            sum(row["depth"] for row in rows if row["is_dead_letter"]),
            tuple(row["name"] for row in rows if row["percent_full"] >= _FULL),
            sum(state == channels.RUNNING for state in states.values()),
            tuple(f"{name} {state.lower()}" for name, state in states.items() if state not in _IN_ORDER),
        )
