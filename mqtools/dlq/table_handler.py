"""Run of a rules table over a dead-letter queue: the loop, the scans, the report; for any queue manager.

A *scan* goes through the queue in the order of delivery, reading only, and handles what is new or due again, several
letters in one transaction: for each letter a rule is chosen and its action run. A failed action is undone for that
letter alone. Each attempt that leaves a letter adds one to its BackoutCount, whatever the cause. Nothing is counted or
reported before the commit, so a handler that is killed has neither lost nor doubled a letter. Between scans the
handler sleeps until a message becomes available or the next one is due.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, InitVar, dataclass

from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq import report_lines, totals
from mqtools.dlq.attempt import BATCH, ENDINGS, AttemptResult, group_batches
from mqtools.dlq.progress import TableProgress
from mqtools.dlq.rule import RulesTable
from mqtools.dlq.selection import Candidate, is_repeated_failure, nul_keywords
from mqtools.dlq.totals import TableTotals
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.store.messages.stored_message import StoredMessage

#: A scan at least every so many retry intervals, for what became available without a ring: a lease that ended.
_RESCAN = 10
#: No sleep is longer (seconds).
_LONGEST_SLEEP_S = 3600.0


@dataclass(eq=False)
class TableHandler(ABC):
    """Runs a rules table over a dead-letter queue.

    once: one pass, one attempt per message, whatever WAIT says.  say: takes each line of the report.
    select: selects the messages that the table is applied to; the others are ignored.
    clock: monotonic seconds.  pause: sleeps up to a number of seconds, returns whether it was woken earlier; by default
    until the connection is woken.
    PUTAUT(CTX) asks for the authority of MQMD.UserIdentifier; all context is passed on in either case, and no
    authority is checked.
    Source: BEY-69 to BEY-77.
    """

    connection: QueueManagerConnection
    table: InitVar[RulesTable]
    q_name: str
    _: KW_ONLY
    once: bool = False
    say: Callable[[str], None]
    select: Callable[[StoredMessage], bool] | None = None

    def __post_init__(self, table: RulesTable) -> None:
        self._progress = TableProgress(table, once=self.once)
        self.clock: Callable[[], float] = time.monotonic
        self.pause: Callable[[float], bool] = self._sleep
        self._is_stopping = False
        self._next_table: RulesTable | None = None
        self._said: set[object] = set()
        self._last_useful = 0.0
        self._ended_by = MQRC_NONE

    def run(self) -> TableTotals:
        """Handle dead letters until WAIT ends the run, or the queue or its manager does.

        Return the totals.  Raises MQError when the queue cannot be opened, and StorageError;
        the messages at hand are then back on their queue.
        """
        for _ in self.steps(BATCH):
            pass
        return self.totals()

    def steps(self, batch: int = 1) -> Iterator[None]:
        """Run step by step, for a caller that does other work in between.

        batch: messages that are handled in one step, at most.  Closing it ends the run; ``totals`` is valid at any
        time.
        """
        self._open()
        self.say(report_lines.format_start(self.q_name))
        try:
            yield from self._loop(batch)
        except MQError as error:
            if error.reason not in ENDINGS:
                raise
            self._ended_by = error.reason
        finally:
            self._close()
        self.say(report_lines.format_end(self.q_name, self.totals()))

    def stop(self) -> None:
        """End the run after the current message, or end a sleep at once. May be called by another thread."""
        self._is_stopping = True
        self._wake()

    def reload(self, table: RulesTable) -> None:
        """Replace the table after the current message, as if newly started. May be called by another thread.

        Its INPUTQ is ignored.
        """
        self._next_table = table
        self._wake()

    @abstractmethod
    def _open(self) -> None:
        """Open the queue. Raises MQError."""

    @abstractmethod
    def _close(self) -> None:
        """Close the queue, unless the queue manager has done so."""

    def _wake(self) -> None:  # noqa: B027
        """End a sleep, where it does not end by itself soon. May be called by another thread."""

    def _listen(self) -> None:  # noqa: B027
        """Prepare for sleeps, where the queue manager is not asked for arrivals."""

    @abstractmethod
    def _sleep(self, timeout_s: float) -> bool:
        """Sleep until a message becomes available; return False when time ran out.

        A wake-up since the last sleep ends this one at once.
        """

    def _check_queue(self) -> None:  # noqa: B027
        """Detect what ends a run also when the queue is empty, where a scan does not. Raises MQError."""

    @abstractmethod
    def _wanted(self, unmet: set[int]) -> Iterator[tuple[int, int]]:
        """Yield key and length of the messages that are new or due; discard the queue's keys from ``unmet``."""

    @abstractmethod
    def _handle_some(self, seqs: list[int]) -> int:
        """Handle messages in one unit of work, at least the first; return how many."""

    @abstractmethod
    def _forget(self, unmet: set[int]) -> None:
        """Drop the messages that are gone."""

    # The loop

    def _loop(self, batch: int) -> Iterator[None]:
        self._last_useful = self.clock()
        if not self.once:
            self._listen()
        while not self._is_stopping:
            if self._next_table is not None:
                table, self._next_table = self._next_table, None
                self._progress.use(table)
                self._said.clear()
            yield from self._scan(batch)
            if self.once or self._is_stopping:
                return
            if self._next_table is None and not self.pause(self._patience_s()) and self._is_over():
                return

    def _ends_at(self) -> float | None:
        """Return when the run ends if no message is handled; None while messages are due, and with WAIT(YES)."""
        wait = self._progress.table.control.wait
        if wait == "YES" or self._progress.next_due() is not None:
            return None
        return self._last_useful + (0 if wait == "NO" else int(wait))

    def _is_over(self) -> bool:
        end = self._ends_at()
        return end is not None and self.clock() >= end

    def _patience_s(self) -> float:
        moments = (self._progress.next_due(), self._ends_at())
        spans = [moment - self.clock() for moment in moments if moment is not None]
        return max(0.0, min(*spans, _RESCAN * max(1, self._progress.table.control.retry_interval_s), _LONGEST_SLEEP_S))

    # The scan

    @property
    def _is_interrupted(self) -> bool:
        return self._is_stopping or self._next_table is not None

    def _scan(self, batch: int) -> Iterator[None]:
        self._check_queue()
        unmet = set(self._progress.left)
        for seqs in group_batches(self._wanted(unmet), batch):
            while seqs and not self._is_interrupted:
                seqs = seqs[self._handle_some(seqs) :]
                yield
            if self._is_interrupted:
                break
        if not self._is_interrupted:
            self._forget(unmet)

    def _is_wanted(self, stored: StoredMessage) -> bool:
        """Return whether a message is new, due, or expired, which an attempt finds out."""
        if self.select is not None and not self.select(stored):
            return False
        left = self._progress.left.get(stored.seq)
        if left is None or left.is_held or (left.due is not None and self.clock() >= left.due):
            return True
        return stored.has_expired(now_ms())

    def _settle(self, outcome: AttemptResult) -> None:
        """Count a committed outcome, and report what is new about it."""
        now, candidate = self.clock(), outcome.candidate
        if candidate is None:
            self.say(report_lines.format_without_dlh(outcome.md.msg_id, outcome.text))
        elif outcome.seq not in self._progress.left:
            self._last_useful = now
            self._warn_of_nul(candidate)
        if outcome.rule is not None and outcome.rule.action != "IGNORE":
            self._last_useful = now
        if outcome.cause == totals.LOOP:
            assert outcome.rule is not None
            line = outcome.rule.line
            self._say_once(line, report_lines.format_loop(line, outcome.target, self.q_name))
        elif outcome.cause == totals.PUT_FAILED:
            self._say_failure(outcome)
        self._progress.settle(outcome, now)

    def _say_failure(self, outcome: AttemptResult) -> None:
        assert outcome.rule is not None
        assert outcome.candidate is not None
        if not is_repeated_failure(outcome.candidate, outcome.reason, outcome.target):
            line = outcome.rule.line
            self.say(report_lines.format_failed_put(line, outcome.target, outcome.reason, outcome.md.msg_id))

    def _warn_of_nul(self, candidate: Candidate) -> None:
        """Report, once for each keyword of the table, that a field is padded with NUL."""
        for keyword in nul_keywords(candidate, self._progress.char_keywords):
            self._say_once(keyword, report_lines.format_nul_padding(keyword, candidate.md.msg_id))

    def _say_once(self, key: object, line: str) -> None:
        if key not in self._said:
            self._said.add(key)
            self.say(line)

    # The end

    @property
    def handled(self) -> int:
        return sum(self._progress.handled.values())

    def totals(self) -> TableTotals:
        return self._progress.totals(self._ended_by)
