"""The dead-letter handler: processes a queue of a file in transactions, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mqtools.constants.options import (
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.dlq.attempt import ENDINGS, attempt_each, check_gettable
from mqtools.dlq.letters import available
from mqtools.dlq.table_handler import TableHandler
from mqtools.errors import MQError, StorageError
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection
from mqtools.store import holders
from mqtools.store.liveness import ring
from mqtools.store.messages import messages

_OPEN = MQOO_BROWSE | MQOO_INPUT_AS_Q_DEF | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING


@dataclass(eq=False)
class Handler(TableHandler):
    """Runs a rules table over a dead-letter queue of a file.

    connection: without a unit of work; those of the handler are transactions of at most ``attempt.BATCH`` messages.
    A sleep ends when a message becomes available, or a holder of one dies.
    """

    connection: Connection

    def _wake(self) -> None:
        if self.connection.presence is not None:
            ring(self.connection.db.run_folder, self.connection.presence.token)

    def _open(self) -> None:
        self._handle = self.connection.open(self.q_name, _OPEN)

    def _listen(self) -> None:
        """Register as a waiter for messages of the queue, until the handle closes."""
        handle, connection = self._handle, self.connection
        with connection.work() as work:
            connection.register(work)
            assert connection.presence is not None
            connection.presence.listen()
            token = connection.presence.token
            holders.add_waiter(
                work.db, handle.id, handle.queue_id, destructive=False, msg_id=None, correl_id=None, token=token
            )

    def _sleep(self, timeout_s: float) -> bool:
        """Sleep until a message becomes available, or a holder of one dies; return False when time ran out.

        A wake-up since the last sleep ends this one at once.
        """
        connection = self.connection
        assert connection.presence is not None
        others = holders.holding_connections(connection.db, self._handle.queue_id)
        tokens = [other.token for other in others if other.token is not None and other.id != connection.id]
        return connection.presence.wait(timeout_s, tokens)

    def _check_queue(self) -> None:
        """Detect what ends a run also when the queue is empty, and release what dead processes hold."""
        with self.connection.work() as work:
            queue = check_gettable(work, self._handle)
            if messages.held(work.db, queue.id, limit=1):
                recovery.recover(work, queue.id)

    def _wanted(self, unmet: set[int]) -> Iterator[tuple[int, int]]:
        """Yield key and length of the messages that are new or due; discard the queue's keys from ``_unmet``."""
        for stored in available(self.connection.db, self._handle.queue_id):
            unmet.discard(stored.seq)
            if self._is_wanted(stored):
                yield stored.seq, stored.data_length
            if self._is_interrupted:
                return

    def _forget(self, unmet: set[int]) -> None:
        """Drop the messages that are gone; one that is due but held by another waits for its release."""
        for seq in unmet & set(self._progress.left):
            left = self._progress.left[seq]
            if messages.by_seq(self.connection.db, seq) is None:
                self._progress.forget(seq)
            elif left.due is not None and self.clock() >= left.due:
                left.due, left.is_held = None, True

    # Some messages

    def _handle_some(self, seqs: list[int]) -> int:
        """Handle messages in one transaction, at least the first; return how many.

        Where the file refuses all of them, the first half is tried by itself, down to one: an obstacle for one
        message need not be one for the others.
        """
        work = self.connection.work()
        progress = self._progress
        try:
            with work:
                queue = check_gettable(work, self._handle)
                outcomes = attempt_each(
                    work, queue, seqs, progress.table, progress.retries, lambda: self._is_interrupted
                )
        except StorageError:
            if len(seqs) == 1 or work.is_committed:
                raise
            return self._handle_some(seqs[: len(seqs) // 2])
        for outcome in outcomes:
            if outcome is not None:
                self._settle(outcome)
        return len(outcomes)

    def _close(self) -> None:
        """Close the queue, unless the queue manager has done so."""
        try:
            self._handle.close()
        except MQError as error:
            if error.reason not in ENDINGS:
                raise
