"""Range of keys: the input of one task."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Range:
    """Keys of one queue, or of the journal, that a task reads: behind ``after`` up to ``last``.

    queue, queue_id: empty and None for the journal.  lock_id: holder of the lock whose messages alone are read.
    """

    path: str
    qmgr: str
    queue: str
    queue_id: int | None
    after: int
    last: int
    lock_id: int | None = None
