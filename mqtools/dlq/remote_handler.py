"""The dead-letter handler for a queue manager elsewhere, as runmqdlq in client mode: by MQGET, MQPUT1 and MQCMIT.

Each letter is one unit of work: get it, put it on its target with all its context, commit. A letter that is left is
backed out, which adds one to its backout count.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from mqtools.constants.options import (
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN, MQRC_NONE, MQRC_NOT_OPEN_FOR_OUTPUT
from mqtools.dlq import totals
from mqtools.dlq.attempt import Applied, attempt_letter, make_message
from mqtools.dlq.letters import HEAD_BYTES
from mqtools.dlq.rule import Rule
from mqtools.dlq.selection import Candidate, key_of, target_of
from mqtools.dlq.table_handler import TableHandler
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.operations.browsed_queue import BrowsedQueue, base_of
from mqtools.operations.selection import EVERYTHING, Selection
from mqtools.store.messages.stored_message import StoredMessage

#: Milliseconds of a wait. After each the handler checks whether it must stop.
_SLICE_MS = 500
_PUT = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT | MQPMO_FAIL_IF_QUIESCING


def carry(
    source: BrowsedQueue, seq: int, target: tuple[str, str], make: Callable[[Message], Message] | None
) -> tuple[str | None, int]:
    """Get a letter, put what is made of it on a target with all its context, and commit.

    make: None to put nothing.  Return why the letter is left, None where it has left the queue, and the reason of a
    failed put.
    """
    taken, connection = source.take(seq), source.connection
    if taken is None:
        return totals.GONE, MQRC_NONE
    try:
        if make is not None:
            made = make(taken.message)
            result = connection.put1(target[0], made, _PUT, q_mgr_name=target[1], context=source.handle)
            result.check_complete()
    except MQError as error:
        if error.reason == MQRC_CONNECTION_BROKEN:
            raise
        connection.backout()
        return totals.PUT_FAILED, error.reason
    connection.commit()
    return None, MQRC_NONE


@dataclass(eq=False)
class RemoteHandler(TableHandler):
    """Runs a rules table over a dead-letter queue of a queue manager elsewhere.

    selection: the messages that the table is applied to; positions are those at the start.
    """

    selection: Selection = field(default_factory=Selection, kw_only=True)

    def _open(self) -> None:
        self._source = BrowsedQueue(self.connection, self.q_name, gets=True)
        self._browsed = BrowsedQueue(self.connection, self.q_name)
        self._bell = BrowsedQueue(self.connection, self.q_name)
        self._found: OrderedDict[int, StoredMessage] = OrderedDict()
        self._bases: dict[str, str] = {}
        chosen = self.selection
        self._places: set[int] | None = None
        if chosen.first is not None or chosen.last is not None:
            self._places = {stored.seq for stored in self._browsed.select(chosen, max_length=HEAD_BYTES)}

    def _close(self) -> None:
        for queue in (self._source, self._browsed, self._bell):
            queue.close()

    def _sleep(self, timeout_s: float) -> bool:
        """Wait until a message arrives that was not there before; return False when time ran out."""
        end = self.clock() + timeout_s
        while not self._is_interrupted:
            left_ms = max(0, round((end - self.clock()) * 1000))
            arrived = next(self._bell.arrivals(EVERYTHING, wait_ms=min(_SLICE_MS, left_ms), max_length=0), None)
            if arrived is not None and arrived.seq not in self._progress.left:
                return True
            if self.clock() >= end:
                return False
        return True

    def _wanted(self, unmet: set[int]) -> Iterator[tuple[int, int]]:
        selection = self.selection if self._places is None else EVERYTHING
        for stored in self._browsed.select(selection, max_length=HEAD_BYTES):
            unmet.discard(stored.seq)
            is_placed = self._places is None or stored.seq in self._places
            if is_placed and self._is_wanted(stored):
                self._found[stored.seq] = stored
                yield stored.seq, stored.data_length
            if self._is_interrupted:
                return

    def _forget(self, unmet: set[int]) -> None:
        for seq in unmet & set(self._progress.left):
            self._progress.forget(seq)

    def _handle_some(self, seqs: list[int]) -> int:
        """Handle one message in a unit of work."""
        stored = self._found.pop(seqs[0])
        attempts = self._progress.retries[key_of(stored.md)]
        outcome = attempt_letter(
            stored,
            stored.data or b"",
            self._progress.table.rules,
            attempts,
            lambda rule, candidate: self._apply(rule, stored, candidate),
        )
        if outcome.cause not in (None, totals.GONE, totals.PUT_FAILED) and self._source.take(stored.seq) is not None:
            self.connection.backout()
        if outcome.cause != totals.GONE:
            self._settle(outcome)
        return 1

    def _apply(self, rule: Rule, stored: StoredMessage, candidate: Candidate) -> Applied:
        target = target_of(rule, candidate)
        if target[0] and self._is_loop(*target):
            return totals.LOOP, target, MQRC_NOT_OPEN_FOR_OUTPUT
        make = None if rule.action == "DISCARD" else partial(make_message, rule, candidate.dlh)
        cause, reason = carry(self._source, stored.seq, target, make)
        return cause, target, reason

    def _is_loop(self, q_name: str, q_mgr_name: str) -> bool:
        """Return whether a put would arrive on the queue that is read, also through an alias."""
        if q_mgr_name not in ("", self.connection.name):
            return False
        return q_name == self.q_name or self._base(q_name) == self._base(self.q_name)

    def _base(self, q_name: str) -> str:
        if q_name not in self._bases:
            self._bases[q_name] = base_of(self.connection, q_name)
        return self._bases[q_name]
