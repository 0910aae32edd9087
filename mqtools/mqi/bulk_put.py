"""Bulk puts on one queue in one transaction: ordinary messages are buffered and stored together.

Ordinary is what nothing comes of but its row. All else is stored at once, behind those that came before it: what a
limit of the queue refuses, what asks for an arrival report, what is for another queue manager or too long for one row,
and what is of a group on a queue with a journal.
"""

from __future__ import annotations

from collections.abc import Callable

from mqtools.constants.message import MQMF_SEGMENTATION_ALLOWED, MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.constants.structures import MQGI_NONE
from mqtools.message import MQMD
from mqtools.mqi import delivery
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.store import Row, queues
from mqtools.store.definition_cache import PERFORMANCE_EVENTS
from mqtools.store.messages import insertion
from mqtools.store.messages.checksums import checksum
from mqtools.store.messages.stored_message import CHUNK, StoredMessage, seq_of, to_row

#: How many messages wait at most, and how many bytes of data.
_MOST, _MOST_BYTES = 1000, 4_000_000


class BulkPut:
    """Buffered puts on one queue. ``flush`` stores what is buffered.

    holder_id: as for a put.  deliver: stores a message that is not ordinary.
    keeps_backout_count: what no MQPUT does, for messages that only change their place.
    Invariant: while messages are buffered, nothing else puts to the queue in the same transaction.
    """

    def __init__(
        self,
        work: Work,
        resolve: Callable[[], Target],
        holder_id: int | None,
        deliver: Callable[[Work, Target, MQMD, bytes, str | None, int | None], StoredMessage],
        *,
        keeps_backout_count: bool = False,
    ) -> None:
        """resolve: finds the queue; asked again when a message may have changed it."""
        self._work = work
        self._resolve = resolve
        self._deliver = deliver
        self._target: Target | None = None
        self._rows: list[Row] = []
        self._bytes = 0
        self._persistence = MQPER_NOT_PERSISTENT
        self.holder_id = holder_id
        self.keeps_backout_count = keeps_backout_count

    @property
    def target(self) -> Target:
        """The destination of the messages. Raises MQError as ``resolve_for_put``."""
        if self._target is None:
            self._target = self._resolve()
        return self._target

    @property
    def room(self) -> int:
        """How many more messages the queue takes."""
        queue = self.target.queue
        return queue.max_q_depth - queue.depth - len(self._rows)

    @property
    def longest(self) -> int:
        """How many bytes an ordinary message has at most."""
        return min(self.target.queue.max_msg_length, self._work.qmgr.max_msg_length, CHUNK)

    def put(self, md: MQMD, data: bytes, properties: str | None, *, is_ordinary: bool = False) -> int:
        """Place a message; return its key. Raises MQError as ``delivery.deliver``; nothing has changed then.

        md: complete.  properties: JSON text.  is_ordinary: ``takes`` its descriptor, ``longest`` and ``room`` said so.
        """
        if not (is_ordinary or self.takes(md, len(data))):
            self.flush()
            placed = len(self._work.placed)
            alone = self._deliver(self._work, self.target, md, data, properties, self.holder_id)
            if len(self._work.placed) != placed + 1:
                self._target = None  # a report may have come to the same queue
            return alone.seq
        queue = self.target.queue
        number = queue.last_number + len(self._rows) + 1
        stored = delivery.arrival(
            self._work, queue, md, len(data), properties, self.holder_id, number
        )  # now: the caller may change the descriptor
        self._rows.append(to_row(stored, data, checksum(stored, data)))
        self._bytes += len(data)
        if md.persistence == MQPER_PERSISTENT:
            self._persistence = MQPER_PERSISTENT
        if len(self._rows) >= _MOST or self._bytes >= _MOST_BYTES:
            self.flush()
        return stored.seq

    def takes(self, md: MQMD, length: int = 0) -> bool:
        """Return whether a message with such a descriptor is ordinary, and there is room for it.

        length: of the data.  Raises MQError where the queue takes no ordinary message with it.
        """
        target = self.target
        queue = target.queue
        if length > CHUNK or queue.depth + len(self._rows) >= queue.max_q_depth:
            return False
        if md.report or target.is_remote or md.msg_flags & MQMF_SEGMENTATION_ALLOWED:
            return False
        if queue.name == COMMAND_QUEUE:
            return False  # a command may be marked with its user
        if queue.journal and md.group_id != MQGI_NONE:
            return False  # its event says how much of the group was there
        delivery.check_limits(self._work, target, md, length)
        return True

    def flush(self) -> None:
        """Store the buffered messages."""
        rows = self._rows
        if not rows:
            return
        work, queue, held = self._work, self.target.queue, self.holder_id is not None
        before, persistence = queue.last_number, self._persistence
        self._rows, self._bytes, self._persistence = [], 0, MQPER_NOT_PERSISTENT
        if work.qmgr.events & PERFORMANCE_EVENTS:
            work.change_depth(queue, len(rows))
        last = queues.count_arrivals(work.db, queue, work.now_ms, len(rows), held=held)
        assert last == before + len(rows), "another program has put to the queue while messages were buffered"
        insertion.insert_rows(work.db, rows)
        first = seq_of(queue.id, before + 1)
        work.placed += range(first, first + len(rows))
        if queue.journal:
            from mqtools.mqi import journal

            journal.note_arrivals(work, queue, first, len(rows), held=held)
        delivery.notify_arrival(work, queue, persistence, held=held)

    def resolve_again(self) -> None:
        """Store the buffered messages, and resolve the queue again for the next one."""
        self.flush()
        self._target = None
