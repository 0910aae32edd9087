"""Cost of a call, counted and not timed."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from unittest.mock import patch

from mqtools.errors import NoMessageAvailable


def steps_of(db: Any, call: Callable[[], object]) -> int:
    """Count the steps of SQLite's machine that a call takes, be it that it finds no message.

    Without those of the look at the room on the disk, which is made by the clock and not by each call, and of
    moving the log into the file, which one call in hundreds does.
    """
    steps = [0]
    next_look, db.next_look = db.next_look, math.inf

    def tick() -> int:
        steps[0] += 1
        return 0

    db.sql.set_progress_handler(tick, 1)
    with suppress(NoMessageAvailable), patch("mqtools.store.log.checkpoint.move_if_long"):
        call()
    db.sql.set_progress_handler(None, 1)
    db.next_look = next_look
    return steps[0]
