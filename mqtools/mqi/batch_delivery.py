"""Batches of puts on one queue in one transaction: ordinary messages are buffered and stored together.

Ordinary is what nothing comes of but its row. All else goes the way of a single put, behind those that came before
it: what a limit of the queue refuses, what asks for an arrival report, what is for another queue manager or too long
for one row, and what is of a group on a queue with a journal.
"""

from __future__ import annotations

from mqtools.constants.structures import MQGI_NONE
from mqtools.mqi import delivery
from mqtools.rules import states
from mqtools.rules.reports import makes_arrival_report
from mqtools.store.messages import bulk_insert, messages
from mqtools.store.messages.bulk_insert import whole_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mqtools.message import MQMD
    from mqtools.mqi.resolution import Target
    from mqtools.mqi.transaction import Work

#: How many messages wait at most, and how many bytes of data.
_MOST, _MOST_BYTES = 1000, 4_000_000


class BulkPut:
    """Buffered puts on one queue. ``flush`` stores what is buffered."""

    def __init__(self, work: Work, resolve: Callable[[], Target], holder_id: int | None = None) -> None:
        """resolve: finds the queue; asked again when a message may have changed it.  holder_id: as for a put."""
        self._work = work
        self._resolve = resolve
        self._holder_id = holder_id
        self._target: Target | None = None
        self._waiting: list[tuple[MQMD, bytes, str | None]] = []
        self._bytes = 0

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
        return queue.max_q_depth - queue.depth - len(self._waiting)

    @property
    def longest(self) -> int:
        """How many bytes an ordinary message has at most."""
        return min(self.target.queue.max_msg_length, self._work.qmgr.max_msg_length, messages.CHUNK)

    def put(self, md: MQMD, data: bytes, properties: str | None) -> None:
        """Place a message. Raises MQError as ``delivery.deliver``; nothing has changed then.

        md: complete.  properties: JSON text.
        """
        target = self.target
        if len(data) > messages.CHUNK or self.room <= 0 or not self._is_ordinary(md):
            self._put_alone(md, data, properties)
            return
        delivery.check_limits(self._work, target, md, len(data))
        self._waiting.append((md, data, properties))
        self._bytes += len(data)
        if len(self._waiting) >= _MOST or self._bytes >= _MOST_BYTES:
            self.flush()

    def takes(self, md: MQMD) -> bool:
        """Return whether messages with such a descriptor are ordinary, if no longer than ``longest``.

        Raises MQError where the queue takes no message with it.
        """
        delivery.check_limits(self._work, self.target, md, 0)
        return self._is_ordinary(md)

    def put_alike(
        self,
        like: Sequence[MQMD],
        data: Sequence[bytes],
        properties: Sequence[str | None] | None,
        own: Mapping[str, Sequence[object]],
    ) -> None:
        """Place ordinary messages for which there is room.

        like: for each message a descriptor that ``takes`` says yes to; few different objects.  properties: JSON texts,
        None where no message has any.  own: field of the descriptor to the values of the messages, where these are not
        those of ``like``; nothing may depend on it.
        """
        self.flush()
        work, queue, state = self._work, self.target.queue, self._state
        number = delivery.count_arrivals(work, queue, state, len(like)) - len(like) + 1
        kinds = {id(md): md for md in like}
        found = {at: delivery.arrival(work, queue, state, md, 0, None, self._holder_id, 0) for at, md in kinds.items()}
        columns: dict[str, Sequence[object]] = {**own, "data": data}
        if properties is not None:
            columns["properties"] = properties
        bulk_insert.insert_alike(work.db, number, [found[id(md)] for md in like], columns)
        self._follow(number, len(like), max(md.persistence for md in kinds.values()))

    def flush(self) -> None:
        """Store the buffered messages."""
        waiting = self._waiting
        if not waiting:
            return
        work, queue, state = self._work, self.target.queue, self._state
        self._waiting, self._bytes = [], 0
        number = delivery.count_arrivals(work, queue, state, len(waiting)) - len(waiting) + 1
        bulk_insert.insert_rows(
            work.db,
            (
                whole_row(delivery.arrival(work, queue, state, md, len(data), properties, self._holder_id, n), data)
                for n, (md, data, properties) in enumerate(waiting, number)
            ),
        )
        self._follow(number, len(waiting), max(md.persistence for md, _, _ in waiting))

    @property
    def _state(self) -> int:
        return states.next_state(states.START, states.PUT if self._holder_id is None else states.PUT_HELD)

    def _is_ordinary(self, md: MQMD) -> bool:
        target = self.target
        if target.is_remote or (md.report and makes_arrival_report(md)):
            return False
        return not target.queue.journal or md.group_id == MQGI_NONE  # its event says how much of the group was there

    def _put_alone(self, md: MQMD, data: bytes, properties: str | None) -> None:
        self.flush()
        placed = len(self._work.placed)
        delivery.deliver(self._work, self.target, md, data, properties, holder_id=self._holder_id)
        if len(self._work.placed) != placed + 1:
            self._target = None  # a report may have come to the same queue

    def _follow(self, number: int, arrived: int, persistence: int) -> None:
        """Record stored messages in the journal and wake waiters. persistence: MQPER_PERSISTENT where any is."""
        queue = self.target.queue
        if queue.journal:
            from mqtools.mqi import journal

            first, held = messages.seq_of(queue.id, number), self._holder_id is not None
            journal.note_arrivals(self._work, queue, first, arrived, self._state, held=held)
        delivery.notify_arrival(self._work, queue, self._state, persistence)
