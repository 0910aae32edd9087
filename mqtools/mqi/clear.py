"""CLEAR of a queue in steps: no other writer waits long for that of a deep queue.

At the end of CLEAR, all messages that were on the queue are gone. They do not go at one instant, and messages that
arrive meanwhile stay. An interrupted CLEAR has removed the first messages and left the rest.
"""

from __future__ import annotations

from mqtools.mqi import journal, trash
from mqtools.mqi.connection import Connection
from mqtools.mqi.objects import definitions
from mqtools.mqi.transaction import Work
from mqtools.store.messages import trash as trash_statements
from mqtools.store.queues import Queue
from mqtools.store.scans import key_ranges

#: Messages, and bytes of data, that one step removes at most: some twenty milliseconds of work, 50 on a busy machine.
STEP, STEP_BYTES = 1000, 3_000_000


def clear_in_steps(connection: Connection, name: str) -> int:
    """Remove the present messages of a local queue; return their number. A connection with a trash keeps them.

    Raises MQError: MQRC_OBJECT_IN_USE while it is open or has locked or uncommitted messages.
    """
    clearing: Clearing | None = None
    while clearing is None or not clearing.is_done:
        with connection.work() as work:
            clearing = clear_some(work, name, clearing)
    return clearing.removed


def clear_some(work: Work, name: str, clearing: Clearing | None = None) -> Clearing:
    """Execute the next step of a CLEAR, the first for None; return its progress. Raises MQError as a whole CLEAR."""
    queue = definitions.clearable_queue(work, name)
    work.durable = True
    clearing = clearing or Clearing(work, queue)
    clearing.remove_some(work, queue)
    return clearing


class Clearing:
    """Progress of a CLEAR: keys of the next message and behind the last one; kept_from: the first for the trash.

    removed: messages so far.
    """

    def __init__(self, work: Work, queue: Queue) -> None:
        self.removed = 0
        self._next, self._end = key_ranges.key_range(work.db, queue.id)
        self._kept_from = self._end
        if work.connection.trash is not None:
            most = work.connection.trash.max_bytes
            self._kept_from = trash_statements.first_that_fits(work.db, queue.id, most)

    @property
    def is_done(self) -> bool:
        """Whether all that lay there at the beginning is gone."""
        return self._next >= self._end

    def remove_some(self, work: Work, queue: Queue) -> None:
        """Remove the messages of one step."""
        first = self._next
        self._next = key_ranges.end_of_step(work.db, first, self._end, STEP, STEP_BYTES)
        kept = trash.keep_range(work, queue, trash.CLEAR, max(first, self._kept_from), self._next)
        if queue.journal:
            words = definitions.words_of_command(work, f"CLEAR QLOCAL({queue.name})")
            journal.note_range(work, queue, journal.DELETE, first, self._next, words)
        removed = key_ranges.clear_range(work.db, queue.id, first, self._next)
        if work.connection.trash is not None:
            work.connection.trash.lost += removed - kept
        self.removed += removed
        if work.connection.counters is not None:
            work.connection.counters.note_gone(work, queue.name, "purge_count", removed)
