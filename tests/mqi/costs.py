"""What a call costs, counted and not timed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from mqtools.errors import NoMessageAvailable
from mqtools.store.database import Database


def steps_of(db: Database, call: Callable[[], object]) -> int:
    """Count the steps of SQLite's machine that a call takes, be it that it finds no message."""
    steps = [0]

    def tick() -> int:
        steps[0] += 1
        return 0

    db.sql.set_progress_handler(tick, 1)
    with suppress(NoMessageAvailable):
        call()
    db.sql.set_progress_handler(None, 1)
    return steps[0]
